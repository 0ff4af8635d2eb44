"""The pages that commands write: of a snapshot, and of a run with the words of its review."""

from __future__ import annotations

from pr_review.domain.coverage import CoverageReport
from pr_review.domain.diff import Change
from pr_review.domain.review import Run
from pr_review.domain.snapshot import Snapshot
from pr_review.report.html import page
from pr_review.review.neutral import plain
from pr_review.review.verdict import verdict
from pr_review.snapshot.prepare import Prepared
from pr_review.snapshot.view import coverage_report


def review_page(run: Run) -> str:
    """Every line of the change with what became of it, and what was found there. The run has
    a snapshot, and tells of it line by line."""
    assert run.snapshot is not None
    report = CoverageReport(run.snapshot, run.files)
    return page(report, title=f"Review of {_named(run)}", run=run, verdict=plain(verdict(run)))


def snapshot_page(prepared: Prepared, snapshot: Snapshot) -> str:
    """Every line of the change with what became of it."""
    title = f"Snapshot of {_commits(prepared.change) or 'a patch'}"
    return page(coverage_report(prepared, snapshot), title=title)


def _named(run: Run) -> str:
    if run.pull_request:
        return f"{run.pull_request.repository}#{run.pull_request.number}"
    return (_commits(run.change) if run.change else "") or "a change"


def _commits(change: Change) -> str:
    return f"{change.merge_base[:12]} to {change.head[:12]}" if change.head else ""
