"""Asks all agents about each pass of a change in turn, and joins what each of them said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pr_review.agents.catalogue import Agent
from pr_review.agents.policy import AgentPolicy
from pr_review.agents.ports import ChatModel, Pricing
from pr_review.agents.progress import Progress, Watch, unwatched
from pr_review.agents.prompt import Prompts
from pr_review.agents.run import run as ask
from pr_review.domain.finding import AgentOutcome
from pr_review.domain.money import total


def run(
    agents: Sequence[Agent],
    passes: Sequence[Prompts],
    model: ChatModel,
    pricing: Pricing,
    policy: AgentPolicy,
    *,
    watch: Watch = unwatched,
) -> tuple[AgentOutcome, ...]:
    """One outcome for each agent, in the order of `agents`, over all passes.

    Each pass has the deadline of its own, `policy.run_seconds`. An agent that did not answer in
    one of them has failed, and keeps what it found in the others. After a pass in which nobody
    answered no further one is asked: it would be paid for, and most likely in vain.
    """
    if len(passes) == 1:
        return ask(agents, passes[0], model, pricing, policy, watch=watch)
    asked: list[tuple[AgentOutcome, ...]] = []
    for number, prompts in enumerate(passes, 1):
        part = f"pass {number} of {len(passes)}"

        def in_part(progress: Progress, part: str = part) -> None:
            watch(replace(progress, part=part))

        asked.append(ask(agents, prompts, model, pricing, policy, watch=in_part))
        if all(outcome.failure for outcome in asked[-1]):
            break
    return tuple(_joined(outcomes, len(passes)) for outcomes in zip(*asked, strict=True))


def _joined(outcomes: Sequence[AgentOutcome], passes: int) -> AgentOutcome:
    """What became of one agent in all passes, the last of which may not have been asked."""
    failures = [
        f"in pass {number} of {passes}: {outcome.failure}"
        for number, outcome in enumerate(outcomes, 1)
        if outcome.failure
    ]
    if len(outcomes) < passes:
        failures.append(f"not asked after that: nobody had answered in pass {len(outcomes)}")
    return AgentOutcome(
        name=outcomes[0].name,
        findings=tuple(finding for outcome in outcomes for finding in outcome.findings),
        failure="; ".join(failures),
        dropped=sum(outcome.dropped for outcome in outcomes),
        cut_short=any(outcome.cut_short for outcome in outcomes),
        input_tokens=sum(outcome.input_tokens for outcome in outcomes),
        output_tokens=sum(outcome.output_tokens for outcome in outcomes),
        cached_tokens=sum(outcome.cached_tokens for outcome in outcomes),
        calls=sum(outcome.calls for outcome in outcomes),
        cost_usd=total(outcome.cost_usd for outcome in outcomes),
        model=next((outcome.model for outcome in reversed(outcomes) if outcome.model), ""),
        too_long=all(outcome.too_long for outcome in outcomes),
        in_part=bool(failures) and not all(outcome.failure for outcome in outcomes),
    )
