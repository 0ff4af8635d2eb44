"""The page of a run, with the words of the review."""

from __future__ import annotations

from pr_review.domain.coverage import CoverageReport
from pr_review.domain.review import Run
from pr_review.report.html import page
from pr_review.review.neutral import plain
from pr_review.review.verdict import verdict


def review_page(run: Run) -> str:
    """Every line of the change with what became of it, and what was found there. The run has
    a snapshot, and tells of it line by line."""
    assert run.snapshot is not None
    report = CoverageReport(run.snapshot, run.files)
    return page(report, title=f"Review of {_named(run)}", run=run, verdict=plain(verdict(run)))


def _named(run: Run) -> str:
    if run.pull_request:
        return f"{run.pull_request.repository}#{run.pull_request.number}"
    if run.change and run.change.head:
        return f"{run.change.merge_base[:12]} to {run.change.head[:12]}"
    return "a change"
