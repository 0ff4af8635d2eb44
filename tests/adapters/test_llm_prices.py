"""Prices, limits and credentials of models, known without importing LiteLLM."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from pr_review.adapters.llm.prices import pricing
from pr_review.adapters.llm.providers import (
    credential_variables,
    provider_environment,
    provider_needs_key,
    provider_of,
)
from pr_review.agents.ports import LongPrompt, Pricing
from tests.shared import shared

LITELLM = Path(str(importlib.util.find_spec("litellm").origin)).parent  # type: ignore[union-attr]


def test_a_known_model_has_its_listed_price_and_limits() -> None:
    known = pricing("gpt-4o")
    assert known == Pricing(2.5e-06, 1e-05, 128_000, 16_384, cache_read_usd=1.25e-06)
    assert pricing("openai/gpt-4o") == known


def test_the_name_without_its_provider_counts_only_for_that_provider() -> None:
    assert pricing("anthropic/claude-sonnet-4-5") == pricing("claude-sonnet-4-5")
    assert pricing("claude-sonnet-4-5") is not None
    assert pricing("openai/claude-sonnet-4-5") is None


def test_c12_an_unknown_model_has_no_price() -> None:
    for name in json.loads(shared("cases/c12-unknown-cost/models.json").read_text()):
        assert pricing(name) is None, name


def test_given_prices_win_and_make_an_unknown_model_known() -> None:
    assert pricing("openai/my-model", input_per_mtok=3.0, output_per_mtok=15.0) == Pricing(
        3e-06, 15e-06
    )
    half = pricing("gpt-4o", input_per_mtok=1.0)
    assert half is not None
    assert (half.input_usd, half.output_usd) == (1e-06, 1e-05)
    free = pricing("openai/my-model", input_per_mtok=0.0, output_per_mtok=0.0)
    assert free is not None
    assert free.input_usd == 0.0


def test_long_prompts_have_their_own_price() -> None:
    known = pricing("gemini/gemini-2.5-pro")
    assert known is not None
    assert (known.input_usd, known.output_usd, known.cache_read_usd) == (1.25e-6, 1e-5, 1.25e-7)
    assert known.long_prompts == (LongPrompt(200_000, 2.5e-6, 1.5e-5, 2.5e-7),)
    ranges = pricing("dashscope/qwen-flash")
    assert ranges is not None
    assert (ranges.input_usd, ranges.output_usd) == (5e-8, 4e-7)
    assert ranges.long_prompts == (LongPrompt(256_000, 2.5e-7, 2e-6),)


def test_a_given_price_holds_for_prompts_of_any_length() -> None:
    one = pricing("gemini/gemini-2.5-pro", input_per_mtok=2.5)
    assert one is not None
    assert one.cache_read_usd == pytest.approx(2.5e-7)
    assert one.long_prompts == (LongPrompt(200_000, None, 1.5e-5),)
    both = pricing("gemini/gemini-2.5-pro", input_per_mtok=2.5, output_per_mtok=10.0)
    assert both is not None
    assert both.long_prompts == ()


def test_what_a_cache_takes_and_gives_is_known_where_the_list_says_so() -> None:
    known = pricing("claude-sonnet-4-5")
    assert known is not None
    assert known.input_usd is not None
    assert known.cache_write_usd == pytest.approx(1.25 * known.input_usd)
    assert known.cache_read_usd == pytest.approx(0.1 * known.input_usd)
    assert known.cache_least_tokens == 1_024


def test_where_reasoning_is_dearer_than_answers_it_is_the_price_of_output() -> None:
    known = pricing("dashscope/qwen-turbo")
    assert known is not None
    assert known.output_usd == 5e-7


def test_what_is_billed_beside_tokens_leaves_the_price_unknown() -> None:
    for model in ("perplexity/sonar", "perplexity/pplx-70b-online"):
        known = pricing(model)
        assert known is None or (known.input_usd, known.output_usd) == (None, None)
    given = pricing("perplexity/sonar", input_per_mtok=1.0, output_per_mtok=1.0)
    assert given is not None
    assert (given.input_usd, given.output_usd) == (1e-6, 1e-6)


def test_no_entry_of_the_list_breaks_the_reading() -> None:
    listed = json.loads((LITELLM / "model_prices_and_context_window_backup.json").read_text())
    for model in listed:
        known = pricing(model) or Pricing()
        prices = (known.input_usd, known.output_usd, *(p.input_usd for p in known.long_prompts))
        assert all(price is None or 0 <= price < 0.01 for price in prices), model
        marks = [long.above for long in known.long_prompts]
        assert marks == sorted(set(marks)), model


def test_a_listed_price_of_nothing_is_meant_for_local_models_alone() -> None:
    local = pricing("ollama/codellama")
    assert local is not None
    assert local.input_usd == 0.0
    hosted = pricing("github_copilot/gpt-4o")
    assert hosted is None or hosted.input_usd is None


def test_litellm_is_not_imported() -> None:
    script = (
        "import sys; from pr_review.adapters.llm.prices import pricing;"
        "from pr_review.adapters.llm import model; assert pricing('gpt-4o');"
        "sys.exit('litellm' in sys.modules or 'openai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.parametrize(
    ("model", "provider", "variable"),
    [
        ("gpt-4o", "openai", "OPENAI_API_KEY"),
        ("openai/my-model", "openai", "OPENAI_API_KEY"),
        ("claude-sonnet-4-5", "anthropic", "ANTHROPIC_API_KEY"),
        ("gemini/gemini-2.5-pro", "gemini", "GEMINI_API_KEY"),
        ("azure/my-deployment", "azure", "AZURE_API_KEY"),
        ("openrouter/some/new-model", "openrouter", "OPENROUTER_API_KEY"),
        ("mistral/mistral-large-latest", "mistral", "MISTRAL_API_KEY"),
        ("deepseek/deepseek-chat", "deepseek", "DEEPSEEK_API_KEY"),
        ("groq/llama-3.1-8b-instant", "groq", "GROQ_API_KEY"),
        ("xai/grok-4", "xai", "XAI_API_KEY"),
    ],
)
def test_the_provider_and_its_key(model: str, provider: str, variable: str) -> None:
    assert provider_of(model) == provider
    assert credential_variables(model)[0] == variable
    assert provider_needs_key(model)
    assert not provider_needs_key(model, api_base="http://localhost:8000/v1")


@pytest.mark.parametrize(
    "model",
    [
        "ollama/qwen3",
        "ollama_chat/qwen3",
        "bedrock/anthropic.claude-v2",
        "vertex_ai/gemini-2.5-pro",
        "sagemaker/my-endpoint",
        "hosted_vllm/qwen",
        "nobody/knows",
        "nobody-knows",
    ],
)
def test_models_that_need_no_key(model: str) -> None:
    assert credential_variables(model) == ()
    assert not provider_needs_key(model)


def test_a_provider_sees_its_own_variables_and_no_others() -> None:
    environ = {
        "OPENAI_API_KEY": "a",
        "OPENAI_BASE_URL": "b",
        "ANTHROPIC_API_KEY": "c",
        "AWS_SECRET_ACCESS_KEY": "d",
        "GOOGLE_CLOUD_PROJECT": "e",
        "VERTEXAI_LOCATION": "f",
        "GITHUB_TOKEN": "g",
        "INPUT_API-KEY": "h",
        "MISTRAL_API_KEY": "",
        "PATH": "i",
    }

    def seen(model: str) -> set[str]:
        return set(provider_environment(model, environ))

    assert seen("openai/gpt-4o") == {"OPENAI_API_KEY", "OPENAI_BASE_URL"}
    assert seen("anthropic/claude-sonnet-4-5") == {"ANTHROPIC_API_KEY"}
    assert seen("bedrock/anthropic.claude-v2") == {"AWS_SECRET_ACCESS_KEY"}
    assert seen("vertex_ai/gemini-2.5-pro") == {"GOOGLE_CLOUD_PROJECT", "VERTEXAI_LOCATION"}
    assert seen("mistral/mistral-large-latest") == set()
    assert seen("github/gpt-4o") == set()
