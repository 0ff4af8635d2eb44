"""Cloud credentials that an earlier step left: who gets which, and that calls succeed with them.

No static key is given anywhere; the clouds are stand-ins on loopback, the libraries are real.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

import pytest

from pr_review.adapters.llm.model import ChildModel, ModelSettings
from pr_review.adapters.llm.process import ModelProcess
from pr_review.adapters.llm.providers import (
    credential_files,
    provider_environment,
    provider_needs_key,
)
from pr_review.agents.ports import ModelCall, ModelReply
from pr_review.commands.wiring import missing_model
from pr_review.errors import ModelError
from pr_review.settings import Layer, load
from tests.standins import models
from tests.standins.dialects import amazon_events
from tests.standins.models import ModelServer, Reply, Request

CALL = ModelCall("common", "snapshot", "task", {"type": "object"}, 500, shared=True)
BEDROCK = "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0"
AWS = {
    "AWS_ACCESS_KEY_ID": "AKIAPLANTED4TESTS",
    "AWS_SECRET_ACCESS_KEY": "aws-secret-planted",
    "AWS_SESSION_TOKEN": "aws-session-planted",
    "AWS_REGION": "eu-west-1",
}
AZURE = {"AZURE_API_VERSION": "2024-10-21", "AZURE_CLIENT_ID": "cid", "AZURE_TENANT_ID": "tid"}
USAGE = {
    "inputTokens": 7, "outputTokens": 5, "totalTokens": 1_512,
    "cacheReadInputTokens": 500, "cacheWriteInputTokens": 1_000,
}  # fmt: skip


class Ask(Protocol):
    """Asks a model in the one process of all tests, with an environment of its own: the reply,
    and how often the first token was told."""

    def __call__(
        self, server: ModelServer, name: str, environ: Mapping[str, str], *, stream: bool = False
    ) -> tuple[ModelReply, int]: ...


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    process = ModelProcess({"PATH": os.environ["PATH"]})

    def asked(
        server: ModelServer, name: str, environ: Mapping[str, str], *, stream: bool = False
    ) -> tuple[ModelReply, int]:
        told: list[bool] = []
        model = ChildModel(ModelSettings(name, None, server.base), environ, process=process)
        started = (lambda: told.append(True)) if stream else None
        return model.complete(CALL, seconds=60, started=started), len(told)

    yield asked
    process.kill()


def bedrock(request: Request) -> Reply:
    if not request.path.endswith("converse-stream"):
        message = {"role": "assistant", "content": [{"text": '{"findings": []}'}]}
        said = {"output": {"message": message}, "stopReason": "end_turn", "usage": USAGE}
        return Reply({**said, "metrics": {"latencyMs": 1}})
    return amazon_events(('{"findings"', ": []}"), USAGE)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_bedrock_signs_with_the_role_of_an_earlier_step_and_is_marked(
    ask: Ask, stream: bool
) -> None:
    with ModelServer(bedrock) as server:
        reply, told = ask(server, BEDROCK, AWS, stream=stream)
        (request,) = server.requests
    assert told == stream
    assert reply.text == '{"findings": []}'
    assert (reply.input_tokens, reply.cached_tokens, reply.written_tokens) == (1_507, 500, 1_000)
    assert "Credential=AKIAPLANTED4TESTS/" in request.headers["authorization"]
    assert request.headers["x-amz-security-token"] == AWS["AWS_SESSION_TOKEN"]
    assert "aws-secret-planted" not in f"{request.headers} {request.json}"
    (message,) = request.messages
    assert message["content"] == [
        {"text": "snapshot"},
        {"cachePoint": {"type": "default"}},
        {"text": "task"},
    ]


def test_azure_takes_a_token_of_an_earlier_step(ask: Ask) -> None:
    with ModelServer(models.answer()) as server:
        ask(server, "azure/my-deployment", {**AZURE, "AZURE_AD_TOKEN": "ad-planted"}, stream=True)
        assert server.requests[0].headers["authorization"] == "Bearer ad-planted"


def test_azure_exchanges_a_federated_token(ask: Ask, tmp_path: Path) -> None:
    token = tmp_path / "federated"
    token.write_text("federated-planted")
    issued = Reply({"access_token": "exchanged-planted", "expires_in": 3600})
    with ModelServer(models.answer()) as server, ModelServer(issued) as authority:
        federated = {
            "AZURE_FEDERATED_TOKEN_FILE": str(token),
            "AZURE_AUTHORITY_HOST": authority.base,
        }
        ask(server, "azure/my-deployment", {**AZURE, **federated})
        (exchange,) = authority.requests
        assert exchange.path == "/tid/oauth2/v2.0/token"
        assert exchange.json["client_assertion"] == "federated-planted"
        assert server.requests[0].headers["authorization"] == "Bearer exchanged-planted"


@pytest.mark.parametrize(
    ("model", "environ"),
    [
        (BEDROCK, {}),
        ("vertex_ai/gemini-2.5-pro", {}),
        ("azure/my-deployment", {"AZURE_AD_TOKEN": "t"}),
        ("azure/my-deployment", {"AZURE_FEDERATED_TOKEN_FILE": "/f"}),
        ("ollama/llama3", {}),
    ],
)
def test_no_api_key_is_asked_for(model: str, environ: dict[str, str]) -> None:
    assert missing_model(load(Layer("input", {"model": model})), environ) is None


def test_azure_without_any_credential_is_told() -> None:
    assert provider_needs_key("azure/my-deployment")
    problem = missing_model(load(Layer("input", {"model": "azure/my-deployment"})), {})
    assert "AZURE_FEDERATED_TOKEN_FILE" in str(problem)


def test_each_cloud_sees_its_own_variables_alone() -> None:
    others = {"GITHUB_TOKEN": "g", "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "a", "OPENAI_API_KEY": "o"}
    google = {"GOOGLE_APPLICATION_CREDENTIALS": "/k.json", "GOOGLE_CLOUD_PROJECT": "p"}
    azure = {**AZURE, "AZURE_AD_TOKEN": "t"}
    everything = {**others, **AWS, **google, **azure}
    assert provider_environment(BEDROCK, everything) == AWS
    assert provider_environment("vertex_ai/gemini-2.5-pro", everything) == google
    assert provider_environment("azure/my-deployment", everything) == azure
    assert provider_environment("openai/gpt-5", everything) == {"OPENAI_API_KEY": "o"}


def test_files_that_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text("[default]\nregion = eu-west-1\n")
    named = {"AWS_CONFIG_FILE": str(config), "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent"}
    assert credential_files(named) == {"AWS_CONFIG_FILE": config.read_text()}


def test_a_cloud_that_repeats_its_credentials_shows_none_of_them(ask: Ask, tmp_path: Path) -> None:
    token = tmp_path / "federated"
    token.write_text("federated-planted\n")
    echo = models.failure(
        400, "you sent federated-planted, ad-planted and Bearer exchanged-planted"
    )
    environ = {
        **AZURE,
        "AZURE_AD_TOKEN": "ad-planted",
        "AZURE_FEDERATED_TOKEN_FILE": str(token),
    }
    with ModelServer(echo) as server, pytest.raises(ModelError) as caught:
        ask(server, "azure/my-deployment", environ)
    assert "planted" not in str(caught.value)
    assert str(caught.value).count("[REDACTED]") == 3
