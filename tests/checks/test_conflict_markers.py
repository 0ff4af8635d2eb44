"""Conflicts that were committed, and everything that only looks like one."""

from __future__ import annotations

import pytest

from pr_review.checks.conflict_markers import run
from pr_review.domain.diff import Side
from pr_review.domain.finding import Severity
from tests.checks.changes import given

CONFLICT = "<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> topic\n"
DIFF3 = "<<<<<<< HEAD\nmine\n||||||| base\nold\n=======\ntheirs\n>>>>>>> topic\n"


@pytest.mark.parametrize("path", ["a.py", "CHANGELOG.md", "src/test/a.js", "package-lock.json"])
@pytest.mark.parametrize("conflict", [CONFLICT, DIFF3, CONFLICT.replace("\n", "\r\n")])
def test_a_conflict_is_one_finding(path: str, conflict: str) -> None:
    (found,) = run(given({path: "one\ntwo\n"}, {path: f"one\n{conflict}two\n"}))
    lines = conflict.count("\n")
    assert (found.path, found.start, found.end, found.side) == (path, 2, lines + 1, Side.RIGHT)
    assert found.severity is Severity.HIGH
    assert found.deterministic


def test_each_conflict_is_told() -> None:
    (first, second) = run(given({}, {"a.py": f"{CONFLICT}between\n{CONFLICT}"}))
    assert (first.start, second.start) == (1, 7)


def test_a_conflict_without_labels_or_separator_counts() -> None:
    (found,) = run(given({}, {"a.py": "<<<<<<<\nx\n>>>>>>>\n"}))
    assert (found.start, found.end) == (1, 3)


def test_an_end_belongs_to_one_start() -> None:
    (found,) = run(given({}, {"a.py": f"{CONFLICT}>>>>>>> again\n"}))
    assert (found.start, found.end) == (1, 5)


def test_a_conflict_over_two_hunks_is_anchored_at_its_start() -> None:
    kept = "".join(f"line {n}\n" for n in range(30))
    (found,) = run(given({"a.py": kept}, {"a.py": f"<<<<<<< HEAD\n{kept}>>>>>>> topic\n"}))
    assert (found.start, found.end) == (1, 1)
    assert "Lines 1 to 32" in found.body


SILENT = {
    "heading.md": "Title\n=======\n\ntext\n",
    "heading.rst": "=======\nTitle\n=======\n",
    "start.txt": "<<<<<<< HEAD\nnothing more\n",
    "end.txt": ">>>>>>> topic\n",
    "order.txt": ">>>>>>> topic\n=======\n<<<<<<< HEAD\n",
    "shift.c": "x <<<<<<< y\n>>>>>>>>\n<<<<<<<<\n",
    "rule.txt": "<<<<<<<<<<<<<<<<\n>>>>>>>>>>>>>>>>\n",
    "quoted.py": '    "<<<<<<< HEAD"\n    ">>>>>>> topic"\n',
    "glued.txt": "<<<<<<<HEAD\n>>>>>>>topic\n",
    "nested.patch": "+<<<<<<< HEAD\n+>>>>>>> topic\n",
    "bare.diff": CONFLICT,
    "test/fixtures/merge.txt": CONFLICT,
    "pkg/testdata/merge.go": CONFLICT,
    "docs/merging.md": f"A conflict:\n\n```diff\n{CONFLICT}```\n",
    "docs/tilde.mdx": f"~~~\n{CONFLICT}~~~\n",
}


@pytest.mark.parametrize("path", SILENT)
def test_what_is_no_conflict_is_silent(path: str) -> None:
    assert run(given({}, {path: SILENT[path]})) == ()


def test_after_a_fence_a_conflict_counts_again() -> None:
    (found,) = run(given({}, {"a.md": f"```\ncode\n```\n{CONFLICT}"}))
    assert found.start == 4


def test_a_conflict_that_was_there_or_goes_away_is_silent() -> None:
    assert run(given({"a.py": CONFLICT}, {"a.py": f"new\n{CONFLICT}"})) == ()
    assert run(given({"a.py": CONFLICT}, {"a.py": "mine\n"})) == ()
