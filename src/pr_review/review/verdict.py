"""The first line of a review. It never claims more sight than the ledger has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pr_review.domain.finding import AgentOutcome, Place, Severity
from pr_review.domain.ledger import Coverage
from pr_review.domain.review import Run, RunStatus
from pr_review.domain.words import counted
from pr_review.review.neutral import code, neutral_line

_MOST_NAMES = 5
_QUIET = (Place.REFUTED, Place.MINOR, Place.REJECTED)


def verdict(run: Run) -> str:
    """One line of Markdown: what was found, and in how much of the change.

    "No findings." stands alone only if a model received every source and test line, every agent
    answered in full and could be read, nothing that was said is left out but for saying the same
    as what is told, and nothing that an earlier review told is still open or was withheld. A
    review of what is new since an earlier one says so.
    """
    match run.status:
        case RunStatus.REVIEWED:
            return _reviewed(run)
        case RunStatus.NOT_REVIEWED:
            return f"**Not reviewed**: {_reason(run)}. No model was asked{_checks_found(run)}."
        case RunStatus.REFUSED:
            return f"**Refused**: {_reason(run)}. Nothing was sent to a model{_checks_found(run)}."
        case RunStatus.SKIPPED:
            return f"**Skipped**: {_reason(run)}{_open(run)}."
        case RunStatus.FAILED:
            return f"**Failed**: {_reason(run)}. This is not a review."


def _reviewed(run: Run) -> str:
    found, also = _findings(run), f"{_left_out(run)}{_open(run)}"
    if not run.agents:
        return f"**{found} by the checks**; no model was asked to review this change{also}."
    new = f"what is new since {code(run.since[:12])}" if run.since else ""
    if run.coverage_source is Coverage.FULL:
        told = f"{found} in {new}" if new else found
        return f"**{told}**{also}." if also else f"**{told}.**"
    of_new = f" of {new}" if new else ""
    return f"**{found} in the source that the model received{of_new}**; {_unseen(run)}{also}."


def _findings(run: Run) -> str:
    """`2 findings (1 high, 1 low)`; `new` where findings of earlier reviews are told apart."""
    new = "new " if run.still_open or run.withheld else ""
    if not run.findings:
        unread = any(agent.dropped and not agent.failure for agent in run.agents)
        return f"No {new}findings{' that could be read' if unread else ''}"
    by_severity = _by_severity([judged.finding.severity for judged in run.findings])
    return f"{counted(len(run.findings), f'{new}finding')} ({by_severity})"


def _left_out(run: Run) -> str:
    """What was said and is not told, as a clause; empty where there are findings to read, whose
    number nobody takes for a clean review."""
    if run.findings:
        return ""
    places = Counter(judged.place for judged in run.left_out)
    parts = [f"{places[place]:,} {place.quiet}" for place in _QUIET if places[place]]
    if taken := len(run.taken_for_told):
        parts.append(f"{taken:,} taken for what an earlier review told")
    return f"; {', '.join(parts)}" if parts else ""


def _open(run: Run) -> str:
    """What is still open from before, as a clause behind others; empty if nothing is."""
    still = run.still_open
    if not still:
        return ""
    verb = "is" if len(still) == 1 else "are"
    by_severity = _by_severity([told.severity for told in still])
    return f"; **{counted(len(still), 'earlier finding')} {verb} still open** ({by_severity})"


def _by_severity(severities: Sequence[Severity]) -> str:
    """`1 high, 2 low`, the worst first."""
    counts = Counter(severities)
    return ", ".join(f"{counts[level]} {level.label}" for level in sorted(counts, reverse=True))


def _unseen(run: Run) -> str:
    entries = run.snapshot.ledger.withheld if run.snapshot else ()
    unlisted = run.snapshot.ledger.unlisted if run.snapshot else 0
    files = [entry for entry in entries if entry.reviewable]
    lines = sum(entry.omitted for entry in files)
    cut = [agent for agent in run.agents if agent.cut_short and not agent.failure]
    parts = []
    if files:
        where = counted(len(files), "source or test file")
        parts.append(f"it did not see {counted(lines, 'changed line')} of {where}")
    if unlisted:
        parts.append(f"{counted(unlisted, 'changed file')} could not be named")
    if silent := [agent for agent in run.agents_failed if not agent.in_part]:
        parts.append(f"no answer came from {_names(silent)}")
    if halting := [agent for agent in run.agents_failed if agent.in_part]:
        parts.append(f"not every part of it was answered by {_names(halting)}")
    if cut:
        parts.append(f"the answer was cut short from {_names(cut)}")
    return "; ".join(parts) or "how much it did not see is not known"


def _names(agents: Sequence[AgentOutcome]) -> str:
    names = [code(agent.name[:60]) for agent in agents[:_MOST_NAMES]]
    more = len(agents) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _reason(run: Run) -> str:
    return neutral_line(run.reason, limit=400).rstrip(".") or "no reason was given"


def _checks_found(run: Run) -> str:
    found = f"; the checks found: {_findings(run).lower()}" if run.findings else ""
    return f"{found}{_open(run)}"
