"""What a review of a snapshot may cost: the quote of a run, without a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pr_review import pipeline
from pr_review.adapters.tokens import token_counter
from pr_review.agents import prompt, quote
from pr_review.agents.assignment import assigned
from pr_review.commands.wiring import known_pricing
from pr_review.domain.quote import VERIFY, Quote
from pr_review.domain.snapshot import Snapshot
from pr_review.domain.text import visible_line
from pr_review.errors import ConfigurationError
from pr_review.report.json_report import quote_object
from pr_review.settings import Settings
from pr_review.snapshot.policy import SnapshotPolicy

_NOBODY = "no changed line could be shown, so no model is asked"
_BRIEF = "with room for title, description, commit messages and findings of checks"


@dataclass(frozen=True, slots=True)
class Offer:
    """The quote, None where no model would be asked, and why the run would be refused; empty if
    it would not. `reserve` is how many tokens of each request the brief is counted with.
    """

    quote: Quote | None
    refusal: str = ""
    reserve: int = 0

    @property
    def lines(self) -> Iterator[str]:
        """For people: the quote as a run says it, its parts, and whether it is admitted."""
        if self.quote is None:
            yield f"quote: nothing: {_NOBODY}"
            return
        yield f"quote: {visible_line(self.quote.words)}"
        for part in self.quote.agents:
            who = part.name if part.name == VERIFY else f"agent {part.name}"
            yield f"{who}: {part.words}"
        guidelines = ", and for guidelines" if self.reserve > prompt.BRIEF_TOKENS else ""
        yield f"{_BRIEF}{guidelines}: {self.reserve:,} tokens a request"
        yield f"refused: {visible_line(self.refusal)}" if self.refusal else "admitted"

    @property
    def fields(self) -> dict[str, object]:
        """The same as JSON: `quote` as in a report, and `refusal`."""
        told = quote_object(self.quote) if self.quote else None
        return {"quote": told, "refusal": self.refusal}


def bounded(policy: SnapshotPolicy, settings: Settings) -> SnapshotPolicy:
    """The policy within what the largest prompt of the model leaves for the snapshot.

    Raises `ConfigurationError` if the settings name no model.
    """
    if not settings.has_model:
        raise ConfigurationError(
            "--quote is about a model, and none is named",
            remedy="give --model, such as --model anthropic/claude-sonnet-4-5",
        )
    return pipeline.bounded(
        policy, settings.model, settings.agent_policy(), known_pricing(settings), token_counter()
    )


def offer(snapshot: Snapshot, settings: Settings) -> Offer:
    """The quote for the agents of the settings. The brief, which only a pull request has, is
    counted as long as it may get.
    """
    if not snapshot.ledger.any_line_shown:
        return Offer(None)
    policy = settings.agent_policy()
    agents, reserve = assigned(policy, snapshot.ledger), prompt.reserved(policy)
    offered = quote.offer(
        settings.model, prompt.in_passes(policy, agents, "", snapshot), policy,
        known_pricing(settings), agents=agents, count=token_counter().count,
        reserve=reserve,
    )  # fmt: skip
    return Offer(offered.quote, offered.refusal, reserve)
