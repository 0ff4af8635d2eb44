"""The outputs of the action, by their outward names."""

from __future__ import annotations

from dataclasses import replace

from pr_review.report import outputs
from tests.review.scenarios import CLEAN, FAILED_AGENT, FINDINGS, INCREMENTAL, REFUSED, SKIPPED


def test_a_clean_run() -> None:
    assert outputs(replace(CLEAN, review_url="https://x"), report="/tmp/r.json") == {
        "status": "reviewed",
        "coverage": "full",
        "coverage-source": "full",
        "agents-failed": "",
        "findings": "0",
        "highest-severity": "",
        "review-url": "https://x",
        "cost-usd": "0.008400",
        "digest": "d" * 64,
        "report": "/tmp/r.json",
        "sarif": "",
        "html": "",
    }


def test_findings_and_failures() -> None:
    found = outputs(FINDINGS)
    assert (found["findings"], found["highest-severity"]) == ("3", "critical")
    failed = outputs(FAILED_AGENT)
    assert (failed["agents-failed"], failed["coverage"]) == ("security", "partial")
    assert failed["cost-usd"] == "", "unknown is not free"


def test_a_run_that_read_nothing_claims_nothing() -> None:
    skipped = outputs(SKIPPED)
    assert {name for name, value in skipped.items() if value} == {"status", "findings"}
    assert outputs(REFUSED)["status"] == "refused"


def test_what_is_still_open_counts_and_what_people_closed_does_not() -> None:
    found = outputs(INCREMENTAL)
    assert (found["findings"], found["highest-severity"]) == ("3", "critical")
