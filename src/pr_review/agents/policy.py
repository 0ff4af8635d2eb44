"""What the settings decide about the agents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pr_review.agents.catalogue import Agent, select
from pr_review.agents.ports import RETRIES
from pr_review.domain.path_rule import PathRule
from pr_review.domain.pull_request import Guideline


class Verify(StrEnum):
    """Whose findings a model is asked to refute: nobody's, those of high and critical severity, or
    all that the agents told."""

    OFF = "off"
    HIGH = "high"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class AgentPolicy:
    """Who is asked, and what asking may cost.

    `names` are agents of the catalogue or among the repository's `own`. `rules` say which of them
    review which files, and what these are judged by, as `guidelines` do for all; where `guided` is
    set, each prompt has room for both. `max_prompt_tokens` bounds one assembled prompt,
    `max_output_tokens` one answer (None: what the model allows, within reason).
    `run_seconds` is one deadline over all agents of a pass; `max_cost_usd` a ceiling on the quote.
    `fallback_models` may answer in the model's place: a quote allows for each of them. Each
    request may be repeated `retries` times; `repair` allows one more call for an agent whose
    answer cannot be read. With `verify` there is one request more, about what they found.
    """

    names: tuple[str, ...]
    language: str = "English"
    max_output_tokens: int | None = None
    run_seconds: float = 120.0
    max_prompt_tokens: int = 180_000
    max_cost_usd: float | None = None
    fallback_models: tuple[str, ...] = ()
    retries: int = RETRIES
    repair: bool = True
    verify: Verify = Verify.OFF
    own: tuple[Agent, ...] = ()
    rules: tuple[PathRule, ...] = ()
    guidelines: tuple[Guideline, ...] = ()
    guided: bool = False

    @property
    def agents(self) -> tuple[Agent, ...]:
        """All that are named. Raises `ConfigurationError` for a name without an agent."""
        return select(self.names, self.own)

    def cleaned(self, clean: Callable[[Sequence[str]], Sequence[str]]) -> AgentPolicy:
        """The same with the texts of own agents as `clean` gives them back, one for each."""
        titles, bodies = (clean([getattr(a, part) for a in self.own]) for part in ("title", "body"))
        own = zip(self.own, titles, bodies, strict=True)
        return replace(self, own=tuple(replace(a, title=t, body=b) for a, t, b in own))
