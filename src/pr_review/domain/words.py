"""How counts and places read, wherever people meet them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from pr_review.domain.diff import Side


class Located(Protocol):
    """Whatever stands on lines `start` to `end` of one side; both None for a whole file."""

    @property
    def side(self) -> Side: ...
    @property
    def start(self) -> int | None: ...
    @property
    def end(self) -> int | None: ...


def counted(number: int, thing: str) -> str:
    """`1 file`, `1,200 files`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def line_numbers(place: Located) -> str:
    """What stands behind a path: `:12`, `:12-14`; nothing for a whole file."""
    if place.start is None:
        return ""
    return f":{place.start}" if place.end in (None, place.start) else f":{place.start}-{place.end}"


def old_side(place: Located) -> str:
    """What stands behind numbers that are not the new file's; nothing behind those that are."""
    return " (old side)" if place.start is not None and place.side is Side.LEFT else ""


def ranges(numbers: Sequence[int], most: int) -> str:
    """Ascending numbers: `4-9, 12, 20-31`, and how many ranges more than `most` there are."""
    found = list(adjacent(numbers))
    shown = [f"{r[0]}-{r[-1]}" if len(r) > 1 else f"{r[0]}" for r in found[:most]]
    more = len(found) - most
    return ", ".join(shown) + (f" and {counted(more, 'more range')}" if more > 0 else "")


def adjacent(numbers: Sequence[int]) -> Iterator[range]:
    """Ascending numbers as ranges of adjacent ones."""
    start = 0
    for index, number in enumerate(numbers):
        if index + 1 == len(numbers) or numbers[index + 1] != number + 1:
            yield range(numbers[start], number + 1)
            start = index + 1
