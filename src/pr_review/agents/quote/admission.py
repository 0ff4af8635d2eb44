"""Whether a run may start: within its limits, its time, and the ceilings on what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pr_review.agents.catalogue import Agent
from pr_review.agents.policy import AgentPolicy
from pr_review.agents.ports import Pricing
from pr_review.agents.prompt import Prompts
from pr_review.agents.quote.bound import quote
from pr_review.agents.quote.limits import prompt_limit
from pr_review.agents.quote.sizes import Count, Sizes, measure_all
from pr_review.domain.finding import AgentOutcome
from pr_review.domain.money import dollars
from pr_review.domain.quote import VERIFY, Quote

FASTEST_READ_PER_SECOND = 50_000


@dataclass(frozen=True, slots=True)
class Account:
    """The ceiling over all runs on a pull request, and what earlier ones spent of it.

    `spent_usd` is None where that cannot be told; `unknown` says why.
    """

    ceiling_usd: float
    spent_usd: float | None = 0.0
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a run is offered at: its quote, the policy that keeps to it, and why it may not start,
    empty if it may."""

    quote: Quote
    policy: AgentPolicy
    refusal: str


def offer(
    model: str,
    passes: Sequence[Prompts],
    policy: AgentPolicy,
    pricing: Pricing,
    *,
    agents: Sequence[Agent],
    count: Count,
    account: Account | None = None,
    reserve: int = 0,
) -> Offer:
    """Measures the prompts of each pass, quotes what the ceilings have room for, and admits it."""
    names = [agent.name for agent in agents]
    sizes = measure_all(passes, count, reserve=reserve)
    kept = affordable(model, sizes, policy, pricing, names=names, account=account)
    quoted = quote(model, sizes, kept, pricing, names=names)
    return Offer(quoted, kept, admit(quoted, sizes, kept, pricing, account))


def affordable(
    model: str,
    sizes: Sizes,
    policy: AgentPolicy,
    pricing: Pricing,
    *,
    names: Sequence[str],
    account: Account | None = None,
) -> AgentPolicy:
    """The policy with as many repeats and repairs as the ceilings have room for.

    Where they have none even for a run without them, that one.
    """
    least = replace(policy, retries=0, repair=False)
    fewer = [replace(policy, retries=n) for n in range(policy.retries, -1, -1)]

    def fits(tried: AgentPolicy) -> bool:
        quoted = quote(model, sizes, tried, pricing, names=names)
        return quoted.usd is None or not _over(quoted, tried, account)

    return next(filter(fits, fewer), least)


def admit(
    quoted: Quote,
    sizes: Sizes,
    policy: AgentPolicy,
    pricing: Pricing,
    account: Account | None = None,
) -> str:
    """Why the run may not start, in words that say what to do; empty if it may."""
    limit = prompt_limit(quoted.model, policy, pricing)
    if sizes.largest > limit:
        return (
            f"the largest prompt has {sizes.largest:,} tokens and {limit:,} are allowed: "
            "lower diff-token-budget, raise max-prompt-tokens, or choose a larger model"
        )
    least = sizes.largest_first / FASTEST_READ_PER_SECOND
    if least > policy.run_seconds:
        return (
            f"no model reads {sizes.largest_first:,} tokens within run-deadline, "
            f"{policy.run_seconds:g} s: raise it, or lower diff-token-budget"
        )
    return _over(quoted, policy, account)


def _over(quoted: Quote, policy: AgentPolicy, account: Account | None) -> str:
    return _over_run(quoted, policy.max_cost_usd) or (_over_all(quoted, account) if account else "")


def _over_run(quoted: Quote, ceiling: float | None) -> str:
    if ceiling is None:
        return ""
    if quoted.usd is None:
        return no_price("max-cost-usd", quoted.model)
    if quoted.usd > ceiling:
        over = f"{_may(quoted, 'the run')} and max-cost-usd is {dollars(ceiling)}"
        return f"{over}: {_less(quoted)}"
    return ""


def _over_all(quoted: Quote, account: Account) -> str:
    name = "max-cost-usd-per-pull-request"
    if account.spent_usd is None:
        return f"{name} is set and cannot be kept: {account.unknown}"
    if quoted.usd is None:
        return no_price(name, quoted.model)
    if account.spent_usd + quoted.usd > account.ceiling_usd:
        return (
            f"earlier runs on this pull request cost {dollars(account.spent_usd)}, "
            f"{_may(quoted, 'this one')}, and {name} is {dollars(account.ceiling_usd)}: "
            f"{_less(quoted)}"
        )
    return ""


def _may(quoted: Quote, run: str) -> str:
    even = "" if quoted.retries or quoted.repair else " even without repeats and repairs"
    return f"{run} may cost {dollars(quoted.usd or 0.0)}{even}"


def _less(quoted: Quote) -> str:
    verify = ", or set verify to off" if quoted.of(VERIFY) else ""
    return (
        f"raise it, or lower max-output-tokens, diff-token-budget or the number of agents{verify}"
    )


def no_price(ceiling: str, model: str) -> str:
    """Why a ceiling cannot be kept, and after a colon what to do about it."""
    return (
        f"{ceiling} is set and the price of {model} is unknown: "
        "set input-cost-per-mtok and output-cost-per-mtok"
    )


def overrun(quoted: Quote, outcomes: Sequence[AgentOutcome]) -> str:
    """What to say of a bill over the quote, which is a bug of ours; empty if it is within."""
    costs = [outcome.cost_usd for outcome in outcomes if outcome.cost_usd is not None]
    tokens = sum(outcome.input_tokens + outcome.output_tokens for outcome in outcomes)
    most = quoted.input_tokens + quoted.output_tokens
    report = "this is a bug of pr-review, please report it with the name of the model"
    if quoted.usd is not None and sum(costs) > quoted.usd * (1 + 1e-9):
        return f"the bill is {dollars(sum(costs))}, {dollars(quoted.usd)} were quoted: {report}"
    if tokens > most:
        return f"{tokens:,} tokens were billed, {most:,} were quoted: {report}"
    return ""
