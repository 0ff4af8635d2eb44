"""A language model behind the agents' port, answered by a process that holds no GitHub token."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from pr_review.adapters.llm.process import Isolation, ModelProcess, without_secrets
from pr_review.adapters.llm.providers import (
    cache_mark,
    credential_files,
    credential_variables,
    least_cached_tokens,
    provider_environment,
)
from pr_review.adapters.llm.wire import Answer, Job
from pr_review.agents.ports import ChatModel, ModelCall, ModelReply
from pr_review.errors import ModelError, ModelUnavailable, PromptTooLong

# OpenAI's client refuses to start without any key; a server of one's own ignores it.
_NO_KEY = "none"


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model, and how it is reached. `model` is a LiteLLM name.

    `temperature` is sent only if it is set. `ca_file` names all PEM certificates to
    trust, in place of the public ones.
    """

    model: str
    api_key: str | None = field(default=None, repr=False)
    api_base: str | None = field(default=None, repr=False)
    extra_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    temperature: float | None = None
    ca_file: Path | None = None


class ChildModel(ChatModel):
    """A model whose calls run in a process of their own; use it as a context manager.

    `environ` is the environment of the whole program, of which the process gets what the
    model's provider needs and no variable that contains one of the `withheld` values (the
    GitHub token). Models may share one `process`: then `settings.ca_file` is the process's.
    """

    def __init__(
        self,
        settings: ModelSettings,
        environ: Mapping[str, str],
        *,
        withheld: Collection[str] = (),
        process: ModelProcess | None = None,
    ) -> None:
        self._settings = settings
        self._environment = provider_environment(settings.model, without_secrets(environ, withheld))
        self._files = without_secrets(credential_files(self._environment), withheld)
        self._process = process or ModelProcess(
            environ, withheld=withheld, ca_file=settings.ca_file
        )

    def __repr__(self) -> str:
        return f"ChildModel({self._settings!r})"

    @property
    def name(self) -> str:
        return self._settings.model

    @property
    def isolation(self) -> Isolation:
        """`uid` if the process runs as another user, `process` if it shares ours and could
        read what we could. Known after `start`.
        """
        return self._process.isolation

    @property
    def pid(self) -> int | None:
        """The process's id, None before `start`."""
        return self._process.pid

    def start(self) -> None:
        """Starts the process, which loads LiteLLM while the caller does other things. It
        receives nothing before the first call. Raises `ModelError`.
        """
        self._process.start()

    @property
    def least_cached_tokens(self) -> int | None:
        return least_cached_tokens(self._settings.model)

    def complete(
        self, call: ModelCall, *, seconds: float, started: Callable[[], None] | None = None
    ) -> ModelReply:
        """Answers within `seconds`, retries included; safe to use from several threads.

        Starts the process if it was not. Raises `ModelError` in one line without secrets: for
        an answer that is empty, filtered or refused, at the deadline, and when the process
        ends; `ModelUnavailable` for what the provider refused, `PromptTooLong` for its length.
        """
        if not any(text.strip() for text in (call.system, call.prefix, call.task)):
            raise ModelError("the prompt is empty")
        job = replace(self._job(call, seconds), stream=started is not None)
        answer = self._process.ask(job, started)
        if answer.error:
            raise _kind(answer)(answer.error, remedy=answer.remedy, calls=answer.calls)
        return ModelReply(
            text=answer.text,
            finish_reason=answer.finish_reason,
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            calls=answer.calls,
            cached_tokens=answer.cached_tokens,
            written_tokens=answer.written_tokens,
            unread=answer.unread,
        )

    def kill(self) -> None:
        """Kills the process and what it started; calls in flight raise `ModelError`."""
        self._process.kill()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def _job(self, call: ModelCall, seconds: float) -> Job:
        settings = self._settings
        return Job(
            number=self._process.next_number(),
            seconds=seconds,
            deadline=time.monotonic() + seconds,
            model=settings.model,
            api_key=settings.api_key or self._placeholder(),
            api_base=settings.api_base,
            headers=dict(settings.extra_headers),
            environment=self._environment,
            files=self._files,
            temperature=settings.temperature,
            max_output_tokens=call.max_output_tokens,
            system=call.system,
            prefix=call.prefix,
            task=call.task,
            schema=call.schema,
            retries=call.retries,
            mark=cache_mark(settings.model) if call.shared else None,
        )

    def _placeholder(self) -> str | None:
        """A key for a server of one's own, where none was given by any way."""
        variables = credential_variables(self._settings.model)
        if self._settings.api_base and variables and not set(variables) & set(self._environment):
            return _NO_KEY
        return None


def _kind(answer: Answer) -> type[ModelError]:
    if answer.too_long:
        return PromptTooLong
    return ModelUnavailable if answer.unbilled else ModelError
