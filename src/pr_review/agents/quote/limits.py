"""What a model and the settings let a request hold, and a call write."""

from __future__ import annotations

import re

from pr_review.agents.policy import AgentPolicy
from pr_review.agents.ports import Pricing

DEFAULT_OUTPUT_TOKENS = 8_192
"""Sent as the cap for a model of which nothing is known."""
MOST_OUTPUT_TOKENS = 16_384
"""The cap for a model that allows more: some allow 128,000, which would take the window
from the snapshot and let no ceiling on cost ever admit a run."""
MOST_VERIFY_TOKENS, MOST_VERIFY_OUTPUT_TOKENS = 16_000, 8_192
"""The prompt (o200k) and the answer of the verify pass at most: an answer is short, and some models
reason before it."""

_WINDOW_SHARE = 0.85
_FAMILIES = (
    (re.compile(r"(?:.*/)?(?:gpt-(?:4o|4\.1|4\.5|5|oss)|chatgpt-4o|o[1-9](?:-|$)|codex)"), 1.0),
    (re.compile(r".*claude-(?:[a-z]+-)?(?:4[-.][7-9]|[5-9](?!\d))"), 2.0),
)
_OTHER_FAMILIES = 1.4


def family_factor(model: str) -> float:
    """Tokens of a model for one o200k token, at most, by the family that its name tells.

    1.0 for OpenAI's families that use this encoding, 2.0 for Claude from 4.7 on, 1.4 for all
    others: an allowance, since most encodings are not public.
    """
    return next((factor for name, factor in _FAMILIES if name.match(model)), _OTHER_FAMILIES)


def largest_factor(model: str, policy: AgentPolicy) -> float:
    """The largest over all models that may be asked."""
    return max(family_factor(name) for name in (model, *policy.fallback_models))


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
    return max(0, min(policy.max_prompt_tokens, int(fits / largest_factor(model, policy))))


def verify_limit(model: str, policy: AgentPolicy, pricing: Pricing) -> int:
    """Tokens (o200k) that the prompt of the verify pass may hold, its schema included."""
    return min(MOST_VERIFY_TOKENS, prompt_limit(model, policy, pricing))
