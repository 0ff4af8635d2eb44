"""What LiteLLM knows of a model, read from its price list without importing it."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from pr_review.agents.ports import LongPrompt, Pricing
from pr_review.errors import ConfigurationError

_LIST = "model_prices_and_context_window_backup.json"
_PER_MILLION = 1_000_000
# Their models run on one's own machine: a price of 0 in the list is meant. From others it
# stands for a price that nobody filled in.
_FREE = ("ollama", "ollama_chat")
# Each request of theirs searches the web, which is billed beside the tokens.
_SEARCHES = ("perplexity",)
_LONG = re.compile(r"(?:input|output)_cost_per_token_above_(\d+)k_tokens")


def pricing(
    model: str,
    *,
    input_per_mtok: float | None = None,
    output_per_mtok: float | None = None,
) -> Pricing | None:
    """Price and limits of a model, None if nothing is known of it.

    Prices given in dollars per million tokens win over the list, for prompts of any length; a
    cache's prices keep their ratio to a given one.
    """
    entry = list_entry(model) or {}
    window = entry.get("max_input_tokens") or entry.get("max_tokens")
    listed = Pricing(
        window=_whole(window),
        max_output_tokens=_whole(entry.get("max_output_tokens")),
        cache_least_tokens=_whole(entry.get("prompt_cache_min_tokens")),
        long_prompts=tuple(_long_prompts(entry)),
        **_prices(entry, ""),
    )
    found = _given(listed, input_per_mtok, output_per_mtok)
    return None if found == Pricing() else found


def list_entry(model: str) -> Mapping[str, Any] | None:
    """The list's entry for a LiteLLM name: as it stands, else without its provider, if the
    entry is that provider's.
    """
    known = _price_list()
    if model in known:
        return known[model]
    provider, slash, rest = model.partition("/")
    entry = known.get(rest) if slash else None
    return entry if entry and str(entry.get("litellm_provider", "")).startswith(provider) else None


@cache
def listed_providers() -> frozenset[str]:
    """The providers that the list names."""
    return frozenset(str(entry.get("litellm_provider", "")) for entry in _price_list().values())


@cache
def listed_names(provider: str = "") -> tuple[str, ...]:
    """The models that the list names, of one provider as LiteLLM takes them; or all, as they
    stand there.
    """
    if not provider:
        return tuple(_price_list())
    own = [n for n, entry in _price_list().items() if entry.get("litellm_provider") == provider]
    return tuple(name if name.startswith(f"{provider}/") else f"{provider}/{name}" for name in own)


def _given(listed: Pricing, input_per_mtok: float | None, output_per_mtok: float | None) -> Pricing:
    """With the prices that the user gave in place of the list's."""
    found = listed
    if input_per_mtok is not None:
        price = input_per_mtok / _PER_MILLION
        share = price / listed.input_usd if listed.input_usd else None
        found = replace(
            found,
            input_usd=price,
            cache_read_usd=_times(listed.cache_read_usd, share),
            cache_write_usd=_times(listed.cache_write_usd, share),
            long_prompts=tuple(
                replace(long, input_usd=None, cache_read_usd=None, cache_write_usd=None)
                for long in found.long_prompts
            ),
        )
    if output_per_mtok is not None:
        found = replace(
            found,
            output_usd=output_per_mtok / _PER_MILLION,
            long_prompts=tuple(replace(long, output_usd=None) for long in found.long_prompts),
        )
    known = (long for long in found.long_prompts if long.input_usd or long.output_usd)
    return replace(found, long_prompts=tuple(known))


def _times(price: float | None, share: float | None) -> float | None:
    return None if price is None or share is None else price * share


def _long_prompts(entry: Mapping[str, Any]) -> Iterator[LongPrompt]:
    """What longer prompts cost: keys that name a length, or a list of ranges."""
    marks = {int(found[1]) for key in entry if (found := _LONG.fullmatch(key))}
    for mark in sorted(marks):
        yield LongPrompt(mark * 1_000, **_prices(entry, f"_above_{mark}k_tokens"))
    for rung in _rungs(entry)[1:]:
        yield LongPrompt(int(rung["range"][0]), **_prices(rung, ""))


def _prices(entry: Mapping[str, Any], suffix: str) -> dict[str, float | None]:
    """Dollars per token, by the names of `Pricing`."""
    billed = {**next(iter(_rungs(entry)), {}), **entry}
    if _billed_otherwise(billed):
        billed = {}
    free = billed.get("litellm_provider") in _FREE

    def price(*names: str) -> float | None:
        known = [p for name in names if (p := _number(billed.get(f"{name}{suffix}"))) is not None]
        return max(known) if known and (free or max(known) > 0) else None

    return {
        "input_usd": price("input_cost_per_token"),
        # a bound that holds also where all output is reasoning
        "output_usd": price("output_cost_per_token", "output_cost_per_reasoning_token"),
        "cache_read_usd": price("cache_read_input_token_cost"),
        "cache_write_usd": price("cache_creation_input_token_cost"),
    }


def _billed_otherwise(entry: Mapping[str, Any]) -> bool:
    """Whether a call costs more than its tokens, so that no bound is known."""
    per_request = _number(entry.get("input_cost_per_request"))
    searches = entry.get("litellm_provider") in _SEARCHES
    return bool(per_request) or (searches and "search_context_cost_per_query" in entry)


def _rungs(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Ranges of prompt lengths with prices of their own, the shortest first."""
    rungs = entry.get("tiered_pricing") or []
    return sorted((r for r in rungs if r.get("range")), key=lambda rung: float(rung["range"][0]))


def _number(value: object) -> float | None:
    """A price; the list spells some as text."""
    try:
        return float(value) if isinstance(value, int | float | str) else None
    except ValueError:
        return None


def _whole(value: object) -> int | None:
    number = _number(value)
    return int(number) if number else None


@cache
def _price_list() -> Mapping[str, Mapping[str, Any]]:
    spec = importlib.util.find_spec("litellm")
    path = Path(spec.origin).parent / _LIST if spec and spec.origin else Path(_LIST)
    try:
        entries = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"LiteLLM's price list {_LIST} cannot be read", remedy="reinstall pr-review"
        ) from error
    return {name: entry for name, entry in entries.items() if name != "sample_spec"}
