"""What a call costs: billed, at most, and less what a cache may take off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pr_review.agents.ports import Pricing

_LEAST_CACHED_TOKENS = 1_024


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


def at_most(tokens_in: int, tokens_out: int, pricing: Pricing) -> float | None:
    """What one request costs at most: as if all of its input were put into the cache, where
    that is dearer."""
    at = _at(pricing, tokens_in)
    if at.input_usd is None or at.output_usd is None:
        return None
    return tokens_in * max(at.input_usd, at.cache_write_usd or 0.0) + tokens_out * at.output_usd


def cache_takes_off(firsts: Sequence[int], shared: int, pricing: Pricing) -> float | None:
    """What a cache may take off the first calls' bound, if one agent's call fills it and the
    others read it; None where nothing is known of a cache."""
    if pricing.input_usd is None or pricing.cache_read_usd is None:
        return None
    if shared < (pricing.cache_least_tokens or _LEAST_CACHED_TOKENS) or not firsts:
        return 0.0
    dearest = _at(pricing, max(firsts))
    write = max(dearest.input_usd or 0.0, dearest.cache_write_usd or 0.0)
    return max(0.0, (len(firsts) - 1) * shared * (write - (dearest.cache_read_usd or 0.0)))


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
