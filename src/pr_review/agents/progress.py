"""What becomes of each agent while the others are still asked: for somebody who waits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pr_review.domain.finding import AgentOutcome


@dataclass(frozen=True, slots=True)
class Progress:
    """An agent was asked, or after so many `seconds` it has an `outcome`.

    `part` names the pass, such as `pass 1 of 2`; empty where there is one. `said` is what there is
    to say of an answer that tells no findings of its own.
    """

    agent: str
    outcome: AgentOutcome | None = None
    seconds: float = 0.0
    part: str = ""
    said: str = ""


Watch = Callable[[Progress], None]
"""Is told from one thread, once when an agent is asked and once when it is over."""


def unwatched(progress: Progress) -> None:
    """Nobody waits."""
