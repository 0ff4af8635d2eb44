"""Pieces of hunks: what is dealt where source does not fit, with what each is worth."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pr_review.domain.diff import FileChange, Line
from pr_review.snapshot.policy import PIECE_LINES, THIN_CONTEXT
from pr_review.snapshot.value import value

# A piece of long lines ends sooner: the last one that does not fit leaves little room unused.
_PIECE_BYTES = 1_600


@dataclass(frozen=True, slots=True)
class Run:
    """Up to 12 changed lines that stand together, as positions among a file's lines.

    `first` and `last` are the positions of its changed lines, `low` and `high` those of the
    context lines that always come along. `start` and `end` are new-side numbers; of a run that
    only removes, those of the line behind it. `last_new` is the
    last new-side line that it reaches. `worth` is the sum of its lines' values.
    """

    hunk: int
    low: int
    first: int
    last: int
    high: int
    start: int
    end: int
    last_new: int
    worth: float


def runs(file: FileChange, without: Collection[int] = ()) -> list[Run]:
    """The changed lines of a file, cut at blank lines, new blocks, 12 lines and 1,600 bytes;
    `without` are the indices of hunks whose lines are not asked for.
    """
    found: list[Run] = []
    offset = 0
    for index, hunk in enumerate(file.hunks):
        following = _following(hunk.lines, hunk.new_start + (not hunk.new_count))
        found += [
            _run(hunk.lines, following, hunk=index, offset=offset, span=span)
            for span in (_cut(hunk.lines) if index not in without else ())
        ]
        offset += len(hunk.lines)
    return found


def _following(lines: Sequence[Line], number: int) -> list[int]:
    """For every line its new-side number; of a removed one, that of the next line."""
    numbers = []
    for line in lines:
        number = line.new or number
        numbers.append(number)
        number += line.new is not None
    return numbers


def _cut(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """First and last changed line of every run."""
    first = last = -1
    count = size = 0
    for position, line in enumerate(lines):
        if not line.changed:
            continue
        near = first >= 0 and position - last <= 2 * THIN_CONTEXT + 1
        full = count >= PIECE_LINES or size + len(line.text) > _PIECE_BYTES
        if first >= 0 and (not near or full or (count >= PIECE_LINES // 2 and _starts(line.text))):
            yield first, last
            first, count, size = position, 0, 0
        first = position if first < 0 else first
        last, count, size = position, count + 1, size + len(line.text)
    if first >= 0:
        yield first, last


def _starts(text: str) -> bool:
    """A line that a reader would start a new part at: blank, or at the left margin."""
    return not text.strip() or (text[:1] not in " \t})]" and not text.startswith(("end", "fi")))


def _run(
    lines: Sequence[Line],
    following: Sequence[int],
    *,
    hunk: int,
    offset: int,
    span: tuple[int, int],
) -> Run:
    first, last = low, high = span
    while low > max(first - THIN_CONTEXT, 0) and not lines[low - 1].changed:
        low -= 1
    while high < min(last + THIN_CONTEXT, len(lines) - 1) and not lines[high + 1].changed:
        high += 1
    worth = sum(value(line) for line in lines[first : last + 1])
    start, end = following[first], following[last]
    last_new = end - (lines[last].new is None)
    low, first, last, high = low + offset, first + offset, last + offset, high + offset
    return Run(hunk, low, first, last, high, start, end, last_new, worth)
