"""Judges findings: anchored to what was sent, rejected if they do not hold, merged, ranked."""

from pr_review.judge.judge import judge
from pr_review.judge.policy import JudgePolicy

__all__ = ["JudgePolicy", "judge"]
