"""Other models in a model's place: who is asked, with which key, at whose price."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pr_review.adapters.llm.fallback import FallbackModel
from pr_review.adapters.llm.model import ModelSettings
from pr_review.agents.ports import ModelCall, ModelReply, Pricing
from pr_review.commands.wiring import child_model, known_pricing, missing_model
from pr_review.errors import ConfigurationError, ModelError
from pr_review.settings import Layer, Settings, load
from tests.standins import models
from tests.standins.kept_process import kept_process
from tests.standins.models import ModelServer

CALL = ModelCall("common", "snapshot", "task", {"type": "object"}, 500)
FIRST, SECOND, THIRD = Pricing(1.0, 2.0), Pricing(3.0, 4.0), Pricing(5.0, 6.0)
MESSAGE = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
    "content": [{"type": "text", "text": '{"findings": []}'}],
    "usage": {"input_tokens": 7, "output_tokens": 5},
}  # fmt: skip
KEY, OTHER_KEY = "sk-first-4711", "sk-second-4712"


@dataclass(frozen=True)
class Three:
    """Three models behind three servers, one after the other."""

    model: FallbackModel
    servers: tuple[ModelServer, ModelServer, ModelServer]

    def play(self, *scripts: models.Script) -> None:
        for server, script in zip(self.servers, scripts, strict=True):
            server.play(script)

    def ask(self, seconds: float = 20) -> ModelReply:
        return self.model.complete(CALL, seconds=seconds)

    @property
    def asked(self) -> list[int]:
        return [len(server.requests) for server in self.servers]


@pytest.fixture(scope="module")
def three() -> Iterator[Three]:
    with kept_process(), ModelServer() as one, ModelServer() as two, ModelServer() as other:
        servers = (one, two, other)
        settings = [
            ModelSettings(f"openai/m{n}", f"sk-{n}", server.url) for n, server in enumerate(servers)
        ]
        priced = list(zip(settings, (FIRST, SECOND, THIRD), strict=True))
        with FallbackModel(priced, {"PATH": os.environ["PATH"]}) as model:
            yield Three(model, servers)


def test_the_first_that_answers_is_the_last_that_is_asked(three: Three) -> None:
    three.play(models.answer(), models.answer(), models.answer())
    reply = three.ask()
    assert (reply.model, reply.pricing, reply.calls) == ("", FIRST, 1)
    assert three.asked == [1, 0, 0]


@pytest.mark.parametrize(
    "refusal",
    [
        models.unauthorized(),
        models.overflow(),
        models.failure(404, "The model does not exist"),
        models.failure(429, "You exceeded your current quota", code="insufficient_quota"),
        models.rate_limited("90"),
        models.failure(400, "Invalid prompt", code="content_filter"),
    ],
    ids=["credentials", "overflow", "no such model", "quota", "rate limit", "filter"],
)
def test_the_next_is_asked_where_nothing_was_billed(three: Three, refusal: models.Reply) -> None:
    three.play(refusal, models.answer(), models.answer())
    reply = three.ask()
    assert (reply.model, reply.pricing, reply.calls) == ("openai/m1", SECOND, 2)
    assert three.asked == [1, 1, 0]


def test_the_third_is_asked_after_the_second_and_all_requests_count(three: Three) -> None:
    three.play(models.unauthorized(), models.server_error(), models.answer())
    reply = three.ask()
    assert (reply.model, reply.pricing, reply.calls) == ("openai/m2", THIRD, 5)
    assert three.asked == [1, 3, 1]
    keys = [server.requests[0].headers["authorization"] for server in three.servers]
    assert keys == ["Bearer sk-0", "Bearer sk-1", "Bearer sk-2"]


@pytest.mark.parametrize(
    "billed",
    [models.empty(), models.refusal(), models.filtered(), models.garbage(), models.no_choices()],
    ids=["empty", "refusal", "filtered", "garbage", "no choices"],
)
def test_what_may_have_been_billed_is_not_asked_of_another(
    three: Three, billed: models.Reply
) -> None:
    three.play(billed, models.answer(), models.answer())
    with pytest.raises(ModelError):
        three.ask()
    assert three.asked == [1, 0, 0]


def test_the_deadline_is_one_for_all(three: Three) -> None:
    three.play(models.hanging(), models.answer(), models.answer())
    start = time.monotonic()
    with pytest.raises(ModelError, match="no answer within 1 s"):
        three.ask(seconds=1)
    assert time.monotonic() - start < 2.5
    assert three.asked == [1, 0, 0]


def test_when_all_fail_the_error_tells_of_each(three: Three) -> None:
    three.play(models.unauthorized(), models.overflow(), models.failure(404, "no such model"))
    with pytest.raises(ModelError) as caught:
        three.ask()
    words = str(caught.value)
    assert words.index("openai/m0: the credentials") < words.index("openai/m1: the prompt")
    assert words.index("openai/m1: the prompt") < words.index("openai/m2: the request failed")
    assert caught.value.calls == 3
    assert "\n" not in words


# -- from the settings


def settings(**values: object) -> Settings:
    given = {"model": "openai/gpt-5", "api-key": KEY, **values}
    return load(Layer("input", {name.replace("_", "-"): v for name, v in given.items()}))


def test_a_key_is_never_shown_to_another_provider() -> None:
    chosen = settings(
        api_base="https://gateway.example/v1",
        extra_headers="X-Auth: secret-header",
        fallback_models="openai/gpt-4o, anthropic/claude-sonnet-4-5",
        temperature="0.5",
    )
    same, other = chosen.fallback_settings(Path("ca.pem"))
    assert (same.api_key, same.api_base) == (KEY, "https://gateway.example/v1")
    assert same.extra_headers == {"X-Auth": "secret-header"}
    assert other == ModelSettings(
        "anthropic/claude-sonnet-4-5", temperature=0.5, ca_file=Path("ca.pem")
    )


def test_a_fallback_without_a_credential_is_told_before_the_run() -> None:
    chosen = settings(fallback_models="openai/gpt-4o, anthropic/claude-sonnet-4-5")
    problem = missing_model(chosen, {})
    assert problem is not None
    assert "anthropic/claude-sonnet-4-5 needs a credential" in str(problem)
    assert missing_model(chosen, {"ANTHROPIC_API_KEY": OTHER_KEY}) is None


def test_the_fallbacks_key_comes_from_its_variable() -> None:
    with ModelServer() as server:
        chosen = settings(
            api_base=server.url,
            fallback_models="anthropic/claude-sonnet-4-5",
            input_cost_per_mtok="1",
            output_cost_per_mtok="1",
        )
        environ = {
            "PATH": os.environ["PATH"],
            "ANTHROPIC_API_KEY": OTHER_KEY,
            "ANTHROPIC_API_BASE": server.base,
        }

        def script(request: models.Request) -> models.Reply:
            first = "chat/completions" in request.path
            return models.unauthorized(KEY) if first else models.Reply(MESSAGE)

        server.play(script)
        model = child_model(chosen, environ)
        assert model is not None
        with model:
            reply = model.complete(CALL, seconds=30)
        assert reply.model == "anthropic/claude-sonnet-4-5"
        assert reply.pricing is not None
        assert reply.pricing.input_usd not in (None, 1e-6)  # the list's, not the first model's
        to_first, to_second = (str(request.headers) for request in server.requests)
        assert KEY in to_first
        assert OTHER_KEY not in to_first
        assert OTHER_KEY in to_second
        assert KEY not in to_second


def test_the_quote_knows_the_dearest_of_all() -> None:
    alone, other = known_pricing(settings()), known_pricing(settings(model="openai/gpt-4o"))
    both = known_pricing(settings(fallback_models="openai/gpt-4o"))
    assert alone.input_usd is not None
    assert other.input_usd is not None
    assert both.input_usd == max(alone.input_usd, other.input_usd)
    assert both.window == other.window == 128_000
    assert known_pricing(settings(fallback_models="openai/my-model")).input_usd is None


def test_none_is_no_fallback() -> None:
    with pytest.raises(ConfigurationError, match="none is no model"):
        settings(fallback_models="none")
    assert settings(model="none", fallback_models="gpt-4o").agent_policy().fallback_models == ()
