"""Asks all agents at once, under one deadline; one that fails does not sink the others."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace

from pr_review.agents.answer import Answer, read
from pr_review.agents.catalogue import Agent
from pr_review.agents.items import SCHEMA
from pr_review.agents.policy import AgentPolicy
from pr_review.agents.ports import ChatModel, ModelCall, ModelReply, Pricing
from pr_review.agents.prompt import Prompts, repair
from pr_review.agents.quote import cost, output_cap
from pr_review.domain.finding import AgentOutcome
from pr_review.errors import ModelError

_LEAST_REPAIR_SECONDS = 5.0
_GRACE_SECONDS = 2.0


def run(
    agents: Sequence[Agent],
    prompts: Prompts,
    model: ChatModel,
    pricing: Pricing,
    policy: AgentPolicy,
) -> tuple[AgentOutcome, ...]:
    """One outcome for each agent, in the order of `agents`; a failed one says why.

    Ends `policy.run_seconds` after it began, give or take a moment. An agent whose answer
    cannot be read is asked once more if there is time.
    """
    if not agents:
        return ()
    deadline = time.monotonic() + policy.run_seconds
    pool = ThreadPoolExecutor(max_workers=len(agents), thread_name_prefix="agent")
    asked = [
        pool.submit(_Asking(agent, model, pricing, deadline).outcome, call)
        for agent, call in zip(agents, _calls(prompts, pricing, policy), strict=True)
    ]
    wait(asked, timeout=policy.run_seconds + _GRACE_SECONDS)
    pool.shutdown(wait=False, cancel_futures=True)
    return tuple(_settled(agent, one) for agent, one in zip(agents, asked, strict=True))


def _calls(prompts: Prompts, pricing: Pricing, policy: AgentPolicy) -> list[ModelCall]:
    cap = output_cap(policy, pricing)
    return [ModelCall(prompts.system, prompts.prefix, task, SCHEMA, cap) for task in prompts.tasks]


def _settled(agent: Agent, asked: Future[AgentOutcome]) -> AgentOutcome:
    if asked.done():
        return asked.result()
    return AgentOutcome(agent.name, failure="it did not answer before the deadline", calls=1)


@dataclass
class _Asking:
    """One agent's calls, and what they were billed."""

    agent: Agent
    model: ChatModel
    pricing: Pricing
    deadline: float
    replies: list[ModelReply] = field(default_factory=list)
    errors: int = 0

    def outcome(self, call: ModelCall) -> AgentOutcome:
        answer = self._answer(call)
        if answer.repairable and self._seconds_left() > _LEAST_REPAIR_SECONDS:
            task = repair(call.task, self.replies[-1].text, cut=answer.cut_short)
            again = self._answer(replace(call, task=task))
            answer = replace(again, failure=_twice(answer.failure, again.failure))
        return AgentOutcome(
            name=self.agent.name,
            findings=answer.findings,
            failure=answer.failure,
            dropped=answer.dropped,
            cut_short=answer.cut_short,
            input_tokens=sum(reply.input_tokens for reply in self.replies),
            output_tokens=sum(reply.output_tokens for reply in self.replies),
            calls=sum(reply.calls for reply in self.replies) + self.errors,
            cost_usd=self._cost(),
        )

    def _answer(self, call: ModelCall) -> Answer:
        try:
            reply = self.model.complete(call, seconds=self._seconds_left())
        except ModelError as error:
            self.errors += 1
            return Answer(failure=str(error))
        self.replies.append(reply)
        return read(reply.text, reply.finish_reason, self.agent)

    def _seconds_left(self) -> float:
        return max(0.0, self.deadline - time.monotonic())

    def _cost(self) -> float | None:
        """None if a call told no usage: one that failed may have been billed all the same."""
        if self.errors or not all(reply.input_tokens for reply in self.replies):
            return None
        costs = [cost(r.input_tokens, r.output_tokens, self.pricing) for r in self.replies]
        known = [one for one in costs if one is not None]
        return sum(known) if len(known) == len(costs) else None


def _twice(first: str, second: str) -> str:
    if not second:
        return ""
    return f"{first}; asked once more: {second}" if first != second else f"{first} (asked twice)"
