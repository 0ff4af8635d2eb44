"""What the user decides about placing findings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class JudgePolicy:
    """`max_comments` is how many findings may stand inline; 0 puts all into the body."""

    max_comments: int = 10
