"""What the maintainers of a repository say of the files below some paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pr_review.domain.globs import matches
from pr_review.domain.ledger import Tier


@dataclass(frozen=True, slots=True)
class PathRule:
    """Holds for every path that one of its globs matches.

    `instructions` say what to judge these files by. `agents` names the only ones that review
    them, empty for all; `tier` is theirs whatever else says so, None for what classification says.
    """

    globs: tuple[str, ...]
    instructions: str = ""
    agents: tuple[str, ...] = ()
    tier: Tier | None = None

    def holds_for(self, path: str) -> bool:
        return matches(path, self.globs)


def reviewers(rules: Sequence[PathRule], path: str) -> tuple[str, ...]:
    """The agents that review a file, by the last rule that names some; empty: all of them."""
    named = (rule.agents for rule in reversed(rules) if rule.agents and rule.holds_for(path))
    return next(named, ())


def ruled_tier(rules: Sequence[PathRule], path: str) -> Tier | None:
    """The tier of a file by the last rule that gives one."""
    given = [rule for rule in reversed(rules) if rule.tier is not None]
    return next((rule.tier for rule in given if rule.holds_for(path)), None)
