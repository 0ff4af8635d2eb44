"""Agents over several passes: each is asked about every pass, and what it said is joined."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from pr_review.agents import passes as stage
from pr_review.agents.catalogue import catalogue
from pr_review.agents.policy import AgentPolicy
from pr_review.agents.ports import ModelCall, ModelReply, Pricing
from pr_review.agents.progress import Progress
from pr_review.agents.prompt import Prompts
from pr_review.domain.finding import AgentOutcome
from pr_review.errors import ModelError, PromptTooLong

AGENTS = catalogue()[:2]
FIRST, SECOND = (agent.name for agent in AGENTS)
PASSES = [Prompts("SYSTEM", f"PREFIX {n}", ("task one", "task two")) for n in (1, 2, 3)]
PRICED = Pricing(input_usd=1e-3, output_usd=1e-2)
POLICY = AgentPolicy((FIRST, SECOND), run_seconds=20.0, repair=False)
FOUND = '{"findings": [{"path": "a.py", "start_line": 3, "title": "%s", "body": "x"}, {"path": 7}]}'


class Scripted:
    """A model that answers by a function of the call; it keeps the prefixes it was sent."""

    name = "scripted/model"
    least_cached_tokens = None

    def __init__(self, answer: Callable[[ModelCall], ModelReply]) -> None:
        self._answer = answer
        self._lock = threading.Lock()
        self.prefixes: list[str] = []

    def complete(
        self, call: ModelCall, *, seconds: float, started: Callable[[], None] | None = None
    ) -> ModelReply:
        del seconds, started
        with self._lock:
            self.prefixes.append(call.prefix)
        return self._answer(call)


def found(call: ModelCall) -> ModelReply:
    return ModelReply(FOUND % call.prefix, "stop", 100, 10, cached_tokens=40)


def asked(
    answer: Callable[[ModelCall], ModelReply], policy: AgentPolicy = POLICY
) -> tuple[tuple[AgentOutcome, ...], list[str]]:
    model = Scripted(answer)
    return stage.run(AGENTS, PASSES, model, PRICED, policy), model.prefixes


def test_who_waits_is_told_of_each_pass() -> None:
    told: list[Progress] = []
    stage.run(AGENTS, PASSES[:2], Scripted(found), PRICED, POLICY, watch=told.append)
    assert [one.part for one in told] == ["pass 1 of 2"] * 4 + ["pass 2 of 2"] * 4
    assert [one.outcome is None for one in told] == [True, True, False, False] * 2


def test_what_an_agent_said_is_joined_and_its_bill_is_added_up() -> None:
    outcomes, prefixes = asked(found)
    assert prefixes == ["PREFIX 1"] * 2 + ["PREFIX 2"] * 2 + ["PREFIX 3"] * 2
    for name, outcome in zip((FIRST, SECOND), outcomes, strict=True):
        assert outcome.name == name
        assert [f.title for f in outcome.findings] == ["PREFIX 1", "PREFIX 2", "PREFIX 3"]
        assert (outcome.failure, outcome.in_part, outcome.dropped) == ("", False, 3)
        assert (outcome.input_tokens, outcome.output_tokens, outcome.calls) == (300, 30, 3)
        assert outcome.cached_tokens == 120
        assert outcome.cost_usd == pytest.approx(3 * (100 * 1e-3 + 10 * 1e-2))


def test_an_agent_that_fails_in_one_pass_has_failed_and_keeps_what_it_found() -> None:
    def answer(call: ModelCall) -> ModelReply:
        if call.prefix == "PREFIX 2" and call.task == "task one":
            raise ModelError("the provider said no")
        return found(call)

    (first, second), prefixes = asked(answer)
    assert first.failure == "in pass 2 of 3: the provider said no"
    assert first.in_part
    assert [finding.title for finding in first.findings] == ["PREFIX 1", "PREFIX 3"]
    assert first.cost_usd is None
    assert (second.failure, len(second.findings)) == ("", 3)
    assert len(prefixes) == 6


def test_after_a_pass_in_which_nobody_answered_none_is_asked() -> None:
    def answer(call: ModelCall) -> ModelReply:
        if call.prefix == "PREFIX 2":
            raise ModelError("the provider is gone")
        return found(call)

    outcomes, prefixes = asked(answer)
    assert "PREFIX 3" not in prefixes
    for outcome in outcomes:
        assert outcome.failure == (
            "in pass 2 of 3: the provider is gone; "
            "not asked after that: nobody had answered in pass 2"
        )
        assert outcome.in_part
        assert len(outcome.findings) == 1


def test_who_answered_in_no_pass_has_failed_altogether() -> None:
    def answer(call: ModelCall) -> ModelReply:
        if call.task == "task two":
            raise ModelError("no")
        return found(call)

    (first, second), _ = asked(answer)
    assert not first.failure
    assert second.failure == "in pass 1 of 3: no; in pass 2 of 3: no; in pass 3 of 3: no"
    assert not second.in_part


def test_a_pass_that_is_late_takes_nothing_from_the_next() -> None:
    """Each has the whole deadline."""

    def answer(call: ModelCall) -> ModelReply:
        time.sleep(0.2)
        return found(call)

    outcomes, _ = asked(answer, replace(POLICY, run_seconds=0.3))
    assert not any(outcome.failure for outcome in outcomes)


def test_a_length_that_is_refused_from_the_start_is_told_so_that_less_may_be_sent() -> None:
    def answer(call: ModelCall) -> ModelReply:
        raise PromptTooLong("too long", calls=1)

    outcomes, prefixes = asked(answer)
    assert set(prefixes) == {"PREFIX 1"}
    assert all(outcome.too_long for outcome in outcomes)

    def later(call: ModelCall) -> ModelReply:
        if call.prefix == "PREFIX 2":
            raise PromptTooLong("too long", calls=1)
        return found(call)

    outcomes, _ = asked(later)
    assert not any(outcome.too_long for outcome in outcomes)


def test_one_pass_is_told_as_ever() -> None:
    def answer(call: ModelCall) -> ModelReply:
        raise ModelError("no")

    outcomes = stage.run(AGENTS, PASSES[:1], Scripted(answer), PRICED, POLICY)
    assert [(one.failure, one.in_part) for one in outcomes] == [("no", False)] * 2
