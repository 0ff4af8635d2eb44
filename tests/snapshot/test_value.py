"""What an added line is worth, and that pieces are dealt by it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.diff import Line
from pr_review.snapshot.value import value


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        ("", 0),
        ("   ", 0),
        ("import os", 0.1),
        ("from a.b import c", 0.1),
        ("use std::fmt;", 0.1),
        ("#include <stdio.h>", 0.1),
        ('} from "./a"', 0.1),
        ("# a comment", 0.25),
        ("  // a comment", 0.25),
        (" * of a block", 0.25),
        ("  });", 0.3),
        ("end", 0.3),
        ('"some text",', 0.4),
        ('  title: "Some text",', 0.4),
        ("pass", 1),
        ("x = 1", 1.5),
        ("run(x)", 1.5),
        ("if x:", 2),
        ("return a == b", 2),
        ("if (total := add(a)) and b:", 3),
        ("endpoint", 1),
        ("#define SIZE 4", 1),
    ],
)
def test_a_line_is_worth_what_it_does(text: str, worth: float) -> None:
    assert value(Line(None, 1, text)) == worth


def test_only_added_lines_have_a_value() -> None:
    assert value(Line(1, None, "if x:")) == value(Line(1, 1, "if x:")) == 0


@given(st.text(max_size=400))
def test_any_text_has_a_value_within_bounds(text: str) -> None:
    assert 0 <= value(Line(None, 1, text)) <= 3


@given(st.text(min_size=200, max_size=220), st.text())
def test_a_long_line_is_judged_by_its_start(text: str, more: str) -> None:
    assert value(Line(None, 1, text)) == value(Line(None, 1, text[:200] + more))
