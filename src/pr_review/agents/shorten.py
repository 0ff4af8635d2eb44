"""Asks once more with half of the snapshot, where a model refuses the prompt for its length.

What a model's context holds is known from a list and by a factor, or not at all: some refuse what
should fit. A refused prompt is not billed, and half of one costs less than was quoted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from pr_review.domain.finding import AgentOutcome
from pr_review.domain.snapshot import Snapshot

Outcomes = tuple[AgentOutcome, ...]
Refit = Callable[[int, int], Snapshot]
"""The snapshot of the change that is reviewed, within so many tokens in each of at most so many
passes."""

_LEAST_TOKENS = 1_000  # a notice takes some, and instructions and brief are not given up


def answers(
    snapshot: Snapshot,
    asked: Callable[[Snapshot, float], Outcomes],
    refit: Refit,
    *,
    seconds: float,
) -> tuple[Snapshot, Outcomes]:
    """What the agents said, and the snapshot that all of them were shown.

    `asked` asks all agents about a snapshot, each of its passes within so many seconds. It is
    called once more, within what is left of them, if every agent was refused for the length of its
    prompt, and half of the snapshot still shows a changed line: context goes first, then files by
    tier.
    """
    deadline = time.monotonic() + seconds
    outcomes, passes = asked(snapshot, seconds), snapshot.passes
    half = max(part.tokens for part in passes) // 2
    if half < _LEAST_TOKENS or not all(outcome.too_long for outcome in outcomes):
        return snapshot, outcomes
    # In no more passes than were quoted: each of them costs its instructions again.
    shorter = refit(half, len(passes))
    left = deadline - time.monotonic()
    if left <= 0 or not shorter.ledger.any_line_shown:
        return snapshot, outcomes
    pairs = zip(asked(shorter, left), outcomes, strict=True)
    return shorter, tuple(replace(now, calls=now.calls + was.calls) for now, was in pairs)


def shortened(planned: Snapshot, sent: Snapshot) -> str:
    """What to say of a snapshot that is not the one that was planned; empty if it is."""
    if sent is planned:
        return ""
    refused, several = planned.passes[0].tokens, len(sent.parts)
    passes = f" in {several} passes" if several else ""
    return (
        f"the model refused {refused:,} tokens of the change as too long, so the agents "
        f"were asked once more, with {sent.tokens:,}{passes} (lower diff-token-budget)"
    )
