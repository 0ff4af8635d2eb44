"""What the agents ask of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call. `system` and `prefix` are the same bytes for every agent of a run; `task`
    is what differs and comes last. `schema` is the JSON schema of the answer, sent where
    the model supports one. `max_output_tokens` is the cap that was quoted: always sent.
    """

    system: str
    prefix: str
    task: str
    schema: dict[str, object]
    max_output_tokens: int


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What came back. `finish_reason` is LiteLLM's word: `stop`, `length`, `content_filter`…
    Tokens are what the provider says it billed, 0 if it says nothing; `calls` counts the
    requests that were made for it, retries included.
    """

    text: str
    finish_reason: str
    input_tokens: int
    output_tokens: int
    calls: int = 1


class ChatModel(Protocol):
    """A model that answers one call at a time; safe to use from several threads."""

    @property
    def name(self) -> str:
        """The LiteLLM name of the model."""

    def complete(self, call: ModelCall, *, seconds: float) -> ModelReply:
        """Answers within `seconds`. Raises `ModelError` in words that hold no secret."""


@dataclass(frozen=True, slots=True)
class Pricing:
    """What is known of a model before it is called; None where unknown (never 0).

    Prices are US dollars per token; `window` is the model's context in tokens.
    """

    input_usd: float | None = None
    output_usd: float | None = None
    window: int | None = None
    max_output_tokens: int | None = None
