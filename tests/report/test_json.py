"""The JSON report keeps to its schema, balances, and is told from the same ledger."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pr_review.domain.diff import Side, SourceKind, Status
from pr_review.domain.finding import Confidence, Place, Severity
from pr_review.domain.ledger import (
    Dependency,
    DependencyState,
    Entry,
    Ledger,
    Reason,
    Redaction,
    State,
    Tier,
)
from pr_review.domain.review import RunStatus, ToldState
from pr_review.report import dump, report_object, schema, snapshot_object
from tests.review.scenarios import (
    CLEAN,
    FAILED,
    FAILED_AGENT,
    FINDINGS,
    INCREMENTAL,
    NOTED,
    PARTIAL_SOURCE,
    PATTERN,
    SCENARIOS,
    SKIPPED,
    UNVERIFIED,
    VERIFIED,
    shown,
    snapshot,
)

#: Why definitions are not shown in full, and what files are omitted for as well.
OF_DEFINITIONS = {
    Reason.CONTEXT_CAP, Reason.DEPENDENCY_CAP, Reason.LONG_DEFINITION, Reason.NO_CONTEXT,
    Reason.ELSEWHERE,
}  # fmt: skip
OF_BOTH = {Reason.BUDGET, Reason.FILE_CAP, Reason.LONG_LINE}
RUNS = {**SCENARIOS, "skipped": SKIPPED, "failed": FAILED}


def read(text: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(text)
    return loaded


@pytest.mark.parametrize("name", RUNS)
def test_every_report_keeps_to_the_schema(name: str) -> None:
    report = read(dump(report_object(RUNS[name])))
    Draft202012Validator(schema()).validate(report)
    assert report["status"] == RUNS[name].status.value


def test_the_schema_is_one_and_knows_every_word() -> None:
    Draft202012Validator.check_schema(schema())
    known: Any = schema()
    file = known["$defs"]["file"]["properties"]
    assert set(file["reason"]["enum"]) == {None, *Reason} - OF_DEFINITIONS
    assert set(file["state"]["enum"]) == set(State)
    assert set(file["tier"]["enum"]) == {tier.label for tier in Tier}
    assert set(file["status"]["enum"]) == set(Status)
    assert set(known["properties"]["status"]["enum"]) == set(RunStatus)
    assert set(known["$defs"]["snapshot"]["properties"]["source"]["enum"]) == set(SourceKind)
    dependency = known["$defs"]["dependency"]["properties"]
    assert set(dependency["state"]["enum"]) == set(DependencyState)
    assert set(dependency["reason"]["enum"]) == {None, *OF_BOTH} | OF_DEFINITIONS
    finding = known["$defs"]["finding"]["properties"]
    told = {place.value for place in Place if place.tells}
    left_out = {place.value for place in Place if place.left_out}
    assert set(finding["place"]["enum"]) == told | left_out
    of = known["properties"]
    assert set(of["findings"]["items"]["properties"]["place"]["enum"]) == told
    assert set(of["left_out"]["items"]["properties"]["place"]["enum"]) == left_out
    assert set(finding["severity"]["enum"]) == {level.label for level in Severity}
    assert set(finding["confidence"]["enum"]) == {level.label for level in Confidence}
    told = known["$defs"]["told"]["properties"]
    assert set(told["state"]["enum"]) == set(ToldState)
    assert set(told["severity"]["enum"]) == {level.label for level in Severity}
    assert set(told["side"]["enum"]) == set(Side)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("status", "fine"),
        ("findings", [{}]),
        ("extra", 1),
        ("rejected", {"x": 0}),
        ("left_out", report_object(FINDINGS)["findings"]),
        ("verify", {}),
    ],
)
def test_the_schema_refuses_what_is_no_report(key: str, value: object) -> None:
    report = {**report_object(FINDINGS), key: value}
    assert not Draft202012Validator(schema()).is_valid(report)


def test_a_reason_stands_wherever_a_file_is_not_shown() -> None:
    validator = Draft202012Validator(schema())
    report = read(dump(report_object(PARTIAL_SOURCE)))
    report["snapshot"]["files"][1]["reason"] = None
    assert not validator.is_valid(report)


def test_the_keys_of_the_snapshot_object() -> None:
    found = snapshot_object(CLEAN.snapshot or snapshot())
    assert set(found) == {
        "text", "digest", "reproducible", "source", "since", "tokens", "counter", "budget",
        "coverage", "coverage_source", "passes", "stages", "redactions", "dependencies", "files",
        "unlisted",
    }  # fmt: skip


def test_context_and_dependencies_are_told_and_places_outside_the_change_too() -> None:
    around = replace(shown("src/total.py"), context=(4, 5, 9), structure="syntax")
    far = Dependency("price", "src/far.py", 7, 19, DependencyState.PARTIAL, Reason.LONG_DEFINITION)
    lost = Dependency("lost", "src/total.py", 2, 2, DependencyState.UNRESOLVED)
    hidden = Redaction("src/far.py", 8, Side.RIGHT, "aws")
    run = replace(
        CLEAN, snapshot=replace(snapshot(), ledger=Ledger((around,), (hidden,), (far, lost)))
    )
    report = read(dump(report_object(run)))
    validator = Draft202012Validator(schema())
    validator.validate(report)
    told = report["snapshot"]
    (file,) = told["files"]
    assert (file["context_lines"], file["structure"]) == ([4, 5, 9], "syntax")
    assert told["dependencies"] == [
        {
            "name": "price", "path": "src/far.py", "start": 7, "end": 19,
            "state": "partial", "reason": "long_definition",
        },
        {
            "name": "lost", "path": "src/total.py", "start": 2, "end": 2,
            "state": "unresolved", "reason": None,
        },
    ]  # fmt: skip
    assert told["redactions"] == [{"path": "src/far.py", "line": 8, "side": "RIGHT", "rule": "aws"}]
    told["dependencies"][0]["reason"] = None
    assert not validator.is_valid(report), "what is not shown in full has its reason"


def test_the_ledger_can_be_balanced_from_the_object() -> None:
    files = read(dump(report_object(PARTIAL_SOURCE)))["snapshot"]["files"]
    entries = PARTIAL_SOURCE.snapshot.ledger.entries if PARTIAL_SOURCE.snapshot else ()
    for file, entry in zip(files, entries, strict=True):
        seen = {*file["shown_added_lines"], *file["folded_added_lines"]}
        assert seen <= set(file["added_lines"])
        assert len(file["added_lines"]) - len(seen) == entry.omitted
        assert (file["path"], file["state"]) == (entry.path, entry.state)


def test_a_failed_agent_makes_the_run_partial_and_the_snapshot_not() -> None:
    report = read(dump(report_object(FAILED_AGENT)))
    assert (report["coverage"], report["snapshot"]["coverage"]) == ("partial", "full")
    assert report["agents"][1]["failure"] == "the provider answered 500"
    assert report["cost_usd"] is None


def test_rejected_findings_are_counted_by_reason() -> None:
    report = read(dump(report_object(FINDINGS)))
    assert report["rejected"] == {"merged with another finding that says the same": 1}
    assert [f["place"] for f in report["findings"]] == ["body", "inline", "inline"]


def test_what_is_left_out_stands_with_its_reason() -> None:
    report = read(dump(report_object(VERIFIED)))
    told = [(f["place"], f["reason"], f["title"]) for f in report["left_out"]]
    assert told[0] == (
        "refuted", "line 2 returns before it can be, and @ada said so", "`total` may be None",
    )  # fmt: skip
    assert [place for place, _, _ in told] == ["refuted", "refuted", "minor", "rejected", "merged"]
    assert report["findings"] == []
    assert report["verify"] == {
        "outcome": "answered", "refuted": 2, "failure": "", "cut_short": False, "dropped": 0,
        "calls": 2, "input_tokens": 2410, "cached_tokens": 0, "output_tokens": 96,
        "cost_usd": 0.0011, "model": "",
    }  # fmt: skip
    failed = read(dump(report_object(UNVERIFIED)))["verify"]
    assert (failed["outcome"], failed["failure"]) == ("failed", "the provider answered 529")
    assert read(dump(report_object(CLEAN)))["verify"] is None


def test_a_pattern_names_its_places_and_each_is_left_out_in_full() -> None:
    report = read(dump(report_object(PATTERN)))
    also = report["findings"][1]["also"]
    assert also[0] == {
        "path": "web/src/features/account/api.ts", "start": 7, "end": 7, "side": "RIGHT",
    }  # fmt: skip
    merged = {(f["path"], f["start"]) for f in report["left_out"] if f["place"] == "merged"}
    assert {(place["path"], place["start"]) for place in also} == merged


def test_what_was_taken_for_the_same_is_named_with_who_said_it() -> None:
    plain, merging = (read(dump(report_object(FINDINGS)))["findings"][n]["merged"] for n in (0, 1))
    assert plain == []
    assert merging == [
        {
            "path": "src/total.py", "start": 3, "end": 3, "side": "RIGHT",
            "title": "Cents are lost: `round` is called too early", "sources": ["bugs"],
        }
    ]  # fmt: skip


def test_a_noted_finding_is_told_and_guidelines_are_named() -> None:
    report = read(dump(report_object(NOTED)))
    assert [f["place"] for f in report["findings"]] == ["inline", "body", "noted", "noted"]
    assert report["guidelines"] == ["AGENTS.md", "CONTRIBUTING.md"]


def test_what_earlier_reviews_told_is_told_with_its_state() -> None:
    report = read(dump(report_object(INCREMENTAL)))
    assert [told["state"] for told in report["earlier"]] == ["open", "open", "closed", "resolved"]
    assert report["earlier"][0] == {
        "state": "open", "reason": "", "path": "src/tax.py", "start": 12, "end": 13,
        "side": "RIGHT", "severity": "critical", "title": "Tax is added twice, see #12",
        "deterministic": False, "url": "https://host.invalid/pull/7#pullrequestreview-1",
    }  # fmt: skip
    assert (report["withheld"], len(report["findings"])) == (1, 1)
    assert report["rejected"] == {}
    assert report["highest_severity"] == "critical"
    assert report["snapshot"]["since"] == "e" * 40


def test_a_path_that_is_not_unicode_can_be_written() -> None:
    odd = Entry(**{f: getattr(shown("a.py"), f) for f in Entry.__slots__} | {"path": "\udce9.py"})
    text = dump(report_object(replace(CLEAN, snapshot=snapshot(odd))))
    assert text.isascii()
    assert text.endswith("}\n")
    assert read(text)["snapshot"]["files"][0]["path"] == "\udce9.py"
