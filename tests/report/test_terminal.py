"""A run in a terminal: findings beside their lines, nothing that a terminal obeys, no line too
long."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.domain.diff import Side
from pr_review.domain.finding import Confidence, Judged, Place, Severity
from pr_review.domain.ledger import Tier
from pr_review.domain.review import Run
from pr_review.domain.snapshot import SentFile, SentLine
from pr_review.report.terminal import Screen, Style, page
from pr_review.report.terminal.screen import cells
from pr_review.review.neutral import plain
from pr_review.review.verdict import verdict
from tests.review.scenarios import (
    CLEAN,
    FAILED_AGENT,
    FINDINGS,
    REFUSED,
    finding,
    omitted,
    snapshot,
)

LINES = (
    SentLine(1, 1, "def total(items):"),
    SentLine(2, None, "\tprices = [i.price for i in items]"),
    SentLine(3, None, "    return sum(prices)"),
    SentLine(None, 2, "    total = 0"),
    SentLine(None, 3, "    return sum(round(item.price) for item in items)"),
    SentLine(4, 4, ""),
    SentLine(5, 5, "def tax(total):"),
    SentLine(40, 40, "# far away"),
)
SENT = (SentFile("src/total.py", None, ((1, 5, 1, 5), (40, 1, 40, 1)), LINES),)
SUGGESTED = finding(
    start=2, end=3, suggestion="    total = 0\n    return round(sum(i.price for i in items))"
)


def run(*judged: Judged, sent: tuple[SentFile, ...] = SENT) -> Run:
    assert CLEAN.snapshot is not None
    return replace(CLEAN, snapshot=replace(CLEAN.snapshot, sent=sent), judged=judged)


def told(of: Run, *, width: int = 80, colour: bool = False) -> list[str]:
    return page(of, plain(verdict(of)), Screen(width, colour)).removesuffix("\n").split("\n")


def test_a_finding_stands_beside_its_lines_with_a_small_diff() -> None:
    body = "Rounded for *every* item.\n- round the sum\n\n```python\nx  =  1\n```"
    lines = told(run(Judged(replace(SUGGESTED, body=body), Place.INLINE)))
    assert "\n".join(lines[:23]) == (
        "src/total.py:2-3: high: Rounding each price loses cents\n"
        "  said by bugs, readability · correctness · confidence high\n"
        "\n"
        "      -     prices = [i.price for i in items]\n"
        "      -     return sum(prices)\n"
        "  > 2 +     total = 0\n"
        "  > 3 +     return sum(round(item.price) for item in items)\n"
        "    4\n"
        "    5   def tax(total):\n"
        "\n"
        "  Rounded for *every* item.\n"
        "  - round the sum\n"
        "\n"
        "    x  =  1\n"
        "\n"
        "  Suggestion:\n"
        "          total = 0\n"
        "    -     return sum(round(item.price) for item in items)\n"
        "    +     return round(sum(i.price for i in items))\n"
        "\n"
        "coverage: full, of source and tests: full\n"
        f"snapshot: 1,234 tokens, sha256\n"
        f"  {'d' * 64}"
    )
    assert lines[-2:] == ["", "1 finding (1 high)."]
    assert "cost: $0.0084; at most $0.0500 was quoted" in lines


def test_the_old_side_the_whole_file_and_lines_that_were_not_sent() -> None:
    old = finding(side=Side.LEFT, start=2, end=2, body="Why?")
    lines = told(run(Judged(old, Place.INLINE)))
    assert lines[0].startswith("src/total.py:2 (old side): high: ")
    assert "  > 2 -     prices = [i.price for i in items]" in lines
    assert "    3 -     return sum(prices)" in lines
    assert "      +     total = 0" in lines
    for other in (
        finding(start=None, end=None, body=""),
        finding(start=30, end=31, body=""),
        finding(path="other.py", body=""),
    ):
        lines = told(run(Judged(other, Place.BODY)))
        assert lines[2] == "", "straight to the account"
        assert lines[3].startswith("coverage:")


def test_a_gap_and_a_long_range_are_not_told_as_one_piece() -> None:
    lines = told(run(Judged(finding(start=5, end=5), Place.INLINE)))
    assert lines[lines.index("  >  5   def tax(total):") + 1 :][:2] == [
        "       …",
        "    40   # far away",
    ]
    many = tuple(SentLine(None, n, f"x{n}") for n in range(1, 101))
    sent = (SentFile("src/total.py", None, ((0, 0, 1, 100),), many),)
    lines = told(run(Judged(finding(start=1, end=90), Place.INLINE), sent=sent))
    assert "       … 76 more lines" in lines
    assert "  > 16 + x16" in lines
    assert not any("x17" in line for line in lines)


def test_what_gives_context_and_the_places_of_a_pattern() -> None:
    noted = finding(severity=Severity.LOW, confidence=Confidence.LOW, title="Maybe")
    also = (finding(path="b.py", start=9, end=9), finding(path="c.py", start=1, end=4))
    many = tuple(finding(title=f"No {n}", sources=("security",)) for n in range(22))
    judged = (Judged(finding(), Place.BODY, also=also, merged=many), Judged(noted, Place.NOTED))
    lines = told(run(*judged))
    merged = lines[lines.index("  Also said, and taken for the same:") + 1 :]
    assert [merged[0], *merged[19:21]] == [
        "    No 0 (security)",
        "    No 19 (security)",
        "    and 2 more",
    ]
    assert lines[lines.index("  The same at:") + 1 :][:2] == ["    b.py:9", "    c.py:1-4"]
    heading = lines.index("For context, of low weight or not sure:")
    assert lines[heading + 2] == "src/total.py:3: low: Maybe"
    assert lines.index("  The same at:") < heading


def test_a_few_of_many_files_that_nobody_saw_are_named() -> None:
    entries = tuple(omitted(f"lib/{n:02}.py", Tier.SOURCE, 7) for n in range(30))
    lines = told(replace(CLEAN, snapshot=snapshot(*entries)))
    named = [line for line in lines if line.startswith("not shown: ")]
    assert [line[:20] for line in named[:10]] == [f"not shown: lib/{n:02}.py" for n in range(10)]
    assert named[10:] == ["not shown: 20 more files, 140 changed lines: see the report"]


def test_the_verdict_is_that_of_the_review() -> None:
    for of in (CLEAN, FINDINGS, FAILED_AGENT, REFUSED):
        last = " ".join(" ".join(told(of)).split())
        assert last.endswith(plain(verdict(of)))
    assert plain(r"**Refused**: a \[b\] &lt;c&gt; &amp;#27; @&#8203;ada") == (
        "Refused: a [b] <c> &#27; @ada"
    )


def test_colour_is_all_that_is_painted() -> None:
    of = run(Judged(SUGGESTED, Place.INLINE))
    painted, bare = told(of, colour=True), told(of)
    assert [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in painted] == bare
    assert painted[0].startswith("\x1b[1msrc/total.py:2-3:\x1b[0m \x1b[1;31mhigh:\x1b[0m")
    assert "\x1b[31m-     return sum(prices)\x1b[0m" in painted[4]
    assert Screen(80).paint("x", Style.RED) == "x"


WILD = st.text(
    st.sampled_from("a é世\U0001f600\t\n\r\x1b[]31m;\x07\x9b\u202e\u200b\x00\x7f`~-*#\\&<"),
    max_size=120,
)


@settings(max_examples=60, deadline=None)
@given(words=st.lists(WILD, min_size=6, max_size=6), width=st.integers(40, 90))
def test_no_text_reaches_the_terminal_as_a_command_or_past_its_edge(
    words: list[str], width: int
) -> None:
    path, title, body, category, source, code = words
    wild = finding(
        path=f"src/{path}", title=title, body=body, category=category, sources=(source,),
        suggestion=code, start=3, end=3,
    )  # fmt: skip
    sent = (SentFile(wild.path, None, ((1, 5, 1, 5),), LINES),)
    of = run(Judged(wild, Place.INLINE, also=(wild,), merged=(wild,)), sent=sent)
    lines = told(replace(of, warnings=(body,)), width=width)
    text = "\n".join(lines)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e]", text)
    assert [line for line in lines if cells(line) > width] == []


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 40, [""]),
        ("one two three", 7, ["one two", "> three"]),
        ("  one two", 7, ["  one", "  > two"]),
        ("abcdefghij", 6, ["abcd", "> efgh", "> ij"]),
        ("世界世界", 6, ["世界", "> 世界"]),
    ],
)
def test_prose_is_wrapped_by_columns(text: str, width: int, lines: list[str]) -> None:
    assert list(Screen(width).wrap(text, hang="> ")) == lines


def test_a_line_of_code_is_cut_by_columns() -> None:
    screen = Screen(10)
    assert [screen.cut(text) for text in ("0123456789", "01234567890", "世界世界世界")] == [
        "0123456789",
        "012345678…",
        "世界世界…",
    ]
