"""Why a change is not shown to a model at all; each answer is empty where it is."""

from __future__ import annotations

from pr_review.domain.diff import Change
from pr_review.domain.ledger import Ledger, Reason
from pr_review.domain.snapshot import Snapshot
from pr_review.snapshot.policy import Screening


def filtered(ledger: Ledger) -> str:
    """The path filters leave none of the changed files."""
    entries = ledger.entries
    if ledger.unlisted or not entries or any(e.reason is not Reason.EXCLUDED for e in entries):
        return ""
    return f"include and exclude leave none of the changed files ({len(entries):,})"


def oversize(change: Change, max_bytes: int) -> str:
    """The raw diff is over its cap."""
    return f"the diff is over max-diff-bytes ({max_bytes:,} bytes)" if change.oversize else ""


def leaking(ledger: Ledger, screening: Screening, *, brief_leaks: bool) -> str:
    """Something holds what looks like a credential, and such a change is to be refused."""
    if screening is not Screening.REFUSE:
        return ""
    if count := len(ledger.redactions):
        return f"screening: refuse is set and {count} lines hold what looks like a credential"
    if brief_leaks:
        return (
            "screening: refuse is set and the title, the description, a commit message, a "
            "guideline or an own agent holds what looks like a credential"
        )
    return ""


def nothing(snapshot: Snapshot) -> str:
    """No changed line is shown."""
    entries = snapshot.ledger.entries
    if snapshot.ledger.any_line_shown:
        return ""
    if not entries:
        return "the change is empty"
    if any(entry.since for entry in entries) and not snapshot.ledger.withheld:
        return f"no changed line is new since {snapshot.since[:12]}, which was reviewed"
    words = sorted({entry.reason.words for entry in entries if entry.reason})
    return f"no changed line could be shown: {', '.join(words)}"
