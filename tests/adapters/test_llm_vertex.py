"""Vertex AI with what an earlier step left: whole calls, through the real libraries on loopback.

Google's action leaves a file that says where to get GitHub's token and where to exchange it; other
tools leave one that names a file with the token, or a service account's key.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from pr_review.adapters.llm.model import ChildModel, ModelSettings
from pr_review.adapters.llm.process import ModelProcess
from pr_review.adapters.llm.providers import credential_files, provider_environment
from pr_review.agents.ports import ModelCall, ModelReply
from pr_review.errors import ModelError
from tests.adapters.test_llm_uid import open_interpreter
from tests.standins import models
from tests.standins.models import ModelServer, Reply, Request

GEMINI, CLAUDE = "vertex_ai/gemini-2.5-pro", "vertex_ai/claude-sonnet-4-5"
CALL = ModelCall("common", "snapshot", "task", {"type": "object"}, 500, retries=0)
LONG = replace(CALL, prefix="word " * 6_000, shared=True)
SUBJECT = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.cGxhbnRlZA"
ISSUED, IMPERSONATED = "ya29.d.planted-federated", "ya29.c.planted-impersonated"
REQUEST_TOKEN = "request-planted"
NUMBERS = count(1)


def google(request: Request) -> Reply:
    """GitHub's and Google's servers and the model's, told apart by their paths."""
    path = request.path.partition("?")[0]
    if path == "/idtoken":
        return Reply({"value": SUBJECT})
    if path.endswith("/token"):
        return Reply({"access_token": ISSUED, "expires_in": 3600, "token_type": "Bearer"})
    if path.endswith(":generateAccessToken"):
        return Reply({"accessToken": IMPERSONATED, "expireTime": "2999-01-01T00:00:00Z"})
    if path.endswith("/cachedContents"):
        name = "projects/p/locations/l/cachedContents/1"
        return Reply({"name": name, "model": "m"} if request.json else {})
    if "/publishers/anthropic/" in path:
        block = {"type": "text", "text": '{"findings": []}'}
        usage = {"input_tokens": 7, "output_tokens": 5}
        said = {"id": "m", "type": "message", "role": "assistant", "model": "claude"}
        return Reply({**said, "content": [block], "stop_reason": "end_turn", "usage": usage})
    usage = {"promptTokenCount": 7, "candidatesTokenCount": 5, "totalTokenCount": 12}
    content = {"role": "model", "parts": [{"text": '{"findings": []}'}]}
    candidate = {"content": content, "finishReason": "STOP"}
    return _as_asked(request, {"candidates": [candidate], "usageMetadata": usage})


def _as_asked(request: Request, body: Mapping[str, object]) -> Reply:
    if "streamGenerateContent" not in request.path:
        return Reply(body)
    event = f"data: {json.dumps(body)}\n\n".encode()
    return Reply(event, headers={"Content-Type": "text/event-stream"})


def failing(end: str, reply: Reply) -> Callable[[Request], Reply]:
    """The same, but for one of the servers."""

    def script(request: Request) -> Reply:
        return reply if request.path.partition("?")[0].endswith(end) else google(request)

    return script


def external(base: str, source: Mapping[str, object], **more: str) -> dict[str, object]:
    """A file of a workload identity."""
    pool = "projects/123/locations/global/workloadIdentityPools/p/providers/x"
    return {
        "type": "external_account",
        "audience": f"//iam.googleapis.com/{pool}",
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
        "token_url": f"{base}/v1/token",
        "credential_source": dict(source),
        **more,
    }


def by_action(base: str, **more: str) -> dict[str, object]:
    """What Google's action leaves.

    https://github.com/google-github-actions/auth
    """
    source = {
        "url": f"{base}/idtoken?api-version=2&audience=pool",
        "headers": {"Authorization": f"Bearer {REQUEST_TOKEN}"},
        "format": {"type": "json", "subject_token_field_name": "value"},
    }
    return external(base, source, **more)


@pytest.fixture(scope="module")
def key() -> str:
    """A service account's private key, made here."""
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = serialization.PrivateFormat.PKCS8
    plain = serialization.NoEncryption()
    return made.private_bytes(serialization.Encoding.PEM, form, plain).decode()


def service_account(base: str, key: str) -> dict[str, object]:
    return {
        "type": "service_account",
        "project_id": "of-the-account",
        "private_key_id": "1",
        "private_key": key,
        "client_email": "reviewer@of-the-account.iam.gserviceaccount.com",
        "token_uri": f"{base}/token",
    }


class World:
    """Servers on loopback, and one model process for all tests."""

    def __init__(self, server: ModelServer, process: ModelProcess, folder: Path) -> None:
        self.server = server
        self._process = process
        self.folder = folder

    def environment(self, account: Mapping[str, object]) -> dict[str, str]:
        """Variables as an earlier step sets them, with a project of their own: LiteLLM keeps a
        token for each."""
        number = next(NUMBERS)
        path = self.folder / f"credentials-{number}.json"
        path.write_text(json.dumps(account))
        return {
            "GOOGLE_APPLICATION_CREDENTIALS": str(path),
            "VERTEXAI_PROJECT": f"project-{number}",
            "VERTEXAI_LOCATION": "europe-west1",
        }

    def ask(
        self,
        environ: Mapping[str, str],
        *,
        model: str = GEMINI,
        call: ModelCall = CALL,
        stream: bool = False,
    ) -> ModelReply:
        """The process may be another user that can read none of the files: so they are gone
        when it needs them."""
        asked = ChildModel(
            ModelSettings(model, None, self.server.base), environ, process=self._process
        )
        for path in self.folder.iterdir():
            path.unlink()
        return asked.complete(call, seconds=30, started=(lambda: None) if stream else None)

    @property
    def paths(self) -> list[str]:
        return [request.path.partition("?")[0] for request in self.server.requests]


@pytest.fixture(scope="module")
def process() -> Iterator[ModelProcess]:
    process = ModelProcess({"PATH": os.environ["PATH"]})
    yield process
    process.kill()


@pytest.fixture
def world(process: ModelProcess, tmp_path: Path) -> Iterator[World]:
    with ModelServer(google) as server:
        yield World(server, process, tmp_path)


def generate(environ: Mapping[str, str], method: str = "generateContent") -> str:
    place = f"projects/{environ['VERTEXAI_PROJECT']}/locations/europe-west1"
    return f"/v1/{place}/publishers/google/models/gemini-2.5-pro:{method}"


def test_the_file_of_googles_action_is_exchanged_for_a_token(world: World) -> None:
    environ = world.environment(by_action(world.server.base))
    reply = world.ask(environ)
    assert (reply.text, reply.input_tokens, reply.output_tokens) == ('{"findings": []}', 7, 5)
    assert world.paths == ["/idtoken", "/v1/token", generate(environ)]
    asked, exchanged, answered = world.server.requests
    assert asked.headers["authorization"] == f"Bearer {REQUEST_TOKEN}"
    assert exchanged.json["subject_token"] == SUBJECT
    assert answered.headers["authorization"] == f"Bearer {ISSUED}"


def test_a_service_account_is_impersonated(world: World) -> None:
    url = f"{world.server.base}/v1/projects/-/serviceAccounts/reviewer:generateAccessToken"
    account = by_action(world.server.base, service_account_impersonation_url=url)
    world.ask(world.environment(account))
    assert len(world.paths) == 4
    assert world.server.requests[2].headers["authorization"] == f"Bearer {ISSUED}"
    assert world.server.requests[3].headers["authorization"] == f"Bearer {IMPERSONATED}"


def test_a_token_in_a_file_is_exchanged_too(world: World) -> None:
    token = world.folder / "token"
    token.write_text(SUBJECT)
    environ = world.environment(external(world.server.base, {"file": str(token)}))
    world.ask(environ)
    assert world.paths == ["/v1/token", generate(environ)]
    assert world.server.requests[0].json["subject_token"] == SUBJECT


def test_credentials_may_stand_in_litellms_own_variable(tmp_path: Path, key: str) -> None:
    process = ModelProcess({"PATH": os.environ["PATH"]})  # others would keep the variable
    with ModelServer(google) as server:
        world = World(server, process, tmp_path)
        environ = world.environment(service_account(server.base, key))
        environ["VERTEXAI_CREDENTIALS"] = environ.pop("GOOGLE_APPLICATION_CREDENTIALS")
        try:
            world.ask(environ)
        finally:
            process.kill()
        assert world.paths == ["/token", generate(environ)]


def test_a_key_of_a_service_account_signs_for_a_token_and_stays_here(
    world: World, key: str
) -> None:
    environ = world.environment(service_account(world.server.base, key))
    world.ask(environ)
    assert world.paths == ["/token", generate(environ)]
    signed, answered = world.server.requests
    assert signed.json["assertion"].count(".") == 2
    assert answered.headers["authorization"] == f"Bearer {ISSUED}"
    lines = [line for line in key.split("\n") if len(line) > 40]
    sent = f"{[(r.path, r.headers, r.json) for r in world.server.requests]}"
    assert lines
    assert not [line for line in lines if line in sent]


def test_a_marked_prefix_is_kept_by_google_and_the_lead_streams(world: World) -> None:
    environ = world.environment(by_action(world.server.base))
    reply = world.ask(environ, call=LONG, stream=True)
    assert reply.text == '{"findings": []}'
    cached = f"/v1/projects/{environ['VERTEXAI_PROJECT']}/locations/europe-west1/cachedContents"
    tail = [cached, cached, generate(environ, "streamGenerateContent")]
    assert world.paths == ["/idtoken", "/v1/token", *tail]
    bearers = {request.headers["authorization"] for request in world.server.requests[2:]}
    assert bearers == {f"Bearer {ISSUED}"}


def test_claude_at_vertex_is_asked_with_the_same_token(world: World) -> None:
    environ = world.environment(by_action(world.server.base))
    assert world.ask(environ, model=CLAUDE).input_tokens == 7
    assert world.paths[2].endswith("/publishers/anthropic/models/claude-sonnet-4-5:rawPredict")
    assert world.server.requests[2].headers["authorization"] == f"Bearer {ISSUED}"


# Runs in an interpreter that any user can read, as the image's is.
PARENT = """
    import json, os, sys
    from pr_review.adapters.llm.model import ChildModel, ModelSettings
    from pr_review.agents.ports import ModelCall
    with ChildModel(ModelSettings(sys.argv[1], None, sys.argv[2]), os.environ) as model:
        reply = model.complete(ModelCall("s", "p", "t", {}, 50), seconds=100)
        print(json.dumps([reply.text, model.isolation]))
"""


def test_another_user_is_given_what_only_we_can_read(world: World) -> None:
    token = world.folder / "token"
    token.write_text(SUBJECT)
    environ = world.environment(external(world.server.base, {"file": str(token)}))
    for path in world.folder.iterdir():
        path.chmod(0o600)
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        python = open_interpreter(Path(name) / "venv")
        script = textwrap.dedent(PARENT)
        command = [str(python), "-I", "-c", script, GEMINI, world.server.base]
        given = {"PATH": os.environ["PATH"], **environ}
        done = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == ['{"findings": []}', "uid"]
    assert world.paths == ["/v1/token", generate(environ)]


# -- what goes wrong before the model is asked

ECHO = f"bad token {SUBJECT} by {REQUEST_TOKEN}, not {ISSUED}"
REFUSED = Reply({"error": "invalid_grant", "error_description": ECHO}, 400)


@pytest.mark.parametrize(
    ("end", "reply", "told"),
    [
        ("/v1/token", REFUSED, "no access token from Google: Error code invalid_grant: bad token"),
        ("/v1/token", Reply(b"<html>", 502), "no access token from Google: <html>"),
        ("/v1/token", models.dropped(), "no access token from Google: ('Connection aborted.'"),
        ("/idtoken", Reply(b"no", 401), "no access token from Google: Unable to retrieve"),
        ("/idtoken", Reply(b"<html>"), "no access token from Google: Unable to parse"),
    ],
    ids=["refused", "bad gateway", "cut", "no id token", "garbage"],
)
def test_an_exchange_that_fails_is_told_in_one_line_without_a_secret(
    world: World, end: str, reply: Reply, told: str
) -> None:
    world.server.play(failing(end, reply))
    environ = world.environment(by_action(world.server.base))
    with pytest.raises(ModelError) as caught:
        world.ask(environ)
    said = str(caught.value)
    assert said.startswith(f"{GEMINI}: ")
    assert told in said
    assert "\n" not in said
    assert not [s for s in (SUBJECT, REQUEST_TOKEN, ISSUED, "Traceback") if s in said]
    assert not [path for path in world.paths if "/models/" in path]


def test_a_refused_exchange_names_where_the_credentials_stand(world: World) -> None:
    world.server.play(failing("/v1/token", REFUSED))
    with pytest.raises(ModelError) as caught:
        world.ask(world.environment(by_action(world.server.base)))
    assert "the credentials were not accepted" in caught.value.message
    assert caught.value.remedy == (
        "check GOOGLE_APPLICATION_CREDENTIALS, GOOGLE_CLOUD_PROJECT, VERTEXAI_LOCATION, "
        "VERTEXAI_PROJECT"
    )
    assert len(world.paths) == 2  # nothing is repeated


def test_an_exchange_that_fails_for_a_moment_is_repeated(world: World) -> None:
    seen: list[str] = []

    def script(request: Request) -> Reply:
        seen.append(request.path)
        return models.dropped() if seen == ["/v1/token"] else google(request)

    world.server.play(script)
    token = world.folder / "token"
    token.write_text(SUBJECT)
    environ = world.environment(external(world.server.base, {"file": str(token)}))
    reply = world.ask(environ, call=replace(CALL, retries=1))
    assert reply.calls == 2
    assert seen[-1] == generate(environ)


@pytest.mark.parametrize(
    ("text", "told"),
    [("{nope", "is not a valid json file"), ('{"type": "x"}', "The file"), (None, "was not found")],
    ids=["no JSON", "unknown type", "no file"],
)
def test_a_file_that_is_no_credential_is_told(world: World, text: str | None, told: str) -> None:
    environ = world.environment({})
    path = Path(environ["GOOGLE_APPLICATION_CREDENTIALS"])
    path.unlink() if text is None else path.write_text(text)
    with pytest.raises(ModelError) as caught:
        world.ask(environ)
    assert told in str(caught.value)
    assert "GOOGLE_APPLICATION_CREDENTIALS" in str(caught.value)
    assert world.server.requests == []


# -- what the process is given


def test_the_file_with_the_token_comes_along_and_is_named_as_the_process_will_have_it(
    tmp_path: Path,
) -> None:
    token, path = tmp_path / "token", tmp_path / "credentials.json"
    token.write_text(SUBJECT)
    path.write_text(json.dumps(external("http://sts", {"file": str(token)})))
    found = credential_files({"GOOGLE_APPLICATION_CREDENTIALS": str(path)})
    assert found["GOOGLE_SUBJECT_TOKEN"] == SUBJECT
    named = json.loads(found["GOOGLE_APPLICATION_CREDENTIALS"])["credential_source"]["file"]
    assert named.startswith("GOOGLE_SUBJECT_TOKEN-")
    assert "/" not in named


@pytest.mark.parametrize("source", [{"file": "/nonexistent"}, {"url": "http://x"}, {"file": 7}])
def test_a_file_that_names_no_token_that_can_be_read_is_left_as_it_is(
    source: dict[str, object], tmp_path: Path
) -> None:
    path = tmp_path / "credentials.json"
    path.write_text(json.dumps(external("http://sts", source)))
    named = {"GOOGLE_APPLICATION_CREDENTIALS": str(path)}
    assert credential_files(named) == {"GOOGLE_APPLICATION_CREDENTIALS": path.read_text()}


def test_a_project_is_named_to_googles_library_as_well() -> None:
    named = {"VERTEXAI_PROJECT": "mine"}
    assert provider_environment(GEMINI, named) == {**named, "GOOGLE_CLOUD_PROJECT": "mine"}
    both = {**named, "GOOGLE_CLOUD_PROJECT": "other"}
    assert provider_environment(GEMINI, both) == both
    assert provider_environment("openai/gpt-5", named) == {}
