"""How the review was made: agents, cost, verification, the snapshot, and what was left out."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from pr_review import __version__
from pr_review.domain.finding import AgentOutcome
from pr_review.domain.money import billed, dollars
from pr_review.domain.review import Run
from pr_review.domain.words import counted
from pr_review.review import comments
from pr_review.review.fit import Measure, fitting
from pr_review.review.links import Links
from pr_review.review.neutral import cell, code, neutral_line

_MOST_LINES = 10
_MOST_AGENTS = 20
_QUOTE = 600


def details(run: Run, links: Links, room: int, measure: Measure) -> str:
    """Markdown for a fold. What others wrote takes at most `room`, what does not fit is counted."""
    part = room // 9
    lines = [
        *(f"- {line}" for line in _model(run)),
        *_verified(run, links, 3 * part, measure),
        *_left_out(run, part, measure),
        *_tools(run, part, measure),
        *_guidelines(run, part, measure),
        *(f"- {line}" for line in _snapshot(run)),
    ]
    return "\n\n".join(filter(None, (_agents(run, 3 * part, measure), "\n".join(lines))))


def _model(run: Run) -> list[str]:
    if not run.model:  # of a run that did not get that far nobody knows
        return ["Model: none; the checks alone"] if run.snapshot else []
    lines = [f"Model: {code(run.model[:100])}"]
    if run.agents:
        lines.append(f"Cost: {billed(run.cost_usd, run.quoted_usd())}")
    if run.quote:
        lines.append(f"Quote before any call: {neutral_line(run.quote.words, limit=_QUOTE)}")
    return lines


def _verified(run: Run, links: Links, room: int, measure: Measure) -> list[str]:
    """What came of the verify pass. Those that it refuted stand one by one: a reader may know
    better."""
    refuted = run.refuted
    failed = neutral_line(run.unverified)
    lines = [f"- Verification failed: {failed}"] if failed else []
    if not refuted and (failed or run.verifier is None or run.verifier.compares):
        return lines
    few = (f"  - {comments.refuted(judged, links)}" for judged in refuted[:_MOST_LINES])
    shown = fitting(few, room, joint="\n", measure=measure)
    more = len(refuted) - len(shown)
    rest = [f"  - {'and ' if shown else ''}{more:,} more, which the report holds"] if more else []
    how_many = counted(len(refuted), "finding") if refuted else "no finding"
    return [*lines, f"- Verified: {how_many} refuted and withheld", *shown, *rest]


def _tools(run: Run, room: int, measure: Measure) -> list[str]:
    lines = (f"- Tool results: {neutral_line(line)}" for line in run.tools)
    return _few(lines, len(run.tools), "more tool", room, measure)


def _guidelines(run: Run, room: int, measure: Measure) -> list[str]:
    lines = (f"- Guidelines: {code(path)}" for path in run.guidelines)
    return _few(lines, len(run.guidelines), "more guideline", room, measure)


def _few(lines: Iterable[str], count: int, rest: str, room: int, measure: Measure) -> list[str]:
    """The first few lines that fit, and how many there are besides."""
    shown = fitting(islice(lines, _MOST_LINES), room, joint="\n", measure=measure)
    more = count - len(shown)
    return [*shown, f"- and {counted(more, rest)}, which the report holds"] if more else shown


def _snapshot(run: Run) -> list[str]:
    lines = []
    if run.snapshot:
        text = f"Snapshot: {run.snapshot.size} ({run.snapshot.counter}), "
        text += f"sha256 {code(run.snapshot.digest)}"
        lines.append(text if run.snapshot.reproducible else text + "; not reproducible")
    if run.since:
        lines.append(f"Not shown again: what was reviewed at {code(run.since[:12])}")
    if run.change and run.change.head:
        pair = f"{run.change.merge_base[:12]}...{run.change.head[:12]}"
        lines.append(f"Commits: {code(pair)}")
    return [*lines, f"pr-review {__version__}"]


def _left_out(run: Run, room: int, measure: Measure) -> list[str]:
    """Findings that are told nowhere, by reason."""
    reasons = run.left_out_by_reason
    lines = (f"- {counted(n, 'finding')} left out: {neutral_line(why)}" for why, n in reasons)
    return _few(lines, len(reasons), "more reason", room, measure)


def _agents(run: Run, room: int, measure: Measure) -> str:
    """Three columns: with names as long as `architecture`, a phone shows no more."""
    rows = [_agent(run, agent) for agent in run.asked]
    if not rows:
        return ""
    head = "| Agent | Tokens | Cost |\n| -- | -- | -- |"
    shown = fitting(rows[:_MOST_AGENTS], room, joint="\n", measure=measure)
    more = len(rows) - len(shown)
    table = "\n".join([head, *shown])
    return table + (f"\n\nand {counted(more, 'more agent')}" if more else "")


def _agent(run: Run, agent: AgentOutcome) -> str:
    most = run.quoted_usd(agent)
    parts = [run.came_of(agent), "cut short" if agent.cut_short and not agent.failure else ""]
    parts.append(f"{agent.calls:,} calls" if agent.calls > 1 else "")
    name = f"{cell(agent.name, limit=60)}<br>{', '.join(part for part in parts if part)}"
    tokens = f"{agent.input_tokens:,}&nbsp;in<br>{agent.output_tokens:,}&nbsp;out"
    quoted = "" if most is None else f"<br>of&nbsp;{dollars(most)}"
    return f"| {name} | {tokens} | {billed(agent.cost_usd)}{quoted} |"
