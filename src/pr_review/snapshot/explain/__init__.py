"""explain: was this line shown, by which stage, and which setting would show it?"""

from __future__ import annotations

from collections.abc import Callable

from pr_review.domain.diff import Change, Side
from pr_review.errors import ConfigurationError
from pr_review.snapshot.explain.case import Case, Limits
from pr_review.snapshot.explain.files import file_account
from pr_review.snapshot.explain.lines import line_account
from pr_review.snapshot.explain.model import Explanation, FileAccount, LineAccount, Needed, Place
from pr_review.snapshot.explain.needs import needed
from pr_review.snapshot.explain.target import Target, name_of, target
from pr_review.snapshot.explain.words import lines
from pr_review.snapshot.policy import Screening
from pr_review.snapshot.ports import TokenCounter
from pr_review.snapshot.prepare import Tools

__all__ = [
    "Explanation",
    "FileAccount",
    "Limits",
    "LineAccount",
    "Needed",
    "explain",
    "lines",
]


def explain(
    question: str,
    read: Callable[[int], Change],
    tools: Tools,
    counter: TokenCounter,
    limits: Limits,
    *,
    needs: str = "",
) -> Explanation:
    """Answers `PATH`, `PATH:LINE` (new side) or `PATH:-LINE` (a removed line, by its old number).

    `read` gives the change under a cap of its raw bytes. `needs` names a line of the head that
    a reader of the place would have needed. Runs the stages many times, under other limits.
    Equal input gives an equal answer. Raises `ConfigurationError` for a place that is not there.
    """
    case = Case(read, tools, counter, limits)
    asked = target(question, case)
    about = _about(case, asked)
    snapshot = case.now.snapshot
    found = needed(case, asked, _place(target(needs, case))) if needs else None
    return Explanation(about, snapshot.size, _refused(case), found)


def _about(case: Case, asked: Target) -> FileAccount | LineAccount:
    if asked.place is not None:
        return line_account(case, asked.place, asked.asked)
    if asked.path not in case.now.drafts:
        raise ConfigurationError(
            f"{name_of(asked.path, case)} is not changed", remedy="name a line of it: PATH:LINE"
        )
    return file_account(case, asked.path)


def _place(found: Target) -> Place:
    if found.place is None or found.place.side is Side.LEFT:
        raise ConfigurationError("--needs takes a line of the head", remedy="give PATH:LINE")
    return found.place


def _refused(case: Case) -> str:
    """Why a review of the change would be refused, whatever stands in its snapshot."""
    if case.now.prepared.change.oversize:
        return f"its diff is over max-diff-bytes ({case.limits.diff_bytes:,})"
    redactions = case.now.snapshot.ledger.redactions
    if case.limits.policy.screening is Screening.REFUSE and redactions:
        return f"screening: refuse is set, and {len(redactions)} lines look like credentials"
    return ""
