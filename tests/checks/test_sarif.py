"""From SARIF files of other tools to findings: real ones, then every form that the format knows."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from pr_review.checks.check import CheckInput
from pr_review.checks.sarif import ToolResults, read
from pr_review.checks.sarif.ports import ToolFile
from pr_review.checks.sarif.read import MOST_FINDINGS, MOST_RESULTS, MOST_RUNS
from pr_review.domain.diff import SUBMODULE_MODE
from pr_review.domain.finding import Confidence, Finding, Severity, Voice
from tests.checks import sarif_sample
from tests.checks.changes import given

Json = Mapping[str, Any]

BEFORE = {"src/a b.py": "one\ntwo\nthree\n", "a.py": "same\n"}
AFTER = {"src/a b.py": "one\nTWO\nthree\nfour\nfive\n", "a.py": "same\n", "new.py": "1\n2\n"}
CHANGE = given(BEFORE, AFTER)


def result(
    message: object = "It is wrong",
    uri: str = "src/a%20b.py",
    start: int | None = 2,
    **more: Any,
) -> Json:
    region = {} if start is None else {"region": {"startLine": start}}
    place = {"physicalLocation": {"artifactLocation": {"uri": uri}, **region}}
    said = {"text": message} if isinstance(message, str) else message
    return {"ruleId": "R1", "message": said, "locations": [place], **more}


def log(*results: Json, rules: Sequence[Json] = (), version: str = "2.1.0", **run: Any) -> bytes:
    tool = {"driver": {"name": "lint er", "rules": list(rules)}}
    runs = [{"tool": tool, "results": list(results), **run}]
    return json.dumps({"version": version, "runs": runs}).encode()


def taken(data: bytes, change: CheckInput = CHANGE, name: str = "out/lint.sarif") -> ToolResults:
    return read([ToolFile(name, data)], change.change, change.tree)


def found(*results: Json, rules: Sequence[Json] = (), **run: Any) -> tuple[Finding, ...]:
    told = taken(log(*results, rules=rules, **run))
    assert not told.warnings
    return told.findings


def only(*results: Json, rules: Sequence[Json] = (), **run: Any) -> Finding:
    (finding,) = found(*results, rules=rules, **run)
    return finding


def test_four_real_tools_are_read_where_the_change_added_lines() -> None:
    change = given(sarif_sample.BEFORE, sarif_sample.AFTER)
    told = read(sarif_sample.files(), change.change, change.tree)
    assert told.warnings == ()
    assert told.counts == (
        "Bandit: 2 of 5 results on changed lines",
        "ESLint: 4 of 4 results on changed lines",
        "Semgrep-OSS: 2 of 3 results on changed lines",
        "ruff: 5 of 9 results on changed lines",
    )
    rows = {(f.path, f.start, f.sources[0], f.severity.label, f.category) for f in told.findings}
    assert rows == {
        ("src/app.py", 1, "ruff:F401", "medium", "ruff"),
        ("src/app.py", 10, "ruff:F841", "medium", "ruff"),
        ("src/app.py", 11, "Bandit:B602", "high", "security"),
        ("src/app.py", 11, "Semgrep-OSS:subprocess-shell", "high", "security"),
        ("src/app.py", 11, "ruff:S602", "medium", "ruff"),
        ("src/app.py", 15, "ruff:E711", "medium", "ruff"),
        ("src/app.py", 17, "Bandit:B307", "medium", "security"),
        ("src/app.py", 17, "Semgrep-OSS:eval-of-text", "medium", "security"),
        ("src/app.py", 17, "ruff:S307", "medium", "ruff"),
        ("web/main.js", 6, "ESLint:no-eval", "medium", "eslint"),
        ("web/main.js", 6, "ESLint:no-var", "low", "eslint"),
        ("web/main.js", 7, "ESLint:eqeqeq", "low", "eslint"),
        ("web/main.js", 8, "ESLint:no-debugger", "medium", "eslint"),
    }
    assert all(f.deterministic and f.body and f.side == "RIGHT" for f in told.findings)
    offered = {f.sources[0]: f.suggestion for f in told.findings if f.suggestion is not None}
    assert offered == {"ruff:F401": "", "ruff:F841": "", "ruff:E711": "    if text is None:"}


def test_what_a_result_says_becomes_a_title_and_a_body() -> None:
    rule = {
        "id": "R1",
        "shortDescription": {"text": "About R1"},
        "helpUri": "https://lint.example/R1",
        "messageStrings": {"default": {"text": "{0} is bad. Use {1}, not {{}}."}},
    }
    fixes = [{"description": {"text": "Replace x"}}]
    told = only(result({"id": "default", "arguments": ["x", "y"]}, fixes=fixes), rules=[rule])
    assert told.title == "x is bad"
    assert told.body == "Use y, not {}.\n\nReplace x\n\nhttps://lint.example/R1"
    assert only(result(""), rules=[rule]).title == "About R1"
    assert told.sources == ("lint-er:R1",)


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("A [value](1) from [the docs](https://x.example/a).", "A value from the docs (https://x.example/a)"),
        ("`f(\\[0\\])` in [a-z](b) is {not} filled", "`f([0])` in [a-z](b) is {not} filled"),
        ("First line\nand more", "First line"),
        ("", "lint-er:R1"),
        ({"text": "no argument {3}", "arguments": ["a"]}, "no argument {3}"),
        ("half \ud83d a pair", "half \ufffd a pair"),
        ({"markdown": "**bold** words"}, "**bold** words"),
        ([1, 2], "lint-er:R1"),
    ],
)  # fmt: skip
def test_messages_of_many_forms(message: object, title: str) -> None:
    told = only(result(message))
    assert told.title == title
    assert "lint-er" not in told.body  # which every reader of the finding is told beside it


def test_a_long_message_is_cut_in_the_title_and_kept_in_the_body() -> None:
    told = only(result("word " * 300))
    assert told.title.endswith("word…")
    assert len(told.title) <= 160
    assert len(told.body) <= 2_000
    assert told.body.startswith("word word")


SECURITY = {"tags": ["security"]}


@pytest.mark.parametrize(
    ("level", "default", "properties", "severity"),
    [
        ("note", None, {"security-severity": "9.8"}, Severity.CRITICAL),
        ("note", None, {"security-severity": 7}, Severity.HIGH),
        (None, None, {"security-severity": "4.0"}, Severity.MEDIUM),
        (None, None, {"security-severity": "0.1"}, Severity.LOW),
        ("error", None, {"security-severity": "nan"}, Severity.MEDIUM),
        ("error", None, {"security-severity": "high", "tags": ["security"]}, Severity.HIGH),
        ("error", None, {"tags": ["external/cwe/cwe-079"]}, Severity.HIGH),
        (None, "error", SECURITY, Severity.HIGH),
        (None, None, SECURITY, Severity.MEDIUM),
        ("note", "error", SECURITY, Severity.LOW),
        ("error", None, {}, Severity.MEDIUM),
        ("warning", "error", {}, Severity.LOW),
        (None, None, {}, Severity.LOW),
        (["error"], None, {"tags": "security"}, Severity.LOW),
    ],
)
def test_severity(level: object, default: object, properties: Json, severity: Severity) -> None:
    rule = {"id": "R1", "properties": properties, "defaultConfiguration": {"level": default}}
    assert only(result(level=level), rules=[rule]).severity is severity


@pytest.mark.parametrize(
    ("properties", "confidence", "category"),
    [
        ({"precision": "very-high"}, Confidence.HIGH, "lint-er"),
        ({"precision": "low", "tags": ["security"]}, Confidence.LOW, "security"),
        ({"tags": ["HIGH CONFIDENCE", "performance"]}, Confidence.HIGH, "performance"),
        ({"tags": [{}, 7, "Maintainability"]}, Confidence.MEDIUM, "maintainability"),
    ],
)  # fmt: skip
def test_confidence_and_category(properties: Json, confidence: Confidence, category: str) -> None:
    told = only(result(), rules=[{"id": "R1", "properties": properties}])
    assert (told.confidence, told.category) == (confidence, category)


@pytest.mark.parametrize(
    ("named", "rule"),
    [
        ({"ruleId": "B"}, "B"),
        ({"ruleId": None, "ruleIndex": 1}, "B"),
        ({"ruleId": "B/sub", "ruleIndex": 1}, "B/sub"),
        ({"ruleId": "B/sub"}, "B/sub"),
        ({"ruleId": None, "rule": {"index": 0, "toolComponent": {"index": 0}}}, "EXT"),
        ({"ruleId": "EXT"}, "EXT"),
    ],
)
def test_the_rule_of_a_result_is_found_however_it_is_named(named: Json, rule: str) -> None:
    every = [{"id": "A"}, {"id": "B", "shortDescription": {"text": "Mine"}}]
    pack = {"rules": [{"id": "EXT", "shortDescription": {"text": "Mine"}}]}
    tool = {"driver": {"name": "q", "rules": every}, "extensions": [pack]}
    told = only({**result(""), **named}, tool=tool)
    assert (told.sources, told.title) == ((f"q:{rule}",), "Mine")


ROOT = "/home/runner/work/shop/shop"


@pytest.mark.parametrize(
    ("place", "run"),
    [
        ({"uri": "./src/../src/a%20b.py"}, {}),
        ({"uri": "src\\a b.py"}, {}),
        ({"uri": f"file://{ROOT}/src/a%20b.py"}, {}),
        ({"uri": f"file:{ROOT}/src/a%20b.py"}, {}),
        ({"uri": "file:///D:/a/shop/shop/src/a%20b.py"}, {}),
        ({"uri": r"D:\a\shop\shop\src\a b.py"}, {}),
        ({"uri": "src/a%20b.py", "uriBaseId": "%SRCROOT%"}, {}),
        ({"uri": "a%20b.py", "uriBaseId": "S"}, {"S": {"uri": "src/"}}),
        (
            {"uri": "a%20b.py", "uriBaseId": "S"},
            {"S": {"uri": "src/", "uriBaseId": "R"}, "R": {"uri": f"file://{ROOT}/"}},
        ),
        ({"uri": "src/a%20b.py", "uriBaseId": "S"}, {"S": {"uriBaseId": "S"}}),
        ({"index": 1}, {}),
    ],
)
def test_addresses_of_many_forms_mean_one_file(place: Json, run: Json) -> None:
    where = {"physicalLocation": {"artifactLocation": place, "region": {"startLine": 2}}}
    artifacts = [{}, {"location": {"uri": "src/a%20b.py"}}]
    one = {**result(), "locations": [where]}
    assert only(one, originalUriBaseIds=run, artifacts=artifacts).path == "src/a b.py"


def test_an_absolute_address_is_not_taken_for_a_file_of_the_same_name_elsewhere() -> None:
    """`/src/vendor/a.py` ends in `a.py`, which stands at the top of the head, too."""
    change = given({"a.py": "1\n"}, {"a.py": "1\n2\n", "src/b.py": "1\n", "src/c.py": "1\n"})
    ours = [result(uri=f"file://{ROOT}/src/{name}.py", start=1) for name in "bc"]
    data = log(result(uri="file:///usr/lib/python3/a.py"), *ours)
    assert {f.path for f in taken(data, change).findings} == {"src/b.py", "src/c.py"}


@pytest.mark.parametrize("uri", ["../src/a b.py", "https://x.example/a.py", "", "src", "src/a.py"])
def test_other_addresses_are_of_no_file_and_that_is_said(uri: str) -> None:
    told = taken(log(result(uri=uri)))
    assert told.findings == ()
    assert told.counts == ("lint-er: 0 of 1 results on changed lines",)
    (warning,) = told.warnings
    assert warning == (
        "sarif-files: out/lint.sarif: none of the 1 results of lint-er names a file of the head: "
        "run the tool at the top of the repository"
    )


@pytest.mark.parametrize(
    ("region", "uri", "place"),
    [
        ({"startLine": 1, "endLine": 9}, "src/a%20b.py", (2, 2)),
        ({"startLine": 3, "endLine": 5}, "src/a%20b.py", (4, 5)),
        ({"startLine": 5, "endLine": 4}, "src/a%20b.py", (5, 5)),
        ({"startLine": 1, "endLine": 2, "endColumn": 1}, "src/a%20b.py", None),
        ({"startLine": 3}, "src/a%20b.py", None),
        ({"startLine": 1}, "a.py", None),
        ({}, "src/a%20b.py", None),
        ({}, "new.py", (None, None)),
        ({"startLine": "2"}, "src/a%20b.py", None),
        ({"startLine": -3, "endLine": 10**30}, "new.py", (1, 2)),
    ],
)
def test_only_lines_that_the_change_adds_count(
    region: Json, uri: str, place: tuple[int | None, int | None] | None
) -> None:
    where = {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}
    told = found({**result(), "locations": [where]})
    assert [(f.start, f.end) for f in told] == ([] if place is None else [place])


def test_files_that_are_not_to_be_reviewed_have_no_findings() -> None:
    files = [ToolFile("out/lint.sarif", log(result(), result(uri="new.py", start=1)))]
    told = read(files, CHANGE.change, CHANGE.tree, lambda path: path.startswith("src/"))
    assert [finding.path for finding in told.findings] == ["new.py"]


@pytest.mark.parametrize(
    "more",
    [
        {"suppressions": [{"kind": "inSource"}]},
        {"suppressions": [{"kind": "external", "status": "accepted"}]},
        {"baselineState": "unchanged"},
        {"baselineState": "absent"},
        {"kind": "pass"},
        {"kind": "informational"},
    ],
)
def test_results_that_the_tool_itself_puts_aside_do_not_count(more: Json) -> None:
    told = taken(log(result(**more)))
    assert (told.findings, told.counts) == ((), ("lint-er: 0 of 0 results on changed lines",))


def test_a_suppression_that_was_turned_down_is_none() -> None:
    open_still = [{"kind": "external", "status": "rejected"}, {"kind": "inSource"}]
    assert len(found(result(suppressions=open_still, baselineState="new", kind="fail"))) == 1


def fix(region: Json, text: str | None, uri: str = "src/a%20b.py") -> list[Json]:
    inserted = {} if text is None else {"insertedContent": {"text": text}}
    replacements = [{"deletedRegion": region, **inserted}]
    change = {"artifactLocation": {"uri": uri}, "replacements": replacements}
    return [{"artifactChanges": [change]}]


@pytest.mark.parametrize(
    ("fixes", "suggestion"),
    [
        (fix({"startLine": 2, "startColumn": 1, "endColumn": 4}, "ii"), "ii"),
        (fix({"startLine": 2, "startColumn": 2, "endLine": 2, "endColumn": 3}, "_"), "T_O"),
        (fix({"startLine": 2}, "all\nnew"), "all\nnew"),
        (fix({"startLine": 2, "startColumn": 1, "endLine": 3, "endColumn": 1}, None), ""),
        (fix({"startLine": 2, "startColumn": 1, "endLine": 3, "endColumn": 1}, "x\n"), "x\n"),
        (fix({"startLine": 2, "startColumn": 1, "endLine": 3, "endColumn": 1}, "x"), None),
        (fix({"startLine": 2, "startColumn": 2, "endLine": 3, "endColumn": 1}, "\n"), None),
        (fix({"startLine": 2, "startColumn": 9, "endColumn": 10}, "x"), None),
        (fix({"startLine": 1}, "x"), None),
        (fix({"startLine": 2, "endLine": 3}, "x"), None),
        (fix({"startLine": 2}, "x", uri="a.py"), None),
        (fix({"startLine": 2}, "x\r\n"), None),
        (fix({"startLine": 2}, "x") * 2, None),
        ([], None),
        ("fix", None),
    ],
)
def test_a_fix_of_whole_lines_is_a_suggestion(fixes: object, suggestion: str | None) -> None:
    assert only(result(fixes=fixes)).suggestion == suggestion


def test_columns_of_a_line_beyond_ascii_are_not_sure() -> None:
    change = given({"a.py": ""}, {"a.py": "é = None\n"})
    fixes = fix({"startLine": 1, "startColumn": 5, "endColumn": 9}, "0", uri="a.py")
    (told,) = taken(log(result(uri="a.py", start=1, fixes=fixes)), change).findings
    assert told.suggestion is None


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "it is not JSON"),
        (b"\xff\xfe\xfa", "it is not JSON"),
        (b"[" * 100_000, "it is not JSON"),
        (b"[]", "it is no SARIF log, which has a list of runs"),
        (b'{"version": "2.1.0"}', "it is no SARIF log, which has a list of runs"),
        (log(version="2.0.0"), "its version of SARIF is not 2.1.0, the one that is read"),
    ],
)
def test_a_file_that_is_no_log_is_told_and_the_others_are_read(data: bytes, problem: str) -> None:
    files = [ToolFile("out/b`d.sarif", data), ToolFile("out/good.sarif", log(result()))]
    told = read(files, CHANGE.change, CHANGE.tree)
    assert told.warnings == (f"sarif-files: `out/b\\u{{60}}d.sarif` is not read: {problem}",)
    assert len(told.findings) == 1


@pytest.mark.parametrize(
    "run",
    [
        {},
        {"tool": None, "results": None},
        {"tool": [], "results": [None, 1, [], {}, {"locations": 3}, {"locations": [None, {}]}]},
        {"tool": {"driver": {"name": {}, "rules": {}}, "extensions": 1}, "results": [result()]},
        {"results": [result(rule=1, ruleIndex="x", properties=[], message=None)]},
        {"results": [result(ruleIndex=10**40)], "invocations": [1], "artifacts": 0},
    ],
)
def test_whatever_a_log_holds_nothing_breaks(run: Json) -> None:
    taken(json.dumps({"version": "2.1.0", "runs": [None, run]}).encode())


def test_other_encodings_of_json_are_read() -> None:
    text = log(result()).decode()
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert len(taken(text.encode(encoding)).findings) == 1


def test_a_file_that_names_tools_without_end_is_told_in_bounds() -> None:
    runs = [{"tool": {"driver": {"name": f"t{n}"}}, "results": [{}]} for n in range(40)]
    told = taken(json.dumps({"version": "2.1.0", "runs": runs}).encode())
    assert (len(told.counts), len(told.warnings)) == (31, 31)
    assert told.counts[-1] == told.warnings[-1] == "and 10 more"


def test_a_message_does_not_grow_without_end() -> None:
    told = only(result({"text": "{0}" * 5_000, "arguments": ["x" * 100_000]}))
    assert (len(told.title), len(told.body)) == (160, 2_000)


def test_a_tool_that_says_it_failed_is_told() -> None:
    told = taken(log(result(), invocations=[{"executionSuccessful": False}]))
    assert told.warnings == (
        "sarif-files: out/lint.sarif: lint-er says that it failed: results may be missing",
    )
    assert len(told.findings) == 1


def test_a_file_of_the_pull_request_is_refused() -> None:
    """It stands in the head, is changed, or lies in a submodule that the change moves."""
    head = {**AFTER, "kept.sarif": "", "gone.sarif": ""}
    change = given({**BEFORE, "kept.sarif": "", "gone.sarif": "{}"}, head)
    (first, *rest) = change.change.files
    moved = replace(first, path="third/party", new_mode=SUBMODULE_MODE, hunks=())
    change = replace(change, change=replace(change.change, files=(moved, first, *rest)))
    names = ("kept.sarif", "gone.sarif", "third/party/out.sarif")
    for name in (*names, *(f"checked/out/{name}" for name in names)):
        told = taken(log(result()), change, name)
        assert (told.findings, told.counts) == ((), ())
        (warning,) = told.warnings
        assert warning.startswith(f"sarif-files: {name} is not read: the head commit holds it")
    assert taken(log(result()), change, "third/party.sarif").findings


def test_where_nobody_can_tell_what_the_head_holds_no_file_is_read() -> None:
    told = read([ToolFile("out/lint.sarif", log(result()))], CHANGE.change, None)
    assert told.findings == ()
    assert "the files of the head are not listed" in told.warnings[0]


def test_no_tool_passes_for_our_checks() -> None:
    for name in ("check", "Check", " check:"):
        driver = {"driver": {"name": name}}
        finding = only(result(ruleId="conflict-markers"), tool=driver)
        assert finding.voice is Voice.TOOL
        assert finding.sources[0].lower().startswith("check-")


def test_a_short_log_does_not_keep_us_busy() -> None:
    """Each of these took a minute for a file of a few megabytes."""
    rule = {"id": "R1", "messageStrings": {"m": {"text": "{0}" * 1_333}}}
    some = [
        result({"id": "m", "arguments": [f"{n}" + "x" * 500]}, uri="new.py", start=1)
        for n in range(200)
    ]
    nothing: list[Json] = [{}] * (MOST_RESULTS + 1)
    runs = json.loads(log(*some, rules=[rule]))["runs"]
    more = [*runs, {"results": nothing}, *[{}] * MOST_RUNS]
    started = time.process_time()
    told = taken(json.dumps({"version": "2.1.0", "runs": more}).encode())
    assert time.process_time() - started < 2
    assert len(told.findings) == 200
    begin = "sarif-files: out/lint.sarif: of"
    assert {line for line in told.warnings if line.startswith(begin)} == {
        f"{begin} 50,001 results of tool the first 50,000 are read",
        f"{begin} 202 runs the first 200 are read",
    }


def test_a_flood_is_bounded_and_the_worst_stay() -> None:
    lines = "".join(f"{n}\n" for n in range(MOST_FINDINGS + 100))
    change = given({}, {"big.py": lines})
    results = [result(uri="big.py", start=n + 1) for n in range(MOST_FINDINGS + 100)]
    results[-1] = {**results[-1], "level": "error"}
    told = taken(log(*results, *results), change)
    assert len(told.findings) == MOST_FINDINGS
    assert told.findings[0].start == MOST_FINDINGS + 100
    assert told.counts == ("lint-er: 600 of 1,200 results on changed lines",)
    assert told.warnings[0].startswith("sarif-files: 100 results on changed lines are left out")
