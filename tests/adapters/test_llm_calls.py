"""Calls through the real LiteLLM in one real model process, against a model server."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from pr_review.adapters.certificates import certificates, trust_file
from pr_review.adapters.llm.model import ChildModel, ModelSettings
from pr_review.adapters.llm.process import ModelProcess
from pr_review.agents.ports import ModelCall, ModelReply
from pr_review.errors import ModelError
from tests.shared import shared
from tests.standins import models
from tests.standins.models import ModelServer, Reply, Request

TOKEN = "ghs_planted4tests"  # what the parent has and the process must not
KEY = "sk-planted-key-4711"
SCHEMA: dict[str, object] = {"type": "object", "properties": {"findings": {"type": "array"}}}
CALL = ModelCall("common", "snapshot", "task", SCHEMA, 500)


@dataclass(frozen=True)
class World:
    """The process under test and what surrounds it."""

    process: ModelProcess
    server: ModelServer
    decoy: ModelServer
    asked: list[str]
    certificate: Path

    def model(self, name: str = "openai/my-model", **settings: Any) -> ChildModel:
        chosen = {"api_key": KEY, "api_base": self.server.url, **settings}
        return ChildModel(ModelSettings(name, **chosen), {}, process=self.process)

    def ask(self, script: models.Script, seconds: float = 20.0, **settings: Any) -> ModelReply:
        self.server.play(script)
        return self.model(**settings).complete(CALL, seconds=seconds)

    def fail(self, script: models.Script, seconds: float = 20.0, **settings: Any) -> str:
        with pytest.raises(ModelError) as caught:
            self.ask(script, seconds, **settings)
        text = str(caught.value)
        assert "\n" not in text
        assert KEY not in text
        return text

    @property
    def sent(self) -> list[Request]:
        return self.server.requests


class Gate(ThreadingHTTPServer):
    """A proxy that notes where a client wants to go, and lets it go nowhere."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _GateHandler)
        self.asked: list[str] = []


class _GateHandler(BaseHTTPRequestHandler):
    server: Gate

    def do_CONNECT(self) -> None:
        self.server.asked.append(self.path)
        self.send_error(502)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Nothing."""


def make_certificate(folder: Path, name: str) -> Path:
    """A self-signed certificate for 127.0.0.1, with its key in the same file."""
    path = folder / f"{name}.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}"]
    where = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(path), "-out", "-"]
    made = subprocess.run([*command, *where], check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + made.stdout)
    return path


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """One process for all tests of this module, started in a hostile working directory."""
    folder = tmp_path_factory.mktemp("checkout")
    certificate = make_certificate(tmp_path_factory.mktemp("tls"), "own")
    with (
        ModelServer() as server,
        ModelServer(models.answer()) as decoy,
        Gate() as gate,
    ):
        threading.Thread(target=gate.serve_forever, args=(0.05,), daemon=True).start()
        (folder / ".env").write_text(f"OPENAI_API_BASE={decoy.url}\nOPENAI_BASE_URL={decoy.url}\n")
        (folder / "litellm.py").write_text("raise SystemExit('imported from the checkout')\n")
        environ = {
            "PATH": os.environ["PATH"],
            "HTTPS_PROXY": f"http://127.0.0.1:{gate.server_port}",
            "NO_PROXY": "127.0.0.1",
            "GITHUB_TOKEN": TOKEN,
            "INPUT_API-KEY": KEY,
            "HTTP_PROXY": f"http://user:{TOKEN}@127.0.0.1:9",
        }
        pem = certificate.read_text().partition("-----END PRIVATE KEY-----")[2]
        before = Path.cwd()
        os.chdir(folder)
        with trust_file(certificates(pem)) as bundle:
            process = ModelProcess(environ, withheld=(TOKEN,), ca_file=bundle)
            process.start()
        os.chdir(before)
        try:
            yield World(process, server, decoy, gate.asked, certificate)
        finally:
            process.kill()
            gate.shutdown()


# -- what is sent and what comes back


def test_an_answer_comes_back_with_its_usage(world: World) -> None:
    finding = {"path": "a.py", "title": "off by one"}
    reply = world.ask(models.answer([finding], usage=(1234, 56)))
    assert json.loads(reply.text) == {"findings": [finding]}
    assert reply == ModelReply(reply.text, "stop", 1234, 56, calls=1)


def test_the_shared_prefix_comes_first_and_the_bound_is_sent(world: World) -> None:
    world.ask(models.answer(), extra_headers={"X-Team": "reviewers"})
    (request,) = world.sent
    assert request.messages == [
        {"role": "system", "content": "common"},
        {"role": "user", "content": "snapshot\n\ntask"},
    ]
    assert request.json["max_tokens"] == 500
    assert "temperature" not in request.json
    assert "response_format" not in request.json  # nobody knows whether my-model takes a schema
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["x-team"] == "reviewers"


def test_the_schema_is_sent_where_the_model_supports_one(world: World) -> None:
    world.ask(models.answer(), name="openai/gpt-4o")
    assert world.sent[0].json["response_format"]["json_schema"]["schema"] == SCHEMA


def test_a_missing_usage_counts_as_zero(world: World) -> None:
    reply = world.ask(models.completion("{}", usage=None))
    assert (reply.input_tokens, reply.output_tokens) == (0, 0)


def test_cut_text_comes_back_with_its_reason(world: World) -> None:
    reply = world.ask(models.cut('{"findings": ['))
    assert (reply.text, reply.finish_reason) == ('{"findings": [', "length")


def test_a_server_of_ones_own_needs_no_key(world: World) -> None:
    world.ask(models.answer(), api_key=None)
    assert world.sent[0].headers["authorization"] == "Bearer none"


def test_calls_of_several_threads_overlap(world: World) -> None:
    together = threading.Barrier(4)

    def script(request: Request) -> Reply:
        together.wait(timeout=10)  # breaks unless all four are here at once
        return models.completion(request.messages[-1]["content"])

    world.server.play(script)
    model = world.model()
    calls = [ModelCall("", "p", str(number), SCHEMA, 9) for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda call: model.complete(call, seconds=20), calls))
    assert [reply.text for reply in replies] == ["p\n\n0", "p\n\n1", "p\n\n2", "p\n\n3"]


# -- retries and deadlines


def test_a_rate_limit_is_waited_out(world: World) -> None:
    reply = world.ask([models.rate_limited("1"), models.answer()])
    assert reply.calls == 2
    first, second = world.sent
    assert 1.0 <= second.at - first.at < 3.0


def test_a_rate_limit_that_stays_ends_after_two_retries(world: World) -> None:
    assert "no answer after 3 requests" in world.fail(models.rate_limited())
    assert len(world.sent) == 3


def test_a_wait_past_the_deadline_is_not_begun(world: World) -> None:
    start = time.monotonic()
    assert "asks to wait 90 s" in world.fail(models.rate_limited("90"), seconds=5)
    assert time.monotonic() - start < 2
    assert len(world.sent) == 1


def test_a_server_error_is_retried_twice(world: World) -> None:
    assert "500: The server had an error" in world.fail(models.server_error())
    assert len(world.sent) == 3


def test_a_dropped_connection_is_retried(world: World) -> None:
    assert world.ask([models.dropped(), models.answer()]).calls == 2
    error = world.fail(models.dropped(), seconds=0.4)
    assert error.endswith("(check api-base, the network and proxies)")
    assert "500" not in error, "no server said so"


def test_refused_credentials_are_not_retried_and_not_repeated(world: World) -> None:
    error = world.fail(models.unauthorized(KEY))
    assert "credentials were not accepted" in error
    assert "[REDACTED]" in error
    assert len(world.sent) == 1


@pytest.mark.parametrize("status", [400, 403, 404])
def test_other_refusals_are_not_retried(world: World, status: int) -> None:
    assert f"{status}: no such thing" in world.fail(models.failure(status, "no such thing"))
    assert len(world.sent) == 1


def test_a_dripping_server_is_held_to_the_deadline(world: World) -> None:
    start = time.monotonic()
    assert "no answer within 1 s" in world.fail(models.dripping(0.1), seconds=1)
    assert time.monotonic() - start < 2.5


def test_a_hanging_server_is_held_to_the_deadline(world: World) -> None:
    start = time.monotonic()
    assert "no answer within 1 s" in world.fail(models.hanging(), seconds=1)
    assert time.monotonic() - start < 2.5


def test_a_page_instead_of_json_fails_without_a_second_request(world: World) -> None:
    assert "invalid response" in world.fail(models.garbage())
    assert len(world.sent) == 1


def test_what_a_provider_says_is_bounded_and_one_line(world: World) -> None:
    said = "::error::\x1b[31mbad\r\n" + "x" * 5000
    error = world.fail(models.failure(400, said))
    assert len(error) < 500
    assert "\x1b" not in error
    assert "\r" not in error


# -- what a provider refuses


def test_a_refused_schema_is_dropped(world: World) -> None:
    script = models.refuses("response_format", otherwise=models.answer())
    assert world.ask(script, name="openai/gpt-4o").calls == 2
    assert "response_format" not in world.sent[1].json


def test_the_bound_of_the_answer_is_renamed_and_never_dropped(world: World) -> None:
    assert world.ask(models.refuses("max_tokens", otherwise=models.answer())).calls == 2
    assert world.sent[1].json["max_completion_tokens"] == 500

    both = models.refuses("max_tokens", "max_completion_tokens", otherwise=models.answer())
    assert "lower max-output-tokens" in world.fail(both)
    assert len(world.sent) == 2


def test_a_parameter_that_stays_refused_is_not_asked_again(world: World) -> None:
    error = world.fail(models.refused_parameter("temperature"), temperature=0.2)
    assert "temperature" in error
    assert len(world.sent) == 2


# -- the cases


def case(name: str) -> Any:
    return json.loads(shared(f"cases/{name}").read_text())


def reply_of(http: dict[str, Any]) -> Reply:
    return Reply(http["body"], http["status"], http.get("headers", {}))


def test_c04_unsupported_parameters(world: World) -> None:
    refused = case("c04-unsupported-parameters/http.json")[0]["response"]

    def script(request: Request) -> Reply:
        return reply_of(refused) if "temperature" in request.json else models.answer()

    for entry in case("c04-unsupported-parameters/models.json"):
        if "temperature" not in entry["params"]:
            continue
        with contextlib.suppress(ModelError):  # some of these do not speak chat completions
            world.ask(script, name=entry["model"], **entry["params"])
        unknown = entry["model"] == "openai/my-model"
        asked = ["temperature" in request.json for request in world.sent]
        assert asked == ([True, False] if unknown else [False]), entry


def test_c06_roles_and_empty_messages(world: World) -> None:
    refused = reply_of(case("c06-roles-and-empty-messages/http.json")[0]["response"])

    def script(request: Request) -> Reply:
        roles = [message["role"] for message in request.messages]
        return refused if "system" in roles else models.answer()

    full, alone, empty = (
        {m["role"]: m["content"] for m in messages}
        for messages in case("c06-roles-and-empty-messages/messages.json")
    )
    model = world.model()
    for texts in (full, alone):
        world.server.play(script)
        call = ModelCall(texts["system"], texts.get("user", ""), "", SCHEMA, 50)
        model.complete(call, seconds=20)
        assert [message["role"] for message in world.sent[-1].messages] == ["user"]
        assert "S" in world.sent[-1].messages[0]["content"]
        assert all(m["content"].strip() for request in world.sent for m in request.messages)
    world.server.play(script)
    with pytest.raises(ModelError, match="empty"):
        model.complete(ModelCall(empty["system"], empty["user"], "", SCHEMA, 50), seconds=20)
    assert world.sent == []


def test_c07_context_window_errors(world: World) -> None:
    for entry in case("c07-context-window-errors/errors.json"):
        reply = reply_of(entry)
        error = world.fail(reply, name=entry["model"], api_base=world.server.url)
        assert "does not fit the model's context" in error, (entry["provider"], error)
        assert len(world.sent) == 1, entry["provider"]


def test_c07_the_numbers_of_the_provider_are_kept(world: World) -> None:
    error = world.fail(models.overflow(limit=131_072, sent=200_000))
    assert "131072" in error
    assert "200000" in error


def test_c08_rate_limits_and_retries(world: World) -> None:
    waits = {"2": True, "90": False, "3600": False, "Wed, 21 Oct 2099 07:28:00 GMT": False}
    for entry in case("c08-rate-limit-and-retries/http.json"):
        code = entry["body"]["error"]["code"]
        asked = entry["headers"].get("Retry-After")
        repeated = code != "insufficient_quota" and waits.get(asked, True)
        script = [reply_of(entry), models.answer()]
        if repeated:
            assert world.ask(script, seconds=8).calls == 2
            wait = world.sent[1].at - world.sent[0].at
            assert wait >= {"2": 2.0}.get(
                asked, 1.5 if "retry-after-ms" in entry["headers"] else 0.4
            )
        else:
            world.fail(script, seconds=8)
        assert len(world.sent) == (2 if repeated else 1), entry


def test_c09_timeouts(world: World) -> None:
    server = case("c09-timeouts/server.json")
    for call in server["calls"]:
        start = time.monotonic()
        late = models.answer().after(server["delay_s"])
        assert "no answer within" in world.fail(late, seconds=call["timeout"])
        assert time.monotonic() - start < server["delay_s"] - 1
        assert len(world.sent) == call["expect_requests"]


def test_c10_filters_and_refusals(world: World) -> None:
    for body in case("c10-filters-and-refusals/completions.json"):
        message = body["choices"][0]["message"]
        if body["choices"][0]["finish_reason"] == "stop":
            assert world.ask(Reply(body)).text == message["content"]  # no JSON: the agent fails
        else:
            error = world.fail(Reply(body))
            assert "refused to answer" in error or "content filter" in error
        assert len(world.sent) == 1
    openai, invalid, gemini = case("c10-filters-and-refusals/http.json")
    for reply in (openai, invalid):
        assert "content filter" in world.fail(reply_of(reply))
        assert len(world.sent) == 1
    world.fail(reply_of(gemini), name="gemini/gemini-2.5-flash")
    assert len(world.sent) == 1


def test_c11_empty_answers(world: World) -> None:
    *empty, in_a_tool_call = case("c11-empty-answers/completions.json")
    assert world.ask(Reply(in_a_tool_call)).text == '{"findings": ['  # cut: the agent fails
    for body in empty:
        error = world.fail(Reply(body))
        assert "thinking" not in error
        # an answer that was billed is not asked for again; a provider's 502 is
        assert len(world.sent) == (1 if "choices" in body else 3)
    first = case("c11-empty-answers/completions.json")[0]
    assert "raise max-output-tokens" in world.fail(Reply(first))


def test_c11_no_choice_and_no_content(world: World) -> None:
    assert "without a choice" in world.fail(models.no_choices())
    assert "empty answer" in world.fail(models.empty())


def test_c20_library_noise_does_not_break_the_protocol(world: World) -> None:
    assert "no provider has this name (write model as" in world.fail(
        models.answer(), name="whatever"
    )
    assert world.ask(models.answer()).calls == 1


# -- the process's surroundings


def test_the_process_holds_no_token_and_no_key(world: World) -> None:
    world.ask(models.answer())
    here = Path(f"/proc/{world.process.pid}")
    for name in ("environ", "cmdline"):
        read = (here / name).read_bytes()
        assert TOKEN.encode() not in read
        assert KEY.encode() not in read
    names = {
        entry.split(b"=")[0].decode() for entry in (here / "environ").read_bytes().split(b"\0")
    }
    assert not [n for n in names if n.startswith(("GITHUB_", "INPUT_", "ACTIONS_", "RUNNER_"))]
    assert "HTTP_PROXY" not in names  # its value contained the token
    assert "HTTPS_PROXY" in names
    assert list((here / "cwd").iterdir()) == []


def test_a_dotenv_of_the_checkout_has_no_effect(world: World) -> None:
    error = world.fail(models.answer(), seconds=6, api_base=None)
    assert "no answer" in error
    assert world.decoy.requests == []
    assert world.asked  # it went where the provider is, and the gate held it


def test_c13_nothing_else_is_asked_of_the_network(world: World) -> None:
    world.ask(models.answer(), name="openai/gpt-4o")
    assert set(world.asked) <= {"api.openai.com:443"}


# OpenAI's own client asks for the first, LiteLLM's for the others
@pytest.mark.parametrize("name", ["openai/my-model", "mistral/m", "ollama_chat/m"])
def test_a_custom_authority_is_trusted(world: World, name: str) -> None:
    with ModelServer(models.answer(), certificate=world.certificate) as server:
        # some speak a dialect that the server does not: that it was asked is what counts
        with contextlib.suppress(ModelError):
            world.model(name, api_base=server.url).complete(CALL, seconds=5)
        assert server.requests


def test_a_strange_authority_is_not_trusted(world: World, tmp_path: Path) -> None:
    stranger = make_certificate(tmp_path, "stranger")
    with ModelServer(models.answer(), certificate=stranger) as server:
        error = world.fail(models.answer(), api_base=server.url)
        assert "the server's certificate is not trusted" in error
        assert "as ca-bundle" in error
        assert server.requests == []
