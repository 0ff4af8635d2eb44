"""YAML read as leaves: where each scalar stands, and what hostile files cost."""

from __future__ import annotations

import time

import pytest

from pr_review.adapters.yaml_leaves import leaves
from pr_review.checks.ports import Leaf

TEXT = """\
on: [push, 'pull_request_target']
permissions: {}
jobs:
  a:
    steps: &same
      - uses: a/b@v1  # a comment
        with: {ref: "${{ x }}"}
      - []
      - [[1], 2]
  b:
    steps: *same
    name: |
      two
      lines
"""


def test_every_scalar_has_its_path_and_line() -> None:
    assert leaves(TEXT.encode()) == (
        Leaf(("on", "0"), "push", 1),
        Leaf(("on", "1"), "pull_request_target", 1),
        Leaf(("permissions",), "", 2),
        Leaf(("jobs", "a", "steps", "0", "uses"), "a/b@v1", 6),
        Leaf(("jobs", "a", "steps", "0", "with", "ref"), "${{ x }}", 7),
        Leaf(("jobs", "a", "steps", "1"), "", 8),
        Leaf(("jobs", "a", "steps", "2", "0", "0"), "1", 9),
        Leaf(("jobs", "a", "steps", "2", "1"), "2", 9),
        Leaf(("jobs", "b", "steps"), "*same", 11),
        Leaf(("jobs", "b", "name"), "two\nlines\n", 12),
    )


def test_a_scalar_alone_has_no_path() -> None:
    assert leaves(b"alone\n") == (Leaf((), "alone", 1),)
    assert leaves(b"") == ()


@pytest.mark.parametrize(
    "data", [b"a: b: c", b"\xff", b"a: \0", b"a: 1\n---\nb: 2\n", b"a: 1\n" * 60_000, b"[" * 9]
)
def test_what_is_no_yaml_of_one_document_or_too_large_is_none(data: bytes) -> None:
    assert leaves(data) is None


@pytest.mark.parametrize(
    "data",
    [b"[" * 250_000, b"{a: " * 60_000, b"- " * 120_000, b"a: *b\n" * 40_000, b"? " * 120_000],
)
def test_no_file_costs_more_than_its_length(data: bytes) -> None:
    started = time.process_time()
    leaves(data)
    assert time.process_time() - started < 2
