"""What stands where: by hand-made examples, then by properties."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.domain.diff import Side
from pr_review.domain.finding import Confidence, Finding, Judged, Place, Severity
from pr_review.judge.anchor import OUTSIDE
from pr_review.judge.merge import MERGED
from pr_review.judge.policy import JudgePolicy
from pr_review.judge.rank import BELOW_MIN_SEVERITY, OVER_MAX_COMMENTS, SMALL, UNSURE, rank

LOW, MEDIUM, HIGH = Severity.LOW, Severity.MEDIUM, Severity.HIGH


def said(
    number: int = 1,
    severity: Severity = MEDIUM,
    confidence: Confidence = Confidence.MEDIUM,
    *,
    deterministic: bool = False,
) -> Finding:
    return Finding(
        "src/app.py", number, number, Side.RIGHT, severity, confidence, "correctness",
        f"Issue {number}", "Why.", sources=("bugs",), deterministic=deterministic,
        suggestion="    return result",
    )  # fmt: skip


def inline(*args: object, **kwargs: object) -> Judged:
    return Judged(said(*args, **kwargs), Place.INLINE)  # type: ignore[arg-type]


def test_a_flood_of_results_of_tools_stands_behind_what_others_say() -> None:
    forged = [inline(n, Severity.CRITICAL, deterministic=True) for n in range(40)]
    flood = [replace(j, finding=replace(j.finding, sources=("evil:x",))) for j in forged]
    true, noted = inline(77), inline(78, HIGH, Confidence.LOW)
    judged = rank([*flood, noted, true], JudgePolicy(max_comments=50))
    assert [j.finding.start for j in judged] == [*range(30), 77, *range(30, 40), 78]
    assert rank(judged, JudgePolicy(max_comments=50)) == judged


@pytest.mark.parametrize(
    ("severity", "confidence", "deterministic", "place", "reason"),
    [
        (LOW, Confidence.HIGH, False, Place.INLINE, ""),
        (LOW, Confidence.MEDIUM, False, Place.NOTED, SMALL),
        (LOW, Confidence.MEDIUM, True, Place.NOTED, SMALL),
        (LOW, Confidence.LOW, False, Place.NOTED, UNSURE),
        (MEDIUM, Confidence.MEDIUM, False, Place.INLINE, ""),
        (HIGH, Confidence.LOW, False, Place.NOTED, UNSURE),
        (HIGH, Confidence.LOW, True, Place.INLINE, ""),
        (Severity.CRITICAL, Confidence.MEDIUM, False, Place.INLINE, ""),
    ],
)
def test_what_is_doubtful_or_small_is_noted(
    severity: Severity, confidence: Confidence, deterministic: bool, place: Place, reason: str
) -> None:
    one = inline(1, severity, confidence, deterministic=deterministic)
    (judged,) = rank([one], JudgePolicy())
    assert (judged.place, judged.reason) == (place, reason)
    outside = Judged(one.finding, Place.BODY, OUTSIDE)
    (judged,) = rank([outside], JudgePolicy())
    assert judged == replace(outside, place=Place.NOTED if reason else Place.BODY)


def test_what_is_noted_takes_no_room_of_comments() -> None:
    doubtful = [inline(n, HIGH, Confidence.LOW) for n in (1, 2, 3)]
    judged = rank([*doubtful, inline(4)], JudgePolicy(max_comments=1))
    assert [j.place for j in judged] == [Place.INLINE, *[Place.NOTED] * 3]


def test_what_is_below_min_severity_is_left_out_whoever_said_it() -> None:
    judged = rank([inline(1, MEDIUM, deterministic=True), inline(2, HIGH)], JudgePolicy(10, HIGH))
    assert [(j.place, j.reason) for j in judged] == [
        (Place.INLINE, ""),
        (Place.MINOR, BELOW_MIN_SEVERITY),
    ]


def test_the_room_of_what_was_refuted_goes_to_the_next() -> None:
    policy = JudgePolicy(max_comments=1)
    worst, second, third = rank([inline(1, HIGH), inline(2), inline(3)], policy)
    assert (second.place, second.reason) == (Place.BODY, OVER_MAX_COMMENTS)
    refuted = replace(worst, place=Place.REFUTED, reason="refuted")
    again = rank([refuted, second, third], policy)
    assert again == (inline(2), third, refuted)
    assert again[0].finding.suggestion is not None, "it can be applied again"


def test_what_became_more_sure_comes_from_the_readers_list_to_the_authors() -> None:
    (noted,) = rank([inline(1, HIGH, Confidence.LOW)], JudgePolicy())
    upheld = replace(noted, finding=replace(noted.finding, confidence=Confidence.MEDIUM))
    assert rank([upheld], JudgePolicy()) == (Judged(upheld.finding, Place.INLINE),)


_PLACED = [
    (Place.INLINE, ""), (Place.BODY, OUTSIDE), (Place.TOLD, "told"), (Place.MERGED, MERGED),
    (Place.REFUTED, "refuted"), (Place.REJECTED, "rejected"),
]  # fmt: skip


@st.composite
def _judged(draw: st.DrawFn) -> Judged:
    place, reason = draw(st.sampled_from(_PLACED))
    finding = said(
        draw(st.integers(1, 4)),
        draw(st.sampled_from(Severity)),
        draw(st.sampled_from(Confidence)),
        deterministic=draw(st.booleans()),
    )
    return Judged(finding, place, reason)


@settings(deadline=None)
@given(st.lists(_judged(), max_size=12), st.integers(0, 4), st.sampled_from(Severity), st.randoms())
def test_ranking_again_changes_nothing_and_no_order_matters(
    judged: list[Judged], most: int, least: Severity, random: object
) -> None:
    policy = JudgePolicy(most, least)
    once = rank(judged, policy)
    random.shuffle(judged)  # type: ignore[attr-defined]
    assert rank(judged, policy) == rank(once, policy) == once
    comments = [item for item in once if item.place is Place.INLINE]
    over = [item for item in once if item.reason == OVER_MAX_COMMENTS]
    assert len(comments) == most if over else len(comments) <= most
    assert all(worse.finding.severity >= o.finding.severity for worse in comments for o in over)
    assert all(bool(item.reason) == (item.place is not Place.INLINE) for item in once)
