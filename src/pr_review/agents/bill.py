"""What calls of a model were billed, added up as they are made."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pr_review.agents.ports import ModelReply, Pricing
from pr_review.agents.quote import cost
from pr_review.domain.finding import AgentOutcome
from pr_review.domain.money import total
from pr_review.errors import ModelError, PromptTooLong


@dataclass
class Bill:
    """The calls of one agent, at the prices of the run unless a reply tells its own."""

    pricing: Pricing
    replies: list[ModelReply] = field(default_factory=list)
    errors: int = 0
    too_long: bool = False

    def failed(self, error: ModelError) -> None:
        """Counts the requests of a call that brought no reply."""
        self.errors += error.calls
        self.too_long = isinstance(error, PromptTooLong)

    def on(self, outcome: AgentOutcome) -> AgentOutcome:
        """The outcome with requests, tokens and cost."""
        return replace(
            outcome,
            input_tokens=sum(reply.input_tokens for reply in self.replies),
            output_tokens=sum(reply.output_tokens for reply in self.replies),
            cached_tokens=sum(reply.cached_tokens for reply in self.replies),
            calls=sum(reply.calls for reply in self.replies) + self.errors,
            cost_usd=self._cost(),
            model=next((reply.model for reply in reversed(self.replies)), ""),
            too_long=self.too_long and not self.replies,
        )

    def _cost(self) -> float | None:
        """None if a call told no usage: one that failed may have been billed all the same."""
        if self.errors or not all(r.input_tokens and not r.unread for r in self.replies):
            return None
        return total(self._billed(reply) for reply in self.replies)

    def _billed(self, reply: ModelReply) -> float | None:
        return cost(
            reply.input_tokens,
            reply.output_tokens,
            reply.pricing or self.pricing,
            cached=reply.cached_tokens,
            written=reply.written_tokens,
        )
