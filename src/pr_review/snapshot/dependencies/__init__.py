"""dependencies: what the names on changed lines stand for, in the head commit."""

from pr_review.snapshot.dependencies.effort import Effort
from pr_review.snapshot.dependencies.model import Definition, Resolved, Source
from pr_review.snapshot.dependencies.resolve import resolve

__all__ = ["Definition", "Effort", "Resolved", "Source", "resolve"]
