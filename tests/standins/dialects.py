"""What providers answer, each in its own protocol: the script of a `ModelServer`.

A request's path tells the protocol. "refuse with 429" in its prompt asks for an error with that
status, in the form of OpenAI's. It needs the standard library alone.
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Mapping, Sequence

from tests.standins.models import Reply, Request, answer, failure

TEXT = '{"findings": []}'
_HALVES = (TEXT[:5], TEXT[5:])


def speak(request: Request) -> Reply:
    """The reply of the provider whose protocol a request speaks."""
    if refused := re.search(r"refuse with (\d{3})", json.dumps(request.json)):
        return failure(int(refused[1]), "as you wish")
    path = request.path.partition("?")[0]
    if path.endswith(("/converse", "/converse-stream")):
        return _bedrock(streamed=path.endswith("-stream"))
    if path.endswith(("generateContent", "streamGenerateContent")):
        return _gemini(streamed=path.endswith("streamGenerateContent"))
    if path.endswith("/api/show"):
        return Reply({"model_info": {}, "template": ""})
    if path.endswith(("/api/chat", "/api/generate")):
        return _ollama(path, streamed=request.json.get("stream") is True)
    return Reply(_MESSAGE) if path.endswith("/messages") else answer(usage=(7, 5))


_MESSAGE = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
    "content": [{"type": "text", "text": TEXT}],
    "usage": {"input_tokens": 7, "output_tokens": 5},
}  # fmt: skip


def _gemini(*, streamed: bool) -> Reply:
    def part(text: str, **more: str) -> dict[str, object]:
        content = {"role": "model", "parts": [{"text": text}]}
        usage = {"promptTokenCount": 7, "candidatesTokenCount": 5, "totalTokenCount": 12}
        return {"candidates": [{"content": content, "index": 0, **more}], "usageMetadata": usage}

    if not streamed:
        return Reply(part(TEXT, finishReason="STOP"))
    first, last = _HALVES
    lines = [part(first), part(last, finishReason="STOP")]
    body = "".join(f"data: {json.dumps(line)}\r\n\r\n" for line in lines)
    return Reply(body.encode(), headers={"Content-Type": "text/event-stream"})


def _ollama(path: str, *, streamed: bool) -> Reply:
    def part(text: str, **more: object) -> dict[str, object]:
        message = {"message": {"role": "assistant", "content": text}}
        said = message if path.endswith("chat") else {"response": text}
        return {"model": "m", "created_at": "2026-01-01T00:00:00Z", "done": False, **said, **more}

    end = {"done": True, "done_reason": "stop", "prompt_eval_count": 7, "eval_count": 5}
    if not streamed:
        return Reply(part(TEXT, **end))
    body = "".join(f"{json.dumps(line)}\n" for line in (*map(part, _HALVES), part("", **end)))
    return Reply(body.encode(), headers={"Content-Type": "application/x-ndjson"})


def _bedrock(*, streamed: bool) -> Reply:
    usage = {"inputTokens": 7, "outputTokens": 5, "totalTokens": 12}
    if not streamed:
        message = {"role": "assistant", "content": [{"text": TEXT}]}
        said = {"output": {"message": message}, "stopReason": "end_turn", "usage": usage}
        return Reply({**said, "metrics": {"latencyMs": 1}})
    return amazon_events(_HALVES, usage)


def amazon_events(texts: Sequence[str], usage: Mapping[str, int]) -> Reply:
    """An answer of Amazon's, as a stream of its own events."""
    deltas = [{"contentBlockIndex": 0, "delta": {"text": text}} for text in texts]
    frames = [
        _frame("messageStart", {"role": "assistant"}),
        *(_frame("contentBlockDelta", delta) for delta in deltas),
        _frame("contentBlockStop", {"contentBlockIndex": 0}),
        _frame("messageStop", {"stopReason": "end_turn"}),
        _frame("metadata", {"usage": usage, "metrics": {"latencyMs": 1}}),
    ]
    kind = {"Content-Type": "application/vnd.amazon.eventstream"}
    return Reply(b"".join(frames), headers=kind)


def _frame(kind: str, payload: Mapping[str, object]) -> bytes:
    """One message of Amazon's event streams: lengths, a checksum, headers, body, a checksum."""
    named = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    headers = b"".join(
        bytes([len(name)])
        + name.encode()
        + b"\x07"
        + struct.pack(">H", len(value))
        + value.encode()
        for name, value in named.items()
    )
    body = json.dumps(payload).encode()
    lengths = struct.pack(">II", 12 + len(headers) + len(body) + 4, len(headers))
    head = lengths + struct.pack(">I", zlib.crc32(lengths)) + headers + body
    return head + struct.pack(">I", zlib.crc32(head))
