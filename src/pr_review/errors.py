"""Every way a run can end badly: the cause, the exit code, and the remedy, on one page.

Only `app` turns these into exit codes. A message is one line that says what happened and
where; the remedy says what to do about it. Neither ever holds a secret or an input's value.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar


class PrReviewError(Exception):
    """Root of all expected failures. `exit_code` is what the process ends with."""

    exit_code: ClassVar[int]
    cause: ClassVar[str]
    denied = False  # whether GitHub refused it because the token lacks a right

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} ({self.remedy})" if self.remedy else self.message


class ConfigurationError(PrReviewError):
    """An input, a flag, the configuration file or the installation is wrong."""

    exit_code = 2
    cause = "configuration"


class EventError(PrReviewError):
    """The event payload is missing or is not what its name promises."""

    exit_code = 3
    cause = "event"


class GitHubError(PrReviewError):
    """GitHub could not be reached, or refused to answer."""

    exit_code = 4
    cause = "GitHub"


class UnreadableFile(GitHubError):  # noqa: N818 - what it is, not what we got wrong
    """A file of the base branch is there, and no text that GitHub gives: a run may go on."""


class SnapshotError(PrReviewError):
    """The change could not be read: commits are missing, git failed, the patch is no diff."""

    exit_code = 5
    cause = "snapshot"


class ServerUnreachable(SnapshotError):  # noqa: N818 - what happened, not what we got wrong
    """git could not reach the server or was refused by it: another source may still serve.

    `passing` tells that the same request may succeed a moment later.
    """

    def __init__(self, message: str, *, remedy: str = "", passing: bool = False) -> None:
        super().__init__(message, remedy=remedy)
        self.passing = passing


class HeadMoved(SnapshotError):  # noqa: N818 - what happened, not what we got wrong
    """Somebody pushed: the head that was to be read is no longer the pull request's."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"the head of pull request {number} moved while it was read",
            remedy="the run for the new head reviews it",
        )


class ModelError(PrReviewError):
    """A model call failed; as the end of a run: every agent failed. `calls` counts the requests
    that were made for it.
    """

    exit_code = 6
    cause = "model"

    def __init__(self, message: str, *, remedy: str = "", calls: int = 1) -> None:
        super().__init__(message, remedy=remedy)
        self.calls = calls


class ModelUnavailable(ModelError):  # noqa: N818 - what happened, not what we got wrong
    """The model gave no answer and billed none: another one may be asked in its place."""


class PromptTooLong(ModelUnavailable):
    """The model refused the prompt for its length, and nothing but that: a shorter one may fit."""


class PublishError(PrReviewError):
    """The review could not be posted; what it says is in the job summary and the report."""

    exit_code = 7
    cause = "publishing"


class AnchorRefused(PublishError):  # noqa: N818 - what GitHub did, not what we got wrong
    """GitHub refused a review with 422: one bad anchor loses all comments."""


def unknown_name(
    setting: str, thing: str, name: str, known: Iterable[str], *, remedy: str
) -> ConfigurationError:
    """A setting names something that does not exist; tells which of the `known` names is near."""
    near = nearest(name, known, cutoff=0.5)
    so = f", the nearest is {near!r}" if near else ""
    return ConfigurationError(f"{setting}: there is no {thing} {name[:40]!r}{so}", remedy=remedy)


def nearest(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """The one of the `known` names that is most like another; empty if none is like it."""
    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=cutoff)), "")


BUG_EXIT_CODE = 1
FINDING_EXIT_CODE = 10
INCOMPLETE_EXIT_CODE = 11
CANCELLED_EXIT_CODE = 143
