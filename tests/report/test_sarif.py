"""A run as SARIF: valid by the published schema, the same over pushes, honest about its sight."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft4Validator

from pr_review.domain.diff import Side, SourceKind, Status
from pr_review.domain.finding import (
    AgentOutcome,
    Confidence,
    Finding,
    Judged,
    Place,
    Severity,
)
from pr_review.domain.ledger import Entry, Ledger, Reason, Tier
from pr_review.domain.review import Run, RunStatus, Told, ToldState
from pr_review.domain.snapshot import SentFile, SentLine, Snapshot
from pr_review.errors import SnapshotError
from pr_review.report.line_hash import line_hashes
from pr_review.report.sarif import FINGERPRINT, LINE_HASH, sarif_object, tells_all
from tests.checks.changes import given
from tests.checks.sarif_sample import FOLDER

BUG = Finding(
    "src/a b.py", 3, 4, Side.RIGHT, Severity.HIGH, Confidence.HIGH, "injection",
    "Text of a user becomes a command", "Quote it, see [here](https://evil.example).",
    suggestion="run([name])\n    return", sources=("bugs", "security"),
)  # fmt: skip
OLD = replace(BUG, side=Side.LEFT, suggestion=None, sources=("bugs",), category="logic")
CHECK = replace(
    BUG, start=None, end=None, suggestion=None, severity=Severity.MEDIUM,
    category="correctness", sources=("bugs", "check:conflict-markers"), deterministic=True,
)  # fmt: skip
NOTED = replace(BUG, start=9, end=9, suggestion="", category="naming", sources=("readability",))


def snapshot(shift: int = 0) -> Snapshot:
    texts = ["def run(name):", "    os.system(name)", "    return", "x"]
    lines = tuple(SentLine(None, 2 + shift + n, text) for n, text in enumerate(texts))
    sent = SentFile("src/a b.py", None, (), lines)
    hidden = Entry(
        "web/ü.lock", None, Status.MODIFIED, Tier.GENERATED, 20, 0, reason=Reason.BUDGET
    )  # fmt: skip
    ledger = Ledger((hidden,))
    return Snapshot("", "d" * 64, 9, "o200k", SourceKind.GIT, ledger, (), (sent,))


def run(*judged: Judged, shift: int = 0, **more: Any) -> Run:
    run = Run(RunStatus.REVIEWED, snapshot=snapshot(shift), model="m", judged=judged)
    return replace(run, **more)


EVERY = (
    Judged(
        BUG, Place.INLINE, also=(replace(BUG, start=7, end=7),), merged=(replace(BUG, path="b.py"),)
    ),
    Judged(OLD, Place.BODY, "it has no line"),
    Judged(CHECK, Place.INLINE),
    Judged(NOTED, Place.NOTED),
    Judged(replace(NOTED, title="told"), Place.TOLD),
    Judged(replace(BUG, title="merged away"), Place.MERGED, "said twice"),
    Judged(replace(BUG, title="refuted"), Place.REFUTED, "no"),
)


def valid(run: Run) -> dict[str, Any]:
    """The one run of a log that the published schema accepts."""
    log = json.loads(json.dumps(sarif_object(run)))
    schema = json.loads((FOLDER / "sarif-schema-2.1.0.json").read_text("utf-8"))
    problems = [error.message for error in Draft4Validator(schema).iter_errors(log)]
    assert problems == []
    (one,) = log["runs"]
    assert isinstance(one, dict)
    for result in one["results"]:
        assert one["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    return one


def test_what_the_review_tells_is_a_result_and_nothing_else() -> None:
    results = valid(run(*EVERY))["results"]
    rows = [(r["ruleId"], r["level"], r["properties"]["place"]) for r in results]
    assert rows == [
        ("injection", "error", "inline"),
        ("logic", "error", "body"),
        ("check:conflict-markers", "warning", "inline"),
        ("naming", "note", "noted"),
        ("naming", "error", "told"),
    ]
    assert results[3]["properties"]["confidence"] == "high"
    assert results[0]["message"]["text"].endswith("see [here] (https://evil.example).")


def test_where_a_result_stands_and_what_is_to_be_put_there() -> None:
    first, old, check, noted, _ = valid(run(*EVERY))["results"]
    (place,) = first["locations"]
    uri = {"uri": "src/a%20b.py", "uriBaseId": "%SRCROOT%"}
    region = {"startLine": 3, "endLine": 4}
    assert place["physicalLocation"] == {"artifactLocation": uri, "region": region}
    related = [one["physicalLocation"]["artifactLocation"] for one in first["relatedLocations"]]
    assert related == [uri, {"uri": "b.py", "uriBaseId": "%SRCROOT%"}]
    (change,) = first["fixes"][0]["artifactChanges"]
    replaced = {"deletedRegion": region, "insertedContent": {"text": "run([name])\n    return"}}
    assert change["replacements"] == [replaced]
    gone = noted["fixes"][0]["artifactChanges"][0]["replacements"][0]["deletedRegion"]
    assert gone == {"startLine": 9, "startColumn": 1, "endLine": 10, "endColumn": 1}
    for whole in (old, check):
        assert whole["locations"] == [{"physicalLocation": {"artifactLocation": uri}}]
    assert "About removed lines, from line 3 of the old file on." in old["message"]["text"]


def test_security_is_scored_and_the_rest_is_not() -> None:
    rules = {rule["id"]: rule for rule in valid(run(*EVERY))["tool"]["driver"]["rules"]}
    assert rules["injection"]["properties"] == {"tags": ["security"], "security-severity": "8.0"}
    assert "security-severity" not in rules["logic"]["properties"]


def test_fingerprints_stay_when_lines_move_and_tell_equal_ones_apart() -> None:
    moved = replace(BUG, start=8, end=9)
    before = [r["partialFingerprints"] for r in valid(run(Judged(BUG, Place.BODY)))["results"]]
    after = valid(run(*[Judged(moved, Place.INLINE)] * 2, shift=5))["results"]
    first, second = (r["partialFingerprints"][FINGERPRINT] for r in after)
    assert before == [{FINGERPRINT: first}]
    assert first != second
    other = Judged(replace(BUG, start=2, end=2), Place.INLINE)
    assert valid(run(other))["results"][0]["partialFingerprints"][FINGERPRINT] != first


# Computed by the steps of `hash` in github/codeql-action (src/fingerprints.ts) for this text.
TEXT = "def a():\r\n\treturn 'é😀'\r\n\r\n" + 4 * (
    "x = 1  # the same line, again and again, longer than any other here\n"
)
HASHES = (
    "e7694d4b08d5bce9:1", "6e471b476d207344:1", "f287b010782c0bff:1", "157c4c5b5f3d29d6:1",
    "157c4c5b5f3d29d6:2", "157c4c5b5f3d29d6:3", "bdcc15a9f770350:1", "c129715d7a2bc9a3:1",
)  # fmt: skip


def test_lines_are_known_again_by_the_hash_of_code_scanning() -> None:
    at = [replace(BUG, start=n, end=n) for n in range(1, 9)]
    files = {"src/a b.py": TEXT.encode(), "empty": b""}
    others = [replace(BUG, path="gone.py"), OLD, CHECK, replace(BUG, path="empty", start=1)]
    found = line_hashes([*at, *others], files.get)
    assert found[:8] == tuple(("src/a b.py", n, h) for n, h in enumerate(HASHES, start=1))
    assert found[8:] == (("empty", 1, "c129715d7a2bc9a3:1"),)
    assert line_hashes(at, unreachable) == ()
    prints = valid(run(*EVERY, line_hashes=found))["results"][0]["partialFingerprints"]
    assert prints[LINE_HASH] == HASHES[2]


def unreachable(path: str) -> bytes | None:
    raise SnapshotError(f"no server has {path}")


def test_what_was_not_seen_is_told_to_whoever_reads_the_results() -> None:
    failed = AgentOutcome("bugs", failure="no answer in time")
    cut = AgentOutcome("security", cut_short=True, dropped=2)
    late = AgentOutcome("verify", failure="no time was left")
    quiet = [Judged(BUG, place, "why") for place in Place if not place.tells]
    warnings = ("a tool says that it failed",)
    one = valid(run(*quiet, agents=(failed, cut), warnings=warnings, model="", verifier=late))
    (call,) = one["invocations"]
    assert call["executionSuccessful"] is False
    notices = call["toolExecutionNotifications"]
    omitted = "not shown: web/ü.lock (generated): 20 of 20 changed lines: over the token budget"
    assert {n["message"]["text"]: n["descriptor"]["id"] for n in notices} == {
        "No model was asked: the checks and other tools speak alone.": "not-asked",
        "agent bugs failed: no answer in time": "agent-failed",
        "agent security: its answer was cut short": "agent-failed",
        "a tool says that it failed": "warning",
        "findings were not verified: no time was left": "not-verified",
        "findings left out: 1 withheld after verification": "left-out",
        "findings left out: 1 below min-severity": "left-out",
        "findings left out: 1 did not hold": "left-out",
        "findings left out: 1 not repeated: resolved or ignored by people": "left-out",
        "findings left out: 2 could not be read": "left-out",
        omitted: "not-shown",
    }
    place = notices[-1]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "web/%C3%BC.lock"
    assert one["properties"]["coverage"] == "partial"


def test_what_no_model_saw_is_counted_where_it_cannot_be_listed() -> None:
    seen = snapshot()
    (entry,) = seen.ledger.entries
    many = tuple(replace(entry, path=f"{n}.lock") for n in range(203))
    ledger = replace(seen.ledger, entries=many, unlisted=7)
    notices = valid(run(snapshot=replace(seen, ledger=ledger)))["invocations"][0]
    first, *listed, last = [n["message"]["text"] for n in notices["toolExecutionNotifications"]]
    assert first == "210 files changed, 203 listed: the last 7 were never seen"
    assert len(listed) == 200
    assert last == "3 more files, 60 changed lines"


def test_the_commit_that_was_read_is_named_where_it_has_an_address() -> None:
    change = replace(given({}, {}).change, head="a" * 40)
    (origin,) = valid(run(change=change, web_url="https://x/o/r"))["versionControlProvenance"]
    assert origin == {"repositoryUri": "https://x/o/r", "revisionId": "a" * 40}
    assert "versionControlProvenance" not in valid(run(change=change))


def test_findings_of_earlier_reviews_that_are_open_do_not_vanish() -> None:
    """Code scanning closes what an upload does not hold."""
    told = Told("f" * 16, Severity.HIGH, path="a.py", start=2, end=2, title="Old", url="https://x")
    closed = replace(told, fingerprint="e" * 16, state=ToldState.CLOSED)
    again = Judged(replace(BUG, path="b.py"), Place.TOLD)
    met = replace(told, path="b.py", start=BUG.start, end=BUG.end, title=BUG.title)
    other = replace(met, title="Another problem of these lines")
    results = valid(run(again, earlier=(told, closed, met, other)))["results"]
    rows = [(r["ruleId"], r["message"]["text"].split("\n")[0]) for r in results]
    assert rows == [("injection", BUG.title), ("earlier", "Old"), ("earlier", other.title)]


@pytest.mark.parametrize("status", RunStatus)
def test_a_run_that_says_nothing_of_its_head_is_not_told_as_clean(status: RunStatus) -> None:
    ended = Run(status, reason="so it is")
    assert tells_all(ended) is (status in (RunStatus.REVIEWED, RunStatus.NOT_REVIEWED))
    (call,) = valid(ended)["invocations"]
    assert call["executionSuccessful"] is tells_all(ended)
    assert call["toolExecutionNotifications"][0]["message"]["text"] == "so it is"
