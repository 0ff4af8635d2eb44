"""What a token can be told to do, as far as reading tells: nothing is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pr_review.adapters.github.client import Client


@dataclass(frozen=True, slots=True)
class Access:
    """A repository as a token sees it.

    `scopes` are those of a classic token of a person, None for any other token, of which no read
    tells whether it may write. Of the rate limit, None where the server tells nothing.
    """

    default_branch: str
    private: bool
    scopes: tuple[str, ...] | None
    limit: int | None
    remaining: int | None

    @property
    def may_post(self) -> bool | None:
        """Whether the token's scopes cover a review; None if that cannot be told."""
        if self.scopes is None:
            return None
        return "repo" in self.scopes or (not self.private and "public_repo" in self.scopes)


def access(client: Client) -> Access:
    """Asks once. Raises `GitHubError`."""
    return client.answer("looking at the repository", "", _access)


def _access(headers: Mapping[str, Any], data: Any) -> Access:
    # an empty header comes with tokens that have no scopes, such as fine-grained ones:
    # https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
    said = str(headers.get("x-oauth-scopes") or "")
    scopes = tuple(part.strip() for part in said.split(",") if part.strip())
    return Access(
        str(data["default_branch"]),
        bool(data["private"]),
        scopes or None,
        _number(headers.get("x-ratelimit-limit")),
        _number(headers.get("x-ratelimit-remaining")),
    )


def _number(value: object) -> int | None:
    text = str(value or "")
    return int(text) if text.isdecimal() else None
