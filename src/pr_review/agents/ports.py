"""What the agents ask of a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

RETRIES = 2
"""How often a request is repeated at most after a failure that may pass by itself: whether the
provider billed it all the same is not known."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call. `system` and `prefix` are the same bytes for every agent of a run; `task`
    is what differs and comes last. `schema` is the JSON schema of the answer, sent where
    the model supports one. `max_output_tokens` is the cap that was quoted: always sent.
    `shared` says that other calls begin with the same bytes and are worth a cached prefix.
    `retries` says how often a request may be repeated, which was quoted as well.
    """

    system: str
    prefix: str
    task: str
    schema: dict[str, object]
    max_output_tokens: int
    shared: bool = False
    retries: int = RETRIES


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What came back. `finish_reason` is LiteLLM's word: `stop`, `length`, `content_filter`…
    Tokens are what the provider says it billed, 0 if it says nothing; `calls` counts the
    requests that were made for it, retries included. `cached_tokens` and `written_tokens` are
    those of the input that were read from a cache and written to one. `unread` counts requests
    whose answers could not be read and may have been billed all the same. `model` names a
    fallback that answered, empty if the model itself did; `pricing` is the price of the one that
    did, None if that is the run's.
    """

    text: str
    finish_reason: str
    input_tokens: int
    output_tokens: int
    calls: int = 1
    cached_tokens: int = 0
    written_tokens: int = 0
    unread: int = 0
    model: str = ""
    pricing: Pricing | None = None


class ChatModel(Protocol):
    """A model that answers one call at a time; safe to use from several threads."""

    @property
    def name(self) -> str:
        """The LiteLLM name of the model."""

    @property
    def least_cached_tokens(self) -> int | None:
        """Tokens of the shortest prefix that the provider keeps for the next call; None if it
        is known to keep none.
        """

    def complete(
        self, call: ModelCall, *, seconds: float, started: Callable[[], None] | None = None
    ) -> ModelReply:
        """Answers within `seconds`. Raises `ModelError` in words that hold no secret;
        `ModelUnavailable` where nothing was billed, so that another model may be asked;
        `PromptTooLong` where the prompt's length was refused, and a shorter one may be sent.

        With `started` the answer is streamed, and `started` is called, once and from any
        thread, when its first token is there: what the provider caches is cached then. It
        may not be called at all.
        """


@dataclass(frozen=True, slots=True)
class LongPrompt:
    """Prices that hold for a whole call whose prompt has more than `above` tokens."""

    above: int
    input_usd: float | None
    output_usd: float | None
    cache_read_usd: float | None = None
    cache_write_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Pricing:
    """What is known of a model before it is called; None where unknown (never 0).

    Prices are US dollars per token; `window` is the model's context in tokens. Cached input
    is part of the input: `cache_read_usd` is the price of what the provider's cache held,
    `cache_write_usd` of what was put there. A prompt under `cache_least_tokens` is not cached.
    """

    input_usd: float | None = None
    output_usd: float | None = None
    window: int | None = None
    max_output_tokens: int | None = None
    cache_read_usd: float | None = None
    cache_write_usd: float | None = None
    cache_least_tokens: int | None = None
    long_prompts: tuple[LongPrompt, ...] = ()
