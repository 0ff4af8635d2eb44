"""What a run may cost at most, told before any call, and whether it may start."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pr_review.agents.catalogue import Agent
from pr_review.agents.items import SCHEMA
from pr_review.agents.policy import AgentPolicy
from pr_review.agents.ports import Pricing
from pr_review.agents.prompt import (
    BRIEF_TOKENS,
    MAX_BROKEN_BYTES,
    Prompts,
    longest_task,
    prefix,
    repair,
    system,
)
from pr_review.domain.review import Quote

Count = Callable[[str], int]

DEFAULT_OUTPUT_TOKENS = 8_192
"""Sent as the cap for a model of which nothing is known."""
MOST_OUTPUT_TOKENS = 16_384
"""The cap for a model that allows more: some allow 128,000, which would take the window
from the snapshot and let no ceiling on cost ever admit a run."""

_WINDOW_SHARE = 0.85
_OTHER_FAMILIES = 1.4
_O200K = re.compile(r"(?:.*/)?(?:gpt-(?:4o|4\.1|4\.5|5|oss)|chatgpt-4o|o[1-9](?:-|$)|codex)")
_FRAME_TOKENS = 32


@dataclass(frozen=True, slots=True)
class Sizes:
    """Tokens (o200k) of each agent's first prompt and of its repair prompt, at most."""

    first: tuple[int, ...]
    repair: tuple[int, ...]

    @property
    def largest(self) -> int:
        return max((*self.first, *self.repair), default=0)


def family_factor(model: str) -> float:
    """Tokens of a model for one o200k token, at most: 1.0 for OpenAI's families that use
    this encoding (told by the last part of the name), 1.4 for all others: an allowance for
    encodings that differ, most of which are not public."""
    return 1.0 if _O200K.match(model) else _OTHER_FAMILIES


def output_cap(policy: AgentPolicy, pricing: Pricing) -> int:
    """The output tokens that each call is allowed and sends as its cap."""
    if policy.max_output_tokens is not None:
        return policy.max_output_tokens
    return min(pricing.max_output_tokens or DEFAULT_OUTPUT_TOKENS, MOST_OUTPUT_TOKENS)


def prompt_limit(model: str, policy: AgentPolicy, pricing: Pricing) -> int:
    """Tokens (o200k) that one assembled prompt may hold.

    `max_prompt_tokens`, and never over 0.85 of the model's window less its output, where
    the window counts in the model's own, perhaps smaller, tokens.
    """
    if pricing.window is None:
        return policy.max_prompt_tokens
    fits = int(_WINDOW_SHARE * pricing.window) - output_cap(policy, pricing)
    return max(0, min(policy.max_prompt_tokens, int(fits / family_factor(model))))


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
    tasks = tuple(longest_task(agent) for agent in agents)
    rest = measure(Prompts(system(policy), prefix("", ""), tasks), count).largest + BRIEF_TOKENS
    return max(0, prompt_limit(model, policy, pricing) - rest)


def measure(prompts: Prompts, count: Count) -> Sizes:
    """Counts all that a run of `prompts` may send; the long shared part once."""
    texts = (prompts.system, prompts.prefix, json.dumps(SCHEMA))
    shared = sum(count(text) for text in texts) + _FRAME_TOKENS
    return Sizes(
        first=tuple(shared + count(task) for task in prompts.tasks),
        repair=tuple(
            shared + count(repair(task, "", cut=True)) + MAX_BROKEN_BYTES for task in prompts.tasks
        ),
    )


def quote(model: str, sizes: Sizes, policy: AgentPolicy, pricing: Pricing) -> Quote:
    """The upper bound over all agents, one repair call each included.

    Requests that a provider refused and the adapter repeats are not billed and not counted.
    """
    calls = len(sizes.first) + len(sizes.repair)
    tokens_in = math.ceil((sum(sizes.first) + sum(sizes.repair)) * family_factor(model))
    tokens_out = calls * output_cap(policy, pricing)
    return Quote(model, calls, tokens_in, tokens_out, cost(tokens_in, tokens_out, pricing))


def cost(tokens_in: int, tokens_out: int, pricing: Pricing) -> float | None:
    """US dollars; None if a price is unknown: unknown is not free."""
    if pricing.input_usd is None or pricing.output_usd is None:
        return None
    return tokens_in * pricing.input_usd + tokens_out * pricing.output_usd


def admit(quoted: Quote, sizes: Sizes, policy: AgentPolicy, pricing: Pricing) -> str:
    """Why the run may not start, in words that say what to do; empty if it may."""
    limit = prompt_limit(quoted.model, policy, pricing)
    if sizes.largest > limit:
        return (
            f"the largest prompt has {sizes.largest:,} tokens and {limit:,} are allowed: "
            "lower diff-token-budget, raise max-prompt-tokens, or choose a larger model"
        )
    ceiling = policy.max_cost_usd
    if ceiling is None:
        return ""
    if quoted.usd is None:
        return (
            f"max-cost-usd is set and the price of {quoted.model} is unknown: "
            "set input-cost-per-mtok and output-cost-per-mtok"
        )
    if quoted.usd > ceiling:
        return f"the run may cost ${quoted.usd:.4f} and max-cost-usd is ${ceiling:.4f}"
    return ""
