"""`pr-review doctor`: what works, what does not, and what to do about it."""

from pr_review.commands.doctor.command import run

__all__ = ["run"]
