"""A request as LiteLLM takes it, and what becomes of it when a provider refuses a part."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from pr_review.adapters.llm.failures import CACHE_MARK, Failure, Kind
from pr_review.adapters.llm.wire import Job, own_file

Message = dict[str, Any]
FEDERATED = "AZURE_FEDERATED_TOKEN_FILE"


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it stands: `parameters` are those a provider may refuse, one by one."""

    job: Job
    parameters: dict[str, Any]
    folded: bool = False
    unmarked: bool = False

    @property
    def messages(self) -> list[Message]:
        """Never an empty message; the system's text joins the user's when it has to.

        A marked prefix is a message of its own: some providers cache blocks, others messages.
        """
        prefix, task, system = self.job.prefix, self.job.task, self.job.system
        if self.folded or not (prefix.strip() or task.strip()):
            prefix, system = _joined(system, prefix), ""
        messages: list[Message] = []
        if system.strip():
            messages.append({"role": "system", "content": system})
        if self.marked and prefix.strip() and task.strip():
            block = {"type": "text", "text": prefix, "cache_control": self.job.mark}
            messages.append({"role": "user", "content": [block]})
            prefix = ""
        return [*messages, {"role": "user", "content": _joined(prefix, task)}]

    @property
    def marked(self) -> bool:
        return self.job.mark is not None and not self.unmarked

    @property
    def streamed(self) -> bool:
        return "stream" in self.parameters

    @property
    def refusable(self) -> frozenset[str]:
        """What the provider may refuse and the request does without."""
        return frozenset({*self.parameters, *([CACHE_MARK] if self.marked else [])})

    @property
    def has_system(self) -> bool:
        return bool(self.messages[0]["role"] == "system")

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
            **_azure_token(self.job),
            **self.parameters,
        }

    def amended(self, failure: Failure) -> Request | None:
        """The same without what the provider refused; None if there is nothing to change."""
        if failure.kind is Kind.SYSTEM_ROLE and not self.folded:
            return replace(self, folded=True)
        if failure.kind is not Kind.PARAMETER:
            return None
        match failure.parameter:
            case "max_completion_tokens":
                return None  # without a bound the answer could cost more than was quoted
            case "stream":
                return self.unstreamed()
            case name if name == CACHE_MARK:
                return replace(self, unmarked=True)
            case refused:
                kept = {n: v for n, v in self.parameters.items() if n != refused}
        if failure.parameter == "max_tokens":
            kept["max_completion_tokens"] = self.parameters["max_tokens"]
        return replace(self, parameters=kept)

    def unstreamed(self) -> Request:
        kept = {n: v for n, v in self.parameters.items() if not n.startswith("stream")}
        return replace(self, parameters=kept)


def first(job: Job, *, schema: bool) -> Request:
    """What is tried first; `schema` tells whether the model takes one for its answer."""
    parameters: dict[str, Any] = {"max_tokens": job.max_output_tokens}
    if job.temperature is not None:
        parameters["temperature"] = job.temperature
    if schema:
        shape = {"name": "answer", "schema": job.schema, "strict": True}
        parameters["response_format"] = {"type": "json_schema", "json_schema": shape}
    if job.stream:
        parameters |= {"stream": True, "stream_options": {"include_usage": True}}
    return Request(job, parameters)


def _azure_token(job: Job) -> dict[str, str]:
    """Access without a static key: LiteLLM takes it as an argument alone. A federated token is
    one that it exchanges for itself.
    """
    if job.api_key or not job.model.startswith("azure"):
        return {}
    if token := job.environment.get("AZURE_AD_TOKEN"):
        return {"azure_ad_token": token}
    if FEDERATED in job.files:
        return {"azure_ad_token": f"oidc/file/{own_file(FEDERATED, job.files[FEDERATED])}"}
    return {}


def _joined(*texts: str) -> str:
    return "\n\n".join(text for text in texts if text.strip())
