"""The body of the review: the verdict, the findings, and the account of what was seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pr_review import __version__
from pr_review.domain.finding import AgentOutcome, Judged, Place
from pr_review.domain.review import Quote, Run, Told, dollars
from pr_review.review import comments
from pr_review.review.earlier import mentions, vouched
from pr_review.review.fit import BODY_LIMIT, SUMMARY_LIMIT_BYTES, Measure, fitting, units, utf8
from pr_review.review.marker import marker
from pr_review.review.neutral import cell, code, neutral_line
from pr_review.review.omissions import omissions, summary_line
from pr_review.review.policy import ReviewPolicy
from pr_review.review.verdict import counted, verdict

_MOST_LINES = 10
_MOST_AGENTS = 20
_NOTES = 500
_QUOTE = 600


def body(run: Run, policy: ReviewPolicy, *, inline: bool = True) -> str:
    """The review as Markdown that GitHub takes; its first line is the verdict.

    With `inline`, findings that stand inline have a row in the table alone; without, every
    finding is told in full. What does not fit is folded or counted, and said. The last
    line is the marker, unless the run has no pull request.
    """
    return _fitted(run, _marker(run, policy), inline=inline, limit=BODY_LIMIT, measure=units)


def summary_body(run: Run) -> str:
    """The same for the job summary: every finding in full, no marker, room up to 1 MB."""
    return _fitted(run, "", inline=False, limit=SUMMARY_LIMIT_BYTES, measure=utf8)


def _fitted(run: Run, last: str, *, inline: bool, limit: int, measure: Measure) -> str:
    part = limit // 6  # for each list that others write; hidden characters take ten times the room
    top = [verdict(run), _unlisted(run), _failures(run, part, measure)]
    top.append(_warnings(run, part, measure))
    bottom = [_redactions(run), _details(run, part, measure), last]
    room = limit - measure(_joined([*top, *bottom])) - _NOTES
    left_out = run.snapshot.ledger.withheld if run.snapshot else ()
    before = _earlier(run, room // 4, measure)
    room -= measure(before)
    reserve = min(measure(omissions(left_out, limit, measure)), room // 3)
    told = run.findings if not inline else [j for j in run.findings if j.place is not Place.INLINE]
    findings = _findings(run.findings, told, room - reserve, measure)
    unseen = ""
    if left_out:
        listed = omissions(left_out, room - measure(findings), measure)
        unseen = _folded(f"Not shown to a model: {summary_line(left_out)}", listed)
    return _joined([*top, findings, before, unseen, *bottom])


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part)


def _folded(summary: str, text: str) -> str:
    return f"<details>\n<summary>{summary}</summary>\n\n{text}\n\n</details>"


def _findings(
    findings: Sequence[Judged], told: Sequence[Judged], room: int, measure: Measure
) -> str:
    """All in a table, then the `told` in full; both cut to the room, and said so."""
    if not findings:
        return ""
    head = "| Severity | Where | Finding | Said by |\n| -- | -- | -- | -- |"
    rows = fitting(map(comments.row, findings), room // 2, joint="\n", measure=measure)
    table = "\n".join([head, *rows])
    room -= measure(table)
    entries = fitting(map(comments.entry, told), room, joint="\n\n", measure=measure)
    cut = max(len(findings) - len(rows), len(told) - len(entries))
    note = f"{counted(cut, 'finding')} did not fit here in full; the job summary and the report"
    return _joined([table, *entries, f"{note} hold more." if cut else ""])


def _unlisted(run: Run) -> str:
    words = run.snapshot.ledger.unlisted_words if run.snapshot else ""
    return f"{words}; what they hold is not part of this review." if words else ""


def _earlier(run: Run, room: int, measure: Measure) -> str:
    """What became of the findings of earlier reviews, in three short parts."""
    still = _told("Still open from earlier reviews", run.still_open, room * 2 // 3, measure)
    ended = _told("Resolved since the last review", run.resolved, room // 3, measure)
    withheld = counted(len(run.withheld), "finding")
    quiet = f"{withheld} not repeated: resolved or ignored by people." if run.withheld else ""
    return _joined([still, ended, quiet])


def _told(heading: str, earlier: Sequence[Told], room: int, measure: Measure) -> str:
    """A list of earlier findings; those that do not fit are counted."""
    if not earlier:
        return ""
    lines = (f"- {comments.told(told)}" for told in earlier)
    shown = fitting(lines, room, joint="\n", measure=measure)
    more = len(earlier) - len(shown)
    rest = [f"- {'and ' if shown else ''}{counted(more, 'more finding')}"] if more else []
    return f"**{heading}** ({len(earlier):,}):\n\n" + "\n".join([*shown, *rest])


def _warnings(run: Run, room: int, measure: Measure) -> str:
    lines = [f"Warning: {neutral_line(text)}" for text in run.warnings]
    return _list(lines, "warnings", room, measure)


def _failures(run: Run, room: int, measure: Measure) -> str:
    lines = [
        f"The agent {code(agent.name[:60])} failed: {neutral_line(agent.failure)}"
        for agent in run.agents_failed
    ]
    return _list(lines, "failed agents", room, measure)


def _redactions(run: Run) -> str:
    redactions = run.snapshot.ledger.redactions if run.snapshot else ()
    rules = Counter(redaction.rule for redaction in redactions)
    parts = [f"{code(rule[:60])} × {count}" for rule, count in sorted(rules.items())]
    if not parts:
        return ""
    more = f" and {len(parts) - _MOST_LINES} more rules" if len(parts) > _MOST_LINES else ""
    return f"Redacted before anything was sent: {', '.join(parts[:_MOST_LINES])}{more}."


def _list(lines: Sequence[str], things: str, room: int, measure: Measure) -> str:
    """A Markdown list, cut to the first few and to the room."""
    few = (f"- {line}" for line in lines[:_MOST_LINES])
    shown = fitting(few, room, joint="\n", measure=measure)
    more = len(lines) - len(shown)
    return "\n".join([*shown, f"- and {more} more {things}"] if more else shown)


def _details(run: Run, room: int, measure: Measure) -> str:
    lines = [*_model(run), *_snapshot(run), *_dropped(run)]
    text = _joined([_agents(run, room, measure), "\n".join(f"- {line}" for line in lines)])
    return _folded("Run details", text)


def _model(run: Run) -> list[str]:
    if not run.model:
        return ["Model: none; the checks alone"]
    lines = [f"Model: {code(run.model[:100])}"]
    if run.quote:
        lines.append(f"Quote before any call: {neutral_line(run.quote.words, limit=_QUOTE)}")
    if run.agents:
        lines.append("Cost: " + _usd(run.cost_usd) + _quoted(run.quote.usd if run.quote else None))
    return lines


def _usd(cost: float | None) -> str:
    return "unknown" if cost is None else dollars(cost)


def _quoted(usd: float | None) -> str:
    return "" if usd is None else f"; at most {dollars(usd)} was quoted"


def _snapshot(run: Run) -> list[str]:
    lines = []
    if run.snapshot:
        snapshot = run.snapshot
        text = f"Snapshot: {snapshot.size} "
        text += f"({snapshot.counter}), "
        text += f"sha256 {code(run.snapshot.digest)}"
        lines.append(text if run.snapshot.reproducible else text + "; not reproducible")
    if run.since:
        lines.append(f"Not shown again: what was reviewed at {code(run.since[:12])}")
    if run.change and run.change.head:
        pair = f"{run.change.merge_base[:12]}...{run.change.head[:12]}"
        lines.append(f"Commits: {code(pair)}")
    return [*lines, f"pr-review {__version__}"]


def _dropped(run: Run) -> list[str]:
    reasons = Counter(j.reason for j in run.left_out)
    lines = [f"{counted(n, 'finding')} left out: {why}" for why, n in sorted(reasons.items())]
    unread = sum(agent.dropped for agent in run.agents)
    if unread:
        lines.append(f"{counted(unread, 'finding')} left out: could not be read")
    return lines


def _agents(run: Run, room: int, measure: Measure) -> str:
    if not run.agents:
        return ""
    head = "| Agent | Findings | Requests | Tokens in | Tokens out | Cost | Quoted | |\n"
    few = (_agent(agent, run.quote) for agent in run.agents[:_MOST_AGENTS])
    rows = fitting(few, room, joint="\n", measure=measure)
    more = len(run.agents) - len(rows)
    table = "\n".join([head + "| -- " * 8 + "|", *rows])
    return table + (f"\n\nand {counted(more, 'more agent')}" if more else "")


def _agent(agent: AgentOutcome, quote: Quote | None) -> str:
    most = quote.of(agent.name) if quote else None
    return (
        f"| {cell(agent.name, limit=60)} | {len(agent.findings)} | {agent.calls} "
        f"| {agent.input_tokens:,} | {agent.output_tokens:,} | {_usd(agent.cost_usd)} "
        f"| {_usd(most.usd if most else None)} | {_outcome(agent)} |"
    )


def _outcome(agent: AgentOutcome) -> str:
    return "failed" if agent.failure else "cut short" if agent.cut_short else "answered"


def _marker(run: Run, policy: ReviewPolicy) -> str:
    pull, change, key = run.pull_request, run.change, policy.marker_key
    if pull is None:
        return ""
    return marker(
        pull.repository,
        pull.number,
        (change.head if change else "") or pull.head_sha,
        policy.settings_digest,
        key,
        merge_base=change.merge_base if change else "",
        coverage=vouched(run),
        findings=mentions(run, key) if key else (),
        spent_usd=run.spent_usd,
    )
