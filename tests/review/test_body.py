"""The body fits, and what does not is folded or counted, never lost in silence."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pr_review.domain.finding import Judged, Place, Severity
from pr_review.domain.ledger import Coverage, Entry, Tier
from pr_review.domain.review import Run, RunStatus, Told, ToldState
from pr_review.review import ReviewPolicy, body, compose, summary_body
from pr_review.review.fit import BODY_LIMIT, units, utf8
from pr_review.review.omissions import omissions
from pr_review.review.verdict import verdict
from tests.review.scenarios import (
    CHECKS_ALONE,
    CLEAN,
    FAILED,
    FAILED_AGENT,
    FINDINGS,
    HUGE,
    INLINE,
    NOTED,
    PARTIAL_SOURCE,
    QUOTE,
    SCENARIOS,
    SKIPPED,
    agent,
    finding,
    omitted,
    partial,
    shown,
    snapshot,
)

POLICY = ReviewPolicy()


def many(count: int) -> tuple[Entry, ...]:
    tiers = list(Tier)
    return tuple(
        omitted(f"dir{n % 40}/sub/file{n}.x", tiers[n % 5], n % 9 + 1) for n in range(count)
    )


def lines_told(text: str) -> int:
    """Changed lines that a list of omissions accounts for."""
    counts = r"^- .*; (?:[\d,]+ files?, )?([\d,]+)(?: of [\d,]+)? lines?(?:,|$)"
    found = re.findall(counts, text, re.MULTILINE)
    return sum(int(number.replace(",", "")) for number in found)


@pytest.mark.parametrize("room", [10**9, 100_000, 20_000, 6_000, 1_000, 0])
def test_omissions_always_account_for_every_line(room: int) -> None:
    entries = (*many(3500), partial("src/part.py"))
    text = omissions(entries, room)
    assert lines_told(text) == sum(entry.omitted for entry in entries)
    assert units(text) <= max(room, 1_000)


def test_source_is_the_last_to_fold_and_the_first_to_be_read() -> None:
    entries = (*many(400), omitted("src/important.py", Tier.SOURCE))
    whole = units(omissions(entries, 10**9))
    text = omissions(entries, whole - 1)
    heading = re.compile(r"^\*\*(\w+)\*\*: ([\d,]+) files, [\d,]+ changed lines$", re.MULTILINE)
    headings = heading.findall(text)
    assert headings == [
        ("Source", "81"), ("Test", "80"), ("Snapshot", "80"), ("Asset", "80"), ("Generated", "80"),
    ]  # fmt: skip
    source, *_, generated = text.split("\n\n**")
    assert "- `src/important.py`: over the token budget; 1,000 lines, about" in text
    assert len(re.findall(r"\.x`: ", text)) == 320
    assert not re.search(r"\.x`: ", generated.removeprefix("Generated"))
    assert "files, " in generated
    assert source.startswith("**Source**")


def test_a_huge_run_fits_and_says_what_did_not() -> None:
    findings = tuple(
        Judged(finding(title=f"Issue {n}", body="x" * 900), Place.BODY, "over max-comments")
        for n in range(300)
    )
    run = replace(CLEAN, judged=findings, snapshot=snapshot(shown("a.py"), *many(3500)))
    text = body(run, POLICY)
    assert units(text) <= BODY_LIMIT
    told = text.count("<sub>correctness")
    assert 5 < told < 300
    assert f"{300 - told} findings did not fit here in full; the job summary and the report" in text
    assert lines_told(text) == sum(entry.omitted for entry in many(3500))
    whole = summary_body(run)
    assert "did not fit" not in whole
    assert whole.count("<sub>correctness") == 300
    assert "- `dir0/sub/file0.x`: " in whole
    assert "<!--" not in whole
    assert len(whole.encode()) <= 1_000_000
    assert text.endswith("-->")


def test_what_a_phone_has_no_room_for_is_folded() -> None:
    text = body(HUGE, POLICY)
    view = re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL)
    assert view.count("\n| Critical |") == 20
    assert "\n\nand 179 more findings\n\n**Without a comment at their lines** (189):\n" in view
    assert view.count("<sub>") == 5
    folded = re.findall(r"<summary>(\d+) more findings</summary>", text)
    assert 5 + int(folded[0]) == text.count("<sub>")


@pytest.mark.parametrize(("inline", "others", "table"), [(0, 5, False), (0, 6, True), (1, 1, True)])
def test_no_table_repeats_what_stands_below_it(inline: int, others: int, *, table: bool) -> None:
    placed = (*[Place.INLINE] * inline, *[Place.BODY] * others)
    run = replace(CLEAN, judged=tuple(Judged(finding(), place, "why") for place in placed))
    assert ("| Severity | Finding |" in body(run, POLICY)) == table
    assert body(run, POLICY).count("<sub>") == others
    assert body(run, POLICY, inline=False).count("<sub>") == inline + others


def test_context_for_a_reviewer_is_folded_and_has_no_row() -> None:
    text = body(NOTED, POLICY)
    assert "<summary>For the reviewer: 2 more findings, unsure or small</summary>" in text
    assert "The cache may grow" not in text.split("<details>")[0]
    alone = replace(NOTED, judged=tuple(j for j in NOTED.judged if j.place is Place.NOTED))
    text = body(alone, POLICY)
    assert text.startswith("**2 findings (1 medium, 1 low).**\n\n<details>\n<summary>For the rev")
    assert "For the reviewer: 2 findings, unsure or small" in text


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ([Place.MERGED], "**No findings.**"),
        ([Place.REFUTED], "**No findings**; 1 withheld after verification."),
        (
            [Place.MINOR, Place.REJECTED, Place.REFUTED, Place.REFUTED],
            "**No findings**; 2 withheld after verification, 1 below min-severity, 1 did not hold.",
        ),
        ([Place.REFUTED, Place.BODY], "**1 finding (1 high).**"),
    ],
)
def test_what_was_said_and_left_out_does_not_hide_behind_a_clean_verdict(
    places: list[Place], words: str
) -> None:
    judged = tuple(Judged(finding(), place, "why") for place in places)
    assert verdict(replace(CLEAN, judged=judged)) == words


def test_what_was_left_out_is_told_on_partial_sight_and_of_checks_alone_too() -> None:
    minor = (Judged(finding(), Place.MINOR, "below min-severity"),)
    assert verdict(replace(PARTIAL_SOURCE, judged=minor)).endswith(
        "it did not see 530 changed lines of 3 source or test files; 1 below min-severity."
    )
    assert verdict(replace(CHECKS_ALONE, judged=minor)) == (
        "**No findings by the checks**; no model was asked to review this change; "
        "1 below min-severity."
    )


def test_how_the_run_was_made_names_tools_guidelines_and_what_was_refuted() -> None:
    files = tuple(f"docs/{n}.md" for n in range(12))
    judged = (
        *(Judged(finding(title=f"T{n}"), Place.REFUTED, "no") for n in range(13)),
        *(Judged(finding(), Place.REJECTED, f"reason {n:02}") for n in range(3)),
    )
    run = replace(
        CLEAN, judged=judged, guidelines=files, tools=("ruff: 2 of 9",), verifier=agent("verify")
    )
    text = body(run, POLICY).split("<summary>Run details</summary>")[1]
    assert "- Tool results: ruff: 2 of 9\n" in text
    assert "- Guidelines: `docs/9.md`\n- and 2 more guidelines, which the report holds\n" in text
    assert "- Verified: 13 findings refuted and withheld\n  - `src/total.py:3`: T0 (no)\n" in text
    assert "  - and 3 more, which the report holds\n" in text
    assert "| verify<br>13 refuted | 1,300&nbsp;in<br>210&nbsp;out | $0.0042 |" in text
    assert text.count("1 finding left out: reason ") == 3
    quiet = body(replace(CLEAN, verifier=agent("verify")), POLICY)
    assert "- Verified: no finding refuted and withheld\n" in quiet


def test_where_nothing_was_to_be_verified_a_comparison_that_fails_alarms_nobody() -> None:
    run = replace(CLEAN, verifier=agent("verify", failure="no answer", compares=True))
    text = body(run, POLICY)
    assert "erif" not in text.replace("verify<br>", "")
    assert "| verify<br>failed |" in text


def test_a_character_beyond_the_basic_plane_counts_twice() -> None:
    assert (units("a😀é"), utf8("a😀é")) == (4, 7)


HOSTILE = st.sampled_from(["<", "@a", "`", "\U000e0041", "\\", "#1", "|", "😀", "\n", "x", "://"])


@settings(max_examples=20, deadline=None)
@given(st.lists(HOSTILE, max_size=30).map(lambda parts: "".join(parts) * 99), st.integers(0, 25))
@example("\U000e0041" * 198, 15)
@example("\U000e0041" * 300, 25)
def test_no_text_makes_it_too_long(text: str, count: int) -> None:
    also = (finding(path=text[:300] or "p"),) * count
    run = Run(
        status=RunStatus.REVIEWED,
        pull_request=CLEAN.pull_request,
        snapshot=snapshot(shown("a.py"), *many(100)),
        model=text,
        quote=replace(QUOTE, model=text),
        agents=tuple(agent(text, failure=text) for _ in range(count)),
        judged=tuple(
            Judged(
                finding(title=text, body=text, path=text[:300] or "p"),
                place,
                text,
                also,
                merged=(finding(title=text, sources=(text,)),) * count,
            )
            for place in [Place.BODY] * count + [Place.NOTED, Place.REFUTED, Place.REJECTED] * 12
        ),
        warnings=(text,) * count,
        verifier=agent(text, failure=text),
        guidelines=(text,) * count,
        tools=(text,) * count,
    )
    assert units(body(run, POLICY)) <= BODY_LIMIT
    assert len(summary_body(run).encode()) <= 1_000_000


@pytest.mark.parametrize("name", SCENARIOS)
def test_an_unqualified_verdict_needs_full_sight(name: str) -> None:
    run = SCENARIOS[name]
    clean = verdict(run) == "**No findings.**"
    assert clean == (
        run.status is RunStatus.REVIEWED
        and not run.findings
        and run.coverage_source is Coverage.FULL
        and bool(run.agents)
        and not any(a.failure or a.cut_short for a in run.agents)
        and not run.since
        and not run.still_open
        and not run.withheld
        and all(judged.place is Place.MERGED for judged in run.left_out)
    )


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_first_line_counts_what_is_still_open(name: str) -> None:
    run = SCENARIOS[name]
    told = re.search(r"\*\*(\d+) earlier findings? (?:is|are) still open\*\*", verdict(run))
    assert (int(told[1]) if told else 0) == len(run.still_open)
    assert (f"since `{run.since[:12]}`" in verdict(run)) == bool(run.since)


def test_many_earlier_findings_fit_and_are_counted() -> None:
    long = tuple(
        Told(
            f"{n:016x}.1.0.1.abcdef", Severity.HIGH, path=f"src/{'x' * 900}{n}.py", start=n, end=n,
            title="t" * 180, state=list(ToldState)[n % 3],
        )
        for n in range(1, 901)
    )  # fmt: skip
    run = replace(CLEAN, judged=(INLINE,) * 90, earlier=long, snapshot=snapshot(*many(3500)))
    text = body(run, POLICY)
    assert units(text) <= BODY_LIMIT
    for heading in ("Still open from earlier reviews", "Resolved since the last review"):
        told = text.split(f"**{heading}** (300):\n\n")[1].split("\n\n")[0].split("\n")
        (rest,) = re.findall(r"^- and ([\d,]+) more findings$", told[-1])
        assert len(told) - 1 + int(rest) == 300
        assert len(told) > 3
    assert lines_told(text) == sum(entry.omitted for entry in many(3500))
    assert summary_body(run).count("\n- **High**") > 2 * text.count("\n- **High**")


def test_findings_on_partial_sight_are_qualified_too() -> None:
    run = replace(FAILED_AGENT, judged=(INLINE,))
    assert verdict(run) == (
        "**1 finding (1 high) in the source that the model received**; no answer came from "
        "`security`; the answer was cut short from `performance`."
    )


def test_what_is_no_review_does_not_look_like_one() -> None:
    assert verdict(SKIPPED).startswith("**Skipped**: draft pull request")
    assert verdict(FAILED) == (
        "**Failed**: every agent failed: the provider answered 500. This is not a review."
    )
    assert verdict(Run(RunStatus.FAILED)).startswith("**Failed**: no reason was given.")
    assert "<!--" not in body(SKIPPED, POLICY)


def test_many_failures_and_warnings_are_counted() -> None:
    failed = tuple(agent(f"agent{n}", failure=f"no {n}") for n in range(30))
    text = body(replace(CLEAN, agents=failed, warnings=("w",) * 12), POLICY)
    assert "and 25 more" in text.split("\n")[0]
    assert "- and 20 more reasons" in text
    assert "- and 2 more warnings" in text
    assert "and 10 more agents" in text


def test_agents_that_fail_for_one_reason_are_named_together() -> None:
    down = tuple(agent(f"agent{n}", failure="no route") for n in range(12))
    text = body(replace(CLEAN, agents=(*down, agent("slow", failure="too late"))), POLICY)
    together = ", ".join(f"`agent{n}`" for n in range(10))
    assert f"- The agents {together} and 2 more failed: no route\n" in text
    assert "- The agent `slow` failed: too late\n" in text
    assert "| slow<br>failed | " in text
    part = replace(CLEAN, agents=(agent("slow", failure="too late in pass 2", in_part=True),))
    assert "| slow<br>failed in part | " in body(part, POLICY)


def test_no_model_is_claimed_for_a_run_that_did_not_get_that_far() -> None:
    assert "Model:" not in summary_body(Run(RunStatus.FAILED, "checks: there is no check 'x'"))
    assert "- Model: none; the checks alone" in summary_body(CHECKS_ALONE)


def test_a_review_without_a_commit_of_its_change_stands_on_the_head_of_the_event() -> None:
    run = replace(FINDINGS, change=None)
    review = compose(run, POLICY)
    assert run.pull_request is not None
    assert review.head_sha == run.pull_request.head_sha
    assert f"head={review.head_sha}" in review.body
