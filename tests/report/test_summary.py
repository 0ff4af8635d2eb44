"""The job summary holds the review and every omission, from the ledger of the report."""

from __future__ import annotations

from dataclasses import replace

from pr_review.domain.ledger import Dependency, DependencyState, Ledger, Reason
from pr_review.report import report_object, summary
from pr_review.review import summary_body
from tests.review.scenarios import (
    CLEAN,
    FINDINGS,
    INCREMENTAL,
    PARTIAL_SOURCE,
    SKIPPED,
    shown,
    snapshot,
)


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
        tier = text.split(f"**{file['tier'].capitalize()}**: ")[1].split("**")[0]
        assert f"- `{file['path']}`: " in tier


def test_it_says_what_became_of_earlier_findings() -> None:
    text = summary(INCREMENTAL, summary_body(INCREMENTAL))
    assert "**2 earlier findings are still open** (1 critical, 1 low)." in text
    assert "**Still open from earlier reviews** (2):" in text
    assert "**Resolved since the last review** (1):" in text
    assert "1 finding not repeated: resolved or ignored by people." in text


def test_a_skipped_run_says_why() -> None:
    text = summary(SKIPPED, summary_body(SKIPPED))
    assert text.startswith("## pr-review\n\n**Skipped**: draft pull request")


def _used(state: DependencyState, count: int, reason: Reason | None = None) -> list[Dependency]:
    return [Dependency(f"{state}{n}", "src/b.py", n, n, state, reason) for n in range(1, count + 1)]


def _last(dependencies: list[Dependency], context: tuple[int, ...] = ()) -> str:
    ledger = Ledger((replace(shown("a.py"), context=context),), (), tuple(dependencies))
    run = replace(CLEAN, snapshot=replace(snapshot(), ledger=ledger))
    return summary(run, "text").split("\n")[-2]


def test_what_stands_beside_the_change_is_counted_in_one_line() -> None:
    every = [
        *_used(DependencyState.SHOWN, 6),
        *_used(DependencyState.PARTIAL, 2, Reason.LONG_DEFINITION),
        *_used(DependencyState.OMITTED, 3, Reason.DEPENDENCY_CAP),
        *_used(DependencyState.OMITTED, 1, Reason.BUDGET),
        *_used(DependencyState.UNRESOLVED, 5),
        *_used(DependencyState.AMBIGUOUS, 1),
        *_used(DependencyState.OUTSIDE, 40),
    ]
    assert _last(every, (1, 2, 9)) == (
        "Beside the change the snapshot shows 3 unchanged lines around it and 8 of 12 definitions "
        "that changed lines use (2 in part). Not shown: 3 over the cap of dependencies, 1 over the "
        "token budget. Names without a definition: 5 unresolved, 1 ambiguous."
    )


def test_where_all_definitions_are_shown_nothing_is_said_to_be_missing() -> None:
    assert _last([*_used(DependencyState.SHOWN, 2), *_used(DependencyState.OUTSIDE, 3)]) == (
        "Beside the change the snapshot shows 2 of 2 definitions that changed lines use."
    )


def test_names_alone_are_counted_too() -> None:
    last = _last(_used(DependencyState.AMBIGUOUS, 2))
    assert last == "Names without a definition: 0 unresolved, 2 ambiguous."


def test_where_nothing_stands_beside_the_change_nothing_is_said() -> None:
    assert _last(_used(DependencyState.OUTSIDE, 3)) == "text"
