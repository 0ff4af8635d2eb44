"""The job summary holds the review and every omission, from the ledger of the report."""

from __future__ import annotations

from dataclasses import replace

from pr_review.report import report_object, summary
from pr_review.review import summary_body
from tests.review.scenarios import FINDINGS, PARTIAL_SOURCE, SKIPPED


def test_it_says_what_the_review_says_and_where_it_stands() -> None:
    run = replace(FINDINGS, review_url="https://host/review/1")
    text = summary(run, summary_body(run))
    assert text.startswith(
        "## pr-review of octo/shop#7\n\n[The review on the pull request](https://host/review/1)\n"
    )
    for judged in run.findings:
        assert f"<sub>{judged.finding.category} · said by" in text
    assert text.endswith("</details>\n")


def test_summary_and_report_hold_the_same_ledger() -> None:
    text = summary(PARTIAL_SOURCE, summary_body(PARTIAL_SOURCE))
    found = report_object(PARTIAL_SOURCE)["snapshot"]
    assert isinstance(found, dict)
    unseen = [file for file in found["files"] if file["state"] in ("partial", "omitted")]
    assert len(unseen) == 4
    for file in unseen:
        assert f"- `{file['path']}` ({file['tier']}): " in text


def test_a_skipped_run_says_why() -> None:
    text = summary(SKIPPED, summary_body(SKIPPED))
    assert text.startswith("## pr-review\n\n**Skipped**: draft pull request")
