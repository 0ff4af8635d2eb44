"""Conflict markers that a merge left behind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from pathlib import PurePosixPath

from pr_review.checks.check import CheckInput, Spot, finding
from pr_review.checks.paths import kept_as_it_is
from pr_review.checks.ports import Tree
from pr_review.domain.diff import FileChange, Hunk
from pr_review.domain.finding import Finding, Severity

NAME = "conflict-markers"

# git writes seven characters, then a space and a label, or nothing
_START = re.compile(r"<{7}(?: .*)?\r?")
_END = re.compile(r">{7}(?: .*)?\r?")
_FENCE = re.compile(rb" {0,3}(?:`{3,}|~{3,})")
_PROSE = frozenset({".md", ".mdx", ".markdown", ".qmd"})
_PATCHES = (".patch", ".diff", ".rej")


def run(given: CheckInput) -> tuple[Finding, ...]:
    """One finding a conflict: a start and, further down in the file, an end, both added.

    A line of `=======` alone is a heading in Markdown and reStructuredText, and no finding.
    """
    return tuple(
        _finding(file, start, end)
        for file in given.change.files
        if not kept_as_it_is(file.path) and not file.path.lower().endswith(_PATCHES)
        for start, end in _outside_fences(file, list(_conflicts(file)), given.tree)
    )


def _conflicts(file: FileChange) -> Iterator[tuple[int, int]]:
    """New-side numbers of the first and last line of each conflict."""
    start = None
    for line in file.lines:
        if not line.added or line.new is None:
            continue
        if _START.fullmatch(line.text):
            start = line.new
        elif start is not None and _END.fullmatch(line.text):
            yield start, line.new
            start = None


def _outside_fences(
    file: FileChange, conflicts: list[tuple[int, int]], tree: Tree | None
) -> list[tuple[int, int]]:
    """The conflicts that do not stand in a code block of a document: those are examples."""
    prose = PurePosixPath(file.path.lower()).suffix in _PROSE
    if not (conflicts and prose and tree):
        return conflicts
    lines = (tree.blob(file.new_oid) or b"").split(b"\n")
    fences = list(accumulate((bool(_FENCE.match(line)) for line in lines), initial=0))
    return [found for found in conflicts if not fences[min(found[0], len(fences)) - 1] % 2]


def _finding(file: FileChange, start: int, end: int) -> Finding:
    # a comment cannot span two hunks
    last = end if any(_holds(hunk, start) and _holds(hunk, end) for hunk in file.hunks) else start
    return finding(
        NAME,
        Spot(file.path, start, last),
        severity=Severity.HIGH,
        category="correctness",
        title="A merge conflict is committed unresolved",
        body=f"Lines {start} to {end} hold the markers of a conflict. Decide between its sides "
        "and remove the markers.",
    )


def _holds(hunk: Hunk, number: int) -> bool:
    return hunk.new_start <= number < hunk.new_start + hunk.new_count
