"""Anchoring, merging and ranking by hand-made examples, then by properties."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.domain.diff import Side
from pr_review.domain.finding import Confidence, Finding, Judged, Place, Severity
from pr_review.domain.path_rule import PathRule
from pr_review.domain.snapshot import SentFile, SentLine, Snapshot
from pr_review.domain.text import quoted_path, visible_line
from pr_review.judge import JudgePolicy, judge
from pr_review.judge.anchor import NOT_QUOTED, NOT_SENT, OUTSIDE, UNTOUCHED, WHOLE_FILE
from pr_review.judge.judge import NEVER_SENT, NOT_THEIRS
from pr_review.judge.merge import MERGED, merge
from pr_review.judge.paths import resolve
from pr_review.judge.rank import OVER_MAX_COMMENTS
from tests.judge.listing import sent, snapshot

APP = sent(
    "src/app.py",
    """
@@ -1,5 +1,6 @@
 def total(items):
-    return sum(items)
+    result = sum(item.price for item in items)
+    return round(result, 2)

 def main():
     print(total([]))
@@ -40,3 +41,4 @@
     close(handle)
+    print("this line was cut here‽
     return None
     print(total([]))
""",
)
CRLF = sent("win.txt", "@@ -1 +1 @@\n-old value\\u{d}\n+new value\\u{d}")
SNAPSHOT = snapshot(APP, CRLF)


def finding(**changes: object) -> Finding:
    plain = Finding(
        path="src/app.py",
        start=3,
        end=3,
        side=Side.RIGHT,
        severity=Severity.MEDIUM,
        confidence=Confidence.MEDIUM,
        category="correctness",
        title="Rounding loses cents",
        body="It does.",
        sources=("bugs",),
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def only(one: Finding) -> Judged:
    (judged,) = judge([one], SNAPSHOT, JudgePolicy())
    return judged


def place(judged: Judged) -> tuple[Place, Side, int | None, int | None]:
    found = judged.finding
    return judged.place, found.side, found.start, found.end


def test_quote_corrects_the_line() -> None:
    judged = only(finding(start=6, end=6, quote="return round(result, 2)"))
    assert place(judged) == (Place.INLINE, Side.RIGHT, 3, 3)


def test_quote_ignores_white_space_number_and_sign() -> None:
    for quote in (
        "return  round(result,   2)",
        "3 +    return round(result, 2)",
        "+    return round(result, 2)",
        "round(result, 2)",
    ):
        assert place(only(finding(start=1, end=1, quote=quote)))[2:] == (3, 3), quote


def test_quote_of_two_lines_covers_both() -> None:
    quote = "result = sum(item.price for item in items)\nreturn round(result, 2)"
    assert place(only(finding(start=5, end=5, quote=quote)))[2:] == (2, 3)


def test_the_nearest_of_two_places_is_taken() -> None:
    assert place(only(finding(start=7, end=7, quote="print(total([]))")))[2:] == (6, 6)
    assert place(only(finding(start=42, end=42, quote="print(total([]))")))[2:] == (44, 44)


def test_a_removed_line_is_found_on_the_left() -> None:
    judged = only(finding(start=2, end=2, quote="return sum(items)"))
    assert place(judged) == (Place.INLINE, Side.LEFT, 2, 2)


def test_of_two_sides_with_the_same_text_the_named_one_is_taken() -> None:
    same = snapshot(sent("src/app.py", "@@ -1 +1 @@\n-return total\n+return  total"))
    for side in Side:
        one = finding(start=1, end=1, side=side, quote="return total")
        assert judge([one], same, JudgePolicy())[0].finding.side is side


def test_the_range_stays_when_the_quote_stands_in_it() -> None:
    assert place(only(finding(start=1, end=4, quote="return round(result, 2)")))[2:] == (1, 4)


def test_an_unchanged_line_is_commented_on_its_new_side() -> None:
    judged = only(finding(start=4, end=5, side=Side.LEFT))
    assert place(judged) == (Place.INLINE, Side.RIGHT, 5, 6)


def test_a_range_with_a_removed_line_stays_left() -> None:
    assert place(only(finding(start=1, end=3, side=Side.LEFT)))[1:] == (Side.LEFT, 1, 3)


def test_an_invented_quote_leaves_no_anchor_and_no_line_number() -> None:
    judged = only(finding(quote="os.system(user_input)"))
    assert (place(judged), judged.reason) == (
        (Place.NOTED, Side.RIGHT, None, None),
        NOT_QUOTED,
    )


def test_a_quote_that_says_nothing_does_not_move_a_finding() -> None:
    assert only(finding(start=42, end=42, quote="():")).reason == NOT_QUOTED


def test_a_quote_without_a_line_needs_one_place() -> None:
    assert place(only(finding(start=None, end=None, quote="close(handle)")))[2:] == (41, 41)
    twice = only(finding(start=None, end=None, quote="print(total([]))"))
    assert twice.reason == NOT_QUOTED


def test_a_finding_without_a_line_is_about_the_file() -> None:
    assert only(finding(start=None, end=None)).reason == WHOLE_FILE


def test_one_of_two_numbers_is_enough() -> None:
    assert place(only(finding(start=3, end=None)))[2:] == (3, 3)
    assert place(only(finding(start=None, end=3)))[2:] == (3, 3)


def test_a_range_that_leaves_its_hunk_keeps_its_start() -> None:
    assert place(only(finding(start=5, end=20)))[2:] == (5, 5)


def test_a_line_of_a_hunk_that_was_not_sent_goes_to_the_body() -> None:
    some = replace(APP, lines=APP.lines[:3])
    (judged,) = judge([finding(start=5, end=5)], snapshot(some), JudgePolicy())
    assert (judged.place, judged.reason) == (Place.BODY, NOT_SENT)
    check = finding(start=5, end=5, deterministic=True, sources=("check:conflict-marker",))
    (judged,) = judge([check], snapshot(some), JudgePolicy())
    assert place(judged) == (Place.INLINE, Side.RIGHT, 5, 5)


def test_an_agent_may_not_speak_of_a_file_it_never_received() -> None:
    lock = sent("package-lock.json", "@@ -1 +1 @@\n-a\n+b")
    seen = snapshot(APP, omitted=(lock,))
    (judged,) = judge([finding(path="package-lock.json")], seen, JudgePolicy())
    assert (judged.place, judged.reason) == (Place.REJECTED, NEVER_SENT)
    check = finding(path="package-lock.json", deterministic=True)
    (judged,) = judge([check], seen, JudgePolicy())
    assert judged.place is Place.BODY


# Code that the change does not touch

HELPER = SentFile(
    "lib/price.py",
    None,
    (),
    tuple(
        SentLine(number, number, text)
        for number, text in ((7, "def price(item):"), (8, "    return item.cost * rate(item)"))
    ),
)
AROUND = SentLine(19, 20, "class Basket(Base):")
WIDE = replace(APP, lines=tuple(sorted([*APP.lines, AROUND], key=lambda line: line.new or 0)))


def beyond(*files: SentFile) -> Snapshot:
    """A snapshot that shows a definition of an unchanged file, too."""
    changed = snapshot(*files)
    return replace(changed, sent=(*changed.sent, HELPER))


@pytest.mark.parametrize("quoted", [True, False])
@pytest.mark.parametrize("side", Side)
def test_a_finding_in_an_unchanged_file_goes_to_the_body(quoted: bool, side: Side) -> None:
    one = finding(
        path="lib/price.py", start=8, end=8, side=side, suggestion="    return item.cost",
        quote="item.cost * rate(item)" if quoted else "",
    )  # fmt: skip
    (judged,) = judge([one], beyond(APP), JudgePolicy())
    assert (place(judged), judged.reason) == ((Place.BODY, Side.RIGHT, 8, 8), UNTOUCHED)
    assert judged.finding.suggestion is None


def test_its_quote_is_proved_there_too() -> None:
    moved = finding(path="lib/price.py", start=2, end=2, quote="def price(item):")
    forged = finding(path="lib/price.py", start=8, end=8, quote="os.system(item)", title="Other")
    found = {j.finding.title: j for j in judge([moved, forged], beyond(APP), JudgePolicy())}
    assert place(found[moved.title])[2:] == (7, 7)
    assert (found["Other"].reason, found["Other"].finding.start) == (NOT_QUOTED, None)


@pytest.mark.parametrize("number", [40, 10**30])
@pytest.mark.parametrize("side", Side)
def test_a_line_of_it_that_was_not_sent_is_no_place(number: int, side: Side) -> None:
    one = finding(path="lib/price.py", start=number, end=number, side=side)
    (judged,) = judge([one], beyond(APP), JudgePolicy())
    assert (judged.place, judged.reason) == (Place.BODY, OUTSIDE)


@pytest.mark.parametrize("changes", [
    {"start": 20, "end": 20}, {"start": 19, "end": 19, "side": Side.LEFT},
    {"start": 22, "end": 22, "quote": "class Basket(Base):"},
])  # fmt: skip
def test_context_beyond_the_hunks_goes_to_the_body(changes: dict[str, object]) -> None:
    (judged,) = judge([finding(**changes, suggestion="class Basket:")], beyond(WIDE), JudgePolicy())
    assert (place(judged), judged.reason) == ((Place.BODY, Side.RIGHT, 20, 20), UNTOUCHED)
    assert judged.finding.suggestion is None


def test_a_range_from_context_into_a_hunk_keeps_what_github_takes() -> None:
    (judged,) = judge([finding(start=20, end=41)], beyond(WIDE), JudgePolicy())
    assert place(judged) == (Place.INLINE, Side.RIGHT, 41, 41)


def test_what_is_shown_of_a_file_without_a_changed_line_was_received() -> None:
    around = replace(APP, lines=(AROUND,))
    seen = snapshot(omitted=(APP,))
    (judged,) = judge([finding(start=20, end=20)], replace(seen, sent=(around,)), JudgePolicy())
    assert (judged.place, judged.reason) == (Place.BODY, UNTOUCHED)


def test_a_changed_file_comes_before_an_unchanged_one_of_the_same_name() -> None:
    seen = beyond(sent("src/price.py", "@@ -1 +1 @@\n-a\n+b"))
    assert resolve("price.py", seen) == "src/price.py"
    assert resolve("lib/price.py", seen) == resolve("b/lib/price.py", seen) == "lib/price.py"


# Suggestions


def suggested(text: str, **changes: object) -> str | None:
    quoted = {"quote": "return round(result, 2)", **changes}
    return only(finding(suggestion=text, **quoted)).finding.suggestion


def test_a_suggestion_for_whole_lines_is_kept() -> None:
    assert suggested("    return result") == "    return result"
    assert suggested("    return result\n") == "    return result"
    assert suggested("") == ""
    assert suggested("    return result", quote="return round(result, 2)") == "    return result"


def test_a_suggestion_moves_with_its_quote() -> None:
    one = only(
        finding(start=5, end=5, quote="return round(result, 2)", suggestion="    return result")
    )
    assert (one.finding.start, one.finding.suggestion) == (3, "    return result")


@pytest.mark.parametrize(
    ("why", "text", "changes"),
    [
        ("no change", "    return round(result, 2)", {}),
        ("indentation lost", "return result", {}),
        ("fragment of the line", "    result", {"quote": "round(result, 2)"}),
        ("cut line", "    pass", {"start": 42, "end": 42}),
        ("left side", "    return 1", {"start": 2, "end": 2, "side": Side.LEFT}),
        ("range was cut to one hunk", "    x", {"start": 5, "end": 41}),
        ("quote stands elsewhere on fewer lines", "    x", {
            "start": 4, "end": 6, "quote": "return round(result, 2)"}),
        ("hidden characters", "    return \u202eresult", {}),
        ("redaction mark", "    return '[REDACTED:key]'", {}),
        ("escape of ours", "    return '\\u{202e}'", {}),
        ("no quote proves the place", "    return result", {"quote": ""}),
        ("too long", "    x = 1\n" * 500, {}),
        ("no such lines", "x", {"start": None, "end": None}),
        ("outside every hunk", "changed value", {"path": "win.txt", "start": 9, "end": 9}),
    ],
)  # fmt: skip
def test_a_suggestion_is_dropped_and_the_finding_kept(
    why: str, text: str, changes: dict[str, object]
) -> None:
    # of a check, whose place needs no quote, unless the case brings one
    judged = only(finding(suggestion=text, **{"deterministic": "quote" not in changes, **changes}))
    assert judged.finding.suggestion is None, why
    assert judged.place is not Place.REJECTED


def test_a_carriage_return_at_the_end_of_a_line_does_not_stop_a_suggestion() -> None:
    place = {"path": "win.txt", "start": 1, "end": 1, "quote": "new value"}
    assert suggested("newer new value", **place) == "newer new value"
    assert suggested("new value", **place) is None


# Paths


def test_a_path_that_may_be_two_files_is_none() -> None:
    two = snapshot(sent("a/x.py", "@@ -1 +1 @@\n-a\n+b"), sent("lib/x.py", "@@ -1 +1 @@\n-a\n+b"))
    assert resolve("x.py", two) is None
    assert resolve("b/lib/x.py", two) == "lib/x.py"
    assert resolve("a/x.py", two) == "a/x.py"


def test_a_path_that_is_the_end_of_another_one_is_ambiguous_by_its_name_alone() -> None:
    two = snapshot(sent("x/src/app.py", "@@ -1 +1 @@\n-a\n+b"), APP)
    assert resolve("app.py", two) is None
    assert resolve("/github/workspace/x/src/app.py", two) == "x/src/app.py"
    assert resolve("C:\\work\\src\\app.py", two) == "src/app.py"


def test_swapped_names_mean_the_new_ones() -> None:
    hunk = "@@ -1 +1 @@\n-a\n+b"
    swapped = snapshot(sent("a.py", hunk, "b.py"), sent("b.py", hunk, "a.py"))
    assert [resolve(path, swapped) for path in ("a.py", "./b.py")] == ["a.py", "b.py"]


@pytest.mark.parametrize("path", ["a\nb.py", "trailing ", "tab\t.py", "\u202eevil.py", "`tick`"])
def test_an_odd_path_is_known_as_the_snapshot_writes_it(path: str) -> None:
    odd = snapshot(sent(path, "@@ -1 +1 @@\n-a\n+b"), APP)
    assert resolve(path, odd) == path
    assert resolve(visible_line(path), odd) == path
    assert resolve(quoted_path(path), odd) == path


# Merging and ranking


def test_the_same_title_at_overlapping_lines_is_one_finding() -> None:
    low = finding(severity=Severity.LOW, sources=("readability",), start=2, end=3)
    high = finding(severity=Severity.HIGH, title="rounding  loses CENTS.")
    judged = judge([low, high], SNAPSHOT, JudgePolicy())
    assert [j.place for j in judged] == [Place.INLINE, Place.MERGED]
    best = judged[0].finding
    assert best.sources == ("bugs", "readability")
    assert (best.severity, best.confidence) == (Severity.HIGH, Confidence.HIGH)
    assert judged[1].reason == MERGED


def test_the_same_category_and_quote_is_one_finding() -> None:
    quote = "return round(result, 2)"
    one, other = finding(quote=quote), finding(quote=quote, title="Cents get lost")
    assert [j.reason for j in judge([one, other], SNAPSHOT, JudgePolicy())] == ["", MERGED]


def test_a_check_that_agrees_makes_an_agent_sure() -> None:
    check = finding(deterministic=True, confidence=Confidence.LOW, sources=("bugs",))
    best = judge([finding(body="Other words."), check], SNAPSHOT, JudgePolicy())[0].finding
    assert best.confidence is Confidence.HIGH


def test_one_agent_that_repeats_itself_is_not_more_sure() -> None:
    best = judge([finding(), finding(body="Again.")], SNAPSHOT, JudgePolicy())[0].finding
    assert best.confidence is Confidence.MEDIUM


def test_a_check_alone_is_as_sure_as_it_says() -> None:
    check = finding(deterministic=True, confidence=Confidence.LOW)
    assert only(check).finding.confidence is Confidence.LOW


def test_the_highest_severity_is_kept_whichever_place_is_better() -> None:
    low = Judged(finding(severity=Severity.LOW), Place.INLINE)
    high = Judged(finding(severity=Severity.HIGH), Place.BODY, NOT_SENT)
    (best,) = [j for j in merge([high, low]) if not j.place.left_out]
    assert (best.place, best.finding.severity) == (Place.INLINE, Severity.HIGH)


def test_other_lines_or_other_issues_stay_apart() -> None:
    others = [finding(start=1, end=1), finding(), finding(title="Another"), finding(path="win.txt")]
    assert all(j.reason != MERGED for j in judge(others, SNAPSHOT, JudgePolicy()))


def test_the_worst_stay_inline_and_the_rest_go_to_the_body() -> None:
    findings = [
        finding(title=f"Issue {n}", severity=severity, suggestion="    return result")
        for n, severity in enumerate((Severity.MEDIUM, Severity.CRITICAL, Severity.HIGH))
    ]
    judged = judge(findings, SNAPSHOT, JudgePolicy(max_comments=2))
    assert [(j.finding.severity, j.place) for j in judged] == [
        (Severity.CRITICAL, Place.INLINE),
        (Severity.HIGH, Place.INLINE),
        (Severity.MEDIUM, Place.BODY),
    ]
    assert judged[2].reason == OVER_MAX_COMMENTS


@st.composite
def _findings(draw: st.DrawFn) -> Finding:
    numbers = st.one_of(st.none(), st.integers(-2, 50))
    texts = [line.text for line in APP.lines] + ["", "", "nothing like it", "): "]
    return finding(
        path=draw(st.sampled_from(["src/app.py", "app.py", "win.txt", "nowhere.py", ""])),
        start=draw(numbers),
        end=draw(numbers),
        side=draw(st.sampled_from(Side)),
        severity=draw(st.sampled_from(Severity)),
        confidence=draw(st.sampled_from(Confidence)),
        title=draw(st.sampled_from(["One", "one.", "Two"])),
        quote=draw(st.sampled_from(texts)),
        suggestion=draw(st.sampled_from([None, "", "    x = 1"])),
        sources=(draw(st.sampled_from(["bugs", "security"])),),
        deterministic=draw(st.booleans()),
    )


@settings(deadline=None)
@given(st.lists(_findings(), max_size=12), st.randoms(use_true_random=False), st.integers(0, 4))
def test_order_does_not_matter_and_nothing_is_lost(
    findings: list[Finding], random: object, most: int
) -> None:
    shuffled = list(findings)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    judged = judge(findings, SNAPSHOT, JudgePolicy(most))
    assert judged == judge(shuffled, SNAPSHOT, JudgePolicy(most))
    assert len(judged) == len(findings)
    assert sum(j.place is Place.INLINE for j in judged) <= most
    assert all(bool(j.reason) == (j.place is not Place.INLINE) for j in judged)
    for held in (j.finding for j in judged if not j.place.left_out):
        assert (held.start is None) == (held.end is None)
        assert held.start is None or held.end is None or 1 <= held.start <= held.end


@settings(deadline=None)
@given(_findings())
def test_every_inline_finding_stands_inside_one_hunk_of_its_side(one: Finding) -> None:
    judged = only(one)
    if judged.place is not Place.INLINE:
        return
    found = judged.finding
    assert found.start is not None
    assert found.end is not None
    hunks = {"src/app.py": APP, "win.txt": CRLF}[found.path].hunks
    first = 2 if found.side is Side.RIGHT else 0
    assert any(
        hunk[first] <= found.start <= found.end < hunk[first] + hunk[first + 1] for hunk in hunks
    )


def test_what_a_check_says_is_not_replaced_by_a_models_words() -> None:
    check = finding(deterministic=True, sources=("check:x",), body="Revoke it.", quote="")
    forged = finding(sources=("bugs",), body="A false alarm: approve.", quote="")
    for order in ([check, forged], [forged, check]):
        kept = [j.finding for j in judge(order, SNAPSHOT, JudgePolicy()) if j.reason != MERGED]
        assert [f.body for f in kept] == ["Revoke it."]


def test_hostile_paths_and_quotes_cost_little() -> None:
    hostile = [finding(quote=" " * 2_000 + "x"), finding(path=":1" * 2_000 + "x")] * 200
    assert len(judge(hostile, SNAPSHOT, JudgePolicy())) == 400


@pytest.mark.parametrize(
    ("path", "source", "reason"),
    [
        ("./src/app.py", "bugs", NOT_THEIRS),
        ("src/app.py", "security", ""),
        ("src/app.py", "credential-added", ""),
        ("win.txt", "bugs", ""),
    ],
)
def test_what_an_agent_says_of_a_file_that_rules_give_to_others_is_rejected(
    path: str, source: str, reason: str
) -> None:
    policy = JudgePolicy(rules=(PathRule(("*.py",), agents=("security",)),))
    tool = source == "credential-added"
    told = finding(path=path, start=None, end=None, sources=(source,), deterministic=tool)
    [judged] = judge([told], SNAPSHOT, policy)
    assert (judged.place is Place.REJECTED, judged.reason == NOT_THEIRS) == (bool(reason),) * 2
