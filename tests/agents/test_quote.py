"""The quote is an upper bound, and what it does not admit is told why."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.agents.catalogue import catalogue
from pr_review.agents.policy import AgentPolicy
from pr_review.agents.ports import Pricing
from pr_review.agents.prompt import BRIEF_TOKENS, Prompts, assemble, repair
from pr_review.agents.quote import (
    Sizes,
    admit,
    family_factor,
    measure,
    output_cap,
    prompt_limit,
    quote,
    room,
)
from pr_review.domain.ledger import Ledger

POLICY = AgentPolicy(("bugs",))
PRICED = Pricing(input_usd=2e-6, output_usd=8e-6, window=400_000, max_output_tokens=4_000)
SIZES = Sizes(first=(1_000, 1_100), repair=(5_000, 5_100))


def count(text: str) -> int:
    """Stands for a tokenizer: no encoding has more tokens than bytes."""
    return len(text.encode())


@pytest.mark.parametrize(
    ("model", "factor"),
    [
        ("gpt-5.2", 1.0),
        ("openai/gpt-4o-mini", 1.0),
        ("azure/gpt-4.1", 1.0),
        ("openrouter/openai/o3-mini", 1.0),
        ("o1", 1.0),
        ("openai/gpt-oss-20b", 1.0),
        ("gpt-4", 1.4),
        ("openai/my-model", 1.4),
        ("anthropic/claude-sonnet-4-5", 1.4),
        ("ollama/qwen3", 1.4),
        ("openai/o200-like", 1.4),
    ],
)
def test_a_family_is_told_by_the_last_part_of_its_name(model: str, factor: float) -> None:
    assert family_factor(model) == factor


@pytest.mark.parametrize(
    ("asked", "allowed", "cap"),
    [
        (None, None, 8_192),
        (None, 4_000, 4_000),
        (None, 128_000, 16_384),
        (50_000, 128_000, 50_000),
        (500, None, 500),
    ],
)
def test_the_output_cap(asked: int | None, allowed: int | None, cap: int) -> None:
    policy = replace(POLICY, max_output_tokens=asked)
    assert output_cap(policy, Pricing(max_output_tokens=allowed)) == cap


def test_the_prompt_is_bounded_by_policy_and_by_the_window() -> None:
    assert prompt_limit("gpt-5", POLICY, Pricing()) == 180_000
    assert prompt_limit("gpt-5", POLICY, PRICED) == 180_000
    small = replace(PRICED, window=100_000)
    assert prompt_limit("gpt-5", POLICY, small) == 85_000 - 4_000
    assert prompt_limit("ollama/x", POLICY, small) == int(81_000 / 1.4)
    assert prompt_limit("gpt-5", POLICY, replace(PRICED, window=4_000)) == 0


def test_the_quote_counts_every_call_and_its_repair() -> None:
    quoted = quote("gpt-5", SIZES, POLICY, PRICED)
    assert (quoted.calls, quoted.input_tokens, quoted.output_tokens) == (4, 12_200, 16_000)
    assert quoted.usd == pytest.approx(12_200 * 2e-6 + 16_000 * 8e-6)
    other = quote("ollama/x", SIZES, POLICY, PRICED)
    assert other.input_tokens == math.ceil(12_200 * 1.4)


@pytest.mark.parametrize("missing", ["input_usd", "output_usd"])
def test_an_unknown_price_is_not_free(missing: str) -> None:
    pricing = Pricing(**{"input_usd": 1e-6, "output_usd": 1e-6, missing: None})  # type: ignore[arg-type]
    assert quote("gpt-5", SIZES, POLICY, pricing).usd is None


def test_a_price_of_zero_is_known() -> None:
    assert quote("ollama/x", SIZES, POLICY, Pricing(0.0, 0.0)).usd == 0.0


@given(broken=st.text(max_size=2_000), cut=st.booleans())
def test_no_prompt_is_larger_than_measured(*, broken: str, cut: bool) -> None:
    prompts = Prompts("system", "prefix", ("task one", "task two"))
    sizes = measure(prompts, count)
    for task, first, again in zip(prompts.tasks, sizes.first, sizes.repair, strict=True):
        shared = count(prompts.system) + count(prompts.prefix)
        assert shared + count(task) <= first
        assert shared + count(repair(task, broken * 9, cut=cut)) <= again
    assert sizes.largest == max(sizes.repair)


def test_a_snapshot_that_fills_the_room_is_admitted_and_no_larger_one() -> None:
    agents = catalogue()
    text = "b" * BRIEF_TOKENS
    pricing = replace(PRICED, window=80_000)
    tokens = room("gpt-5", POLICY, pricing, agents=agents, count=count)
    assert tokens > 20_000

    def reason(snapshot: str) -> str:
        prompts = assemble(
            POLICY, agents, brief_text=text, snapshot_text=snapshot, ledger=Ledger(())
        )
        sizes = measure(prompts, count)
        return admit(quote("gpt-5", sizes, POLICY, pricing), sizes, POLICY, pricing)

    assert reason("x" * tokens) == ""
    assert "largest prompt" in reason("x" * (tokens + 200))


def test_there_is_no_room_in_a_tiny_window() -> None:
    pricing = Pricing(window=8_192)
    tokens = room("gpt-5", POLICY, pricing, agents=catalogue(), count=count)
    assert tokens == 0


@pytest.mark.parametrize(
    ("ceiling", "pricing", "words"),
    [
        (None, PRICED, ""),
        (None, Pricing(), ""),
        (1.0, PRICED, ""),
        (0.01, PRICED, "max-cost-usd is $0.0100"),
        (0.0, PRICED, "max-cost-usd is $0.0000"),
        (1.0, Pricing(), "price of gpt-5 is unknown"),
        (0.0, Pricing(0.0, 0.0), ""),
    ],
)
def test_a_ceiling_admits_what_is_known_to_fit(
    ceiling: float | None, pricing: Pricing, words: str
) -> None:
    policy = replace(POLICY, max_cost_usd=ceiling)
    reason = admit(quote("gpt-5", SIZES, policy, pricing), SIZES, policy, pricing)
    assert words in reason
    assert bool(reason) is bool(words)


def test_a_prompt_over_its_bound_is_refused_with_what_to_do() -> None:
    policy = replace(POLICY, max_prompt_tokens=5_099)
    reason = admit(quote("gpt-5", SIZES, policy, PRICED), SIZES, policy, PRICED)
    assert "5,100 tokens and 5,099 are allowed" in reason
    assert "diff-token-budget" in reason
