"""One job from its first request to its answer: the only place where requests are repeated."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from queue import Empty, SimpleQueue
from random import SystemRandom
from typing import Any, Protocol

from pr_review.adapters.llm.failures import Failure, Kind, diagnose
from pr_review.adapters.llm.redaction import clean, secrets_of
from pr_review.adapters.llm.wire import Answer, Job

MAX_RETRIES = 2
_random = SystemRandom()


class Library(Protocol):
    """What we use of LiteLLM."""

    def completion(self, **arguments: Any) -> Any: ...

    def supports_response_schema(self, model: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it stands: `parameters` are those a provider may refuse, one by one."""

    job: Job
    parameters: dict[str, Any]
    folded: bool = False

    @property
    def messages(self) -> list[dict[str, str]]:
        """Never an empty message; the system's text joins the user's when it has to."""
        user = [self.job.prefix, self.job.task]
        system = self.job.system
        if self.folded or not any(text.strip() for text in user):
            user, system = [system, *user], ""
        messages = [{"role": "system", "content": system}] if system.strip() else []
        text = "\n\n".join(part for part in user if part.strip())
        return [*messages, {"role": "user", "content": text}]

    @property
    def has_system(self) -> bool:
        return self.messages[0]["role"] == "system"

    def arguments(self, seconds: float) -> dict[str, Any]:
        """The arguments of `litellm.completion`; `seconds` bounds each read, not the call."""
        return {
            "model": self.job.model,
            "messages": self.messages,
            "api_key": self.job.api_key,
            "api_base": self.job.api_base,
            "extra_headers": self.job.headers or None,
            "timeout": math.ceil(seconds),
            "max_retries": 0,
            "drop_params": True,
            **self.parameters,
        }

    def amended(self, failure: Failure) -> Request | None:
        """The same without what the provider refused; None if there is nothing to change."""
        if failure.kind is Kind.SYSTEM_ROLE and not self.folded:
            return replace(self, folded=True)
        if failure.kind is not Kind.PARAMETER:
            return None
        kept = {n: v for n, v in self.parameters.items() if n != failure.parameter}
        if failure.parameter == "max_completion_tokens":
            return None  # without a bound the answer could cost more than was quoted
        if failure.parameter == "max_tokens":
            kept["max_completion_tokens"] = self.parameters["max_tokens"]
        return replace(self, parameters=kept)


def answer(job: Job, library: Library) -> Answer:
    """Answers a job before its deadline, with at most two repetitions of what may pass by
    itself and one for each thing that the provider refused. Never raises.
    """
    request, retries, calls, last = _first(job, library), 0, 0, ""
    secrets = secrets_of(job)
    while True:
        calls += 1
        try:
            outcome = _within(job.deadline, partial(_send, request, library))
        except Empty:
            error, remedy = _too_late(job, last)
            return Answer(job.number, calls=calls, error=error, remedy=remedy)
        if not isinstance(outcome, Exception):
            return _read(outcome, job, calls, secrets)
        failure = diagnose(
            outcome, parameters=frozenset(request.parameters), system=request.has_system
        )
        last = _words(failure, secrets)
        if amended := request.amended(failure):
            request = amended
        elif (
            failure.kind is Kind.TRANSIENT
            and retries < MAX_RETRIES
            and _pause(failure, retries, job)
        ):
            retries += 1
        else:
            error, remedy = _failed(failure, job, last, calls)
            return Answer(job.number, calls=calls, error=error, remedy=remedy)


def _first(job: Job, library: Library) -> Request:
    parameters: dict[str, Any] = {"max_tokens": job.max_output_tokens}
    if job.temperature is not None:
        parameters["temperature"] = job.temperature
    if library.supports_response_schema(job.model):
        shape = {"name": "answer", "schema": job.schema, "strict": True}
        parameters["response_format"] = {"type": "json_schema", "json_schema": shape}
    return Request(job, parameters)


def _send(request: Request, library: Library) -> Any:
    remaining = request.job.deadline - time.monotonic()
    return library.completion(**request.arguments(max(remaining, 0.001)))


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


def _read(response: Any, job: Job, calls: int, secrets: tuple[str, ...]) -> Answer:
    usage = getattr(response, "usage", None)
    read = Answer(
        job.number,
        input_tokens=getattr(usage, "prompt_tokens", None) or 0,
        output_tokens=getattr(usage, "completion_tokens", None) or 0,
        calls=calls,
    )
    choices = getattr(response, "choices", None)
    if not choices:
        return replace(read, error=f"{job.model} answered without a choice")
    message, reason = choices[0].message, str(choices[0].finish_reason or "")
    text = message.content if isinstance(message.content, str) else ""
    read = replace(read, finish_reason=reason)
    refusal = getattr(message, "refusal", None)
    if reason == "content_filter" or (refusal and not text.strip()):
        said = f": {clean(str(refusal), secrets)}" if refusal else ""
        how = "was stopped by the provider's content filter" if not refusal else "refused to answer"
        return replace(read, error=f"{job.model} {how}{said}")
    if not text.strip():
        error, remedy = _nothing_said(reason, job)
        return replace(read, error=error, remedy=remedy)
    return replace(read, text=text)


def _nothing_said(reason: str, job: Job) -> tuple[str, str]:
    """Error and remedy."""
    if reason == "length":
        spent = f"{job.model} spent its {job.max_output_tokens} output tokens without an answer"
        return spent, "raise max-output-tokens"
    return f"{job.model} gave an empty answer (finish reason: {reason or 'none'})", ""


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
            what, remedy = "the credentials were not accepted", "check api-key"
        case Kind.FILTERED:
            what, remedy = "the prompt was stopped by the provider's content filter", ""
        case Kind.QUOTA:
            what, remedy = "the account's quota is used up", "check the provider's billing page"
        case Kind.PARAMETER:
            what, remedy = "the request was refused", "lower max-output-tokens"
        case Kind.UNTRUSTED:
            what = "the server's certificate is not trusted"
            remedy = "give the certificate of its authority as ca-bundle"
        case Kind.TRANSIENT:
            what, remedy = f"no answer after {_counted(calls)}{_asked_to_wait(failure)}", ""
        case _:
            what, remedy = "the request failed", "check model and api-base"
    return f"{job.model}: {what}: {last}", remedy


def _counted(calls: int) -> str:
    return "1 request" if calls == 1 else f"{calls} requests"


def _asked_to_wait(failure: Failure) -> str:
    wait = failure.retry_after
    return "" if wait is None else f", the provider asks to wait {math.ceil(wait)} s"
