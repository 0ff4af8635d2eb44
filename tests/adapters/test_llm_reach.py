"""Is there a server at the address of a model? Over real sockets, and no name is looked up."""

from __future__ import annotations

import socket
import threading

import pytest

from pr_review.adapters.llm.reach import Reached, address_of, reach
from pr_review.errors import ModelError
from tests.standins.models import ModelServer, completion, hanging, server_error
from tests.standins.proxy import proxy


def reached(address: str, *, seconds: float = 5.0, **environ: str) -> Reached:
    return reach(address, environ, ca_file=None, seconds=seconds)


def test_any_answer_is_one_and_nothing_of_ours_is_sent() -> None:
    with ModelServer(server_error()) as server:
        place = server.base.removeprefix("http://")
        address = f"http://user:secret@{place}/v1?key=secret"
        assert reached(address) == Reached(place, 500)
        (request,) = server.requests
    assert request.path == "/v1"
    assert request.json == {}
    assert "authorization" not in request.headers


def test_a_proxy_of_the_environment_is_used_and_exempt_hosts_are_not() -> None:
    with ModelServer(completion("ok")) as server, proxy() as between:
        place, through = server.base.removeprefix("http://"), between.url.removeprefix("http://")
        assert reached(server.url, HTTP_PROXY=between.url) == Reached(place, 200, through)
        assert reached(server.url, all_proxy=between.url).proxy == through
        assert reached(server.url, HTTP_PROXY=between.url, NO_PROXY="127.0.0.1").proxy == ""
        assert reached(server.url, HTTPS_PROXY=between.url).proxy == ""


def test_silence_is_given_up() -> None:
    with (
        ModelServer(hanging()) as server,
        pytest.raises(ModelError, match=r"no answer within 0\.1 s"),
    ):
        reached(server.url, seconds=0.1)


def test_a_name_that_is_looked_up_for_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: over.wait(5))
    with pytest.raises(ModelError, match="no answer within"):
        reached("https://model.example/v1", seconds=0.05)
    over.set()


def test_a_server_without_tls_is_told_from_one_that_is_not_trusted() -> None:
    with (
        ModelServer(completion("ok")) as server,
        pytest.raises(ModelError, match="does not speak TLS") as caught,
    ):
        reached(server.url.replace("http:", "https:"))
    assert "http" in caught.value.remedy


def test_a_name_without_an_address_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(ModelError, match=r"^model\.example: no address is known for this name"):
        reached("https://model.example/v1")


def test_a_file_of_certificates_that_is_not_there_is_told() -> None:
    with pytest.raises(ModelError, match="no file of trusted certificates") as caught:
        reached("https://127.0.0.1:9", SSL_CERT_FILE="/nowhere.pem")
    assert caught.value.remedy == "check SSL_CERT_FILE"


@pytest.mark.parametrize(
    ("model", "api_base", "environ", "address"),
    [
        ("anthropic/claude-sonnet-4-5", None, {}, "https://api.anthropic.com"),
        ("gpt-5", None, {"OPENAI_BASE_URL": "http://a/v1"}, "http://a/v1"),
        ("openai/x", "http://b", {"OPENAI_API_BASE": "http://a/v1"}, "http://b"),
        ("ollama_chat/llama3", None, {"OLLAMA_API_BASE": "http://a"}, "http://a"),
        ("ollama/llama3", None, {}, "http://localhost:11434"),
        ("bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0", None, {}, ""),
        ("azure/mine", None, {"AZURE_API_BASE": "https://mine.example"}, "https://mine.example"),
    ],
)
def test_where_a_model_is_asked(
    model: str, api_base: str | None, environ: dict[str, str], address: str
) -> None:
    assert address_of(model, api_base=api_base, environ=environ) == address
