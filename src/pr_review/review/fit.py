"""How long a text is to GitHub, and what fits."""

from __future__ import annotations

from collections.abc import Callable, Iterable

# GitHub refuses a body over 65,536 characters; what it counts as one differs between its
# parts, so we count the largest unit that it may mean and keep a distance.
BODY_LIMIT = 60_000


SUMMARY_LIMIT_BYTES = 1_000_000

Measure = Callable[[str], int]


def units(text: str) -> int:
    """Length in UTF-16 code units: a character beyond the basic plane counts twice."""
    return len(text) + sum(character > "\uffff" for character in text)


def utf8(text: str) -> int:
    """Length in bytes: what GitHub counts of a job summary, up to 1 MiB."""
    return len(text.encode("utf-8", "replace"))


def fitting(parts: Iterable[str], room: int, *, joint: str, measure: Measure) -> list[str]:
    """The parts that fit into `room`, first ones first, when put together with `joint`.

    One that does not fit is left out and takes none of the others with it.
    """
    kept: list[str] = []
    for part in parts:
        size = measure(part) + len(joint)
        if size <= room:
            room -= size
            kept.append(part)
    return kept
