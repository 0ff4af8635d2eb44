"""A suggestion is offered only where the file still parses with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from pr_review.adapters.syntax import TreeSitter
from pr_review.domain.diff import Change, FileChange, Side, SourceKind, Status
from pr_review.domain.finding import Confidence, Finding, Judged, Place, Severity
from pr_review.errors import SnapshotError
from pr_review.judge.applies import applicable, applied

TEXT = b"def total(rows):\n    if rows:\n        return sum(rows)\n    return 0\n"
OID = "1" * 40
SUGGESTED = "    if rows is not None:"


def change(path: str = "cart.py") -> Change:
    file = FileChange(
        path, None, Status.MODIFIED, "100644", "100644", "0" * 40, OID, False, 1, 1
    )  # fmt: skip
    return Change(SourceKind.GIT, "a" * 40, "b" * 40, (file,), 100)


def judged(suggestion: str | None, path: str = "cart.py", start: int = 2, end: int = 2) -> Judged:
    finding = Finding(
        path, start, end, Side.RIGHT, Severity.HIGH, Confidence.HIGH, "logic", "t", "b",
        suggestion=suggestion,
    )  # fmt: skip
    return Judged(finding, Place.INLINE)


def kept(item: Judged, text: bytes = TEXT) -> bool:
    (after,) = applicable([item], change(item.finding.path), lambda _: {OID: text}, TreeSitter())
    assert replace(after.finding, suggestion=None) == replace(item.finding, suggestion=None)
    return after.finding.suggestion is not None


@pytest.mark.parametrize(
    ("suggestion", "expected"),
    [
        (SUGGESTED, True),
        ("    if rows is not None", False),
        ("    if (rows:", False),
        ("    while rows:\n        rows = rows[1:]", True),
        ("", True),  # the `if` goes and its body stays, set in: tree-sitter lets that pass
    ],
)
def test_the_file_must_parse_with_it(suggestion: str, expected: bool) -> None:
    assert kept(judged(suggestion)) is expected


def test_a_file_that_was_broken_before_may_not_be_broken_more() -> None:
    broken = TEXT + b"def half(:\n    pass\n"
    assert kept(judged(SUGGESTED), broken)
    assert not kept(judged("    if (rows:"), broken)


def test_no_grammar_is_no_reason_to_withhold_one() -> None:
    assert kept(judged("anything (", path="notes.txt"))


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("a.json", b'{\n "a": 1,\n "b": 2\n}\n', ' "a": 2,', True),
        ("a.json", b'{\n "a": 1,\n "b": 2\n}\n', ' "a": 2', False),
        ("a.yml", b"a:\n  - 1\n  - 2\n", "  - [1, 3]", True),
        ("a.yml", b"a:\n  - 1\n  - 2\n", "  - [1, 3", False),
    ],
)
def test_data_must_parse_too(path: str, old: bytes, new: str, expected: bool) -> None:
    assert kept(judged(new, path), old) is expected


def test_lines_that_are_not_there_are_not_replaced() -> None:
    assert not kept(judged(SUGGESTED, start=40, end=40))
    assert not kept(replace(judged(SUGGESTED), place=Place.BODY), b"")


def test_content_that_cannot_be_had_proves_nothing() -> None:
    def gone(_oids: Sequence[str]) -> Mapping[str, bytes]:
        raise SnapshotError("the server is gone")

    def nothing(_oids: Sequence[str]) -> Mapping[str, bytes]:
        return {}

    for blobs in (gone, nothing):
        (item,) = applicable([judged(SUGGESTED)], change(), blobs, TreeSitter())
        assert item.finding.suggestion is None


def test_nothing_is_fetched_without_a_suggestion() -> None:
    asked: list[Sequence[str]] = []

    def blobs(oids: Sequence[str]) -> Mapping[str, bytes]:
        asked.append(oids)
        return {}

    left_out = replace(judged(SUGGESTED), place=Place.REJECTED)
    items = (judged(None), left_out)
    assert applicable(items, change(), blobs, TreeSitter()) == items
    assert asked == []


def test_lines_keep_their_ends() -> None:
    finding = judged("one\ntwo").finding
    assert applied(finding, b"a\r\nb\r\nc\r\n") == b"a\r\none\r\ntwo\r\nc\r\n"
    assert applied(replace(finding, suggestion=""), b"a\nb\nc") == b"a\nc"
