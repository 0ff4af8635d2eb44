"""What LiteLLM hands back, streamed or not, read as an answer with its provider's own count."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Protocol

from pr_review.adapters.llm.redaction import clean
from pr_review.adapters.llm.wire import Answer, Job


class Builder(Protocol):
    """What we use of LiteLLM to put a stream together."""

    def stream_chunk_builder(self, chunks: list[Any]) -> Any: ...


class NotStreamed(Exception):  # noqa: N818 - what the server did: it sent no stream
    """A stream was asked for, and no part of one came."""


def collect(stream: Iterable[Any], library: Builder, started: Callable[[], None]) -> Any:
    """The whole response of a stream; `started` is called when its first token is there.

    Raises `NotStreamed`, and what the library raises.
    """
    chunks: list[Any] = []
    waiting = True
    for chunk in stream:
        chunks.append(chunk)
        if waiting and any(_holds_token(choice.delta) for choice in chunk.choices):
            waiting = False
            started()
    # What came from the provider: LiteLLM adds chunks, and counts by itself where usage is missing
    sent = list(getattr(stream, "chunks", chunks))
    counted = any(getattr(chunk, "usage", None) for chunk in sent)
    if waiting and not counted and not any(_began(chunk) for chunk in sent):
        raise NotStreamed
    whole = library.stream_chunk_builder(chunks)
    if whole is not None and not counted:
        whole.usage = None
    return whole


def read(response: Any, job: Job, secrets: tuple[str, ...]) -> Answer:
    """The answer of a response; an error if it holds none that could be read."""
    said = _counted(response, job)
    choices = getattr(response, "choices", None)
    if not choices:
        return replace(said, error=f"{job.model} answered without a choice")
    message, reason = choices[0].message, str(choices[0].finish_reason or "")
    text = _text(message)
    said = replace(said, finish_reason=reason)
    refusal = getattr(message, "refusal", None)
    if reason == "content_filter" or (refusal and not text.strip()):
        words = f": {clean(str(refusal), secrets)}" if refusal else ""
        how = "was stopped by the provider's content filter" if not refusal else "refused to answer"
        return replace(said, error=f"{job.model} {how}{words}")
    if not text.strip():
        error, remedy = _nothing_said(reason, job)
        return replace(said, error=error, remedy=remedy)
    return replace(said, text=text)


def _counted(response: Any, job: Job) -> Answer:
    """The provider's count alone. What a cache held or took is part of the input."""
    usage = getattr(response, "usage", None)
    details = getattr(usage, "prompt_tokens_details", None)
    sent = _count(usage, "prompt_tokens")
    cached = _count(details, "cached_tokens") or _count(usage, "cache_read_input_tokens")
    written = _count(usage, "cache_creation_input_tokens") or _count(details, "cache_write_tokens")
    return Answer(
        job.number,
        input_tokens=sent,
        output_tokens=_count(usage, "completion_tokens"),
        cached_tokens=min(cached, sent),
        written_tokens=min(written, max(0, sent - cached)),
    )


def _count(holder: Any, name: str) -> int:
    value = getattr(holder, name, None)
    return value if isinstance(value, int) and value > 0 else 0


def _text(message: Any) -> str:
    """Some models answer a schema by calling a tool that nobody gave them."""
    if isinstance(message.content, str) and message.content.strip():
        return message.content
    calls = getattr(message, "tool_calls", None) or ()
    said = [getattr(getattr(call, "function", None), "arguments", None) for call in calls]
    return next((text for text in said if isinstance(text, str)), "")


def _nothing_said(reason: str, job: Job) -> tuple[str, str]:
    """Error and remedy."""
    if reason == "length":
        spent = f"{job.model} spent its {job.max_output_tokens} output tokens without an answer"
        return spent, "raise max-output-tokens"
    return f"{job.model} gave an empty answer (finish reason: {reason or 'none'})", ""


def _holds_token(delta: Any) -> bool:
    held = ("content", "reasoning_content", "tool_calls", "thinking_blocks")
    return any(getattr(delta, name, None) for name in held)


def _began(chunk: Any) -> bool:
    """Whether the provider began an answer in this chunk."""
    return any(getattr(choice.delta, "role", None) for choice in chunk.choices)
