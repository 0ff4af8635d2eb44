"""Where a finding goes by its lines and its quote, at the edges of each rule."""

from __future__ import annotations

import pytest

from pr_review.domain.diff import Side
from pr_review.domain.finding import Judged, Place
from pr_review.judge.anchor import NOT_QUOTED, OUTSIDE, anchor
from pr_review.judge.lines import FileLines
from tests.judge.listing import sent
from tests.judge.test_judge import finding

FILE = FileLines(
    sent(
        "a.c",
        """
@@ -1,5 +1,7 @@
 int f(int count) {
-  return count;
+  int twice = 2 * count;
+  return twice;
 }
 abc
+ab
 }
""",
    )
)


def anchored(**changes: object) -> Judged:
    return anchor(finding(path="a.c", **changes), FILE)


@pytest.mark.parametrize(
    ("start", "end", "quote", "expected"),
    [
        (2, 3, "int twice = 2 * count;", (Side.RIGHT, 2, 3)),
        (2, 3, "return twice;", (Side.RIGHT, 2, 3)),
        (0, 3, "", (Side.RIGHT, 1, 3)),
        (4, 4, "}", (Side.RIGHT, 4, 4)),
        (7, 7, "}", (Side.RIGHT, 7, 7)),
        (3, 4, "}", (Side.RIGHT, 3, 4)),
        (2, 2, "abc", (Side.RIGHT, 5, 5)),
        (4, 4, " 2 * count", (Side.RIGHT, 2, 2)),
        (4, 4, "n twice;", (Side.RIGHT, 3, 3)),
        (9, 9, "int f(int count) {\n  return count;", (Side.LEFT, 1, 2)),
        (None, None, "return twice;", (Side.RIGHT, 3, 3)),
    ],
)
def test_a_comment_stands_where_the_quote_does(
    start: int | None, end: int | None, quote: str, expected: tuple[Side, int, int]
) -> None:
    judged = anchored(start=start, end=end, quote=quote)
    assert judged.place is Place.INLINE
    assert (judged.finding.side, judged.finding.start, judged.finding.end) == expected


@pytest.mark.parametrize(
    ("start", "quote"),
    [
        (2, "}"),  # in two other lines
        (2, "ab"),  # in one other line, of which it is all, and says too little
        (4, " twice;"),  # the part of a line, and too short
        (None, "ab"),
    ],
)
def test_a_quote_that_proves_nothing_leaves_no_anchor(start: int | None, quote: str) -> None:
    judged = anchored(start=start, end=start, quote=quote)
    assert (judged.place, judged.reason, judged.finding.start) == (Place.BODY, NOT_QUOTED, None)


def test_the_line_behind_a_hunk_is_outside() -> None:
    for side, last in ((Side.RIGHT, 7), (Side.LEFT, 5)):
        behind = anchored(start=last + 1, end=last + 1, side=side, deterministic=True)
        assert (behind.place, behind.reason) == (Place.BODY, OUTSIDE)
        assert anchored(start=last, end=last, side=side, deterministic=True).place is Place.INLINE


def test_one_quoted_line_takes_a_suggestion_for_one() -> None:
    whole = "  return 3 * count;"
    given = anchored(start=None, end=None, quote="return twice;", suggestion=whole)
    assert given.finding.suggestion == whole
