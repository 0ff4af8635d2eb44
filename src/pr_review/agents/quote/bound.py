"""The quote: the upper bound of a run, and what is to be expected of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pr_review.agents.policy import AgentPolicy, Verify
from pr_review.agents.ports import Pricing
from pr_review.agents.quote.limits import (
    largest_factor,
    output_cap,
    verify_limit,
    verify_output_cap,
)
from pr_review.agents.quote.prices import at_most, cache_takes_off
from pr_review.agents.quote.sizes import Sizes
from pr_review.domain.money import total
from pr_review.domain.quote import VERIFY, AgentQuote, Quote

START_SECONDS, READ_PER_SECOND, WRITE_PER_SECOND, ANSWER_TOKENS = 2, 5_000, 60, 1_500
"""What the expected seconds take for granted: a slow start, and tokens read and written."""


def quote(
    model: str, sizes: Sizes, policy: AgentPolicy, pricing: Pricing, *, names: Sequence[str]
) -> Quote:
    """The upper bound for the agents of these names, in the order of `sizes`: agent by agent
    and over all, every call at the cap it sends, one repair call for each agent in each pass,
    and each of them repeated, as often as the policy allows; then the one of the verify pass.

    All input is priced as if no cache held any of it. Requests that a provider refused and the
    adapter sends otherwise are not billed and not counted.
    """
    factor, cap = largest_factor(model, policy), output_cap(policy, pricing)
    own = sizes.times(factor)
    times = (1 + len(policy.fallback_models)) * (1 + policy.retries)
    agents = tuple(
        _agent(name, own.calls(index, repair=policy.repair), cap, pricing, times=times)
        for index, name in enumerate(names)
    )
    agents += _verify(model, policy, pricing, times=times)
    once = [at_most(tokens, cap, pricing) for one in own.passes for tokens in one.first]
    once += [part.usd for part in _verify(model, policy, pricing, times=1)]
    saved = [cache_takes_off(one.first, one.shared, pricing) for one in own.passes]
    waits = [_expected_seconds(max(one.first, default=0), cap) for one in own.passes]
    return Quote(
        model,
        calls=sum(agent.calls for agent in agents),
        input_tokens=sum(agent.input_tokens for agent in agents),
        output_tokens=sum(agent.output_tokens for agent in agents),
        usd=total([agent.usd for agent in agents]),
        agents=agents,
        once_usd=total(once),
        cache_usd=total(saved),
        seconds=sum(waits),
        deadline=policy.run_seconds * len(waits),
        factor=factor,
        output_cap=cap,
        fallbacks=policy.fallback_models,
        retries=policy.retries,
        repair=policy.repair,
        passes=len(waits),
    )


def _agent(
    name: str, calls: Sequence[int], cap: int, pricing: Pricing, *, times: int
) -> AgentQuote:
    """`calls` are the tokens of its prompts, each of which may be sent so many `times`."""
    usd = total([at_most(tokens, cap, pricing) for tokens in calls])
    return AgentQuote(
        name,
        calls=times * len(calls),
        input_tokens=times * sum(calls),
        output_tokens=times * len(calls) * cap,
        usd=None if usd is None else times * usd,
    )


def _verify(
    model: str, policy: AgentPolicy, pricing: Pricing, *, times: int
) -> tuple[AgentQuote, ...]:
    """The request of the verify pass, whose prompt is as long as it may get; none if it is off."""
    if policy.verify is Verify.OFF:
        return ()
    tokens = math.ceil(verify_limit(model, policy, pricing) * largest_factor(model, policy))
    cap = verify_output_cap(policy, pricing)
    return (_agent(VERIFY, [tokens], cap, pricing, times=times),)


def _expected_seconds(tokens_in: int, cap: int) -> float:
    """How long the agents take if the slowest is an ordinary one: they work side by side."""
    writing = min(cap, ANSWER_TOKENS) / WRITE_PER_SECOND
    return START_SECONDS + tokens_in / READ_PER_SECOND + writing
