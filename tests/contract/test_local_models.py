"""docs/local-models.md names servers that need no key, and windows that hold what is sent."""

from __future__ import annotations

import re

import pytest
import yaml

from pr_review.adapters.llm.prices import pricing
from pr_review.adapters.llm.providers import provider_environment, provider_needs_key, provider_of
from pr_review.adapters.llm.reach import address_of
from pr_review.agents.quote import family_factor
from pr_review.settings import file, load
from tests.agents.test_habits import DIALECTS
from tests.contract import documents

PAGE = "docs/local-models.md"
TEXT = documents.text(PAGE)
SERVERS = [tuple(cell.strip("`") for cell in row) for row in documents.table("Servers", PAGE)]


@pytest.mark.parametrize(("server", "model", "base"), SERVERS)
def test_a_server_needs_no_key_and_is_asked_where_it_listens(
    server: str, model: str, base: str
) -> None:
    assert not provider_needs_key(model, api_base=base), server
    assert address_of(model, api_base=base, environ={}) == base
    settings = load(file(f"model: {model}")).model_settings()
    assert settings.model == model


def test_each_of_them_is_asked_in_a_test_of_answers() -> None:
    asked = {provider_of(dialect.model) for dialect in DIALECTS.values()}
    assert {provider_of(model) for _, model, _ in SERVERS} <= asked


def test_the_variables_that_serve_instead_are_passed() -> None:
    for name in re.findall(r"`([A-Z_]+_API_BASE)`", TEXT):
        provider = {"OLLAMA": "ollama_chat"}.get(name.removesuffix("_API_BASE"))
        model = f"{provider or name.removesuffix('_API_BASE').lower()}/m"
        assert provider_environment(model, {name: "http://a"}) == {name: "http://a"}


def test_the_window_of_the_example_holds_prompt_and_answer() -> None:
    [block] = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    job = yaml.safe_load(block)["jobs"]["review"]
    window = int(job["services"]["ollama"]["env"]["OLLAMA_CONTEXT_LENGTH"])
    given = job["steps"][-1]["with"]
    factor = family_factor(given["model"])
    most = int((window - given["max-output-tokens"]) / factor)
    assert given["max-prompt-tokens"] <= most
    assert f"so {most:,} at most: the {given['max-prompt-tokens']:,}" in TEXT
    assert f"divided by {factor}" in TEXT
    assert given["api-base"] == "http://ollama:11434"


@pytest.mark.parametrize(("server", "model", "base"), SERVERS)
def test_the_price_is_unknown_until_it_is_given(server: str, model: str, base: str) -> None:
    known = pricing(model)
    assert known is None or known.input_usd is None, (server, base)
    given = load(file(f"model: {model}\ninput-cost-per-mtok: 0\noutput-cost-per-mtok: 0"))
    told = pricing(
        model,
        input_per_mtok=given.input_cost_per_mtok,
        output_per_mtok=given.output_cost_per_mtok,
    )
    assert told is not None
    assert (told.input_usd, told.output_usd) == (0.0, 0.0)
