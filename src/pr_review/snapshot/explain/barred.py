"""What would show something of a file that may not be shown at all."""

from __future__ import annotations

import re
from dataclasses import replace

from pr_review.domain.globs import matches
from pr_review.domain.ledger import Reason
from pr_review.domain.text import visible_line
from pr_review.snapshot.draft import Draft
from pr_review.snapshot.explain.case import Case, Limits, Outcome
from pr_review.snapshot.explain.model import Remedy
from pr_review.snapshot.explain.remedy import Goal, caps, smallest
from pr_review.snapshot.policy import SnapshotPolicy

# A path that means itself as a glob, and in a list with commas.
_PLAIN = re.compile(r"[A-Za-z0-9_./@+=~-]+", re.ASCII)
_MOST_DIFF_BYTES = 1 << 29


def barred_remedy(case: Case, draft: Draft, goal: Goal) -> tuple[Remedy | None, str]:
    """The settings that let a barred file in and reach a goal, or why there are none."""
    start = _let_in(case, draft)
    if start is None:
        return None, _stuck(draft)

    def reached(outcome: Outcome) -> bool:
        # A diff over its cap is refused, whatever its snapshot shows.
        return goal(outcome) and not outcome.prepared.change.oversize

    known = caps(case.under(start), draft.path)
    remedy = smallest(case, reached, [known["token_budget"], known["max_file_bytes"]], start)
    return remedy, "it would not be shown under other settings either"


def _let_in(case: Case, draft: Draft) -> Limits | None:
    limits = case.limits
    if draft.barred is Reason.EXCLUDED:
        policy = _included(limits.policy, draft.path)
        return None if policy is None else replace(limits, policy=policy)
    if draft.barred is Reason.DIFF_CAP:
        size = _diff_bytes(case)
        return replace(limits, diff_bytes=size) if size else None
    return None


def _diff_bytes(case: Case) -> int:
    """Bytes of the raw diff; 0 if they are more than 512 MB. Read under rising caps, since it is
    read into memory."""
    size = case.limits.diff_bytes
    while size < _MOST_DIFF_BYTES:
        size = min(4 * size, _MOST_DIFF_BYTES)
        change = case.change(size)
        if not change.oversize:
            return change.raw_bytes
    return 0


def _included(policy: SnapshotPolicy, path: str) -> SnapshotPolicy | None:
    """The policy without the globs that exclude a path, and with one that includes it."""
    exclude = tuple(glob for glob in policy.exclude if not matches(path, (glob,)))
    if not policy.include or matches(path, policy.include):
        return replace(policy, exclude=exclude)
    if not _PLAIN.fullmatch(path):
        return None
    return replace(policy, exclude=exclude, include=(*policy.include, path))


def excluded_by(policy: SnapshotPolicy, path: str) -> str:
    """Which globs keep a path out, in words."""
    if policy.include and not matches(path, policy.include):
        return "no glob of include names it"
    found = [glob for glob in policy.exclude if matches(path, (glob,))]
    return f"the glob {', '.join(visible_line(glob) for glob in found)} of exclude names it"


def _stuck(draft: Draft) -> str:
    match draft.barred:
        case Reason.UNPARSABLE:
            return f"no setting helps: {visible_line(draft.file.defect)}"
        case Reason.BINARY:
            return "no setting helps: git takes it for binary although it may hold code"
        case Reason.DEADLINE:
            return "preparation took longer than prepare-deadline"
        case Reason.DIFF_CAP:
            return "the diff is larger than 512 MB"
        case _:
            return "include needs a glob for it, and its name is none that a flag could carry"
