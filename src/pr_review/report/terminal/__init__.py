"""A run as a person reads it in a terminal, findings beside their source lines."""

from pr_review.report.terminal.page import page
from pr_review.report.terminal.screen import Screen, Style

__all__ = ["Screen", "Style", "page"]
