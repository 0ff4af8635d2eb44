"""A model that keeps prefixes as providers do, and writes down what it bills for each request.

    shop = Provider(MARKS, write=1.25, read=0.1)
    with ModelServer(shop.reply) as server:
        ...
    shop.bills

`AUTOMATIC` is what OpenAI and DeepSeek do: every prompt of 1,024 tokens or more is kept, in
steps of 128 tokens, and the longest beginning that is kept is billed as cached. `MARKS` is what
Anthropic does: only what stands before a block with `cache_control` is kept, all of it or
nothing. Either way it is there once the first token of the answer is, and for five minutes.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

import tiktoken

from pr_review.adapters.tokens import token_counter
from tests.standins.models import Reply, Request

LEAST_TOKENS = 1_024
STEP_TOKENS = 128
TTL_SECONDS = 300.0
ANSWER: dict[str, object] = {"findings": []}


class Keeping(Enum):
    AUTOMATIC = auto()
    MARKS = auto()


AUTOMATIC, MARKS = Keeping.AUTOMATIC, Keeping.MARKS


@dataclass(frozen=True)
class Bill:
    """The input of one request, in tokens by the server's own count."""

    at: float
    fresh: int
    cached: int
    written: int

    @property
    def input(self) -> int:
        return self.fresh + self.cached + self.written


@dataclass(frozen=True)
class _Kept:
    """What can be kept of a prompt: keys of its beginnings and their tokens, shortest first."""

    total: int
    beginnings: tuple[tuple[str, int], ...]


@dataclass
class Provider:
    """Plays one provider; `write` and `read` are prices in units of an ordinary input token.

    A call takes `seconds`, and `first_token` of them until its first token.
    """

    keeping: Keeping
    write: float
    read: float
    seconds: float = 0.0
    first_token: float = 0.0
    clock: Any = time.monotonic
    bills: list[Bill] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._until: dict[str, float] = {}
        self._lock = threading.Lock()

    @property
    def billed(self) -> float:
        """What all input so far costs, in ordinary input tokens."""
        return sum(b.fresh + b.cached * self.read + b.written * self.write for b in self.bills)

    def reply(self, request: Request) -> Reply:
        anthropic = self.keeping is MARKS
        kept = _marked(request.json) if anthropic else _stepped(request.json)
        bill = self._bill(request, kept)
        body = _message(bill) if anthropic else _completion(bill)
        late = time.monotonic() - request.at  # what our counting took is part of the wait
        return Reply(
            body,
            delay=max(0.0, self.first_token - late),
            rest=self.seconds - self.first_token,
            begun=lambda: self._keep(kept),
        )

    def _bill(self, request: Request, kept: _Kept) -> Bill:
        with self._lock:
            now = self.clock()
            held = [n for key, n in kept.beginnings if self._until.get(key, 0.0) > now]
            cached = max(held, default=0)
            longest = kept.beginnings[-1][1] if kept.beginnings else 0
            written = longest - cached
            bill = Bill(request.at, kept.total - cached - written, cached, written)
            self.bills.append(bill)
            return bill

    def _keep(self, kept: _Kept) -> None:
        with self._lock:
            self._until |= dict.fromkeys(
                (key for key, _ in kept.beginnings), self.clock() + TTL_SECONDS
            )


def _stepped(body: dict[str, Any]) -> _Kept:
    """Every step of the prompt from the least one on; a chain of hashes names them."""
    tokens = _tokens("\n".join(_texts(body["messages"])))
    digest, beginnings = hashlib.sha256(json.dumps(body.get("response_format")).encode()), []
    for end in range(STEP_TOKENS, len(tokens) + 1, STEP_TOKENS):
        digest.update(repr(tokens[end - STEP_TOKENS : end]).encode())
        if end >= LEAST_TOKENS:
            beginnings.append((digest.hexdigest(), end))
    return _Kept(len(tokens), tuple(beginnings))


def _marked(body: dict[str, Any]) -> _Kept:
    """What stands before each mark: tools, system and messages are read in this order."""
    blocks = [*body.get("tools", []), *_blocks(body.get("system", []))]
    for message in body["messages"]:
        blocks += _blocks(message["content"])
    total, digest, beginnings = 0, hashlib.sha256(), []
    for block in blocks:
        plain = {key: value for key, value in block.items() if key != "cache_control"}
        text = json.dumps(plain)
        digest.update(text.encode())
        total += len(_tokens(block.get("text", text)))
        if "cache_control" in block and total >= LEAST_TOKENS:
            beginnings.append((digest.hexdigest(), total))
    return _Kept(total, tuple(beginnings))


def _blocks(content: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _texts(messages: Sequence[dict[str, Any]]) -> Iterator[str]:
    for message in messages:
        yield message["role"]
        yield from (block["text"] for block in _blocks(message["content"]))


def _tokens(text: str) -> list[int]:
    token_counter()  # which finds the encoding's file, offline
    return tiktoken.get_encoding("o200k_base").encode_ordinary(text)


def _completion(bill: Bill) -> dict[str, object]:
    message = {"role": "assistant", "content": json.dumps(ANSWER)}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "stand-in",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {
            "prompt_tokens": bill.input,
            "completion_tokens": 20,
            "total_tokens": bill.input + 20,
            "prompt_tokens_details": {"cached_tokens": bill.cached},
        },
    }


def _message(bill: Bill) -> dict[str, object]:
    """By the tool that LiteLLM offers where an answer is to follow a schema."""
    block = {"type": "tool_use", "id": "t", "name": "json_tool_call", "input": ANSWER}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "stand-in",
        "content": [block],
        "stop_reason": "tool_use",
        "usage": {
            "input_tokens": bill.fresh,
            "cache_creation_input_tokens": bill.written,
            "cache_read_input_tokens": bill.cached,
            "output_tokens": 20,
        },
    }
