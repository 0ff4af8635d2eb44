"""One job from its first request to its answer: the only place where requests are repeated."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from random import SystemRandom
from typing import Any, Protocol

from pr_review.adapters.certificates import TRUST_IT
from pr_review.adapters.llm.failures import Failure, Kind, diagnose
from pr_review.adapters.llm.redaction import clean, secrets_of
from pr_review.adapters.llm.request import Request, first
from pr_review.adapters.llm.response import Builder, NotStreamed, collect, read
from pr_review.adapters.llm.wire import Answer, Job
from pr_review.domain.words import counted

_random = SystemRandom()


class Library(Builder, Protocol):
    """What we use of LiteLLM."""

    def completion(self, **arguments: Any) -> Any: ...

    def supports_response_schema(self, model: str) -> bool: ...


def answer(job: Job, library: Library, started: Callable[[], None] = lambda: None) -> Answer:
    """Answers a job before its deadline, with at most two repetitions of what may pass by
    itself and one for each thing that the provider refused. Never raises.

    If the job is streamed, `started` is called once, when the first token is there; from then
    on nothing is repeated: it would be billed twice.
    """
    request = first(job, schema=library.supports_response_schema(job.model))
    return _Attempts(job, library, started, request).answer()


@dataclass
class _Attempts:
    """The state of one job: the request as it stands, and what became of it so far."""

    job: Job
    library: Library
    started: Callable[[], None]
    request: Request
    calls: int = 0
    retries: int = 0
    unread: int = 0
    begun: bool = False
    last: str = ""

    def answer(self) -> Answer:
        secrets = secrets_of(self.job)
        while True:
            self.calls += 1
            try:
                outcome = _within(self.job.deadline, self._send)
            except Empty:
                return self._error(*_too_late(self.job, self.last))
            if isinstance(outcome, NotStreamed):
                # it may well have answered, in a form that a reader of streams does not see:
                # that counts as one of the repetitions, which a quote allows for
                self.unread += 1
                if self.retries >= self.job.retries:
                    return self._error(f"{self.job.model} sent no stream, and nothing readable", "")
                self.request, self.retries = self.request.unstreamed(), self.retries + 1
            elif not isinstance(outcome, Exception):
                said = read(outcome, self.job, secrets)
                return replace(said, calls=self.calls, unread=self.unread)
            else:
                failure = self._diagnosed(outcome)
                self.last = _words(failure, secrets)
                if not self._again(failure):
                    error, remedy = _failed(failure, self.job, self.last, self.calls)
                    said = self._error(error, remedy, unbilled=self._unbilled(failure))
                    return replace(said, too_long=self._too_long(failure))

    def _send(self) -> Any:
        remaining = self.job.deadline - time.monotonic()
        response = self.library.completion(**self.request.arguments(max(remaining, 0.001)))
        return collect(response, self.library, self._start) if self.request.streamed else response

    def _start(self) -> None:
        self.begun = True
        self.started()

    def _diagnosed(self, error: Exception) -> Failure:
        return diagnose(error, parameters=self.request.refusable, system=self.request.has_system)

    def _again(self, failure: Failure) -> bool:
        """Whether the request is to be sent once more, changed or after a pause."""
        if self.begun:
            return False
        if amended := self.request.amended(failure):
            self.request = amended
            return True
        if failure.kind is not Kind.TRANSIENT or self.retries >= self.job.retries:
            return False
        self.retries += 1
        return _pause(failure, self.retries - 1, self.job)

    def _unbilled(self, failure: Failure) -> bool:
        """Whether all requests ended without an answer, as far as anyone can tell from here: a
        500 that LiteLLM made up stands for an answer that it could not read.
        """
        read_nothing = failure.kind is Kind.FINAL and not 400 <= failure.status < 500
        late = failure.kind is Kind.TIMEOUT
        return not (self.begun or self.unread or read_nothing or late)

    def _too_long(self, failure: Failure) -> bool:
        """Whether no request ended otherwise: what is repeated may be billed, by who knows."""
        return failure.kind is Kind.OVERFLOW and not (self.begun or self.retries)

    def _error(self, error: str, remedy: str, *, unbilled: bool = False) -> Answer:
        return Answer(
            self.job.number,
            calls=self.calls,
            error=error,
            remedy=remedy,
            unread=self.unread,
            unbilled=unbilled,
        )


def _within(deadline: float, work: Callable[[], Any]) -> Any:
    """The result of `work`, or the exception that it raised. Raises `Empty` at the deadline.

    The library's timeout holds for one read, so a server that drips passes it: the work runs
    in a thread of its own, which is left behind.
    """
    box: SimpleQueue[Any] = SimpleQueue()

    def run() -> None:
        try:
            box.put(work())
        except Exception as error:  # noqa: BLE001 - every failure is the provider's or LiteLLM's, and is diagnosed
            box.put(error)

    threading.Thread(target=run, daemon=True).start()
    return box.get(timeout=max(0.0, deadline - time.monotonic()))


def _pause(failure: Failure, retries: int, job: Job) -> bool:
    """Waits before a repetition; false, at once, if the wait would not end in time."""
    seconds = failure.retry_after
    if seconds is None:
        seconds = 2.0**retries * _random.uniform(0.5, 1.0)
    if time.monotonic() + seconds >= job.deadline:
        return False
    time.sleep(seconds)
    return True


def _words(failure: Failure, secrets: tuple[str, ...]) -> str:
    text = clean(failure.text, secrets) or "no word of explanation"
    return f"{failure.status}: {text}" if failure.status else text


def _too_late(job: Job, last: str) -> tuple[str, str]:
    """Error and remedy."""
    before = f"; before that, {last}" if last else ""
    late = f"{job.model} gave no answer within {job.seconds:.0f} s{before}"
    return late, "raise run-deadline or lower diff-token-budget"


def _failed(failure: Failure, job: Job, last: str, calls: int) -> tuple[str, str]:
    """Error and remedy."""
    match failure.kind:
        case Kind.TIMEOUT:
            return _too_late(job, "")
        case Kind.OVERFLOW:
            what, remedy = "the prompt does not fit the model's context", "lower max-prompt-tokens"
        case Kind.CREDENTIALS:
            what, remedy = "the credentials were not accepted", _where_they_stand(job)
        case Kind.FILTERED:
            what, remedy = "the prompt was stopped by the provider's content filter", ""
        case Kind.QUOTA:
            what, remedy = "the account's quota is used up", "check the provider's billing page"
        case Kind.PARAMETER:
            what, remedy = "the request was refused", "lower max-output-tokens"
        case Kind.UNTRUSTED:
            what, remedy = "the server's certificate is not trusted", TRUST_IT
        case Kind.NO_PROVIDER:  # LiteLLM says it at length, to who writes Python
            return f"{job.model}: no provider has this name", "write model as provider/model"
        case Kind.TRANSIENT:
            what = f"no answer after {counted(calls, 'request')}{_asked_to_wait(failure)}"
            remedy = "" if failure.status else "check api-base, the network and proxies"
        case _:
            what, remedy = "the request failed", "check model and api-base"
    return f"{job.model}: {what}: {last}", remedy


def _where_they_stand(job: Job) -> str:
    if job.api_key or not job.environment:
        return "check api-key"
    needed = {"VERTEXAI_PROJECT"} if job.model.startswith("vertex_ai/") else set[str]()
    return f"check {', '.join(sorted({*job.environment, *needed}))}"


def _asked_to_wait(failure: Failure) -> str:
    wait = failure.retry_after
    return "" if wait is None else f", the provider asks to wait {math.ceil(wait)} s"
