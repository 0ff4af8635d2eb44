"""Lines as one text to search, and what is found in it as parts of its lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar

Extent = tuple[int, int]
Span = tuple[int, int, str]
"""Start and end in characters of one line, and the rule that matched."""
P = TypeVar("P")


class Lines(Generic[P]):
    """Lines as one text; each has a place of its own."""

    def __init__(self, lines: Iterable[tuple[P, str]]) -> None:
        self._places: list[P] = []
        self._starts: list[int] = []
        parts = []
        position = 0
        for place, text in lines:
            self._places.append(place)
            self._starts.append(position)
            parts.append(text)
            position += len(text) + 1
        self._starts.append(position)
        self.joined = "\n".join(parts)

    def parts(self, start: int, end: int) -> Iterator[tuple[P, int, int]]:
        """The part of every line that a match touches: place, start and end in characters."""
        index = bisect_right(self._starts, start) - 1
        while index < len(self._places) and self._starts[index] < end:
            offset = self._starts[index]
            low, high = max(start - offset, 0), min(end, self._starts[index + 1] - 1) - offset
            if low < high:
                yield self._places[index], low, high
            index += 1


def redact(text: str, spans: Sequence[Span]) -> str:
    """The text with `[REDACTED:<rule>]` in place of every span; overlaps become one."""
    out = []
    position = 0
    for start, end, rule in sorted(spans):
        if start >= position:
            out.append(text[position:start])
            out.append(f"[REDACTED:{rule}]")
        position = max(position, end)
    out.append(text[position:])
    return "".join(out)
