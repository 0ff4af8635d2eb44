"""A run in short lines, for the terminal and the job's log."""

from __future__ import annotations

from collections.abc import Iterator

from pr_review.domain.finding import Finding
from pr_review.domain.ledger import Coverage
from pr_review.domain.money import billed
from pr_review.domain.review import Run, RunStatus, Told
from pr_review.domain.text import commandless, visible_line
from pr_review.domain.words import counted, line_numbers, old_side

_MOST_OMISSIONS = 50
_MOST_REFUTED = 50
_FEW = 10


def lines(run: Run) -> tuple[str, ...]:
    """What a person wants to know of a run, a line each, but for its quote, which was said before.

    No line holds a command of the runner, a line feed or a hidden character, whatever the
    pull request or a model wrote.
    """
    return tuple(_harmless(line) for line in _lines(run))


def account(run: Run) -> tuple[str, ...]:
    """The same without status, and findings that are told: warnings, what was seen with a few of
    the files that were not, what it cost, and what was left out."""
    quoted = [f"quote: {run.quote.words}"] if run.quote and not run.agents else [*_unasked(run)]
    found = (*_seen(run, most=_FEW), *quoted, *_answered(run), *_left_out(run, most=_FEW))
    return tuple(_harmless(line) for line in found)


def _lines(run: Run) -> Iterator[str]:
    yield _status(run)
    yield from _seen(run)
    yield from _unasked(run)
    yield from _answered(run)
    yield from _findings(run)
    if run.review_url:
        yield f"review: {run.review_url}"


def _seen(run: Run, *, most: int = _MOST_OMISSIONS) -> Iterator[str]:
    yield from (f"warning: {warning}" for warning in run.warnings)
    yield from (f"other tools: {line}" for line in run.tools)
    if run.guidelines:
        yield f"guidelines: {', '.join(run.guidelines)}"
    yield from _sight(run, most)


def _unasked(run: Run) -> Iterator[str]:
    if run.snapshot and not run.model:
        yield "quote: nothing, no model is asked"


def _answered(run: Run) -> Iterator[str]:
    for failure, names in run.failures:
        yield f"agent{'' if len(names) == 1 else 's'} {', '.join(names)} failed: {failure}"
    yield from (f"agent {a.name}: its answer was cut short" for a in run.agents if a.cut_short)
    if run.unverified:
        yield f"not verified: {run.unverified}"
    yield from _costs(run)


def _costs(run: Run) -> Iterator[str]:
    """What was billed, beside what was quoted."""
    if not run.agents:
        return
    for agent in run.asked:
        cached = f" ({agent.cached_tokens:,} from the cache)" if agent.cached_tokens else ""
        tokens = f"{agent.input_tokens:,} tokens in{cached}, {agent.output_tokens:,} out"
        cost = billed(agent.cost_usd, run.quoted_usd(agent))
        asked = counted(agent.calls, "request")
        who = agent.name if agent is run.verifier else f"agent {agent.name}"
        yield f"{who}: {asked}, {tokens}, {'cost ' if agent.cost_usd is None else ''}{cost}"
    yield f"cost: {billed(run.cost_usd, run.quoted_usd())}"


def _status(run: Run) -> str:
    if run.status is not RunStatus.REVIEWED:
        return f"{run.status}: {run.reason or 'no reason was given'}"
    still = len(run.still_open)
    what = "new finding" if still or run.withheld else "finding"
    count = counted(len(run.findings), what)
    also = f"; {still} still open from earlier reviews" if still else ""
    new = f"what is new since {run.since[:12]}" if run.since else ""
    if not run.agents:
        return f"reviewed by the checks alone, no model was asked: {count}{also}"
    if run.coverage_source is Coverage.FULL:
        return f"reviewed: {count}{' in ' if new else ''}{new}{also}"
    seen = f"the source that the model received{' of ' if new else ''}{new}"
    return f"reviewed in part: {count} in {seen}{also}"


def _sight(run: Run, most: int) -> Iterator[str]:
    if run.snapshot is None:
        return
    snapshot = run.snapshot
    yield f"coverage: {run.coverage}, of source and tests: {run.coverage_source}"
    size = snapshot.size if snapshot.parts else f"{snapshot.tokens:,} tokens"
    yield f"snapshot: {size}, sha256 {snapshot.digest}"
    if snapshot.ledger.unlisted:
        yield f"not shown: {snapshot.ledger.unlisted_words}"
    withheld = snapshot.ledger.withheld_by_tier
    yield from (f"not shown: {entry.omission}" for entry in withheld[:most])
    more = withheld[most:]
    if more:
        omitted = sum(entry.omitted for entry in more)
        yield f"not shown: {len(more):,} more files, {omitted:,} changed lines: see the report"


def _findings(run: Run) -> Iterator[str]:
    for judged in run.findings:
        finding = judged.finding
        where = f"{finding.severity.label}: {_where(finding)}"
        yield f"{where}: {finding.title} [{finding.said_by}]"
    for told in run.still_open:
        yield f"still open, {told.severity.label}: {_where(told)}: {told.title or 'told earlier'}"
    yield from (f"resolved: {_where(told)}: {told.reason}" for told in run.resolved)
    if run.withheld:
        yield f"not repeated, resolved or ignored by people: {len(run.withheld)}"
    yield from _left_out(run)


def _left_out(run: Run, *, most: int = _MOST_REFUTED) -> Iterator[str]:
    for judged in run.refuted[:most]:
        finding = judged.finding
        yield f"withheld, refuted: {_where(finding)}: {finding.title}: {judged.reason}"
    if more := len(run.refuted[most:]):
        yield f"withheld, refuted: {more:,} more: see the report"
    for reason, count in run.left_out_by_reason:
        yield f"left out: {counted(count, 'finding')}: {reason}"


def _where(finding: Finding | Told) -> str:
    path = finding.path or "a place that nothing tells any more"
    return f"{path}{line_numbers(finding)}{old_side(finding)}"


def _harmless(line: str) -> str:
    return commandless(" ".join(visible_line(line).split()))
