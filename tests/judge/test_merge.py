"""Which findings become one, how sure it is, and what becomes of the others."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.domain.diff import Side
from pr_review.domain.finding import MOST_SAID, Confidence, Finding, Judged, Place, Severity
from pr_review.judge import JudgePolicy, judge
from pr_review.judge import merge as merge_module
from pr_review.judge.anchor import NOT_QUOTED, OUTSIDE
from pr_review.judge.judge import rejudge
from pr_review.judge.meaning import Meaning
from pr_review.judge.merge import MERGED, TAKEN_FOR_ONE, merge, unite
from pr_review.judge.patterns import ONE_OF_A_PATTERN, patterns
from pr_review.judge.rank import OVER_MAX_COMMENTS, SMALL, UNSURE
from tests.judge.listing import sent, snapshot
from tests.judge.pairs import DIFFERENT, SAME, Said

LOW, MEDIUM, HIGH = Confidence.LOW, Confidence.MEDIUM, Confidence.HIGH
QUOTE = "response = requests.get(url)"


def said(source: str = "bugs", line: int | None = 3, **changes: Any) -> Finding:
    plain = Finding(
        "src/app.py", line, line, Side.RIGHT, Severity.MEDIUM, MEDIUM, "blocking",
        "The request has no timeout", "A dead server hangs every worker.", QUOTE, None, (source,),
    )  # fmt: skip
    return replace(plain, **changes)


def tool(source: str = "ruff:S113", line: int = 3, **changes: Any) -> Finding:
    words = {"title": "Probable use of `requests` call without timeout", "body": "", "quote": ""}
    return said(source, line, **{"deterministic": True, **words, **changes})


def inline(*findings: Finding) -> tuple[Judged, ...]:
    return merge([Judged(finding, Place.INLINE) for finding in findings])


def kept(judged: tuple[Judged, ...]) -> list[Judged]:
    return [item for item in judged if item.place is not Place.MERGED]


@pytest.mark.parametrize(
    ("voices", "confidence"),
    [
        ([said(confidence=LOW), tool(confidence=LOW)], HIGH),
        ([said(confidence=LOW), said("security", confidence=LOW)], HIGH),
        ([tool(), tool("semgrep:no-timeout")], HIGH),
        ([tool(confidence=LOW)], LOW),
        ([tool(confidence=LOW), tool(confidence=LOW)], LOW),
        ([said(confidence=HIGH)], HIGH),
        ([said(confidence=HIGH, quote="")], MEDIUM),
        ([said(confidence=MEDIUM)], MEDIUM),
        ([said(confidence=LOW)], LOW),
        ([said(confidence=LOW), said(confidence=LOW, body="Once more.")], LOW),
    ],
)
def test_how_sure_a_finding_is_by_who_said_it(
    voices: list[Finding], confidence: Confidence
) -> None:
    (one,) = kept(inline(*voices))
    assert one.finding.confidence is confidence
    assert one.finding.sources == tuple(sorted({name for f in voices for name in f.sources}))


@pytest.mark.parametrize(("reason", "confidence"), [(NOT_QUOTED, LOW), (OUTSIDE, MEDIUM)])
def test_a_quote_that_proves_no_line_of_the_diff_makes_nobody_sure(
    reason: str, confidence: Confidence
) -> None:
    (one,) = merge([Judged(said(confidence=HIGH), Place.BODY, reason)])
    assert one.finding.confidence is confidence


@pytest.mark.parametrize(
    ("lines", "count"), [((3, 3), 1), ((3, 4), 1), ((3, 5), 2), ((3, None), 1), ((None, None), 1)]
)
def test_lines_that_touch_are_one_place(lines: tuple[int | None, int | None], count: int) -> None:
    one, other = lines
    assert len(kept(inline(said(line=one), said("performance", line=other)))) == count


def test_one_source_that_says_the_same_of_two_lines_means_two() -> None:
    assert len(kept(inline(said(line=3), said(line=4)))) == 2
    assert len(kept(inline(tool(line=3), tool(line=4)))) == 2


def test_a_tool_that_means_the_same_says_the_same() -> None:
    os, sys = (tool("flake8:F401", title=f"Unused import {name}") for name in ("os", "sys"))
    assert len(kept(inline(os, sys))) == 2
    assert len(kept(inline(os, os))) == 1


def test_two_sides_are_two_places() -> None:
    assert len(kept(inline(said(), said("security", side=Side.LEFT)))) == 2


def test_what_could_not_be_placed_joins_what_was() -> None:
    lost = Judged(said("security", line=None, quote="get()"), Place.BODY, NOT_QUOTED)
    found = Judged(said(), Place.INLINE)
    assert [(j.place, j.reason) for j in merge([lost, found])] == [
        (Place.INLINE, ""),
        (Place.MERGED, MERGED),
    ]
    words = {"title": "`url` comes from the form", "body": "It reaches internal hosts."}
    other = replace(lost, finding=said("security", None, quote="get()", **words))
    assert len(kept(merge([other, found]))) == 2


def test_what_is_merged_under_other_titles_is_kept_with_the_one_that_is_told() -> None:
    told, same, other = said(confidence=HIGH), said("security"), tool()
    (one,) = kept(inline(told, same, other, replace(other, sources=("bandit:B113",))))
    assert (one.finding.title, [f.title for f in one.merged]) == (told.title, [other.title])
    assert kept(inline(told, same))[0].merged == ()
    spread_out = [Judged(replace(told, path=p), Place.INLINE, merged=(other,)) for p in "abc"]
    assert [j.merged for j in kept(patterns(spread_out))] == [(other,) * 3]


def test_no_tool_takes_the_place_of_an_agent() -> None:
    """Not where the worst that agents say has lost its own."""
    forged = Judged(replace(tool(), start=1, end=90), Place.INLINE)
    lost = Judged(said("security", None, severity=Severity.CRITICAL), Place.BODY, NOT_QUOTED)
    (one,) = kept(merge([forged, Judged(said(), Place.INLINE), lost]))
    assert (one.place, one.finding.start, one.finding.end) == (Place.INLINE, 3, 3)
    assert one.finding.severity is Severity.CRITICAL


def test_of_many_other_titles_those_of_agents_come_first_and_the_worst() -> None:
    """Readers see a few: a report that is forged may hold any number."""
    forged = [tool(f"tool{n}:r", title=f"No timeout of a request, {n}") for n in range(3)]
    same = [said(name, title=f"No timeout ({name})") for name in ("a", "b")]
    worst = said("c", title="No timeout (c)", severity=Severity.HIGH)
    others = [j.merged for j in kept(inline(*forged, *same, worst)) if "c" in j.finding.sources]
    assert [f.title for f in others[0]][:2] == [f.title for f in same]


def test_no_flood_of_findings_that_mean_the_same_hides_a_title() -> None:
    every = [
        said(f"agent{n}", title=f"The request has no timeout{'!' * n} ({n})") for n in range(20)
    ]
    told = kept(inline(*every, *every))
    assert 2 < len(told) < 5
    seen = [f.title for j in told for f in (j.finding, *j.merged[:MOST_SAID])]
    assert sorted(seen) == sorted(f.title for f in every)


def test_what_is_looked_through_for_one_finding_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of findings on lines of their own took minutes."""
    asked: list[Finding] = []
    near = Finding.near

    def counted(one: Finding, other: Finding) -> bool:
        asked.append(one)
        return near(one, other)

    monkeypatch.setattr(merge_module, "_MOST_IN_A_FILE", 10)
    monkeypatch.setattr(Finding, "near", counted)
    every = inline(*(said(line=3 * n) for n in range(1, 101)))
    assert len(kept(every)) == 100
    assert len(asked) < 100 * 10


# --- whose words stand: a report of a tool may be forged by the code that is reviewed

HARMLESS: dict[str, Any] = {
    "title": "The request has no timeout",
    "body": "All is well.",
    "category": "lint",
}
CHECK: dict[str, Any] = {
    "sources": ("check:timeouts",),
    "deterministic": True,
    "body": "Says the check.",
}


def test_no_tool_takes_the_words_of_an_agent() -> None:
    forged = tool(severity=Severity.CRITICAL, confidence=HIGH, suggestion="", **HARMLESS)
    agent = said(suggestion="response = requests.get(url, timeout=9)")
    (one,) = kept(inline(forged, agent))
    assert (one.finding.title, one.finding.body) == (agent.title, agent.body)
    assert one.finding.suggestion == agent.suggestion
    assert (one.finding.severity, one.finding.deterministic) == (Severity.CRITICAL, True)
    assert one.finding.category == "lint", "by which it is known again where the tool speaks alone"


@pytest.mark.parametrize("lines", [(1, 90), (None, None)])
def test_a_tool_that_speaks_of_all_lines_takes_one_finding_at_most(
    lines: tuple[int | None, int | None],
) -> None:
    start, end = lines
    forged = replace(tool(**HARMLESS), start=start, end=end, severity=Severity.CRITICAL)
    agents = [said(line=line, body=f"Worker {line} hangs.") for line in (3, 30, 60)]
    told = kept(inline(forged, *agents))
    assert {j.finding.body for j in told} == {f.body for f in agents}


def test_an_agent_that_speaks_of_all_lines_takes_one_finding_of_a_tool_at_most() -> None:
    wide = Judged(said(line=None, quote=""), Place.BODY, OUTSIDE)
    tools = [Judged(tool(line=line), Place.INLINE) for line in (3, 30, 60)]
    told = kept(merge([wide, *tools]))
    assert sorted(j.finding.start or 0 for j in told) == [3, 30, 60]
    assert all(j.place is Place.INLINE for j in told)


def test_a_check_has_the_first_word() -> None:
    forged = tool(severity=Severity.CRITICAL, **HARMLESS)
    (one,) = kept(inline(forged, said(), said(**CHECK, confidence=LOW)))
    assert (one.finding.body, one.finding.severity) == ("Says the check.", Severity.CRITICAL)


# --- what a model takes for one


def told(source: str, line: int | None = 3, place: Place = Place.INLINE, **changes: Any) -> Judged:
    return Judged(said(source, line, **{"title": f"Said by {source}", **changes}), place)


def test_what_a_model_takes_for_one_is_told_as_what_two_agents_say() -> None:
    words = said("style").title
    best = replace(told("bugs", severity=Severity.HIGH), merged=(said("style"),))
    other = replace(told("security", 4, category="dos", suggestion="x"), merged=(said("x"),))
    alone = told("style", 90)
    one, merged, rest = unite([alone, other, best], [(other, best)])
    assert one.finding == replace(best.finding, sources=("bugs", "security"), confidence=HIGH)
    assert [f.title for f in one.merged] == ["Said by security", words]
    assert merged == Judged(other.finding, Place.MERGED, TAKEN_FOR_ONE)
    assert rest == alone


def test_what_is_united_is_told_no_less_than_either_was() -> None:
    """Not where it was ranked: an unsure one that is worse takes nothing into the folded list."""
    noted = replace(told("bugs", 3, Place.NOTED, severity=Severity.CRITICAL), reason=UNSURE)
    noted = replace(noted, finding=replace(noted.finding, confidence=LOW))
    other = told("bugs", confidence=MEDIUM, title="Another title")
    one, _ = rejudge([noted, other], [(noted, other)], JudgePolicy())
    assert (one.place, one.reason, one.finding.title) == (Place.INLINE, "", "Said by bugs")
    assert (one.finding.severity, one.finding.confidence) == (Severity.CRITICAL, MEDIUM)
    over = replace(told("style", 9, Place.BODY), reason=OVER_MAX_COMMENTS)
    small = replace(told("x", 9, Place.NOTED, severity=Severity.LOW), reason=SMALL)
    places = [j.place for j in rejudge([over, small], [(over, small)], JudgePolicy())]
    assert places == [Place.INLINE, Place.MERGED]


def test_the_worst_gives_the_words_and_the_best_placed_its_place() -> None:
    """Else a harmless comment would be what people read of a critical finding."""
    harmless = told("readability", severity=Severity.LOW, suggestion="harmless")
    lost = told("security", None, Place.BODY, severity=Severity.CRITICAL, category="injection")
    one, merged = unite([harmless, lost], [(lost, harmless)])
    assert (one.place, one.finding.start) == (Place.INLINE, 3)
    assert (one.finding.title, one.finding.category) == ("Said by security", "injection")
    assert [f.title for f in one.merged] == ["Said by readability"]
    assert merged.finding == harmless.finding


def test_no_model_unites_more_than_readers_are_shown() -> None:
    everything = [told(f"agent{n}") for n in range(20)]
    united = unite(everything, [(everything[0], other) for other in everything[1:]])
    seen = [f.title for j in united if j.place.tells for f in (j.finding, *j.merged[:MOST_SAID])]
    assert sorted(seen) == sorted(j.finding.title for j in everything)
    words = tuple(said(title=f"words {n}") for n in range(MOST_SAID))
    full = replace(told("bugs"), merged=words)
    assert unite([full, everything[1]], [(full, everything[1])]) == (full, everything[1])


def test_nothing_is_united_with_what_it_does_not_stand_near() -> None:
    """Else one finding about a whole file, or one after the other, would take all of it."""
    whole = told("bugs", None, Place.BODY)
    first, second, third = told("a", 10), told("b", 11), told("c", 12)
    far = told("d", 40)
    everything = [whole, first, second, third, far]
    united = unite(everything, [(whole, one) for one in (first, second, third, far)])
    assert {j.finding.title for j in united if j.place.tells} == {
        "Said by a", "Said by c", "Said by d",
    }  # fmt: skip
    chain = unite(everything, [(first, second), (second, third), (third, far)])
    assert [j.finding.title for j in chain if j.place is Place.MERGED] == ["Said by b"]
    assert len(united) == len(chain) == 5
    assert unite(everything, [(first, far)]) == tuple(everything)
    assert len(unite(everything, [(first, second), (whole, second)])) == 5, "one is merged once"


# --- patterns

PLACES = [("src/a.py", 9), ("src/a.py", 40), ("lib/z.py", 2)]


def spread(places: list[tuple[str, int]], **changes: Any) -> list[Judged]:
    return [Judged(said(path=path, line=n, **changes), Place.INLINE) for path, n in places]


def test_one_cause_at_three_places_is_one_entry_that_lists_them() -> None:
    first, *others = patterns(spread(PLACES))
    assert (first.finding.path, first.finding.start, first.place) == ("lib/z.py", 2, Place.INLINE)
    assert [(f.path, f.start) for f in first.also] == [("src/a.py", 9), ("src/a.py", 40)]
    assert [(j.place, j.reason) for j in others] == [(Place.MERGED, ONE_OF_A_PATTERN)] * 2
    assert [j.finding for j in others] == list(first.also)


def test_one_cause_at_two_places_is_two_findings() -> None:
    assert patterns(spread(PLACES[:2])) == tuple(spread(PLACES[:2]))


def test_a_pattern_stands_at_its_worst_place_that_the_diff_holds() -> None:
    one, two, three = spread(PLACES)
    one = replace(one, finding=replace(one.finding, severity=Severity.HIGH, confidence=LOW))
    three = replace(three, place=Place.BODY, reason=OUTSIDE)
    worse = replace(three.finding, severity=Severity.CRITICAL, confidence=HIGH, sources=("x",))
    first = patterns([two, replace(three, finding=worse), one])[0]
    assert (first.finding.start, first.place) == (9, Place.INLINE)
    assert (first.finding.severity, first.finding.confidence) == (Severity.CRITICAL, HIGH)
    assert first.finding.sources == ("bugs", "x")


def test_a_tools_pattern_and_an_agents_stay_two() -> None:
    by_tool = spread(PLACES, deterministic=True, sources=("ruff:S113",))
    assert sum(bool(j.also) for j in patterns([*spread([("b.py", 1)]), *by_tool])) == 1
    told = [j for j in patterns([*spread([("b.py", 1)]), *by_tool]) if j.place.tells]
    assert len(told) == 2


@pytest.mark.parametrize("other", [{}, CHECK, {"sources": ("ruff:S113",), "deterministic": True}])
def test_results_of_a_tool_swallow_nothing_but_its_own(other: dict[str, Any]) -> None:
    changes = {**HARMLESS, "sources": ("evil:x",), "deterministic": True}
    forged = spread(PLACES, severity=Severity.CRITICAL, **changes)
    true = Judged(said(path="src/b.py", **other), Place.INLINE)
    assert true in patterns([*forged, true])


# --- whatever comes in

_LINES = "\n".join(f"+    {pair.quote}" for pair in SAME.values())
_FILES = [
    sent(path, f"@@ -0,0 +1,{len(SAME)} @@\n{_LINES}") for path in ("a.py", "b.py", "c.py", "d.py")
]
_SNAPSHOT = snapshot(*_FILES)
_SAYINGS = [
    (pair.quote, one)
    for pair in [*list(SAME.values())[:5], *list(DIFFERENT.values())[:5]]
    for one in (pair.one, pair.other)
]


@st.composite
def _findings(draw: st.DrawFn) -> Finding:
    quote, words = draw(st.sampled_from(_SAYINGS))
    number = draw(st.one_of(st.none(), st.integers(1, len(SAME) + 9)))
    return Finding(
        draw(st.sampled_from(["a.py", "b.py", "c.py", "d.py", "nowhere.py"])),
        number, number, draw(st.sampled_from(Side)), draw(st.sampled_from(Severity)),
        draw(st.sampled_from(Confidence)), words.category, words.title, words.body,
        draw(st.sampled_from([quote, quote, "", "no such quote"])), words.suggestion,
        (draw(st.sampled_from(["bugs", "security", "performance"])),),
        deterministic=draw(st.booleans()),
    )  # fmt: skip


def _hunk(finding: Finding) -> bool:
    """Whether the place of a finding is lines of the one hunk that the files have."""
    assert finding.start is not None
    assert finding.end is not None
    return finding.side is Side.RIGHT and 1 <= finding.start <= finding.end <= len(SAME)


@settings(deadline=None)
@given(st.lists(_findings(), max_size=20), st.randoms(), st.integers(0, 4))
def test_all_that_comes_in_comes_out_once_and_no_two_told_say_the_same(
    findings: list[Finding], random: object, most: int
) -> None:
    policy = JudgePolicy(most, Severity.MEDIUM)
    judged = judge(findings, _SNAPSHOT, policy)
    random.shuffle(findings)  # type: ignore[attr-defined]
    assert judge(findings, _SNAPSHOT, policy) == judged
    assert len(judged) == len(findings)
    comments = [item.finding for item in judged if item.place is Place.INLINE]
    assert len(comments) <= most
    assert all(map(_hunk, comments))
    assert all(bool(item.reason) == (item.place is not Place.INLINE) for item in judged)
    told = [item for item in judged if item.place.tells]
    merged = [item.finding for item in judged if item.reason == ONE_OF_A_PATTERN]
    assert len(merged) >= sum(len(item.also) for item in told)
    assert all(other in merged for item in told for other in item.also)
    for index, one in enumerate(told):
        for two in told[index + 1 :]:
            assert not _repeats(one.finding, two.finding)


def _repeats(one: Finding, two: Finding) -> bool:
    """Whether two findings mean the same on lines that they have in common."""
    if one.start is None or two.start is None or one.end is None or two.end is None:
        return False
    apart = (one.path, one.side) != (two.path, two.side)
    if apart or max(one.start, two.start) > min(one.end, two.end):
        return False
    return Meaning(one).same_here(Meaning(two))


def test_thousands_of_findings_cost_little() -> None:
    """Each of its own, in few files and places: what merging by pairs would be slowest at."""
    pairs = list(DIFFERENT.values())
    many = [
        said(f"agent {n % 5}", n % 40 + 1, path=f"f{n % 4}.py", title=f"{one.title} in part{n}",
             body=f"{one.body} {' '.join(f'word{n}x{k}' for k in range(20))}", quote="")
        for n in range(1_000)
        for one in [Said(*pairs[n % len(pairs)].other)]
    ]  # fmt: skip
    started = time.process_time()
    judged = patterns(inline(*many))
    assert len(judged) == 1_000
    assert time.process_time() - started < 4
