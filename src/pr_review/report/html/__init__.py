"""html: the coverage report of a snapshot as one self-contained page."""

from pr_review.report.html.page import page

__all__ = ["page"]
