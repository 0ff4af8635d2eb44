"""A prompt that is refused for its length is told from all other refusals, in every form."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pytest

from pr_review.adapters.llm.fallback import FallbackModel
from pr_review.adapters.llm.model import ChildModel, ModelSettings
from pr_review.adapters.llm.process import ModelProcess
from pr_review.agents.ports import ModelCall, Pricing
from pr_review.errors import ModelError, PromptTooLong
from tests.shared import shared
from tests.standins import models
from tests.standins.kept_process import kept_process
from tests.standins.models import ModelServer, Reply, Script

CALL = ModelCall("common", "snapshot", "task", {"type": "object"}, 500)
BUSY = models.failure(429, "Rate limit reached", headers={"retry-after-ms": "1"})


@pytest.fixture(scope="module")
def process() -> Iterator[ModelProcess]:
    with kept_process() as kept:
        yield kept


def refused(
    process: ModelProcess, script: Script, name: str = "openai/my-model", *, stream: bool = False
) -> ModelError:
    with ModelServer(script) as server:
        settings = ModelSettings(name, "sk-planted", server.base)
        with pytest.raises(ModelError) as caught:
            ChildModel(settings, {}, process=process).complete(
                CALL, seconds=20, started=(lambda: None) if stream else None
            )
    return caught.value


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_c07_every_provider_says_it_in_its_own_words(process: ModelProcess, stream: bool) -> None:
    for entry in json.loads(shared("cases/c07-context-window-errors/errors.json").read_text()):
        reply = Reply(entry["body"], entry["status"])
        error = refused(process, reply, entry["model"], stream=stream)
        assert isinstance(error, PromptTooLong), (entry["provider"], str(error))


@pytest.mark.parametrize(
    "script",
    [models.unauthorized(), models.rate_limited("90"), models.empty(), [BUSY, models.overflow()]],
    ids=["credentials", "rate limit", "empty", "refused after a repeat"],
)
def test_what_is_more_than_a_refusal_of_its_length_is_not(
    process: ModelProcess, script: Script
) -> None:
    assert not isinstance(refused(process, script), PromptTooLong)


@pytest.mark.parametrize(
    ("scripts", "expected"),
    [
        ([models.overflow(), models.overflow()], True),
        ([models.overflow(), models.unauthorized()], False),
        ([models.overflow(), models.empty()], False),
    ],
    ids=["all", "one has no access", "one may have been billed"],
)
def test_with_fallbacks_all_of_them_must_have_refused_its_length(
    process: ModelProcess, scripts: Sequence[Reply], expected: bool
) -> None:
    with ModelServer(scripts[0]) as first, ModelServer(scripts[1]) as second:
        chosen = [ModelSettings(f"openai/{s.url}", "sk-planted", s.url) for s in (first, second)]
        model = FallbackModel([(settings, Pricing()) for settings in chosen], {})
        with pytest.raises(ModelError) as caught:
            model.complete(CALL, seconds=20)
    assert isinstance(caught.value, PromptTooLong) is expected
    assert caught.value.calls == 2
