"""docs/cost.md tells what a quote does."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from pr_review.agents import quote as stage
from pr_review.agents.catalogue import NAMES
from pr_review.agents.policy import AgentPolicy, Verify
from pr_review.agents.ports import RETRIES, Pricing
from pr_review.agents.quote import Sizes, cost, family_factor, quote
from pr_review.agents.verify import LEAST_SECONDS
from pr_review.commands import quoting
from pr_review.domain.money import dollars
from pr_review.domain.quote import Quote
from pr_review.settings import Settings, file, load
from tests.contract import documents, pictures

DOCUMENT = "docs/cost.md"
TEXT = " ".join(documents.text(DOCUMENT).split())
MODEL = "anthropic/claude-sonnet-4-5"
PRICING = Pricing(3e-6, 15e-6, 200_000, 64_000, cache_read_usd=0.3e-6, cache_write_usd=3.75e-6)
SIZES = Sizes(first=(20_000,) * 5, repair=(24_500,) * 5, shared=19_000)


def worked(retries: int, *, repair: bool, verify: Verify = Verify.OFF) -> Quote:
    policy = replace(AgentPolicy(NAMES), retries=retries, repair=repair, verify=verify)
    return quote(MODEL, SIZES, policy, PRICING, names=NAMES)


def test_the_worked_figures_are_those_of_the_quote() -> None:
    rows = []
    for retries, repair in ((2, True), (1, True), (0, True), (0, False)):
        told = worked(retries, repair=repair)
        counts = (told.calls, told.input_tokens, told.output_tokens)
        cells = (str(retries), str(int(repair)), *(f"{count:,}" for count in counts))
        rows.append((*cells, dollars(told.usd or 0.0)))
    assert documents.table("Worked figures", DOCUMENT) == rows
    assert rows[0][0] == str(RETRIES)


def test_what_is_said_beside_the_bound_is_what_is_computed() -> None:
    least = worked(0, repair=False)
    assert least.cache_usd is not None
    assert f"the cache may take off {dollars(least.cache_usd)}" in TEXT
    sent, shared = 28_000, 26_600
    first = cost(sent, 1_500, PRICING, written=shared)
    others = cost(sent, 1_500, PRICING, cached=shared)
    assert first is not None
    assert others is not None
    bounds = [
        dollars(worked(retries, repair=False, verify=Verify.HIGH).agents[-1].usd or 0.0)
        for retries in (RETRIES, 0)
    ]
    assert "Verification adds {} at most, without repeats {}".format(*bounds) in TEXT
    assert f"is billed about {dollars(first + 4 * others)}" in TEXT


@pytest.mark.parametrize("row", documents.table("A change, quoted", DOCUMENT))
def test_the_sample_is_quoted_as_the_table_says(row: tuple[str, ...]) -> None:
    setting, requests, most, least = row
    lines = re.findall(r"`([^`]+)`", setting)
    sample = pictures.taken().snapshots[0]
    assert f"whose [snapshot](snapshot.md) has {sample.tokens:,} tokens" in TEXT
    offered = quoting.offer(sample, load(file("\n".join([f"model: {MODEL}", *lines]))))
    told = offered.quote
    assert told is not None
    assert told.usd is not None
    assert bool(offered.refusal) == (requests == "refused")
    if not offered.refusal:
        once = told.usd if told.once_usd is None else told.once_usd
        assert told.calls == int(requests)
        assert float(most.strip("$")) == pytest.approx(told.usd, rel=0.05)
        assert float(least.strip("$")) == pytest.approx(once, rel=0.05)
        if told.calls == len(told.agents):  # one request each
            snapshot = sample.tokens * family_factor(MODEL)
            share = 1 - snapshot / told.agents[0].input_tokens
            assert share == pytest.approx(0.75, abs=0.05), "three quarters"


def test_the_families_have_the_factors_that_the_table_tells() -> None:
    *named, (others, least) = documents.table("Tokens of other families", DOCUMENT)
    assert others == "all others"
    for cell, factor in named:
        for model in re.findall(r"`([^`]+)`", cell):
            assert family_factor(model) == float(factor), model
    assert {factor for _, factor in named} | {least} == {"1.0", "2.0", "1.4"}
    for model in ("gpt-4", "claude-sonnet-4-5", "deepseek/deepseek-chat", "ollama/qwen3"):
        assert family_factor(model) == float(least)


@pytest.mark.parametrize(
    "words",
    [
        f"at most {stage.MOST_OUTPUT_TOKENS:,} ({stage.DEFAULT_OUTPUT_TOKENS:,} where",
        f"{stage.START_SECONDS} to begin, a second for {stage.READ_PER_SECOND:,} tokens read",
        f"{stage.WRITE_PER_SECOND} tokens written, of an answer of {stage.ANSWER_TOKENS:,}",
        f"({stage.FASTEST_READ_PER_SECOND:,} tokens a second)",
        f"sent up to {RETRIES} times more",
        f"at most {stage.MOST_VERIFY_TOKENS:,} tokens of o200k",
        f"at most {stage.MOST_VERIFY_OUTPUT_TOKENS:,}. It is quoted at that length",
        f"less than {LEAST_SECONDS:g} seconds left nothing is verified",
    ],
)
def test_the_numbers_are_those_of_the_code(words: str) -> None:
    assert words in TEXT


def test_every_setting_it_names_is_one() -> None:
    named = {name for name in re.findall(r"`([a-z-]+)`", TEXT) if "-" in name}
    models = set(re.findall(r"`((?:gpt|claude|codex|o4)-[a-z0-9.-]+)`", TEXT))
    names = {name.replace("_", "-") for name in Settings.model_fields}
    assert {"max-cost-usd", "api-key", "fallback-models"} <= named - models <= names
