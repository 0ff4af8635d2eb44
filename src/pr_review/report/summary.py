"""The job summary: what the review says, with every finding and omission."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pr_review.domain.ledger import Dependency, DependencyState, Ledger
from pr_review.domain.review import Run


def summary(run: Run, text: str) -> str:
    """Markdown for the job summary around `text`, the review with room for all of it.

    Ends with a line feed. It is as long as `text` and a few hundred bytes more.
    """
    pull = run.pull_request
    title = f"## pr-review of {pull.repository}#{pull.number}" if pull else "## pr-review"
    link = f"[The review on the pull request]({run.review_url})" if run.review_url else ""
    beside = _beside(run.snapshot.ledger) if run.snapshot else ""
    return "\n\n".join(part for part in (title, link, text, beside) if part) + "\n"


def _beside(ledger: Ledger) -> str:
    """One line on what the snapshot shows beside the change, and what it does not."""
    states = Counter(found.state for found in ledger.dependencies)
    around = sum(len(entry.context) for entry in ledger.entries)
    in_part = states[DependencyState.PARTIAL]
    shown = states[DependencyState.SHOWN] + in_part
    found = shown + states[DependencyState.OMITTED]
    parts = [f"{around:,} unchanged lines around it"] if around else []
    if found:
        some = f" ({in_part:,} in part)" if in_part else ""
        parts.append(f"{shown:,} of {found:,} definitions that changed lines use{some}")
    said = [f"Beside the change the snapshot shows {' and '.join(parts)}."] if parts else []
    if words := _left_out(ledger.dependencies):
        said.append(f"Not shown: {words}.")
    unknown = states[DependencyState.UNRESOLVED], states[DependencyState.AMBIGUOUS]
    if any(unknown):
        said.append("Names without a definition: {:,} unresolved, {:,} ambiguous.".format(*unknown))
    return " ".join(said)


def _left_out(dependencies: Sequence[Dependency]) -> str:
    """How many definitions were left out for which reason."""
    left_out = [d for d in dependencies if d.state is DependencyState.OMITTED]
    reasons = Counter(found.reason.words for found in left_out if found.reason)
    return ", ".join(f"{count:,} {why}" for why, count in sorted(reasons.items()))
