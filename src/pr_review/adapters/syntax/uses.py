"""Names that wanted lines call or refer to, from the matches of a query."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import tree_sitter

from pr_review.adapters.syntax.grammar import Patterns
from pr_review.adapters.syntax.names import name_of, qualifier_of
from pr_review.snapshot.outline import Use

_RANGES = 50
_NEAR = 20


def uses_of(
    source: bytes, patterns: Patterns, root: tree_sitter.Node, used: Sequence[range]
) -> tuple[Use, ...]:
    """The uses by line and column. `used` are 1-based lines, ascending."""
    wanted = [lines for lines in used if lines]
    found: dict[int, tuple[int, Use]] = {}
    hidden: set[tuple[int, int]] = set()
    for rows in _queried(wanted):
        for pattern, captures in patterns.matches(root, rows):
            hidden.update(node.byte_range for node in captures.get("not", ()))
            _collect(source, pattern, captures, wanted, found)
    covered = _Spans(hidden)
    return tuple(use for place, (_, use) in sorted(found.items()) if place not in covered)


def _queried(wanted: Sequence[range]) -> list[tuple[int, int]]:
    """Rows to query: each query starts at the root, so near ranges share one, many share all."""
    if len(wanted) > _RANGES:
        return [(wanted[0].start - 1, max(lines.stop for lines in wanted) - 1)]
    rows: list[tuple[int, int]] = []
    for lines in wanted:
        start, stop = lines.start - 1, lines.stop - 1
        if rows and start <= rows[-1][1] + _NEAR:
            rows[-1] = (rows[-1][0], max(stop, rows[-1][1]))
        else:
            rows.append((start, stop))
    return rows


def _collect(
    source: bytes,
    pattern: int,
    captures: dict[str, list[tree_sitter.Node]],
    wanted: Sequence[range],
    found: dict[int, tuple[int, Use]],
) -> None:
    """Of several patterns that name the same place, the first one of the query file holds."""
    call = "call" in captures
    for node in captures.get("call") or captures.get("ref") or ():
        line, place = node.start_point.row + 1, node.start_byte
        if not _within(wanted, line) or (place in found and found[place][0] <= pattern):
            continue
        before = captures.get("qualifier")
        qualifier = qualifier_of(source, before[0]) if before else ""
        found[place] = (pattern, Use(line, name_of(source, node), qualifier, call))


def _within(wanted: Sequence[range], line: int) -> bool:
    index = bisect_right(wanted, line, key=lambda lines: lines.start)
    return index > 0 and line in wanted[index - 1]


class _Spans:
    """Which offsets lie in any of many spans that may overlap."""

    def __init__(self, spans: set[tuple[int, int]]) -> None:
        merged: list[tuple[int, int]] = []
        for start, end in sorted(spans):
            if merged and start < merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        self._merged = merged

    def __contains__(self, offset: int) -> bool:
        index = bisect_right(self._merged, offset, key=lambda span: span[0])
        return index > 0 and offset < self._merged[index - 1][1]
