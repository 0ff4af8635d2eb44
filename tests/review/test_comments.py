"""One finding, inline and in the body."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pr_review.domain.finding import Judged, Place
from pr_review.review.comments import comment, entry, refuted, row, title
from tests.review.scenarios import INLINE, finding

LONG = "web/src/features/cart/components"


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("src/total.py", "src/total.py:3"),
        ("a" * 27 + ".py", "a" * 27 + ".py:3"),
        (f"{LONG}/Panel.tsx", "…/cart/components/Panel.tsx:3"),
        (f"{LONG}/{'x' * 40}.tsx", "…" + "x" * 25 + ".tsx:3"),
    ],
)
def test_a_row_shortens_a_path_to_what_a_phone_shows(path: str, shown: str) -> None:
    told = row(Judged(finding(path=path, title="A | B"), Place.INLINE))
    assert told == f"| High | A \\| B<br>`{shown}` |"
    assert len(shown) <= 32


def test_a_pattern_lists_its_other_places_and_counts_the_rest() -> None:
    also = tuple(finding(path=f"src/{n}.py", start=n, end=n + 1) for n in range(1, 14))
    pattern = replace(INLINE, also=also)
    for text in (comment(pattern).body, entry(pattern)):
        listed = text.split("The same in 13 other places:\n\n")[1].split("\n\n")[0].split("\n")
        assert listed[:2] == ["- `src/1.py:1-2`", "- `src/2.py:2-3`"]
        assert listed[9:] == ["- `src/10.py:10-11`", "- and 3 more, which the report lists"]
    assert row(pattern).endswith("`src/total.py:3` and 13 more places |")
    one = replace(INLINE, also=also[:1])
    assert "The same in 1 other place:\n\n- `src/1.py:1-2`\n\n" in comment(one).body
    assert row(one).endswith("and 1 more place |")


def test_places_of_a_pattern_with_titles_of_their_own_say_them() -> None:
    also = (finding(path="b.py", title="`sys` is unused, @ada"), finding(path="c.py"))
    text = entry(replace(INLINE, also=also))
    assert "- `b.py:3`: `sys` is unused, @&#8203;ada\n- `c.py:3`\n\n" in text


def test_what_was_taken_for_the_same_is_named() -> None:
    merged = tuple(finding(title=f"<b>{n}", start=n, sources=("bugs",)) for n in range(2, 10))
    told = replace(INLINE, merged=merged)
    for text in (comment(told).body, entry(told)):
        _, _, rest = text.partition("Also said, and taken for the same:\n\n")
        listed = rest.split("\n\n")[0].split("\n")
        assert listed[:2] == ["- &lt;b>2 (bugs, `src/total.py:2-3`)", "- &lt;b>3 (bugs)"]
        assert listed[5:] == ["- and 3 more, which the report lists"]
    line = refuted(replace(told, place=Place.REFUTED, reason="it rounds"))
    assert "(it rounds); also said, and taken for the same: &lt;b>2 (bugs, " in line
    assert line.endswith(", 3 more")


def test_a_long_body_is_cut_and_says_so() -> None:
    long = finding(body="word " * 2_000)
    for text in (comment(Judged(long, Place.INLINE)).body, entry(Judged(long, Place.BODY))):
        assert "… (8,000 more characters)" in text
    assert "… (9,400 more characters)" in entry(Judged(long, Place.NOTED, "unsure"))


def test_a_reason_is_text_of_others_too() -> None:
    told = Judged(finding(title="T"), Place.REFUTED, "@ada said\nso")
    assert refuted(told) == "`src/total.py:3`: T (@&#8203;ada said so)"
    assert refuted(replace(told, reason="")) == "`src/total.py:3`: T"
    assert "not inline: @&#8203;ada said so" in entry(replace(told, place=Place.BODY))
    assert "confidence high · @&#8203;ada said so" in entry(replace(told, place=Place.NOTED))


def test_the_title_is_read_again_from_a_comment() -> None:
    said = "The check for [x] | <b>y</b> & @ada"
    assert title(comment(Judged(finding(title=said), Place.INLINE)).body) == said
    assert title("edited by a person") == ""
