"""dependencies: what the names on changed lines stand for, in the head commit."""

from pr_review.snapshot.dependencies.model import Blobs, Definition, Resolved, Source
from pr_review.snapshot.dependencies.resolve import resolve

__all__ = ["Blobs", "Definition", "Resolved", "Source", "resolve"]
