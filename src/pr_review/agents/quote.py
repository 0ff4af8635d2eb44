"""What a run may cost at most, told before any call, and whether it may start."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pr_review.agents.catalogue import Agent
from pr_review.agents.items import SCHEMA
from pr_review.agents.policy import AgentPolicy, Verify
from pr_review.agents.ports import Pricing
from pr_review.agents.prompt import (
    MAX_BROKEN_BYTES,
    Prompts,
    longest_task,
    prefix,
    repair,
    reserved,
    system,
)
from pr_review.domain.finding import AgentOutcome
from pr_review.domain.review import VERIFY, AgentQuote, Quote
from pr_review.domain.words import dollars

Count = Callable[[str], int]

DEFAULT_OUTPUT_TOKENS = 8_192
"""Sent as the cap for a model of which nothing is known."""
MOST_OUTPUT_TOKENS = 16_384
"""The cap for a model that allows more: some allow 128,000, which would take the window
from the snapshot and let no ceiling on cost ever admit a run."""
MOST_VERIFY_TOKENS, MOST_VERIFY_OUTPUT_TOKENS = 16_000, 8_192
"""The prompt (o200k) and the answer of the verify pass at most: an answer is short, and some models
reason before it."""
START_SECONDS, READ_PER_SECOND, WRITE_PER_SECOND, ANSWER_TOKENS = 2, 5_000, 60, 1_500
"""What the expected seconds take for granted: a slow start, and tokens read and written."""
FASTEST_READ_PER_SECOND = 50_000

_WINDOW_SHARE = 0.85
_FAMILIES = (
    (re.compile(r"(?:.*/)?(?:gpt-(?:4o|4\.1|4\.5|5|oss)|chatgpt-4o|o[1-9](?:-|$)|codex)"), 1.0),
    (re.compile(r".*claude-(?:[a-z]+-)?(?:4[-.][7-9]|[5-9](?!\d))"), 2.0),
)
_OTHER_FAMILIES = 1.4
# The shape of messages; and what a provider that is given the schema as a tool says of tools,
# which is up to 530 tokens: https://platform.claude.com/docs/en/about-claude/pricing
_FRAME_TOKENS = 600
_LEAST_CACHED_TOKENS = 1_024


@dataclass(frozen=True, slots=True)
class Sizes:
    """Tokens (o200k) of each agent's first prompt and of its repair prompt, at most; and of what
    all of them begin with. `later` are those of further passes."""

    first: tuple[int, ...]
    repair: tuple[int, ...]
    shared: int = 0
    later: tuple[Sizes, ...] = ()

    @property
    def passes(self) -> tuple[Sizes, ...]:
        return (self, *self.later)

    @property
    def largest(self) -> int:
        """The largest prompt of all passes."""
        return max((n for one in self.passes for n in (*one.first, *one.repair)), default=0)

    @property
    def largest_first(self) -> int:
        return max((n for one in self.passes for n in one.first), default=0)

    def times(self, factor: float) -> Sizes:
        """The same in the tokens of a model, of which one has so many."""

        def own(tokens: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(math.ceil(n * factor) for n in tokens)

        (shared,) = own((self.shared,))
        later = tuple(one.times(factor) for one in self.later)
        return Sizes(own(self.first), own(self.repair), shared, later)

    def calls(self, agent: int, *, repair: bool) -> list[int]:
        """The prompts of one agent in all passes."""
        both = [(one.first[agent], one.repair[agent]) for one in self.passes]
        return [tokens for pair in both for tokens in (pair if repair else pair[:1])]


@dataclass(frozen=True, slots=True)
class Account:
    """The ceiling over all runs on a pull request, and what earlier ones spent of it.

    `spent_usd` is None where that cannot be told; `unknown` says why.
    """

    ceiling_usd: float
    spent_usd: float | None = 0.0
    unknown: str = ""


def family_factor(model: str) -> float:
    """Tokens of a model for one o200k token, at most, by the family that its name tells.

    1.0 for OpenAI's families that use this encoding, 2.0 for Claude from 4.7 on, 1.4 for all
    others: an allowance, since most encodings are not public.
    """
    return next((factor for name, factor in _FAMILIES if name.match(model)), _OTHER_FAMILIES)


def _factor(model: str, policy: AgentPolicy) -> float:
    """The largest over all models that may be asked."""
    return max(family_factor(name) for name in (model, *policy.fallback_models))


def dearest(pricings: Sequence[Pricing]) -> Pricing:
    """What holds whichever of several models answers: the highest prices, unknown where one is
    unknown, and the narrowest limits. Whether a cache holds what was sent is not known.
    """
    return Pricing(
        input_usd=_all([p.input_usd for p in pricings]),
        output_usd=_all([p.output_usd for p in pricings]),
        window=_least([p.window for p in pricings]),
        max_output_tokens=_least([p.max_output_tokens for p in pricings]),
        cache_write_usd=_most([p.cache_write_usd for p in pricings]),
        long_prompts=tuple(long for p in pricings for long in p.long_prompts),
    )


def output_cap(policy: AgentPolicy, pricing: Pricing) -> int:
    """The output tokens that each call is allowed and sends as its cap."""
    if policy.max_output_tokens is not None:
        return policy.max_output_tokens
    return min(pricing.max_output_tokens or DEFAULT_OUTPUT_TOKENS, MOST_OUTPUT_TOKENS)


def verify_output_cap(policy: AgentPolicy, pricing: Pricing) -> int:
    """The same for the verify pass."""
    return min(output_cap(policy, pricing), MOST_VERIFY_OUTPUT_TOKENS)


def prompt_limit(model: str, policy: AgentPolicy, pricing: Pricing) -> int:
    """Tokens (o200k) that one assembled prompt may hold.

    `max_prompt_tokens`, and never over 0.85 of the model's window less its output, where
    the window counts in the model's own, perhaps smaller, tokens.
    """
    if pricing.window is None:
        return policy.max_prompt_tokens
    fits = int(_WINDOW_SHARE * pricing.window) - output_cap(policy, pricing)
    return max(0, min(policy.max_prompt_tokens, int(fits / _factor(model, policy))))


def verify_limit(model: str, policy: AgentPolicy, pricing: Pricing) -> int:
    """Tokens (o200k) that the prompt of the verify pass may hold, its schema included."""
    return min(MOST_VERIFY_TOKENS, prompt_limit(model, policy, pricing))


def framed(tokens: int, schema: Mapping[str, object], count: Count) -> int:
    """Tokens of a request whose texts have so many, with its schema and its shape."""
    return tokens + count(json.dumps(schema)) + _FRAME_TOKENS


def room(
    model: str,
    policy: AgentPolicy,
    pricing: Pricing,
    *,
    agents: Sequence[Agent],
    count: Count,
) -> int:
    """Tokens that remain for the snapshot in the largest prompt of a run, repairs included.

    0 if there is none. It depends on settings and model alone, not on what the brief says. A
    snapshot of so many tokens is admitted.
    """
    tasks = tuple(longest_task(agent, policy.rules) for agent in agents)
    rest = measure(Prompts(system(policy), prefix("", ""), tasks), count).largest + reserved(policy)
    return max(0, prompt_limit(model, policy, pricing) - rest)


def measure(prompts: Prompts, count: Count, *, reserve: int = 0) -> Sizes:
    """Counts all that a run of `prompts` may send, the long shared part once, and `reserve`
    tokens more in each of them."""
    same = count(prompts.system) + count(prompts.prefix) + reserve
    shared = framed(same, SCHEMA, count)
    return Sizes(
        first=tuple(shared + count(task) for task in prompts.tasks),
        repair=tuple(
            shared + count(repair(task, "", cut=True)) + MAX_BROKEN_BYTES for task in prompts.tasks
        ),
        shared=same,
    )


def measure_all(passes: Sequence[Prompts], count: Count, *, reserve: int = 0) -> Sizes:
    """The same of a run that asks in several passes, at least one."""
    first, *later = [measure(prompts, count, reserve=reserve) for prompts in passes]
    return replace(first, later=tuple(later))


def quote(
    model: str, sizes: Sizes, policy: AgentPolicy, pricing: Pricing, *, names: Sequence[str]
) -> Quote:
    """The upper bound for the agents of these names, in the order of `sizes`: agent by agent
    and over all, every call at the cap it sends, one repair call for each agent in each pass,
    and each of them repeated, as often as the policy allows; then the one of the verify pass.

    All input is priced as if no cache held any of it. Requests that a provider refused and the
    adapter sends otherwise are not billed and not counted.
    """
    factor, cap = _factor(model, policy), output_cap(policy, pricing)
    own = sizes.times(factor)
    times = (1 + len(policy.fallback_models)) * (1 + policy.retries)
    agents = tuple(
        _agent(name, own.calls(index, repair=policy.repair), cap, pricing, times=times)
        for index, name in enumerate(names)
    )
    agents += _verify(model, policy, pricing, times=times)
    once = [_bound(tokens, cap, pricing) for one in own.passes for tokens in one.first]
    once += [part.usd for part in _verify(model, policy, pricing, times=1)]
    saved = [_cache_takes_off(one.first, one.shared, pricing) for one in own.passes]
    waits = [_expected_seconds(max(one.first, default=0), cap) for one in own.passes]
    return Quote(
        model,
        calls=sum(agent.calls for agent in agents),
        input_tokens=sum(agent.input_tokens for agent in agents),
        output_tokens=sum(agent.output_tokens for agent in agents),
        usd=_sum([agent.usd for agent in agents]),
        agents=agents,
        once_usd=_sum(once),
        cache_usd=_sum(saved),
        seconds=sum(waits),
        deadline=policy.run_seconds * len(waits),
        factor=factor,
        output_cap=cap,
        fallbacks=policy.fallback_models,
        retries=policy.retries,
        repair=policy.repair,
        passes=len(waits),
    )


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


def cost(
    tokens_in: int, tokens_out: int, pricing: Pricing, *, cached: int = 0, written: int = 0
) -> float | None:
    """US dollars that one call was billed; None if a price is unknown: unknown is not free.

    `cached` and `written` of its input tokens were read from the provider's cache and put there;
    where their price is unknown they count as any other.
    """
    at = _at(pricing, tokens_in)
    if at.input_usd is None or at.output_usd is None:
        return None
    read = at.input_usd if at.cache_read_usd is None else at.cache_read_usd
    write = at.input_usd if at.cache_write_usd is None else at.cache_write_usd
    plain = max(0, tokens_in - cached - written)
    return plain * at.input_usd + cached * read + written * write + tokens_out * at.output_usd


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


def _agent(
    name: str, calls: Sequence[int], cap: int, pricing: Pricing, *, times: int
) -> AgentQuote:
    """`calls` are the tokens of its prompts, each of which may be sent so many `times`."""
    usd = _sum([_bound(tokens, cap, pricing) for tokens in calls])
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
    tokens = math.ceil(verify_limit(model, policy, pricing) * _factor(model, policy))
    cap = verify_output_cap(policy, pricing)
    return (_agent(VERIFY, [tokens], cap, pricing, times=times),)


def _bound(tokens_in: int, tokens_out: int, pricing: Pricing) -> float | None:
    """What one request costs at most: as if all of its input were put into the cache, where
    that is dearer."""
    at = _at(pricing, tokens_in)
    if at.input_usd is None or at.output_usd is None:
        return None
    return tokens_in * max(at.input_usd, at.cache_write_usd or 0.0) + tokens_out * at.output_usd


def _cache_takes_off(firsts: Sequence[int], shared: int, pricing: Pricing) -> float | None:
    """What a cache may take off the first calls' bound, if one agent's call fills it and the
    others read it; None where nothing is known of a cache."""
    if pricing.input_usd is None or pricing.cache_read_usd is None:
        return None
    if shared < (pricing.cache_least_tokens or _LEAST_CACHED_TOKENS) or not firsts:
        return 0.0
    dearest = _at(pricing, max(firsts))
    write = max(dearest.input_usd or 0.0, dearest.cache_write_usd or 0.0)
    return max(0.0, (len(firsts) - 1) * shared * (write - (dearest.cache_read_usd or 0.0)))


def _expected_seconds(tokens_in: int, cap: int) -> float:
    """How long the agents take if the slowest is an ordinary one: they work side by side."""
    writing = min(cap, ANSWER_TOKENS) / WRITE_PER_SECOND
    return START_SECONDS + tokens_in / READ_PER_SECOND + writing


def _at(pricing: Pricing, prompt_tokens: int) -> Pricing:
    """The prices of a call with such a prompt: the dearest that may hold, since its tokens are
    counted on the high side."""
    for long in pricing.long_prompts:
        if prompt_tokens > long.above:
            pricing = replace(
                pricing,
                input_usd=_dearer(pricing.input_usd, long.input_usd),
                output_usd=_dearer(pricing.output_usd, long.output_usd),
                cache_read_usd=_dearer(pricing.cache_read_usd, long.cache_read_usd),
                cache_write_usd=_dearer(pricing.cache_write_usd, long.cache_write_usd),
            )
    return pricing


def _dearer(one: float | None, other: float | None) -> float | None:
    return _most([one, other])


def _most(known: Sequence[float | None]) -> float | None:
    return max((number for number in known if number is not None), default=None)


def _least(known: Sequence[int | None]) -> int | None:
    return min((number for number in known if number is not None), default=None)


def _all(prices: Sequence[float | None]) -> float | None:
    """The highest; None if one is unknown."""
    return None if None in prices else _most(prices)


def _sum(parts: Sequence[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None
