"""Where on the page a place of the change stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pr_review.domain.coverage import MarkedFile, MarkedLine
from pr_review.domain.diff import Side
from pr_review.domain.finding import Finding
from pr_review.domain.review import Told
from pr_review.domain.text import visible_line
from pr_review.domain.words import line_numbers, old_side

Spot = tuple[Side, int | None]
"""A line of a file by its new number, or by its old one if it has no new one."""


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead to an element of the page by its `id`; nowhere if that is empty."""

    id: str
    words: str


def address(url: str) -> str:
    """An address that the page may link to; empty for another text."""
    return visible_line(url) if url.startswith(("https://", "http://")) else ""


def spot(line: MarkedLine) -> Spot:
    """Where a line of the page stands."""
    return line.side, line.old if line.new is None else line.new


def file_id(index: int) -> str:
    """What the element of a file is called, by its place among the files."""
    return f"f{index}"


@dataclass(frozen=True)
class Place:
    """What a finding is about: its file by index, None if the page has none of that name, and
    those of its lines that the page has, in order."""

    file: int | None
    spots: tuple[Spot, ...] = ()

    @property
    def id(self) -> str:
        """That of the first line, else of the file; empty without both."""
        if self.file is None:
            return ""
        if not self.spots:
            return file_id(self.file)
        side, number = self.spots[0]
        return f"{file_id(self.file)}-{'old' if side is Side.LEFT else ''}{number}"


class Places:
    """The files and lines of a page, and where findings stand among them.

    `names` holds what is printed for paths that must not be, as they hold a credential.
    """

    def __init__(self, files: Sequence[MarkedFile], names: Mapping[str, str]) -> None:
        self._names = names
        self._files = [_Lines(file) for file in files]
        self._index = {file.path: index for index, file in reversed([*enumerate(files)])}

    def name(self, path: str) -> str:
        """A path as the page prints it."""
        return visible_line(self._names.get(path, path))

    def place(self, about: Finding | Told) -> Place:
        file = self._index.get(self._names.get(about.path, about.path))
        if file is None or about.start is None:
            return Place(file)
        return Place(file, self._files[file].between(about.side, about.start, about.end))

    def link(self, about: Finding | Told) -> Link:
        """`src/a.py:12-14`, which leads to the first of these lines."""
        words = f"{self.name(about.path)}{line_numbers(about)}{old_side(about)}"
        return Link(self.place(about).id, words)


class _Lines:
    """The lines of one file, by the numbers of both sides."""

    def __init__(self, file: MarkedFile) -> None:
        self._file = file

    @cached_property
    def _sides(self) -> Mapping[Side, Sequence[tuple[int, Spot]]]:
        lines = self._file.lines
        old = [(line.old, spot(line)) for line in lines if line.old is not None]
        new = [(line.new, spot(line)) for line in lines if line.new is not None]
        return {Side.LEFT: old, Side.RIGHT: new}

    def between(self, side: Side, start: int, end: int | None) -> tuple[Spot, ...]:
        last = start if end is None else end
        return tuple(at for number, at in self._sides[side] if start <= number <= last)
