"""Asks all agents under one deadline; one that fails does not sink the others.

They read the same long prefix. Where the provider keeps a prefix for the next call, one agent
leads, and the others start when its first token is there: from then on they read the cache.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, replace

from pr_review.agents.answer import Answer, read
from pr_review.agents.bill import Bill
from pr_review.agents.catalogue import Agent
from pr_review.agents.items import SCHEMA
from pr_review.agents.policy import AgentPolicy
from pr_review.agents.ports import ChatModel, ModelCall, Pricing
from pr_review.agents.progress import Progress, Watch, unwatched
from pr_review.agents.prompt import Prompts, repair
from pr_review.agents.quote import output_cap
from pr_review.domain.finding import AgentOutcome
from pr_review.domain.snapshot import estimate_tokens
from pr_review.errors import ModelError

_LEAST_REPAIR_SECONDS = 5.0
_GRACE_SECONDS = 2.0
# Under this many tokens a cache saves less than the time to the lead's first token is worth.
_LEAST_LED_TOKENS = 4_096
# The most of all time that the others wait for the lead: one that hangs must not take it all.
_LEAD_SHARE = 0.25


def run(
    agents: Sequence[Agent],
    prompts: Prompts,
    model: ChatModel,
    pricing: Pricing,
    policy: AgentPolicy,
    *,
    watch: Watch = unwatched,
) -> tuple[AgentOutcome, ...]:
    """One outcome for each agent, in the order of `agents`; a failed one says why.

    Ends `policy.run_seconds` after it began, give or take a moment. An agent whose answer
    cannot be read is asked once more if there is time.
    """
    if not agents:
        return ()
    started = time.monotonic()
    deadline = started + policy.run_seconds
    led = _is_led(prompts, model, policy)
    pool = ThreadPoolExecutor(max_workers=len(agents), thread_name_prefix="agent")
    asked: list[Future[AgentOutcome]] = []
    for agent, call in zip(agents, _calls(prompts, pricing, policy, shared=led), strict=True):
        asking = _Asking(agent, model, Bill(pricing), deadline, policy.repair)
        watch(Progress(agent.name))
        if led and not asked:
            ready = threading.Event()
            asked.append(pool.submit(asking.outcome, call, ready.set))
            ready.wait(_LEAD_SHARE * policy.run_seconds)
        else:
            asked.append(pool.submit(asking.outcome, call))
    answered = set()
    with suppress(TimeoutError):
        for one in as_completed(asked, timeout=deadline + _GRACE_SECONDS - time.monotonic()):
            outcome = one.result()
            answered.add(outcome.name)
            watch(Progress(outcome.name, outcome, time.monotonic() - started))
    pool.shutdown(wait=False, cancel_futures=True)
    outcomes = tuple(_settled(agent, one) for agent, one in zip(agents, asked, strict=True))
    for late in outcomes:
        if late.name not in answered:
            watch(Progress(late.name, late, time.monotonic() - started))
    return outcomes


def _is_led(prompts: Prompts, model: ChatModel, policy: AgentPolicy) -> bool:
    """Whether there is a prefix that is worth a wait: shared, long, and kept by the provider.

    The lead's answer is streamed, and a server that sends no stream is asked again without.
    """
    least = model.least_cached_tokens
    if least is None or len(prompts.tasks) < 2 or not policy.retries:
        return False
    return estimate_tokens(prompts.system + prompts.prefix) >= max(least, _LEAST_LED_TOKENS)


def _calls(
    prompts: Prompts, pricing: Pricing, policy: AgentPolicy, *, shared: bool
) -> list[ModelCall]:
    cap = output_cap(policy, pricing)
    return [
        ModelCall(prompts.system, prompts.prefix, task, SCHEMA, cap, shared, policy.retries)
        for task in prompts.tasks
    ]


def _settled(agent: Agent, asked: Future[AgentOutcome]) -> AgentOutcome:
    if asked.done():
        return asked.result()
    return AgentOutcome(agent.name, failure="it did not answer before the deadline", calls=1)


@dataclass
class _Asking:
    """One agent's calls, and what they were billed."""

    agent: Agent
    model: ChatModel
    bill: Bill
    deadline: float
    repair: bool = True

    def outcome(self, call: ModelCall, started: Callable[[], None] | None = None) -> AgentOutcome:
        """`started` is called when the first token of the answer is there, and at the latest
        when there is an answer or none will come.
        """
        try:
            answer = self._answer(call, started)
        finally:
            if started is not None:
                started()
        if self.repair and answer.repairable and self._seconds_left() > _LEAST_REPAIR_SECONDS:
            task = repair(call.task, self.bill.replies[-1].text, cut=answer.cut_short)
            again = self._answer(replace(call, task=task))
            answer = replace(again, failure=_twice(answer.failure, again.failure))
        said = AgentOutcome(
            name=self.agent.name,
            findings=answer.findings,
            failure=answer.failure,
            dropped=answer.dropped,
            cut_short=answer.cut_short,
        )
        return self.bill.on(said)

    def _answer(self, call: ModelCall, started: Callable[[], None] | None = None) -> Answer:
        try:
            reply = self.model.complete(call, seconds=self._seconds_left(), started=started)
        except ModelError as error:
            self.bill.failed(error)
            return Answer(failure=str(error))
        self.bill.replies.append(reply)
        return read(reply.text, reply.finish_reason, self.agent)

    def _seconds_left(self) -> float:
        return max(0.0, self.deadline - time.monotonic())


def _twice(first: str, second: str) -> str:
    if not second:
        return ""
    return f"{first}; asked once more: {second}" if first != second else f"{first} (asked twice)"


def stood_in(model: str, outcomes: Sequence[AgentOutcome]) -> list[str]:
    """Which fallback answered which agents in the model's place, a line for each."""
    others = dict.fromkeys(outcome.model for outcome in outcomes if outcome.model)
    named = {other: [o.name for o in outcomes if o.model == other] for other in others}
    return [f"{o} answered in place of {model}: {', '.join(names)}" for o, names in named.items()]
