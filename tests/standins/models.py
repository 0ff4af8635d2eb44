"""A model server on loopback that speaks the OpenAI protocol and plays a script.

    with ModelServer(answer(findings=[...])) as server:
        ...  # api-base: server.url

It answers any GET and POST, so that other providers' paths reach the script as well, and keeps what
it was sent in `server.requests`. A script is one reply, a list of replies (the last one is
played again and again) or a function from the request to a reply.
"""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self, cast
from urllib.parse import parse_qsl


@dataclass(frozen=True)
class Request:
    """What a client sent: path, headers with lower-case names, the body, which is JSON or the
    fields of a form, and when.
    """

    path: str
    headers: Mapping[str, str]
    json: dict[str, Any]
    at: float = field(default_factory=time.monotonic)

    @property
    def messages(self) -> list[dict[str, Any]]:
        return cast("list[dict[str, Any]]", self.json.get("messages", []))


@dataclass(frozen=True)
class Reply:
    """What the server answers. `body` that is not bytes goes out as JSON.

    `delay` passes before the first byte; `rest` between the first token and the last, whether
    it is streamed or not, and `begun` is called at the first one; with `drip` every byte of the
    body takes that many seconds; `drop` closes the connection without a word (after the first
    token, if `rest` is set and it is streamed); `hang` says nothing until the server stops.
    """

    body: object = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    rest: float = 0.0
    begun: Callable[[], None] | None = None
    drip: float = 0.0
    drop: bool = False
    hang: bool = False

    def after(self, seconds: float) -> Reply:
        return replace(self, delay=seconds)


Script = Reply | Sequence[Reply] | Callable[[Request], Reply]


def completion(
    content: object,
    *,
    finish_reason: str = "stop",
    usage: tuple[int, int] | None = (100, 20),
    **message: object,
) -> Reply:
    """A chat completion; `usage` is (input, output) tokens, `message` adds keys to the message."""
    body: dict[str, object] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "stand-in",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason,
                "message": {"role": "assistant", "content": content, **message},
            }
        ],
    }
    if usage is not None:
        tokens_in, tokens_out = usage
        body["usage"] = {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        }
    return Reply(body)


def answer(
    findings: Sequence[Mapping[str, object]] = (), *, usage: tuple[int, int] = (100, 20)
) -> Reply:
    """The answer of an agent: JSON with these findings."""
    return completion(json.dumps({"findings": list(findings)}), usage=usage)


def cut(text: str = '{"findings": [{"path": "a.py", "ti') -> Reply:
    """An answer that ran into the output limit."""
    return completion(text, finish_reason="length")


def empty() -> Reply:
    return completion("")


def no_choices() -> Reply:
    """A completion with an empty list of choices."""
    body = dict(cast("dict[str, object]", completion("").body))
    return Reply({**body, "choices": []})


def filtered(content: str | None = None) -> Reply:
    """An answer that the provider's content filter stopped."""
    return completion(content, finish_reason="content_filter")


def refusal(words: str = "I cannot help with that") -> Reply:
    return completion(None, refusal=words)


def failure(
    status: int, message: str, *, headers: Mapping[str, str] | None = None, **error: object
) -> Reply:
    """An error as OpenAI shapes it; `error` adds keys such as `code` and `param`."""
    return Reply({"error": {"message": message, **error}}, status, headers or {})


def rate_limited(retry_after: str | None = None) -> Reply:
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return failure(429, "Rate limit reached", headers=headers, code="rate_limit_exceeded")


def unauthorized(key: str = "") -> Reply:
    """A 401 that, as some providers do, repeats the key it was given."""
    return failure(401, f"Incorrect API key provided: {key}", code="invalid_api_key")


def overflow(limit: int = 128_000, sent: int = 200_000) -> Reply:
    """A context overflow that only the text tells."""
    message = f"Prompt contains {sent} tokens, too large for model with {limit} maximum context"
    return failure(400, f"{message} length")


def refused_parameter(name: str) -> Reply:
    return failure(
        400,
        f"Unsupported parameter: '{name}' is not supported with this model.",
        type="invalid_request_error",
        param=name,
    )


def refuses(*names: str, otherwise: Reply) -> Callable[[Request], Reply]:
    """A model that answers 400 while a request holds one of these parameters."""

    def script(request: Request) -> Reply:
        held = next((name for name in names if name in request.json), None)
        return otherwise if held is None else refused_parameter(held)

    return script


def no_system_role(otherwise: Reply) -> Callable[[Request], Reply]:
    """A model that answers 400 to a message with the system role."""

    def script(request: Request) -> Reply:
        if all(message["role"] != "system" for message in request.messages):
            return otherwise
        return failure(
            400,
            "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
            param="messages[0].role",
            code="unsupported_value",
        )

    return script


def server_error(message: str = "The server had an error") -> Reply:
    return failure(500, message)


def garbage() -> Reply:
    """A page of HTML where JSON was due, with status 200."""
    return Reply(b"<html><body>It works!</body></html>", headers={"Content-Type": "text/html"})


def dripping(seconds_per_byte: float = 0.05) -> Reply:
    return replace(answer(), drip=seconds_per_byte)


def hanging() -> Reply:
    return Reply(hang=True)


def dropped() -> Reply:
    return Reply(drop=True)


class ModelServer:
    """The server; a context manager. Connections are handled in parallel.

    `certificate` names a PEM file with certificate and key: then it speaks HTTPS.
    """

    def __init__(
        self,
        script: Script = (),
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        certificate: Path | None = None,
    ) -> None:
        self.requests: list[Request] = []
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self.play(script)
        self._http = _Http((host, port), _Handler)
        self._http.stand_in = self
        self._scheme = "http"
        if certificate is not None:
            self._scheme = "https"
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._http.socket = context.wrap_socket(self._http.socket, server_side=True)

    @property
    def base(self) -> str:
        host, port = self._http.server_address[:2]
        return f"{self._scheme}://{host!s}:{port}"

    @property
    def url(self) -> str:
        """What an OpenAI client takes as its base URL."""
        return f"{self.base}/v1"

    def play(self, script: Script) -> None:
        """Starts a new script and forgets the requests so far."""
        with self._lock:
            self.requests = []
            self._script = script

    def respond(self, request: Request) -> Reply:
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
            script = self._script
        if isinstance(script, Reply):
            return script
        if callable(script):
            return script(request)
        if not script:
            return failure(500, "the stand-in has no script")
        return script[min(number, len(script) - 1)]

    def wait(self, seconds: float | None = None) -> bool:
        """Waits until the server stops, at most `seconds`; true if it stopped."""
        return self._stopped.wait(seconds)

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._http.shutdown()
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    stand_in: ModelServer

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is part of the play: nothing is printed."""


class _Handler(BaseHTTPRequestHandler):
    server: _Http
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        sent = self.rfile.read(length)
        kind = self.headers.get("Content-Type", "")
        form = kind.startswith("application/x-www-form-urlencoded")
        body = dict(parse_qsl(sent.decode())) if form else json.loads(sent or b"{}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path, headers, body)
        self._send(self.server.stand_in.respond(request), stream=body.get("stream") is True)

    do_GET = do_POST  # noqa: N815 - the base calls it so

    def _send(self, reply: Reply, *, stream: bool) -> None:
        server = self.server.stand_in
        self.close_connection = True
        if server.wait(None if reply.hang else reply.delay):
            return
        streams = stream and reply.status == 200 and isinstance(reply.body, dict)
        if reply.drop and not (streams and reply.rest):
            return
        if reply.begun is not None:
            reply.begun()
        if streams:
            self._stream(reply)
            return
        if reply.rest and server.wait(reply.rest):
            return
        body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self._head(reply, "application/json", {"Content-Length": str(len(body))})
        self._write(body, reply.drip)

    def _stream(self, reply: Reply) -> None:
        """Server-sent events; the first token goes out at once, the others after the rest."""
        first, others = events(cast("Mapping[str, Any]", reply.body))
        length = {"Content-Length": str(len(first + others))}
        self._head(reply, "text/event-stream", {} if reply.drop else length)
        self._write(first, reply.drip)
        if not self.server.stand_in.wait(reply.rest) and not reply.drop:
            self._write(others, reply.drip)

    def _head(self, reply: Reply, kind: str, headers: Mapping[str, str]) -> None:
        self.send_response(reply.status)
        self.send_header("Connection", "close")  # or a client may send the next one into the void
        for name, value in {"Content-Type": kind, **reply.headers, **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _write(self, body: bytes, drip: float) -> None:
        if not drip:
            self.wfile.write(body)
            return
        for byte in body:
            self.wfile.write(bytes((byte,)))
            if self.server.stand_in.wait(drip):
                return

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Nothing: tests read `requests`."""


def events(body: Mapping[str, Any]) -> tuple[bytes, bytes]:
    """A whole answer as server-sent events: up to the first token, and the rest."""
    anthropic = body.get("type") == "message"
    parts = _message_events(body) if anthropic else _chunks(body)
    first = 3 if anthropic else 2  # what announces it, and the token
    return b"".join(parts[:first]), b"".join(parts[first:])


def _chunks(body: Mapping[str, Any]) -> list[bytes]:
    """OpenAI's: a word at a time, then the reason and the usage."""
    head: dict[str, object] = {key: body[key] for key in ("id", "created", "model")}
    chunks: list[dict[str, object]] = []
    for choice in body["choices"]:
        words = str(choice["message"]["content"] or "").split(" ")
        pieces = [word if index == 0 else f" {word}" for index, word in enumerate(words)]
        chunks.append(_chunk({"role": "assistant"}))
        chunks += [_chunk({"content": piece}) for piece in pieces]
        chunks.append(_chunk({}, choice["finish_reason"]))
    chunks.append({"choices": [], "usage": body.get("usage")})
    lines = [json.dumps({**head, "object": "chat.completion.chunk", **chunk}) for chunk in chunks]
    return [_data(line) for line in [*lines, "[DONE]"]]


def _message_events(body: Mapping[str, Any]) -> list[bytes]:
    """Anthropic's, for a message of one block: a text, or the input of a tool."""
    (block,) = body["content"]
    opening = {**body, "content": [], "stop_reason": None}
    if block["type"] == "text":
        empty, kind, text = {**block, "text": ""}, "text_delta", block["text"]
    else:
        empty, kind, text = {**block, "input": {}}, "input_json_delta", json.dumps(block["input"])
    key = "text" if kind == "text_delta" else "partial_json"
    halves = (text[: len(text) // 2], text[len(text) // 2 :])
    said: list[dict[str, Any]] = [
        {"type": "message_start", "message": opening},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": kind, key: half}}
            for half in halves
        ),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": body["stop_reason"]},
            "usage": {"output_tokens": body["usage"]["output_tokens"]},
        },
        {"type": "message_stop"},
    ]
    return [f"event: {event['type']}\n".encode() + _data(json.dumps(event)) for event in said]


def _data(line: str) -> bytes:
    return f"data: {line}\n\n".encode()


def _chunk(delta: dict[str, object], finish_reason: str | None = None) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}
