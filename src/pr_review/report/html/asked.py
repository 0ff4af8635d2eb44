"""How the review was made: who was asked, what came of it and what it cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pr_review.domain.finding import AgentOutcome
from pr_review.domain.money import billed
from pr_review.domain.review import Run
from pr_review.domain.text import visible_line
from pr_review.domain.words import counted


@dataclass(frozen=True, slots=True)
class Agent:
    """A row of the table of agents; `failure` is empty if it answered."""

    name: str
    outcome: str
    failure: str
    tokens: str
    cost: str


@dataclass(frozen=True, slots=True)
class Facts:
    """`agents`, the verify pass last; `lines` are names with what is to be said of them."""

    agents: tuple[Agent, ...]
    lines: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]


def facts(run: Run) -> Facts:
    """How a run was made, in words that may be printed."""
    return Facts(
        tuple(_agent(run, agent) for agent in run.asked),
        tuple((name, visible_line(text)) for name, text in _lines(run)),
        tuple(visible_line(warning) for warning in run.warnings),
    )


def _lines(run: Run) -> Iterator[tuple[str, str]]:
    if run.agents:
        failed = len(run.agents_failed)
        yield "Agents", f"{len(run.agents) - failed} of {len(run.agents)} answered"
    yield "Model", run.model or "none; the checks alone"
    yield from _verified(run)
    if run.agents:
        yield "Cost", billed(run.cost_usd, run.quoted_usd())
    elif run.quote:
        yield "Quote", run.quote.words
    if run.guidelines:
        yield "Guidelines", ", ".join(run.guidelines)
    yield from (("Other tools", line) for line in run.tools)
    if run.change and run.change.head:
        yield "Commits", f"{run.change.merge_base[:12]} to {run.change.head[:12]}"


def _verified(run: Run) -> Iterator[tuple[str, str]]:
    if run.unverified:
        yield "Verification", f"failed: {run.unverified}"
    elif run.verifier and not run.verifier.compares:
        yield "Verification", f"{len(run.refuted)} refuted and withheld"


def _agent(run: Run, agent: AgentOutcome) -> Agent:
    return Agent(
        visible_line(agent.name),
        "; ".join(_outcome(run, agent)),
        visible_line(agent.failure),
        _tokens(agent),
        billed(agent.cost_usd, run.quoted_usd(agent)),
    )


def _outcome(run: Run, agent: AgentOutcome) -> Iterator[str]:
    yield run.came_of(agent)
    if agent.cut_short:
        yield "its answer was cut short"
    if agent.dropped:
        yield f"{agent.dropped:,} could not be read"
    if agent.model:
        yield f"answered by {visible_line(agent.model)}"


def _tokens(agent: AgentOutcome) -> str:
    cached = f" ({agent.cached_tokens:,} from the cache)" if agent.cached_tokens else ""
    asked = counted(agent.calls, "request")
    return f"{asked}, {agent.input_tokens:,} in{cached}, {agent.output_tokens:,} out"
