"""Reads event payloads: any shape of JSON gives a value or an `EventError`, never a traceback."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pr_review.domain.pull_request import PullRequest
from pr_review.errors import EventError

Json = Mapping[str, object]

_NUMBER = re.compile(r"#?0*([1-9][0-9]{0,9})")
_URL = re.compile(r"https?://[^/\s]+/([^/\s]+/[^/\s]+)/pull/0*([1-9][0-9]{0,9})(?:[/?#]\S*)?")
_REMEDY = "give a number, #7, or the address of a pull request"


def member(value: Json, key: str) -> Json:
    """The object under `key`; empty if there is none, or something else."""
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}


def text(value: Json, key: str) -> str:
    """The string under `key`; empty if there is none, or something else."""
    inner = value.get(key)
    return inner if isinstance(inner, str) else ""


def identifier(value: Json, key: str) -> int | None:
    """The positive whole number under `key`, or None."""
    inner = value.get(key)
    return inner if type(inner) is int and inner > 0 else None


def read_number(value: str, repository: str = "") -> int:
    """The pull request that `7`, `#7` or an address ending in `/pull/7` names.

    Raises `EventError` for anything else, and for an address in another repository than
    `repository` (`owner/name`) if one is given.
    """
    given = value.strip()
    if match := _NUMBER.fullmatch(given):
        return int(match[1])
    match = _URL.fullmatch(given)
    if not match:
        raise EventError("the input pull-request names no pull request", remedy=_REMEDY)
    if repository and match[1].lower() != repository.lower():
        raise EventError(
            f"the input pull-request is an address outside {repository}",
            remedy="give a pull request of the repository that the workflow runs in",
        )
    return int(match[2])


def repository_of(value: str) -> str:
    """The `owner/name` in the address of a pull request; empty for anything else."""
    match = _URL.fullmatch(value.strip())
    return match[1] if match else ""


@dataclass(frozen=True, slots=True)
class Facts:
    """What decides whether a pull request is reviewed, wherever it was read from."""

    draft: bool
    closed: bool
    author: str
    author_is_bot: bool
    labels: tuple[str, ...]

    @classmethod
    def of_payload(cls, pull_request: Json) -> Facts:
        """From the `pull_request` object of an event; what is missing or null counts as no."""
        user = member(pull_request, "user")
        labels = pull_request.get("labels")
        entries = labels if isinstance(labels, list) else []
        names = [text(entry, "name") for entry in entries if isinstance(entry, dict)]
        return cls(
            draft=pull_request.get("draft") is True,
            closed=text(pull_request, "state") == "closed",
            author=text(user, "login"),
            author_is_bot=is_bot(user),
            labels=tuple(name for name in names if name),
        )

    @classmethod
    def of_pull_request(cls, pull_request: PullRequest) -> Facts:
        login = pull_request.author
        return cls(
            draft=pull_request.draft,
            closed=pull_request.closed,
            author=login,
            author_is_bot=pull_request.author_is_bot or _is_bot_login(login),
            labels=pull_request.labels,
        )


def is_bot(user: Json) -> bool:
    """Whether a user object is a bot: by its type, or by its login's `[bot]`."""
    return text(user, "type") == "Bot" or _is_bot_login(text(user, "login"))


def _is_bot_login(login: str) -> bool:
    return login.lower().endswith("[bot]")
