"""Imports that are written as one path, with groups in it."""

from __future__ import annotations

import time

import pytest

from pr_review.adapters.syntax.paths import taken_by


@pytest.mark.parametrize(
    ("text", "separator", "expected"),
    [
        ("a", "::", ["a [] a"]),
        ("a::b", "::", ["a [b] b"]),
        ("a::b as c", "::", ["a [b] c"]),
        ("a::b as _", "::", ["a [b] "]),
        ("a::*", "::", ["a [*] "]),
        ("::std::io", "::", ["std [io] io"]),
        ("{a, b::c}", "::", ["a [] a", "b [c] c"]),
        ("a::{self, b, c::{d, e as f}, g::*,}", "::", [
            "a [] a", "a [b] b", "a::c [d] d", "a::c [e] f", "a::g [*] ",
        ]),
        ("a::b::{self as c}", "::", ["a [b] c"]),
        ("import a.b.{c => d, e => _, _}", ".", ["a.b [c] d", "a.b [e] ", "a.b [*] "]),
        (r"use function A\B\c as d, E\F;", "\\", [r"A\B [c] d", "E [F] F"]),
        ("import a.b.*", ".", ["a.b [*] "]),
        ("a::{b", "::", ["a [b] b"]),
        ("a}}, b", "::", ["a [] a", "b [] b"]),
        ("", "::", []),
    ],
)  # fmt: skip
def test_each_thing_that_is_taken_is_told(text: str, separator: str, expected: list[str]) -> None:
    found = [f"{module} [{name}] {alias}" for _, module, name, alias in taken_by(text, separator)]
    assert found == expected


def test_offsets_are_those_of_the_names() -> None:
    text = "a::{\n  b,\n  c as d,\n}"
    assert [text[offset] for offset, *_ in taken_by(text, "::")] == ["b", "c"]


@pytest.mark.parametrize("text", ["a::{" * 50_000, "a," * 100_000, "a::" * 100_000, "{" * 200_000])
def test_neither_depth_nor_length_costs_more_than_is_granted(text: str) -> None:
    before = time.process_time()
    assert len(list(taken_by(text, "::"))) <= 1_000
    assert time.process_time() - before < 1
