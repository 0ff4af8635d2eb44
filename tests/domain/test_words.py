"""How counts, places and amounts read, and what is not known stays unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pr_review.domain.diff import Side
from pr_review.domain.money import billed, dollars, total
from pr_review.domain.words import counted, line_numbers, old_side, ranges
from tests.review.scenarios import finding


@pytest.mark.parametrize(
    ("numbers", "most", "words"),
    [
        ((), 3, ""),
        ((7,), 3, "7"),
        ((4, 5, 6, 9, 12, 13), 3, "4-6, 9, 12-13"),
        ((1, 3, 5), 2, "1, 3 and 1 more range"),
        ((1, 3, 5, 7, 8), 2, "1, 3 and 2 more ranges"),
    ],
)
def test_numbers_read_as_ranges(numbers: tuple[int, ...], most: int, words: str) -> None:
    assert ranges(numbers, most) == words


@pytest.mark.parametrize(
    ("start", "end", "side", "words"),
    [
        (None, None, Side.LEFT, ""),
        (3, 3, Side.RIGHT, ":3"),
        (3, None, Side.RIGHT, ":3"),
        (3, 5, Side.LEFT, ":3-5 (old side)"),
    ],
)
def test_lines_stand_behind_a_path(
    start: int | None, end: int | None, side: Side, words: str
) -> None:
    place = replace(finding(), start=start, end=end, side=side)
    assert line_numbers(place) + old_side(place) == words


def test_counts_and_amounts() -> None:
    assert [counted(n, "file") for n in (0, 1, 1_200)] == ["0 files", "1 file", "1,200 files"]
    assert [dollars(usd) for usd in (0.0, 1.5, 0.00001)] == ["$0.0000", "$1.5000", "$0.0000100"]
    assert billed(0.0042, 0.05) == "$0.0042; at most $0.0500 was quoted"
    assert billed(None) == "unknown"


def test_one_part_that_is_unknown_makes_the_sum_unknown() -> None:
    assert total([0.25, 0.5]) == 0.75
    assert total([0.25, None]) is None
    assert total([]) == 0
