"""What was sent of one file, ready to be asked for lines, hunks and quotes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from pr_review.domain.diff import Side
from pr_review.domain.snapshot import SentFile, SentLine
from pr_review.domain.text import visible

# A shorter part of a line stands in too many lines to prove anything.
_SHORTEST_PART = 8
_SHORTEST_WORDS = 3


@dataclass(frozen=True, slots=True)
class Spot:
    """Lines start..end (1-based, inclusive) of one side."""

    side: Side
    start: int
    end: int

    def distance(self, start: int, end: int) -> int:
        """Lines between this spot and start..end; 0 if they overlap."""
        return max(0, self.start - end, start - self.end)


@dataclass(frozen=True)
class FileLines:
    """The lines of one file by side, and the hunks that GitHub takes comments on."""

    file: SentFile

    @cached_property
    def right(self) -> dict[int, SentLine]:
        return {line.new: line for line in self.file.lines if line.new is not None}

    @cached_property
    def left(self) -> dict[int, SentLine]:
        return {line.old: line for line in self.file.lines if line.old is not None}

    def side(self, side: Side) -> dict[int, SentLine]:
        return self.right if side is Side.RIGHT else self.left

    @property
    def deleted(self) -> bool:
        """Whether no line of the file is left: git writes `+0,0` for it."""
        hunks = self.file.hunks
        return bool(hunks) and all(hunk[2:] == (0, 0) for hunk in hunks)

    def hunk(self, side: Side, number: int) -> range | None:
        """The line numbers of the hunk that holds a line of a side; None outside every hunk."""
        for old_start, old_count, new_start, new_count in self.file.hunks:
            start, count = (new_start, new_count) if side is Side.RIGHT else (old_start, old_count)
            if start <= number < start + count:
                return range(start, start + count)
        return None

    def quoted(self, quote: str) -> tuple[Spot, ...]:
        """Everywhere the quote stands, white space aside.

        A quote of several lines stands on consecutive lines. A context line is found on the
        right side alone: that is where GitHub shows it.
        """
        for wanted in _spellings(quote):
            found = tuple(self._find(wanted))
            if found:
                return found
        return ()

    def _find(self, wanted: Sequence[str]) -> Iterator[Spot]:
        for side, texts in ((Side.RIGHT, self._right_texts), (Side.LEFT, self._left_texts)):
            for start in texts.holding(wanted[0]):
                end = start + len(wanted) - 1
                if _stands(wanted, texts.by_number, start) and (
                    side is Side.RIGHT or self._any_removed(start, end)
                ):
                    yield Spot(side, start, end)

    def _any_removed(self, start: int, end: int) -> bool:
        return any(self.left[number].new is None for number in range(start, end + 1))

    @cached_property
    def _right_texts(self) -> _Texts:
        return _Texts({number: normal(line.text) for number, line in self.right.items()})

    @cached_property
    def _left_texts(self) -> _Texts:
        return _Texts({number: normal(line.text) for number, line in self.left.items()})


@dataclass(frozen=True)
class _Texts:
    """The normalised lines of one side, searched as one text: a file may have many lines."""

    by_number: dict[int, str]

    @cached_property
    def _joined(self) -> str:
        return "\n".join(self.by_number.values())

    @cached_property
    def _offsets(self) -> list[int]:
        """Where each line begins in the joined text, and where one more would."""
        return [0, *accumulate(len(text) + 1 for text in self.by_number.values())]

    @cached_property
    def _numbers(self) -> list[int]:
        return list(self.by_number)

    def holding(self, text: str) -> Iterator[int]:
        """The numbers of the lines in which a text stands, in order."""
        position = self._joined.find(text)
        while position >= 0:
            index = bisect_right(self._offsets, position) - 1
            yield self._numbers[index]
            position = self._joined.find(text, self._offsets[index + 1])


def _stands(wanted: Sequence[str], rows: dict[int, str], start: int) -> bool:
    return all(
        (row := rows.get(start + offset)) is not None
        and (row == text or (len(text) >= _SHORTEST_PART and text in row))
        for offset, text in enumerate(wanted)
    )


def normal(text: str) -> str:
    """Text as quotes are compared: hidden characters written out, runs of blanks as one."""
    return " ".join(visible(text.replace("\r", "")).removesuffix(r"\u{d}").split())


def distinct(quote: str) -> bool:
    """Whether a quote says enough to be looked for beyond the line it was said to stand on."""
    return len(re.findall(r"\w", quote)) >= _SHORTEST_WORDS


def _spellings(quote: str) -> Iterator[tuple[str, ...]]:
    """The quote as it came, then without the number and sign that stand before a line."""
    lines = quote.strip("\n").split("\n")
    yield _normal_lines(lines)
    yield _normal_lines([re.sub(r"^\d*\s*[-+]", "", line.lstrip()) for line in lines])
    yield _normal_lines([re.sub(r"^\d+\s", "", line.lstrip()) for line in lines])


def _normal_lines(lines: Sequence[str]) -> tuple[str, ...]:
    texts = [normal(line) for line in lines]
    while texts and not texts[-1]:
        texts.pop()
    while texts and not texts[0]:
        texts.pop(0)
    return tuple(texts) or ("\0",)  # nothing to look for: no line holds a NUL written so
