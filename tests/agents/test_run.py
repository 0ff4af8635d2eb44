"""Agents in parallel: one that fails says so and does not sink the others."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import pytest

from pr_review.agents import run as stage
from pr_review.agents.catalogue import catalogue
from pr_review.agents.items import SCHEMA
from pr_review.agents.policy import AgentPolicy
from pr_review.agents.ports import ModelCall, ModelReply, Pricing
from pr_review.agents.progress import Progress, Watch, unwatched
from pr_review.agents.prompt import Prompts
from pr_review.domain.finding import AgentOutcome
from pr_review.errors import ModelError, PromptTooLong

AGENTS = catalogue()
NAMES = tuple(agent.name for agent in AGENTS)
PROMPTS = Prompts("SYSTEM", "PREFIX", tuple(f"task of {name}" for name in NAMES))
PRICED = Pricing(input_usd=1e-3, output_usd=1e-2, max_output_tokens=777)
POLICY = AgentPolicy(NAMES, run_seconds=20.0)
EMPTY = ModelReply('{"findings": []}', "stop", 100, 10)
ONE = '{"findings": [{"path": "a.py", "start_line": 3, "title": "%s", "body": "x"}]}'


class Scripted:
    """A model that answers by a function of the call; it keeps all calls."""

    name = "scripted/model"

    def __init__(
        self, answer: Callable[[ModelCall, float], ModelReply], least_cached: int | None = 1_024
    ) -> None:
        self._answer = answer
        self._lock = threading.Lock()
        self.least_cached_tokens = least_cached
        self.calls: list[ModelCall] = []
        self.started: dict[str, Callable[[], None]] = {}

    def complete(
        self, call: ModelCall, *, seconds: float, started: Callable[[], None] | None = None
    ) -> ModelReply:
        with self._lock:
            self.calls.append(call)
            if started is not None:
                self.started[call.task] = started
        return self._answer(call, seconds)


def asked(
    answer: Callable[[ModelCall, float], ModelReply],
    *,
    pricing: Pricing = PRICED,
    policy: AgentPolicy = POLICY,
    watch: Watch = unwatched,
) -> tuple[tuple[AgentOutcome, ...], list[ModelCall]]:
    model = Scripted(answer)
    outcomes = stage.run(AGENTS, PROMPTS, model, pricing, policy, watch=watch)
    return outcomes, model.calls


def in_turn(replies: Sequence[ModelReply | ModelError]) -> Callable[[ModelCall, float], ModelReply]:
    """Answers the bugs agent with `replies`, one after the other, the others with no finding."""
    left = iter(replies)

    def answer(call: ModelCall, _: float) -> ModelReply:
        if "task of bugs" not in call.task:
            return EMPTY
        reply = next(left)
        if isinstance(reply, ModelError):
            raise reply
        return reply

    return answer


def test_outcomes_come_in_the_order_of_the_agents_with_their_findings() -> None:
    def answer(call: ModelCall, _: float) -> ModelReply:
        name = call.task.removeprefix("task of ")
        time.sleep(0.02 * (len(NAMES) - NAMES.index(name)))
        return ModelReply(ONE % name, "stop", 100, 10)

    outcomes, _ = asked(answer)
    assert [outcome.name for outcome in outcomes] == list(NAMES)
    assert [outcome.findings[0].title for outcome in outcomes] == list(NAMES)
    assert [outcome.findings[0].sources for outcome in outcomes] == [(name,) for name in NAMES]


def test_agents_are_asked_at_the_same_time() -> None:
    together = threading.Barrier(len(AGENTS), timeout=10)

    def answer(_: ModelCall, __: float) -> ModelReply:
        together.wait()
        return EMPTY

    outcomes, _ = asked(answer)
    assert not any(outcome.failure for outcome in outcomes)


def test_calls_share_what_comes_first_and_carry_schema_and_cap() -> None:
    _, calls = asked(lambda _, __: EMPTY)
    assert {(c.system, c.prefix, c.max_output_tokens) for c in calls} == {("SYSTEM", "PREFIX", 777)}
    assert all(call.schema == SCHEMA for call in calls)
    assert sorted(call.task for call in calls) == sorted(PROMPTS.tasks)


def test_a_failed_agent_is_an_outcome_and_the_others_go_on() -> None:
    error = ModelError("the provider answered 500", remedy="try again")
    outcomes, calls = asked(in_turn([error]))
    assert outcomes[0] == AgentOutcome(
        "bugs", failure="the provider answered 500 (try again)", calls=1
    )
    assert all(not outcome.failure and outcome.cost_usd for outcome in outcomes[1:])
    assert len(calls) == len(AGENTS)


def test_an_answer_that_cannot_be_read_is_asked_for_once_more() -> None:
    outcomes, calls = asked(
        in_turn([ModelReply("LGTM", "stop", 100, 10), ModelReply(ONE % "t", "stop", 200, 20, 2)])
    )
    assert outcomes[0].failure == ""
    assert len(outcomes[0].findings) == 1
    assert (outcomes[0].input_tokens, outcomes[0].output_tokens, outcomes[0].calls) == (300, 30, 3)
    assert outcomes[0].cost_usd == pytest.approx(300 * 1e-3 + 30 * 1e-2)
    (again,) = [call for call in calls if call.task not in PROMPTS.tasks]
    assert (again.system, again.prefix) == ("SYSTEM", "PREFIX")
    assert again.task.startswith("task of bugs\n")
    assert "LGTM" in again.task


def test_a_second_answer_that_cannot_be_read_is_a_failure() -> None:
    outcomes, calls = asked(in_turn([ModelReply("LGTM", "stop", 1, 1)] * 3))
    assert "no findings in JSON" in outcomes[0].failure
    assert "asked twice" in outcomes[0].failure
    assert len(calls) == len(AGENTS) + 1


def test_a_repair_that_fails_tells_both() -> None:
    reply = ModelReply("LGTM", "stop", 100, 10)
    replies: list[ModelReply | ModelError] = [reply, ModelError("the connection broke")]
    outcomes, _ = asked(in_turn(replies))
    assert "no findings in JSON" in outcomes[0].failure
    assert "the connection broke" in outcomes[0].failure
    assert (outcomes[0].calls, outcomes[0].input_tokens) == (2, 100)
    assert outcomes[0].cost_usd is None


def test_without_time_for_a_repair_there_is_none() -> None:
    replies = [ModelReply("LGTM", "stop", 100, 10)]
    outcomes, calls = asked(in_turn(replies), policy=replace(POLICY, run_seconds=2.0))
    assert outcomes[0].failure
    assert len(calls) == len(AGENTS)


@pytest.mark.parametrize("reason", ["content_filter", "stop"])
def test_filtered_and_empty_answers_are_not_asked_for_again(reason: str) -> None:
    outcomes, calls = asked(in_turn([ModelReply("", reason, 100, 0)]))
    assert outcomes[0].failure
    assert len(calls) == len(AGENTS)


def test_a_cut_answer_keeps_its_findings_and_is_marked() -> None:
    cut = ModelReply((ONE % "t")[:-2] + ', {"path": "b.p', "length", 100, 777)
    outcomes, calls = asked(in_turn([cut]))
    assert outcomes[0].cut_short
    assert len(outcomes[0].findings) == 1
    assert not outcomes[0].failure
    assert len(calls) == len(AGENTS)


def test_dropped_items_are_counted() -> None:
    text = '{"findings": [{"path": "a.py", "body": "x"}, {"path": 7}, null]}'
    outcomes, _ = asked(in_turn([ModelReply(text, "stop", 1, 1)]))
    assert (len(outcomes[0].findings), outcomes[0].dropped) == (1, 2)


@pytest.mark.parametrize(
    ("pricing", "reply"),
    [(Pricing(), EMPTY), (Pricing(input_usd=1.0), EMPTY), (PRICED, replace(EMPTY, input_tokens=0))],
)
def test_what_was_paid_is_unknown_without_price_or_usage(
    pricing: Pricing, reply: ModelReply
) -> None:
    outcomes, _ = asked(lambda _, __: reply, pricing=pricing)
    assert all(outcome.cost_usd is None for outcome in outcomes)


def test_calls_are_told_what_is_left_of_one_deadline() -> None:
    left: list[float] = []

    def answer(call: ModelCall, seconds: float) -> ModelReply:
        if "task of bugs" in call.task:
            left.append(seconds)
            time.sleep(0.3)
            return ModelReply("LGTM", "stop", 1, 1)
        return EMPTY

    asked(answer)
    first, second = left
    assert first <= POLICY.run_seconds
    assert second <= first - 0.3


def test_a_model_that_never_answers_does_not_hold_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "_GRACE_SECONDS", 0.1)
    release = threading.Event()

    def answer(call: ModelCall, _: float) -> ModelReply:
        if "task of bugs" in call.task:
            release.wait(30)
        return EMPTY

    started = time.monotonic()
    told: list[Progress] = []
    try:
        policy = replace(POLICY, run_seconds=0.3)
        outcomes, _ = asked(answer, policy=policy, watch=told.append)
    finally:
        release.set()
    assert time.monotonic() - started < 5
    assert "deadline" in outcomes[0].failure
    assert not any(outcome.failure for outcome in outcomes[1:])
    assert [one.agent for one in told if one.outcome is None] == list(NAMES)
    ended = [one for one in told if one.outcome is not None]
    assert {one.agent: one.outcome for one in ended} == {one.name: one for one in outcomes}
    assert (ended[-1].outcome, len(ended)) == (outcomes[0], len(NAMES)), "the late one is last"


def test_a_bug_in_a_model_adapter_is_not_taken_for_a_failed_agent() -> None:
    def answer(_: ModelCall, __: float) -> ModelReply:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asked(answer)


def test_no_agents_no_outcomes() -> None:
    prompts = Prompts("S", "P", ())
    assert stage.run((), prompts, Scripted(lambda _, __: EMPTY), PRICED, POLICY) == ()


def test_what_the_quote_left_out_is_not_done() -> None:
    broken = ModelReply("no JSON at all", "stop", 100, 10)
    spare = replace(POLICY, retries=1, repair=False)
    outcomes, calls = asked(in_turn([broken]), policy=spare)
    assert outcomes[0].failure
    assert len(calls) == len(NAMES)
    assert {call.retries for call in calls} == {1}


# -- the lead

LONG = replace(PROMPTS, prefix="x" * 20_000)
LEAD = PROMPTS.tasks[0]


class Led(Scripted):
    """A model whose every answer to the lead waits for `go`; without a long wait on failure."""

    def __init__(self, least_cached: int | None = 1_024) -> None:
        super().__init__(self._reply, least_cached)
        self.go = threading.Event()
        self.others = threading.Semaphore(0)
        self.error: ModelError | None = None

    def _reply(self, call: ModelCall, _: float) -> ModelReply:
        if call.task != LEAD:
            self.others.release()
            return EMPTY
        assert self.go.wait(10)
        if self.error is not None:
            raise self.error
        return EMPTY

    def run(self, prompts: Prompts = LONG, policy: AgentPolicy = POLICY) -> Future[tuple[str, ...]]:
        def failures() -> tuple[str, ...]:
            return tuple(o.failure for o in stage.run(AGENTS, prompts, self, PRICED, policy))

        return ThreadPoolExecutor(1).submit(failures)

    def count_of_others(self, seconds: float) -> int:
        """How many others were asked by then; all that are due, if they come sooner."""
        return sum(self.others.acquire(timeout=seconds) for _ in AGENTS[1:])


def test_a_long_prefix_is_led_until_the_first_token() -> None:
    model = Led()
    run = model.run()
    assert model.count_of_others(0.05) == 0
    model.started[LEAD]()
    assert model.count_of_others(5) == len(AGENTS) - 1
    assert not run.done()  # the lead itself still answers
    model.go.set()
    assert run.result(5) == ("",) * len(AGENTS)
    assert list(model.started) == [LEAD]  # the others are not streamed
    assert all(call.shared for call in model.calls)


@pytest.mark.parametrize("error", [None, ModelError("refused")])
def test_the_others_start_when_the_lead_has_answered_or_failed_without_a_token(
    error: ModelError | None,
) -> None:
    model = Led()
    model.error = error
    run = model.run()
    model.go.set()
    assert model.count_of_others(5) == len(AGENTS) - 1
    assert run.result(5)[0] == ("" if error is None else "refused")


def test_a_lead_that_hangs_does_not_take_the_others_time() -> None:
    model = Led()
    started = time.monotonic()
    run = model.run(policy=replace(POLICY, run_seconds=0.8))
    assert model.count_of_others(5) == len(AGENTS) - 1
    assert 0.2 <= time.monotonic() - started < 0.7
    model.go.set()
    run.result(5)


@pytest.mark.parametrize(
    ("prompts", "least"),
    [(PROMPTS, 1_024), (LONG, None), (LONG, 6_000)],
    ids=["short", "no cache", "under the provider's least"],
)
def test_without_a_cache_to_fill_all_start_at_once(prompts: Prompts, least: int | None) -> None:
    model = Led(least)
    run = model.run(prompts)
    assert model.count_of_others(5) == len(AGENTS) - 1
    model.go.set()
    assert run.result(5) == ("",) * len(AGENTS)
    assert model.started == {}
    assert not any(call.shared for call in model.calls)


def test_one_agent_alone_shares_nothing() -> None:
    model = Scripted(lambda _, __: EMPTY)
    alone = replace(LONG, tasks=LONG.tasks[:1])
    stage.run(AGENTS[:1], alone, model, PRICED, POLICY)
    assert not model.calls[0].shared
    assert model.started == {}


def test_what_the_cache_held_is_counted() -> None:
    cached = replace(EMPTY, input_tokens=1_000, cached_tokens=800, written_tokens=100)
    outcomes, _ = asked(lambda _, __: cached)
    assert {outcome.cached_tokens for outcome in outcomes} == {800}


def test_what_was_paid_is_unknown_if_an_answer_was_lost() -> None:
    outcomes, _ = asked(lambda _, __: replace(EMPTY, unread=1))
    assert all(outcome.cost_usd is None for outcome in outcomes)


def test_without_a_repeat_nobody_leads_since_a_lead_may_have_to_be_asked_again() -> None:
    model = Led()
    model.go.set()
    stage.run(AGENTS, LONG, model, PRICED, replace(POLICY, retries=0))
    assert not any(call.shared for call in model.calls)


def test_a_prompt_that_is_too_long_is_marked() -> None:
    outcomes, _ = asked(in_turn([PromptTooLong("200,000 tokens are too many")]))
    assert [outcome.too_long for outcome in outcomes] == [True, *[False] * (len(NAMES) - 1)]
    assert outcomes[0].failure == "200,000 tokens are too many"


def test_a_repair_that_is_too_long_follows_an_answer_that_was_billed() -> None:
    broken = ModelReply("no JSON at all", "stop", 100, 10)
    outcomes, _ = asked(in_turn([broken, PromptTooLong("too long")]))
    assert (outcomes[0].too_long, outcomes[0].input_tokens) == (False, 100)
