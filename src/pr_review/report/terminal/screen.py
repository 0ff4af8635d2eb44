"""What a terminal can show: so many columns, and colour or none."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Style(StrEnum):
    """Parameters of the sequence that selects a style: ECMA-48, 8.3.117."""

    BOLD = "1"
    DIM = "2"
    RED = "31"
    GREEN = "32"
    YELLOW = "33"
    MAGENTA = "35"
    CYAN = "36"


@dataclass(frozen=True, slots=True)
class Screen:
    """Lays out text that holds no control characters (`domain.text` sees to that)."""

    width: int = 80
    colour: bool = False

    def paint(self, text: str, *styles: Style) -> str:
        """The text in a style, or as it is where there is no colour."""
        if not self.colour or not styles or not text:
            return text
        return f"\x1b[{';'.join(styles)}m{text}\x1b[0m"

    def cut(self, text: str, taken: int = 0) -> str:
        """As much of a line as fits behind the `taken` columns; an ellipsis stands for the rest."""
        room = max(1, self.width - taken)
        if cells(text) <= room:
            return text
        return _head(text, room - 1) + "…"

    def wrap(self, text: str, *styles: Style, indent: str = "", hang: str = "") -> Iterator[str]:
        """A line of prose in lines that fit, each behind `indent`, all but the first behind
        `hang` as well; blanks at its start stay, and a word that is too long is broken."""
        start = indent + text[: len(text) - len(text.lstrip(" "))][: self.width // 2]
        lead, line = start, ""
        for word in _pieces(text.split(), max(2, self.width - cells(start + hang))):
            if line and cells(f"{lead}{line} {word}") > self.width:
                yield lead + self.paint(line, *styles)
                lead, line = start + hang, ""
            line = f"{line} {word}" if line else word
        yield (lead + self.paint(line, *styles)).rstrip(" ")


def cells(text: str) -> int:
    """Columns that a text takes: wide characters two, marks on others none."""
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _pieces(words: Iterable[str], room: int) -> Iterator[str]:
    """The words, those that are too long for a line in parts."""
    for word in words:
        rest = word
        while cells(rest) > room:
            head = _head(rest, room)
            yield head
            rest = rest[len(head) :]
        yield rest


def _head(text: str, room: int) -> str:
    taken = 0
    for index, character in enumerate(text):
        taken += _cells(character)
        if taken > room:
            return text[:index]
    return text
