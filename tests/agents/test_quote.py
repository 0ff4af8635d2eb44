"""The quote is an upper bound, and what it does not admit is told why."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.agents.catalogue import Agent, catalogue
from pr_review.agents.policy import AgentPolicy, Verify
from pr_review.agents.ports import RETRIES, LongPrompt, Pricing
from pr_review.agents.prompt import Prompts, assemble, repair, reserved
from pr_review.agents.quote import (
    MOST_VERIFY_OUTPUT_TOKENS,
    MOST_VERIFY_TOKENS,
    Account,
    Sizes,
    admit,
    affordable,
    cost,
    dearest,
    family_factor,
    measure,
    measure_all,
    output_cap,
    overrun,
    prompt_limit,
    quote,
    room,
    verify_limit,
    verify_output_cap,
)
from pr_review.domain.finding import AgentOutcome
from pr_review.domain.ledger import Ledger
from pr_review.domain.path_rule import PathRule
from pr_review.domain.quote import Quote

NAMES = ("bugs", "security")
POLICY = AgentPolicy(NAMES)
PRICED = Pricing(input_usd=2e-6, output_usd=8e-6, window=400_000, max_output_tokens=4_000)
SIZES = Sizes(first=(1_000, 1_100), repair=(5_000, 5_100), shared=800)
TIMES = 1 + RETRIES


def count(text: str) -> int:
    """Stands for a tokenizer: no encoding has more tokens than bytes."""
    return len(text.encode())


def quoted(
    model: str = "gpt-5",
    *,
    sizes: Sizes = SIZES,
    policy: AgentPolicy = POLICY,
    pricing: Pricing = PRICED,
) -> Quote:
    return quote(model, sizes, policy, pricing, names=NAMES)


def test_every_pass_is_quoted() -> None:
    twice = replace(SIZES, later=(Sizes((2_000, 2_100), (6_000, 6_100), 1_800),))
    one, other, both = quoted(), quoted(sizes=twice.later[0]), quoted(sizes=twice)
    assert both.calls == one.calls + other.calls
    assert both.input_tokens == one.input_tokens + other.input_tokens
    assert both.usd == pytest.approx((one.usd or 0) + (other.usd or 0))
    assert both.once_usd == pytest.approx((one.once_usd or 0) + (other.once_usd or 0))
    assert both.seconds == pytest.approx(one.seconds + other.seconds)
    assert both.deadline == 2 * one.deadline
    assert [part.calls for part in both.agents] == [part.calls * 2 for part in one.agents]
    assert f"up to {both.calls} requests in 2 passes to gpt-5" in both.words
    assert "passes" not in one.words


def test_the_verify_pass_is_quoted_once_at_its_own_caps() -> None:
    policy = replace(POLICY, verify=Verify.HIGH, fallback_models=("claude-opus-5",))
    twice = replace(SIZES, later=(SIZES,))
    off = quoted(sizes=twice, policy=replace(policy, verify=Verify.OFF))
    told = quoted(sizes=twice, policy=policy)
    *agents, part = told.agents
    assert tuple(agents) == off.agents
    times = 2 * TIMES
    each = 2 * MOST_VERIFY_TOKENS  # the factor of the fallback's family
    assert (part.name, part.calls) == ("verify", times)
    assert (part.input_tokens, part.output_tokens) == (times * each, times * 4_000)
    assert part.usd == pytest.approx(times * (each * 2e-6 + 4_000 * 8e-6))
    assert told.calls == off.calls + times
    assert told.usd == pytest.approx((off.usd or 0) + (part.usd or 0))
    assert told.once_usd == pytest.approx((off.once_usd or 0) + (part.usd or 0) / times)
    assert told.seconds == off.seconds
    assert "repairs: 1, verify: 1)" in told.words
    assert "verify" not in off.words


def test_the_verify_pass_keeps_to_what_the_model_holds_and_the_user_allows() -> None:
    roomy = replace(PRICED, max_output_tokens=100_000)
    assert verify_output_cap(POLICY, roomy) == MOST_VERIFY_OUTPUT_TOKENS
    assert verify_output_cap(replace(POLICY, max_output_tokens=300), roomy) == 300
    assert verify_limit("gpt-5", POLICY, PRICED) == MOST_VERIFY_TOKENS
    assert verify_limit("gpt-5", replace(POLICY, max_prompt_tokens=9_000), PRICED) == 9_000
    small = replace(PRICED, window=12_000)
    assert verify_limit("gpt-5", POLICY, small) == int(0.85 * 12_000) - 4_000


def test_a_ceiling_gives_up_repeats_and_repairs_before_it_names_verify() -> None:
    policy = replace(POLICY, verify=Verify.HIGH, max_cost_usd=0.14)
    kept = affordable("gpt-5", SIZES, policy, PRICED, names=NAMES)
    assert (kept.retries, kept.repair, kept.verify) == (0, False, Verify.HIGH)
    told = quoted(policy=kept)
    assert not admit(told, SIZES, kept, PRICED)
    assert told.once_usd == told.usd == pytest.approx(0.1322)
    less = replace(kept, max_cost_usd=0.13)
    assert admit(told, SIZES, less, PRICED).endswith("or set verify to off")
    account = Account(ceiling_usd=0.2, spent_usd=0.1)
    assert admit(told, SIZES, kept, PRICED, account).endswith("or set verify to off")
    off = replace(less, verify=Verify.OFF)
    assert not admit(quoted(policy=off), SIZES, off, PRICED)


def test_the_largest_prompt_of_all_passes_is_what_must_fit() -> None:
    policy = replace(POLICY, max_prompt_tokens=6_000)
    small = Sizes(first=(10, 10), repair=(20, 20))
    assert not admit(quoted(policy=policy), SIZES, policy, PRICED)
    large = replace(small, later=(Sizes((10, 5_900), (20, 6_001)),))
    assert "the largest prompt has 6,001 tokens" in admit(quoted(), large, policy, PRICED)


def test_each_pass_is_measured_by_itself() -> None:
    passes = [Prompts("system", "p" * 10 * n, ("task",)) for n in (1, 2)]
    sizes = measure_all(passes, count)
    assert [one.first for one in sizes.passes] == [measure(p, count).first for p in passes]
    assert [one.shared for one in sizes.passes] == [16, 26]
    assert sizes.largest == sizes.later[0].largest > sizes.repair[0]


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
        ("claude-3-7-sonnet-20250219", 1.4),
        ("bedrock/us.anthropic.claude-opus-4-6-v1", 1.4),
        ("claude-opus-4-20250514", 1.4),
        ("anthropic/claude-opus-4-7", 2.0),
        ("openrouter/anthropic/claude-opus-4.8", 2.0),
        ("bedrock/global.anthropic.claude-sonnet-5", 2.0),
        ("vertex_ai/claude-fable-5-1@20261001", 2.0),
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


def test_the_quote_counts_every_request_that_may_be_made() -> None:
    told = quoted()
    assert (told.calls, told.input_tokens) == (4 * TIMES, 12_200 * TIMES)
    assert told.output_tokens == 4 * TIMES * 4_000
    assert told.usd == pytest.approx(TIMES * (12_200 * 2e-6 + 16_000 * 8e-6))
    assert told.once_usd == pytest.approx(2_100 * 2e-6 + 8_000 * 8e-6)
    assert quoted("ollama/x").input_tokens == math.ceil(12_200 * 1.4) * TIMES


def test_without_repeats_and_repairs_the_bound_is_one_request_for_each_agent() -> None:
    told = quoted(policy=replace(POLICY, retries=0, repair=False))
    assert (told.calls, told.input_tokens, told.output_tokens) == (2, 2_100, 8_000)
    assert told.usd == told.once_usd
    assert "up to 2 requests to gpt-5 (repeats: 0, repairs: 0)" in told.words
    assert "without repeats" not in told.words


@pytest.mark.parametrize(
    ("ceiling", "retries", "repair", "calls"),
    [
        (None, 2, True, 12),
        (1.0, 2, True, 12),
        (0.31, 1, True, 8),
        (0.16, 0, True, 4),
        (0.07, 0, False, 2),
        (0.01, 0, False, 2),
    ],
)
@pytest.mark.parametrize("over_all", [False, True])
def test_a_ceiling_takes_repeats_first_and_then_repairs(
    *, ceiling: float | None, retries: int, repair: bool, calls: int, over_all: bool
) -> None:
    """The whole bound is $0.4572, the request for each agent alone $0.0682."""
    policy = POLICY if over_all else replace(POLICY, max_cost_usd=ceiling)
    account = Account(ceiling + 5.0, 5.0) if over_all and ceiling is not None else None
    less = affordable("gpt-5", SIZES, policy, PRICED, names=NAMES, account=account)
    assert (less.retries, less.repair) == (retries, repair)
    told = quoted(policy=less)
    assert told.calls == calls
    reason = admit(told, SIZES, less, PRICED, account)
    assert bool(reason) is (ceiling == 0.01)
    assert ("even without repeats and repairs" in reason) is (ceiling == 0.01)


def test_each_agent_has_its_part_and_the_parts_are_the_whole() -> None:
    told = quoted()
    bugs = told.of("bugs")
    assert bugs is not None
    assert bugs.input_tokens == 6_000 * TIMES
    assert bugs.usd == pytest.approx(TIMES * (6_000 * 2e-6 + 8_000 * 8e-6))
    assert [part.name for part in told.agents] == list(NAMES)
    assert sum(part.usd or 0 for part in told.agents) == pytest.approx(told.usd)
    assert sum(part.calls for part in told.agents) == told.calls
    assert told.of("nobody") is None


@pytest.mark.parametrize("missing", ["input_usd", "output_usd"])
def test_an_unknown_price_is_not_free(missing: str) -> None:
    pricing = Pricing(**{"input_usd": 1e-6, "output_usd": 1e-6, missing: None})  # type: ignore[arg-type]
    told = quoted(pricing=pricing)
    assert (told.usd, told.once_usd, told.agents[0].usd) == (None, None, None)
    assert told.words.startswith(
        "price unknown: up to 12 requests to gpt-5 (repeats: 2, repairs: 1)"
    )
    assert "$" not in told.words


def test_a_price_of_zero_is_known() -> None:
    told = quoted("ollama/x", pricing=Pricing(0.0, 0.0))
    assert told.usd == 0.0
    assert told.words.startswith("at most $0.0000")


def test_what_is_nearly_free_does_not_look_free() -> None:
    assert quoted(pricing=Pricing(1e-12, 1e-10)).words.startswith("at most $0.0000099: ")


def test_a_cache_is_an_estimate_beside_the_bound_and_its_writes_are_in_it() -> None:
    sizes = Sizes(first=(11_000, 11_100), repair=(15_000, 15_100), shared=10_000)
    plain, cached = (
        quoted(sizes=sizes, pricing=replace(PRICED, cache_read_usd=read, cache_write_usd=write))
        for read, write in ((None, None), (2e-7, 2.5e-6))
    )
    assert plain.usd is not None
    assert cached.usd == pytest.approx(plain.usd + TIMES * 52_200 * 0.5e-6)
    assert plain.cache_usd is None
    assert cached.cache_usd == pytest.approx(10_000 * (2.5e-6 - 2e-7))
    assert "a cache may take off $0.0230" in cached.words
    assert "cache" not in plain.words


def test_a_short_prefix_is_not_cached() -> None:
    told = quoted(pricing=replace(PRICED, cache_read_usd=2e-7))
    assert told.cache_usd == 0.0
    assert "cache" not in told.words
    least = replace(PRICED, cache_read_usd=2e-7, cache_least_tokens=800)
    assert quoted(pricing=least).cache_usd == pytest.approx(800 * 1.8e-6)


LONG = replace(PRICED, long_prompts=(LongPrompt(5_000, 4e-6, 12e-6),))


def test_a_long_prompt_has_the_price_of_long_prompts() -> None:
    told = quoted(pricing=LONG)
    short = 7_100 * 2e-6 + 3 * 4_000 * 8e-6
    assert told.usd == pytest.approx(TIMES * (short + 5_100 * 4e-6 + 4_000 * 12e-6))
    counted = quoted("ollama/x", pricing=LONG)
    assert counted.usd is not None
    assert counted.usd > TIMES * 1.4 * (2_100 * 2e-6 + 10_100 * 4e-6), "in the model's own tokens"


def test_what_a_call_was_billed() -> None:
    pricing = replace(LONG, cache_read_usd=2e-7, cache_write_usd=2.5e-6)
    assert cost(1_000, 10, pricing) == pytest.approx(1_000 * 2e-6 + 10 * 8e-6)
    told = cost(1_000, 10, pricing, cached=300, written=600)
    assert told == pytest.approx(100 * 2e-6 + 300 * 2e-7 + 600 * 2.5e-6 + 10 * 8e-6)
    assert cost(6_000, 10, pricing) == pytest.approx(6_000 * 4e-6 + 10 * 12e-6)
    assert cost(1_000, 10, PRICED, cached=300, written=600) == cost(1_000, 10, PRICED)
    assert cost(1_000, 10, Pricing()) is None


def test_expected_seconds_are_said_and_held_against_the_deadline() -> None:
    told = quoted()
    assert told.seconds == pytest.approx(2 + 1_100 / 5_000 + 25)
    assert told.words.endswith("; about 27 s")
    hasty = replace(POLICY, run_seconds=20.0)
    assert quoted(policy=hasty).words.endswith("about 27 s, more than run-deadline (20 s)")
    brief = quoted(pricing=replace(PRICED, max_output_tokens=600))
    assert brief.seconds == pytest.approx(2 + 1_100 / 5_000 + 10)


@given(
    asked=st.integers(1, 200_000),
    factor=st.floats(0.1, 1.4),
    cached=st.floats(0, 1),
    written=st.floats(0, 1),
    answered=st.integers(1, 4_000),
)
def test_no_bill_is_over_the_quote(
    *, asked: int, factor: float, cached: float, written: float, answered: int
) -> None:
    """However a server of an unknown family counts, up to 1.4 times o200k, and caches."""
    pricing = Pricing(
        2e-6, 8e-6, None, 4_000, 2e-7, 2.5e-6, None, (LongPrompt(100_000, 4e-6, 12e-6, 4e-7, 5e-6),)
    )
    sizes = Sizes(first=(asked, asked), repair=(asked + 900, asked + 900), shared=asked)
    told = quoted("ollama/x", sizes=sizes, pricing=pricing)
    bill = 0.0
    for size in (*sizes.first, *sizes.repair) * TIMES:
        billed = int(size * factor)
        read = int(billed * cached)
        one = cost(billed, answered, pricing, cached=read, written=int((billed - read) * written))
        assert one is not None
        bill += one
    assert told.usd is not None
    assert bill <= told.usd * (1 + 1e-9)


@given(broken=st.text(max_size=2_000), cut=st.booleans())
def test_no_prompt_is_larger_than_measured(*, broken: str, cut: bool) -> None:
    prompts = Prompts("system", "prefix", ("task one", "task two"))
    sizes = measure(prompts, count)
    for task, first, again in zip(prompts.tasks, sizes.first, sizes.repair, strict=True):
        shared = count(prompts.system) + count(prompts.prefix)
        assert shared + count(task) <= first
        assert shared + count(repair(task, broken * 9, cut=cut)) <= again
    assert sizes.largest == max(sizes.repair)


OWN = Agent("own", "Own", ("one",), "Look. " * 1_000, own=True)
RULES = (PathRule(("docs/**", "*.md"), "Mind the words.", agents=("own",)),)


@pytest.mark.parametrize(
    "asked",
    [POLICY, replace(POLICY, names=("bugs", "own"), own=(OWN,), rules=RULES, guided=True)],
    ids=["shipped", "own and guided"],
)
def test_a_snapshot_that_fills_the_room_is_admitted_and_no_larger_one(asked: AgentPolicy) -> None:
    agents = asked.agents
    text = "b" * reserved(asked)
    pricing = replace(PRICED, window=80_000)
    tokens = room("gpt-5", asked, pricing, agents=agents, count=count)
    assert tokens > 20_000

    def reason(snapshot: str) -> str:
        prompts = assemble(
            asked, agents, brief_text=text, snapshot_text=snapshot, ledger=Ledger(())
        )
        sizes = measure(prompts, count)
        told = quote("gpt-5", sizes, asked, pricing, names=[agent.name for agent in agents])
        return admit(told, sizes, asked, pricing)

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
    reason = admit(quoted(policy=policy, pricing=pricing), SIZES, policy, pricing)
    assert words in reason
    assert bool(reason) is bool(words)


def test_a_prompt_over_its_bound_is_refused_with_what_to_do() -> None:
    policy = replace(POLICY, max_prompt_tokens=5_099)
    reason = admit(quoted(policy=policy), SIZES, policy, PRICED)
    assert "5,100 tokens and 5,099 are allowed" in reason
    assert "diff-token-budget" in reason


def test_a_deadline_in_which_nothing_can_be_read_is_refused() -> None:
    sizes = Sizes(first=(150_000, 150_100), repair=(154_000, 154_100), shared=149_000)
    for seconds, words in (
        (3.0, "no model reads 150,100 tokens within run-deadline, 3 s"),
        (4.0, ""),
    ):
        policy = replace(POLICY, run_seconds=seconds)
        reason = admit(quoted(sizes=sizes, policy=policy), sizes, policy, PRICED)
        assert (reason.startswith(words), bool(reason)) == (True, bool(words))


@pytest.mark.parametrize(
    ("account", "pricing", "words"),
    [
        (Account(1.0), PRICED, ""),
        (Account(1.0, 0.54), PRICED, ""),
        (Account(1.0, 0.56), PRICED, "cost $0.5600, this one may cost $0.4572"),
        (Account(0.0), PRICED, "max-cost-usd-per-pull-request is $0.0000"),
        (Account(1.0), Pricing(), "the price of gpt-5 is unknown"),
        (Account(1.0, None, "no key signs it"), PRICED, "cannot be kept: no key signs it"),
        (Account(0.0), Pricing(0.0, 0.0), ""),
    ],
)
def test_a_ceiling_over_all_runs_counts_what_earlier_ones_spent(
    account: Account, pricing: Pricing, words: str
) -> None:
    reason = admit(quoted(pricing=pricing), SIZES, POLICY, pricing, account)
    assert words in reason
    assert bool(reason) is bool(words)


def test_the_words_tell_the_bound_first_and_what_it_is_made_of() -> None:
    pricing = replace(PRICED, cache_read_usd=2e-7, cache_least_tokens=800)
    assert quoted("ollama/x", pricing=pricing).words == (
        "at most $0.4865: up to 12 requests to ollama/x (repeats: 2, repairs: 1), 51,240 tokens in "
        "(1.4 times what o200k counts), 48,000 out (4,000 each, reasoning included); without "
        "repeats and repairs at most $0.0699, of which a cache may take off $0.0020; about 27 s"
    )


def test_a_bill_over_the_quote_is_told_as_a_bug_and_one_within_it_is_not() -> None:
    told = quoted()
    assert told.usd is not None
    within = AgentOutcome("bugs", input_tokens=told.input_tokens, cost_usd=told.usd)
    assert overrun(told, [within]) == ""
    dear = replace(within, cost_usd=told.usd + 0.01)
    assert f"${told.usd + 0.01:.4f}, ${told.usd:.4f} were quoted: this is a bug" in overrun(
        told, [dear]
    )
    unpriced = quoted(pricing=Pricing())
    many = unpriced.input_tokens + unpriced.output_tokens + 1
    long = AgentOutcome("bugs", input_tokens=many)
    assert f"{many:,} tokens were billed" in overrun(unpriced, [long])


def test_a_quote_allows_for_every_fallback_at_the_dearest() -> None:
    fallback = replace(POLICY, fallback_models=("ollama/qwen3",))
    one, both = quoted(), quoted(policy=fallback)
    assert both.calls == 2 * one.calls
    assert both.factor == 1.4
    assert one.usd is not None
    assert both.usd is not None
    assert both.usd > 2 * one.usd
    assert "gpt-5 or, in its place, ollama/qwen3" in both.words


def test_what_holds_for_several_models_is_the_dearest_and_the_narrowest() -> None:
    cheap = Pricing(1.0, 9.0, window=1_000, max_output_tokens=50, cache_read_usd=0.1)
    dear = Pricing(
        2.0, 8.0, window=500, cache_write_usd=2.5, long_prompts=(LongPrompt(9, 4.0, 4.0),)
    )
    assert dearest([cheap, dear]) == Pricing(
        2.0, 9.0, 500, 50, cache_write_usd=2.5, long_prompts=(LongPrompt(9, 4.0, 4.0),)
    )
    assert dearest([cheap, Pricing()]) == Pricing(window=1_000, max_output_tokens=50)
