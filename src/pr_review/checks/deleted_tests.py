"""Tests that go away while the code they test stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pr_review.checks.check import CheckInput, code, finding, line_spot
from pr_review.checks.declared_tests import declared, subjects
from pr_review.checks.paths import is_test, kept_as_it_is
from pr_review.checks.ports import Tree
from pr_review.domain.diff import Change, FileChange, Line, Side, Status
from pr_review.domain.finding import Finding, Severity

NAME = "deleted-test"


_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class _Loss:
    """Tests that a file had and no file has now, and the path of what they test."""

    file: FileChange
    tests: tuple[tuple[str, Line], ...]
    subject: str


def run(given: CheckInput) -> tuple[Finding, ...]:
    """One finding a file, and none where the change brings as many tests as it takes away."""
    if given.tree is None:
        return ()
    return tuple(_finding(loss, given) for loss in _losses(given.change, given.tree))


def _losses(change: Change, tree: Tree) -> list[_Loss]:
    tests = [f for f in change.files if is_test(f.path) and not kept_as_it_is(f.path)]
    gone, come = _names(tests, Side.LEFT), _names(tests, Side.RIGHT)
    lost, new = gone - come, come - gone
    if len(lost) <= len(new):
        return []
    files = {file.path: file for file in change.files}
    found = []
    for file in tests:
        missing = tuple((name, line) for name, line in declared(file, Side.LEFT) if name in lost)
        if len(missing) > sum(name in new for name, _ in declared(file, Side.RIGHT)):
            subject = next((path for path in subjects(file.path) if tree.exists(path)), "")
            if subject and _stays(files.get(subject), file):
                found.append(_Loss(file, missing, subject))
    return found


def _names(files: Sequence[FileChange], side: Side) -> frozenset[str]:
    return frozenset(name for file in files for name, _ in declared(file, side))


def _stays(subject: FileChange | None, test: FileChange) -> bool:
    """Whether code is as it was, or at least did not shrink, nor lose as much as its test."""
    if subject is None:
        return True
    return subject.deletions <= subject.additions and subject.deletions < test.deletions


def _finding(loss: _Loss, given: CheckInput) -> Finding:
    named = ", ".join(
        given.quoted(loss.file.path, line.old, name, Side.LEFT)
        for name, line in loss.tests[:_MOST_NAMED]
    )
    rest = len(loss.tests) - _MOST_NAMED
    whole = loss.file.status is Status.DELETED
    return finding(
        NAME,
        line_spot(loss.file, loss.tests[0][1]),
        severity=Severity.MEDIUM if whole else Severity.LOW,
        category="tests",
        title="A test file is deleted, and what it tests stays" if whole else "Tests are deleted",
        body=f"{named}{f' and {rest} more' if rest > 0 else ''} went, fewer came in this change, "
        f"and {code(loss.subject)}, which they are named for, stays. Say what checks it now, or "
        "keep the tests.",
    )
