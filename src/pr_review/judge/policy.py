"""What the user decides about placing findings."""

from __future__ import annotations

from dataclasses import dataclass

from pr_review.domain.finding import Severity
from pr_review.domain.path_rule import PathRule


@dataclass(frozen=True, slots=True)
class JudgePolicy:
    """`max_comments` is how many findings may stand inline; 0 puts all into the body. Findings
    below `min_severity` are left out, and so are those of agents in files that `rules` give to
    others."""

    max_comments: int = 10
    min_severity: Severity = Severity.LOW
    rules: tuple[PathRule, ...] = ()
