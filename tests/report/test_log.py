"""The log tells a run in lines, and none of them is a command."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.domain.finding import Judged, Place
from pr_review.domain.ledger import Tier
from pr_review.report import lines
from tests.review.scenarios import (
    CHECKS_ALONE,
    CLEAN,
    FAILED_AGENT,
    FINDINGS,
    INCREMENTAL,
    INCREMENTAL_CLEAN,
    INCREMENTAL_PARTIAL,
    PARTIAL_SOURCE,
    REFUSED,
    SKIPPED,
    agent,
    finding,
    omitted,
    snapshot,
)


def test_a_clean_run() -> None:
    assert lines(replace(CLEAN, review_url="https://x")) == (
        "reviewed: 0 findings",
        "coverage: full, of source and tests: full",
        f"snapshot: 1,234 tokens, sha256 {'d' * 64}",
        "agent bugs: 1 request, 1,300 tokens in, 210 out, $0.0042; at most $0.0250 was quoted",
        "agent security: 1 request, 1,300 tokens in, 210 out, $0.0042; at most $0.0250 was quoted",
        "cost: $0.0084; at most $0.0500 was quoted",
        "review: https://x",
    )


def test_what_the_cache_held_stands_beside_what_was_read() -> None:
    agents = tuple(replace(one, cached_tokens=1_200) for one in CLEAN.agents)
    told = lines(replace(CLEAN, agents=agents))
    assert sum("1,300 tokens in (1,200 from the cache), 210 out" in line for line in told) == 2


def test_a_review_of_what_is_new_says_what_is_still_open() -> None:
    told = lines(INCREMENTAL)
    assert told[0] == (
        "reviewed: 1 new finding in what is new since eeeeeeeeeeee; "
        "2 still open from earlier reviews"
    )
    assert [line for line in told if "open, " in line or "resolved" in line] == [
        "still open, critical: src/tax.py:12-13: Tax is added twice, see #12",
        "still open, low: src/total.py:4-5: told earlier",
        "resolved: src/total.py: its lines are not in the change any more",
        "not repeated, resolved or ignored by people: 1",
    ]
    assert lines(INCREMENTAL_CLEAN)[0] == "reviewed: 0 findings in what is new since eeeeeeeeeeee"
    assert lines(INCREMENTAL_PARTIAL)[0] == (
        "reviewed in part: 0 new findings in the source that the model received of what is new "
        "since eeeeeeeeeeee; 2 still open from earlier reviews"
    )


def test_what_was_omitted_and_why() -> None:
    assert PARTIAL_SOURCE.snapshot is not None
    entries = PARTIAL_SOURCE.snapshot.ledger.entries[:-1]
    lock = omitted("package-lock.json", Tier.GENERATED, 900)
    told = lines(replace(PARTIAL_SOURCE, snapshot=snapshot(*entries, lock)))
    assert told[0] == "reviewed in part: 0 findings in the source that the model received"
    assert [line for line in told if line.startswith("not shown")] == [
        "not shown: src/report/pdf.py (source): 420 of 420 changed lines: over the token budget",
        "not shown: src/tax.py (source): 20 of 40 changed lines: over the size cap of one file",
        "not shown: tests/test_pdf.py (test): 90 of 90 changed lines: excluded by settings",
        "not shown: package-lock.json (generated): 900 of 900 changed lines: over the token budget",
    ]


def test_many_omissions_are_counted() -> None:
    entries = [omitted(f"f{n:03}.py", Tier.SOURCE, 2) for n in range(60)]
    told = lines(replace(CLEAN, snapshot=snapshot(*entries)))
    assert "not shown: 10 more files, 20 changed lines: see the report" in told


def test_findings_and_failures() -> None:
    told = lines(FINDINGS)
    assert "high: src/total.py:3: Rounding each price loses cents [bugs, readability]" in told
    assert "critical: src/tax.py: Tax is added twice [bugs]" in told
    assert any(line.startswith("low: src/total.py:8-9 (old side): ") for line in told)
    assert [line for line in told if line.startswith("left out")] == [
        "left out: 1 finding: could not be read",
        "left out: 1 finding: merged with another finding that says the same",
    ]
    failed = lines(FAILED_AGENT)
    assert "agent security failed: the provider answered 500" in failed
    assert "agent performance: its answer was cut short" in failed
    assert "cost: unknown; at most $0.0500 was quoted" in failed
    assert any(" cost unknown; at most $0.0250 was quoted" in line for line in failed)


def test_what_was_left_out_is_counted_by_reason_and_told_of_the_refuted() -> None:
    untrue = Judged(finding(title="A loop"), Place.REFUTED, "Line 3 ends it.")
    minor = Judged(finding(), Place.MINOR, "below min-severity")
    told = lines(replace(CLEAN, judged=(minor, *[untrue] * 51, minor), guidelines=("A.md", "B.md")))
    assert told.count("withheld, refuted: src/total.py:3: A loop: Line 3 ends it.") == 50
    assert "withheld, refuted: 1 more: see the report" in told
    assert "left out: 2 findings: below min-severity" in told
    assert "guidelines: A.md, B.md" in told


def test_agents_that_fail_for_one_reason_share_a_line() -> None:
    down = (agent("bugs", failure="no route"), agent("security", failure="no route"))
    told = lines(replace(CLEAN, agents=(*down, agent("perf", failure="cut off"))))
    assert "agents bugs, security failed: no route" in told
    assert "agent perf failed: cut off" in told


@pytest.mark.parametrize("run", [REFUSED, SKIPPED, CHECKS_ALONE, PARTIAL_SOURCE, FAILED_AGENT])
def test_only_a_full_review_reads_like_one(run: object) -> None:
    assert not lines(run)[0].startswith("reviewed: ")  # type: ignore[arg-type]


PIECES = st.sampled_from(["::", "set-output name=x::", "##[", "error]", "\n", "\r", " ", "\u2028"])


@settings(deadline=None)
@given(st.lists(PIECES, max_size=8).map("".join))
def test_no_text_is_a_command(text: str) -> None:
    run = replace(
        FINDINGS,
        status=SKIPPED.status,
        reason=text,
        warnings=(text,),
        agents=(agent(text, failure=text),),
        judged=(Judged(finding(path=text, title=text, sources=(text,)), Place.BODY, text),),
        snapshot=snapshot(omitted(text or "x", Tier.SOURCE)),
        review_url=text,
    )
    for line in lines(run):
        assert not re.search(r"[\r\n\u2028]", line)
        assert not line.strip().startswith("::")
        assert "##[" not in line
