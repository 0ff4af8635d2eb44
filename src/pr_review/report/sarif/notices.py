"""What was not seen and not said: notifications, one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pr_review.domain.ledger import Entry
from pr_review.domain.review import Run
from pr_review.report.sarif.parts import Json, artifact, text

_MOST_OMISSIONS = 200
NOTICES = {
    "not-shown": "Changed lines that no model was shown, with the reason.",
    "not-asked": "No model was asked: the checks and other tools speak alone.",
    "agent-failed": "An agent gave no answer, or not all of it.",
    "warning": "Something that a reader of the results should know.",
    "not-verified": "Findings stand as agents told them: the pass that would refute some failed.",
    "left-out": "Findings that are no results; the JSON report has them.",
}


def notifications(run: Run) -> Iterator[Json]:
    """Why the results may not be all there is to say, one by one."""
    if run.reason:
        yield _notice("warning", run.reason)
    if not run.model:
        yield _notice("not-asked", NOTICES["not-asked"], level="note")
    for agent in run.agents_failed:
        yield _notice("agent-failed", f"agent {agent.name} failed: {agent.failure}", level="error")
    for agent in run.agents:
        if agent.cut_short:
            yield _notice("agent-failed", f"agent {agent.name}: its answer was cut short")
    yield from (_notice("warning", text) for text in run.warnings)
    yield from _unsaid(run)
    if run.snapshot is None:
        return
    ledger = run.snapshot.ledger
    if ledger.unlisted:
        yield _notice("not-shown", ledger.unlisted_words)
    withheld = ledger.withheld_by_tier
    yield from (_omission(entry) for entry in withheld[:_MOST_OMISSIONS])
    if more := withheld[_MOST_OMISSIONS:]:
        lines = sum(entry.omitted for entry in more)
        yield _notice("not-shown", f"{len(more):,} more files, {lines:,} changed lines")


def _unsaid(run: Run) -> Iterator[Json]:
    """What somebody said and no result tells, but for what says the same as another."""
    if run.unverified:
        yield _notice("not-verified", f"findings were not verified: {run.unverified}")
    counts = Counter(judged.place.quiet for judged in run.judged if judged.place.quiet)
    if unread := sum(agent.dropped for agent in run.agents):
        counts["could not be read"] = unread
    for why, count in sorted(counts.items()):
        yield _notice("left-out", f"findings left out: {count:,} {why}", level="note")


def _omission(entry: Entry) -> Json:
    return {
        **_notice("not-shown", f"not shown: {entry.omission}"),
        "locations": [{"physicalLocation": {"artifactLocation": artifact(entry.path)}}],
    }


def _notice(name: str, said: str, *, level: str = "warning") -> Json:
    index = list(NOTICES).index(name)
    descriptor = {"id": name, "index": index}
    return {"level": level, "message": {"text": text(said)}, "descriptor": descriptor}
