"""A shared prefix: marked where providers want marks, streamed by the lead, billed once."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from bench.cache import MOST_BILLED, PRICE_MODELS, PriceModel, measure, prompts
from pr_review.adapters.llm.model import ChildModel, ModelSettings
from pr_review.adapters.llm.process import ModelProcess
from pr_review.adapters.llm.providers import cache_mark, least_cached_tokens
from pr_review.agents.items import SCHEMA
from pr_review.agents.ports import ModelCall, ModelReply
from pr_review.errors import ModelError
from tests.standins import models
from tests.standins.caching import AUTOMATIC, MARKS, TTL_SECONDS, Provider
from tests.standins.kept_process import kept_process
from tests.standins.models import ModelServer, Reply, Request

CALL = ModelCall("common", "snapshot", "task", SCHEMA, 500, shared=True)
CLAUDE, GEMINI = "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-pro"
MESSAGE = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
    "content": [{"type": "text", "text": '{"findings": []}'}],
    "usage": {"input_tokens": 7, "cache_creation_input_tokens": 1000,
              "cache_read_input_tokens": 500, "output_tokens": 5},
}  # fmt: skip


@pytest.fixture(scope="module")
def process() -> Iterator[ModelProcess]:
    with kept_process() as kept:
        yield kept


class Talk:
    """One model behind one server, and what it was sent."""

    def __init__(self, server: ModelServer, process: ModelProcess, name: str) -> None:
        base = server.url if name.startswith("openai/") else server.base
        self.model = ChildModel(ModelSettings(name, "sk-planted", base), {}, process=process)
        self.server = server
        self.tokens: list[float] = []

    def ask(
        self, call: ModelCall = CALL, *, stream: bool = True, seconds: float = 20
    ) -> ModelReply:
        told = (lambda: self.tokens.append(time.monotonic())) if stream else None
        return self.model.complete(call, seconds=seconds, started=told)

    @property
    def sent(self) -> list[dict[str, Any]]:
        return [request.json for request in self.server.requests]


@pytest.fixture
def talk(process: ModelProcess) -> Iterator[Callable[..., Talk]]:
    with ModelServer() as server:

        def to(script: models.Script, name: str = "openai/my-model") -> Talk:
            server.play(script)
            return Talk(server, process, name)

        yield to


# -- the bill


@pytest.fixture(scope="module")
def sent() -> Any:
    return prompts()


@pytest.mark.parametrize("prices", PRICE_MODELS, ids=lambda p: f"{p.write} {p.read}")
def test_five_agents_cost_little_more_than_one_write_and_four_reads(
    prices: PriceModel, sent: Any, process: ModelProcess
) -> None:
    led = measure(prices, sent, process, seconds=0.4, first_token=0.2)
    assert not [outcome.failure for outcome in led.outcomes if outcome.failure]
    assert led.billed <= MOST_BILLED * led.ideal
    assert led.naive > 5 * 60_000
    assert sum(outcome.cached_tokens for outcome in led.outcomes) == led.cached > 4 * 60_000


def test_the_stand_in_forgets_and_keeps_nothing_short() -> None:
    now = [0.0]
    provider = Provider(AUTOMATIC, 1.0, 0.1, clock=lambda: now[0])

    def cached(words: int) -> int:
        message = {"role": "user", "content": "word " * words}
        reply = provider.reply(Request("/", {}, {"messages": [message]}))
        assert reply.begun is not None
        reply.begun()
        return provider.bills[-1].cached

    assert [cached(900), cached(900)] == [0, 0]
    assert [cached(2_000), cached(3_000)] == [0, 1_920]
    now[0] = TTL_SECONDS + 1
    assert cached(2_000) == 0


def test_the_stand_in_keeps_nothing_before_the_first_token() -> None:
    provider = Provider(MARKS, 1.25, 0.1)
    block = {"type": "text", "text": "word " * 2_000, "cache_control": {"type": "ephemeral"}}
    request = Request("/", {}, {"messages": [{"role": "user", "content": [block]}]})
    reply = provider.reply(request)
    provider.reply(request)
    assert provider.bills[-1].cached == 0
    assert reply.begun is not None
    reply.begun()
    provider.reply(request)
    assert provider.bills[-1].cached == provider.bills[0].written > 2_000


# -- marks


def test_claude_reads_a_mark_at_the_end_of_the_prefix(talk: Callable[..., Talk]) -> None:
    claude = talk(Reply(MESSAGE), CLAUDE)
    reply = claude.ask()
    (body,) = claude.sent
    mark = {"type": "ephemeral"}
    assert body["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "snapshot", "cache_control": mark},
                {"type": "text", "text": "task"},
            ],
        }
    ]
    assert reply.text == '{"findings": []}'
    assert (reply.input_tokens, reply.cached_tokens, reply.written_tokens) == (1_507, 500, 1_000)


def test_all_calls_of_a_run_begin_with_the_same_bytes(talk: Callable[..., Talk]) -> None:
    claude = talk(Reply(MESSAGE), CLAUDE)
    for task in ("bugs", "security"):
        claude.ask(replace(CALL, task=task), stream=task == "bugs")
    first, second = (json.dumps({**body, "stream": None}) for body in claude.sent)
    assert '"cache_control"' in first.partition("bugs")[0]
    assert first.replace("bugs", "security") == second


@pytest.mark.parametrize("shared", [True, False])
def test_nothing_is_marked_where_prefixes_are_kept_by_themselves(
    talk: Callable[..., Talk], shared: bool
) -> None:
    other = talk(models.answer(), "openai/gpt-5")
    other.ask(replace(CALL, shared=shared), stream=False)
    assert other.sent[0]["messages"][1:] == [{"role": "user", "content": "snapshot\n\ntask"}]


def test_a_prefix_that_nobody_shares_is_not_marked(talk: Callable[..., Talk]) -> None:
    claude = talk(Reply(MESSAGE), CLAUDE)
    claude.ask(replace(CALL, shared=False))
    assert "cache_control" not in json.dumps(claude.sent)


def test_a_refused_mark_is_left_out(talk: Callable[..., Talk]) -> None:
    def script(request: Request) -> Reply:
        if "cache_control" in json.dumps(request.json):
            return models.failure(400, "messages.0.content.0.cache_control: Extra inputs")
        return Reply(MESSAGE)

    claude = talk(script, CLAUDE)
    assert claude.ask().calls == 2


def test_gemini_keeps_a_marked_prefix_for_minutes_not_for_its_default_hour() -> None:
    assert cache_mark(GEMINI) == {"type": "ephemeral", "ttl": "300s"}
    assert cache_mark("vertex_ai/gemini-2.5-pro") == cache_mark(GEMINI)


@pytest.mark.parametrize(
    ("model", "marked"),
    [
        ("claude-sonnet-4-5", True),
        ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", True),
        ("vertex_ai/claude-sonnet-4-5", True),
        ("openrouter/anthropic/claude-sonnet-4.5", True),
        ("gpt-5", False),
        ("openai/claude-behind-a-gateway", False),
        ("azure/gpt-4o", False),
        ("deepseek/deepseek-chat", False),
        ("openrouter/openai/gpt-5", False),
        ("ollama/llama3", False),
    ],
)
def test_who_wants_marks(model: str, marked: bool) -> None:
    assert (cache_mark(model) is not None) == marked


@pytest.mark.parametrize(
    ("model", "least"),
    [(CLAUDE, 1_024), ("gemini/gemini-2.5-pro", 2_048), ("gpt-4o", 1_024),
     ("openai/my-model", 1_024), ("ollama/llama3", None)],
)  # fmt: skip
def test_the_shortest_prefix_that_is_kept(model: str, least: int | None) -> None:
    assert least_cached_tokens(model) == least


# -- streams


def test_the_first_token_is_told_while_the_rest_is_still_to_come(talk: Callable[..., Talk]) -> None:
    slow = talk(replace(models.answer([{"path": "a.py", "title": "t"}]), rest=0.3))
    slow.ask(stream=False)  # LiteLLM is loaded
    reply = slow.ask()
    (first,) = slow.tokens
    assert time.monotonic() - first > 0.2
    assert json.loads(reply.text) == {"findings": [{"path": "a.py", "title": "t"}]}
    assert (reply.input_tokens, reply.output_tokens, reply.calls) == (100, 20, 1)
    assert slow.sent[1]["stream_options"] == {"include_usage": True}


def test_a_stream_without_usage_counts_as_zero(talk: Callable[..., Talk]) -> None:
    reply = talk(models.completion("{}", usage=None)).ask()
    assert (reply.text, reply.input_tokens, reply.output_tokens) == ("{}", 0, 0)


@pytest.mark.parametrize("refused", ["stream", "stream_options"])
def test_a_refused_stream_is_asked_for_in_one_piece(
    talk: Callable[..., Talk], refused: str
) -> None:
    model = talk(models.refuses(refused, otherwise=models.answer()))
    reply = model.ask()
    assert (reply.text, reply.calls, reply.unread) == ('{"findings": []}', 2, 0)
    assert refused not in model.sent[1]


def test_a_server_that_answers_in_one_piece_is_asked_once_more(talk: Callable[..., Talk]) -> None:
    def script(request: Request) -> Reply:
        whole = models.answer()
        return whole if "stream" not in request.json else Reply(json.dumps(whole.body).encode())

    model = talk(script)
    reply = model.ask()
    assert (reply.text, reply.calls, reply.unread) == ('{"findings": []}', 2, 1)


def test_an_answer_that_was_lost_counts_as_a_repetition(talk: Callable[..., Talk]) -> None:
    page = Reply(json.dumps(models.answer().body).encode())
    model = talk([models.server_error(), page, models.answer()])
    with pytest.raises(ModelError, match="sent no stream"):
        model.ask(replace(CALL, retries=1))
    assert len(model.sent) == 2


def test_what_was_begun_is_not_asked_for_twice(talk: Callable[..., Talk]) -> None:
    model = talk([replace(models.answer(), rest=0.05, drop=True), models.answer()])
    with pytest.raises(ModelError) as caught:
        model.ask()
    assert len(model.tokens) == 1
    assert len(model.sent) == 1
    assert type(caught.value) is ModelError  # it may have been billed: no other model is asked


def test_a_stream_that_drips_is_held_to_the_deadline(talk: Callable[..., Talk]) -> None:
    start = time.monotonic()
    with pytest.raises(ModelError, match="no answer within 1 s"):
        talk(models.dripping(0.05)).ask(seconds=1)
    assert time.monotonic() - start < 2.5


def test_streams_do_not_hold_each_other(talk: Callable[..., Talk]) -> None:
    together = threading.Barrier(2)

    def script(request: Request) -> Reply:
        return replace(models.answer(), begun=lambda: _meet(together))

    model = talk(script)
    other = threading.Thread(target=model.ask)
    other.start()
    assert model.ask().text == '{"findings": []}'
    other.join(10)
    assert len(model.tokens) == 2


def _meet(barrier: threading.Barrier) -> None:
    barrier.wait(10)
