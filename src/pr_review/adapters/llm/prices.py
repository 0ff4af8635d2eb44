"""What LiteLLM knows of a model, read from its price list without importing it."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pr_review.agents.ports import Pricing
from pr_review.errors import ConfigurationError

_LIST = "model_prices_and_context_window_backup.json"
_PER_MILLION = 1_000_000
# Their models run on one's own machine: a price of 0 in the list is meant. From others it
# stands for a price that nobody filled in.
_FREE = ("ollama", "ollama_chat")


def pricing(
    model: str,
    *,
    prompt_tokens: int = 0,
    input_per_mtok: float | None = None,
    output_per_mtok: float | None = None,
) -> Pricing | None:
    """Price and limits of a model, None if nothing is known of it.

    Prices given in dollars per million tokens win over the list. Where a provider asks more
    for long prompts, the price is that of a prompt of `prompt_tokens`.
    """
    entry = list_entry(model) or {}
    window = entry.get("max_input_tokens") or entry.get("max_tokens")
    found = Pricing(
        input_usd=_price(entry, "input", prompt_tokens, input_per_mtok),
        output_usd=_price(entry, "output", prompt_tokens, output_per_mtok),
        window=_whole(window),
        max_output_tokens=_whole(entry.get("max_output_tokens")),
    )
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


def _price(
    entry: Mapping[str, Any], side: str, prompt_tokens: int, given: float | None
) -> float | None:
    """Dollars per token of one side."""
    if given is not None:
        return given / _PER_MILLION
    name = f"{side}_cost_per_token"
    prices = [_number(entry.get(name))]
    for key, value in entry.items():
        tier = re.fullmatch(rf"{name}_above_(\d+)k_tokens", key)
        if tier and prompt_tokens > int(tier[1]) * 1000:
            prices.append(_number(value))
    known = [price for price in prices if price is not None]
    free = entry.get("litellm_provider") in _FREE
    return max(known) if known and (free or max(known) > 0) else None


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
