"""Answers as models give them, through the real LiteLLM over HTTP, in the dialects of providers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from pr_review.adapters.llm.model import ChildModel, ModelSettings
from pr_review.adapters.tokens import token_counter
from pr_review.agents import quote
from pr_review.agents.catalogue import catalogue
from pr_review.agents.policy import AgentPolicy
from pr_review.agents.ports import Pricing
from pr_review.agents.prompt import MAX_BROKEN_BYTES, Prompts, system
from pr_review.agents.run import run
from pr_review.domain.finding import AgentOutcome
from tests.agents.test_answer import SHAPES, case
from tests.shared import shared
from tests.standins.kept_process import KeptProcess, kept_process
from tests.standins.models import ModelServer, Reply, Request, Script, completion

BUGS = catalogue()[0]
POLICY = AgentPolicy((BUGS.name,), run_seconds=30.0, max_output_tokens=500)
PROMPTS = Prompts(system(POLICY), "SNAPSHOT", ("TASK",))
FINDING = '{"path": "a.py", "start_line": 3, "severity": "high", "title": "t", "body": "x"}'
ONE = f'{{"findings": [{FINDING}]}}'
CUT = f'{{"findings": [{FINDING}, {{"path": "b.py", "ti'


@dataclass(frozen=True)
class Asking:
    """One agent, asked through one process at one server."""

    process: KeptProcess
    server: ModelServer

    def __call__(self, script: Script, model: str = "openai/my-model") -> AgentOutcome:
        self.server.play(script)
        settings = ModelSettings(model, api_key="sk-nobody", api_base=self.server.url)
        asked = ChildModel(settings, {}, process=self.process)
        (outcome,) = run((BUGS,), PROMPTS, asked, Pricing(), POLICY)
        return outcome

    @property
    def requests(self) -> list[Request]:
        return self.server.requests


@pytest.fixture(scope="module")
def ask() -> Iterator[Asking]:
    with kept_process() as process, ModelServer() as server:
        yield Asking(process, server)


# -- dialects: the same three ends, as each provider says them


def _anthropic(text: str, end: str) -> Reply:
    stop = {"stop": "end_turn", "cut": "max_tokens", "filtered": "refusal"}[end]
    content = [{"type": "text", "text": text}] if text else []
    return Reply(
        {
            "id": "m", "type": "message", "role": "assistant", "model": "m", "content": content,
            "stop_reason": stop, "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }
    )  # fmt: skip


def _gemini(text: str, end: str) -> Reply:
    reason = {"stop": "STOP", "cut": "MAX_TOKENS", "filtered": "SAFETY"}[end]
    candidate: dict[str, Any] = {"finishReason": reason, "index": 0}
    if text:
        candidate["content"] = {"role": "model", "parts": [{"text": text}]}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    return Reply({"candidates": [candidate], "usageMetadata": usage})


def _ollama(text: str, end: str) -> Reply:
    reason = {"stop": "stop", "cut": "length"}[end]
    return Reply(
        {
            "model": "m", "created_at": "2026-01-01T00:00:00Z", "done": True,
            "message": {"role": "assistant", "content": text}, "done_reason": reason,
            "prompt_eval_count": 10, "eval_count": 5,
        }
    )  # fmt: skip


def _openai(text: str, end: str) -> Reply:
    reason = {"stop": "stop", "cut": "length", "filtered": "content_filter"}[end]
    return completion(text, finish_reason=reason)


def _thinking(text: str, end: str) -> Reply:
    """Thoughts in a field of their own, which is no answer whatever it holds."""
    reason = {"stop": "stop", "cut": "length", "filtered": "content_filter"}[end]
    return completion(text, finish_reason=reason, reasoning_content='So {"findings": []}.')


def _tool(text: str, end: str) -> Reply:
    """The answer as the arguments of a tool that nobody offered."""
    reason = {"stop": "tool_calls", "cut": "length", "filtered": "content_filter"}[end]
    call = {"id": "1", "type": "function", "function": {"name": "report", "arguments": text}}
    return completion(None, finish_reason=reason, tool_calls=[call])


@dataclass(frozen=True)
class Dialect:
    model: str
    says: Callable[[str, str], Reply]
    filters: bool = True


DIALECTS: Mapping[str, Dialect] = {
    "OpenAI with a schema": Dialect("openai/gpt-4o", _openai),
    "a server of one's own": Dialect("openai/my-model", _openai),
    "DeepSeek, thinking": Dialect("deepseek/deepseek-reasoner", _thinking),
    "a tool call": Dialect("openai/my-model", _tool),
    "OpenRouter": Dialect("openrouter/deepseek/deepseek-r1", _openai),
    "Mistral": Dialect("mistral/mistral-large-latest", _openai),
    "Anthropic": Dialect("anthropic/claude-sonnet-4-5", _anthropic),
    "Gemini": Dialect("gemini/gemini-2.5-flash", _gemini),
    "Ollama": Dialect("ollama_chat/qwen3", _ollama, filters=False),
    "vLLM": Dialect("hosted_vllm/Qwen/Qwen3", _openai),
    "LM Studio": Dialect("lm_studio/qwen3", _openai),
}
dialects = pytest.mark.parametrize("name", DIALECTS)


@dialects
def test_an_answer_in_every_dialect(name: str, ask: Asking) -> None:
    dialect = DIALECTS[name]
    outcome = ask(dialect.says(ONE, "stop"), dialect.model)
    assert (outcome.failure, outcome.cut_short, outcome.calls) == ("", False, 1)
    assert [found.title for found in outcome.findings] == ["t"]
    assert outcome.input_tokens in (10, 100)


@dialects
def test_a_cut_answer_in_every_dialect(name: str, ask: Asking) -> None:
    dialect = DIALECTS[name]
    outcome = ask(dialect.says(CUT, "cut"), dialect.model)
    assert (outcome.failure, outcome.cut_short) == ("", True)
    assert [found.title for found in outcome.findings] == ["t"]


@dialects
def test_prose_in_every_dialect(name: str, ask: Asking) -> None:
    dialect = DIALECTS[name]
    outcome = ask(dialect.says("LGTM!", "stop"), dialect.model)
    assert "no findings in JSON" in outcome.failure
    assert outcome.calls == len(ask.requests) == 2


@pytest.mark.parametrize("text", ["", '{"findings": []}'])
@pytest.mark.parametrize("name", [name for name, one in DIALECTS.items() if one.filters])
def test_a_filtered_answer_has_failed_in_every_dialect(name: str, text: str, ask: Asking) -> None:
    dialect = DIALECTS[name]
    outcome = ask(dialect.says(text, "filtered"), dialect.model)
    assert outcome.failure
    assert outcome.findings == ()
    assert len(ask.requests) == 1


@dialects
def test_an_empty_answer_has_failed_in_every_dialect(name: str, ask: Asking) -> None:
    dialect = DIALECTS[name]
    outcome = ask(dialect.says("", "stop"), dialect.model)
    assert outcome.failure
    assert len(ask.requests) == 1


@dialects
def test_c05_an_ignored_format_is_seen_in_every_dialect(name: str, ask: Asking) -> None:
    dialect = DIALECTS[name]
    ignored = '{"findings": [{"path": ["a.py"], "severity": 4}], "verdict": "good"}'
    outcome = ask(dialect.says(ignored, "stop"), dialect.model)
    assert "no finding that could be read, of 1" in outcome.failure
    assert outcome.dropped == 1
    # the schema stands in the instructions, whether or not the provider takes one
    assert "start_line" in json.dumps(ask.requests[0].json)


# -- the cases, over HTTP


@pytest.mark.parametrize("name", SHAPES)
def test_c01_each_shape(name: str, ask: Asking) -> None:
    texts = {reply["name"]: reply["text"] for reply in case("c01-json-shapes/replies.json")}
    outcome = ask(completion(texts[name]))
    expected = SHAPES[name]
    assert bool(outcome.failure) is (expected is None)
    assert (len(outcome.findings), outcome.dropped) == (expected or (0, 0))
    assert outcome.calls == len(ask.requests) == (2 if expected is None else 1)


def test_c01_deep_nesting(ask: Asking) -> None:
    outcome = ask(completion(shared("cases/c01-json-shapes/deep.txt").read_text()))
    assert outcome.failure
    assert len(ask.requests) == 2


def test_c02_each_cut_answer(ask: Asking) -> None:
    bodies = case("c02-cut-json/completions.json")
    outcomes = [ask(Reply(body)) for body in bodies]
    assert [len(outcome.findings) for outcome in outcomes] == [1, 1, 0, 1]
    assert [bool(outcome.failure) for outcome in outcomes] == [False, False, True, False]
    assert all(outcome.cut_short for outcome in outcomes)


@pytest.mark.parametrize(
    "path", ["c10-filters-and-refusals/completions.json", "c11-empty-answers/completions.json"]
)
def test_c10_c11_no_answer_is_a_failed_agent(path: str, ask: Asking) -> None:
    for body in case(path):
        outcome = ask(Reply(body))
        assert outcome.failure, body
        assert outcome.findings == ()
        assert "thinking" not in outcome.failure
        assert len(ask.requests) <= 3


@pytest.mark.parametrize(
    ("path", "dropped"), [("c15-lines-that-do-not-exist", 0), ("c16-files-not-in-the-diff", 2)]
)
def test_c15_c16_odd_places_arrive_as_they_were_said(path: str, dropped: int, ask: Asking) -> None:
    given = case(f"{path}/findings.json")["findings"]
    items = [{**item, "body": f"finding {number}"} for number, item in enumerate(given)]
    outcome = ask(completion(json.dumps({"findings": items})))
    named = [item for item in items if item["file"]]
    assert [(f.path, f.body) for f in outcome.findings] == [(i["file"], i["body"]) for i in named]
    assert outcome.dropped == dropped == len(items) - len(named)


# -- more of what models do


@pytest.mark.parametrize(
    ("text", "titles", "dropped"),
    [
        (f"\ufeff{FINDING}\r\n{{oops}}\r\n{FINDING.replace('3', '4')}", ["t", "t"], 0),
        (f"Aquí está:\n```json\n[{FINDING}]\n```\nEspero que ayude.", ["t"], 0),
        (ONE.replace('"t"', '"Über null\n\tgeteilt"'), ["Über null geteilt"], 0),
        (f'{{"FINDINGS": [{FINDING}, {{"path": "a.py"}}, 7]}}', ["t"], 2),
        (f"<think>{ONE.replace('3', '4')}</think>\n\n{ONE}", ["t"], 0),
    ],
)
def test_habits(text: str, titles: list[str], dropped: int, ask: Asking) -> None:
    outcome = ask(completion(text))
    assert outcome.failure == ""
    assert [found.title for found in outcome.findings] == titles
    assert outcome.dropped == dropped


def test_a_thousand_findings_arrive(ask: Asking) -> None:
    items = [json.loads(FINDING) | {"start_line": n, "body": "x" * 300} for n in range(1, 1_001)]
    outcome = ask(completion(json.dumps({"findings": items})))
    assert [found.start for found in outcome.findings] == list(range(1, 1_001))


def test_the_one_repair_stands_inside_the_quote(ask: Asking) -> None:
    """However long and odd the broken answer is, what is sent again was quoted."""
    counter, broken = token_counter(), "\u202e\U0001f9ea{]" * 40_000
    outcome = ask(completion(broken))
    assert outcome.failure
    sizes = quote.measure(PROMPTS, counter.count)
    quoted = quote.quote("openai/my-model", sizes, POLICY, Pricing(), names=(BUGS.name,))
    first, again = ask.requests
    assert len(ask.requests) <= quoted.calls
    for request, most in ((first, sizes.first[0]), (again, sizes.repair[0])):
        sent = sum(counter.count(str(message["content"])) for message in request.messages)
        assert sent <= most
    assert "<<<answer " in str(again.messages[-1]["content"])
    extra = len(str(again.messages[-1]["content"])) - len(str(first.messages[-1]["content"]))
    assert extra < MAX_BROKEN_BYTES + 1_500


def test_a_repair_that_works_costs_no_finding(ask: Asking) -> None:
    outcome = ask([completion("I found one thing."), completion(ONE)])
    assert outcome.failure == ""
    assert len(outcome.findings) == 1
    assert (outcome.calls, outcome.input_tokens) == (2, 200)
