"""The whole of a file, of which a change shows some lines."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from pr_review.snapshot.screen.keys import key_spans
from pr_review.snapshot.screen.spans import Extent, Lines

AROUND = 8
"""Lines beside those that are shown which are searched with them: a value may reach over."""


class Contents:
    """A file's lines, numbered from 1. Nothing is decoded before it is asked for."""

    def __init__(self, blob: bytes) -> None:
        self._blob = blob
        self.known = bool(blob)

    @cached_property
    def lines(self) -> list[str]:
        return self._blob.decode("utf-8", "surrogateescape").split("\n") if self._blob else []

    @cached_property
    def keys(self) -> dict[int, list[Extent]]:
        """The key material of every line that holds some, by number."""
        found: dict[int, list[Extent]] = defaultdict(list)
        if b"PRIVATE" in self._blob:
            rows = Lines(enumerate(self.lines, start=1))
            for start, end in key_spans(rows.joined):
                for number, low, high in rows.parts(start, end):
                    found[number].append((low, high))
        return dict(found)

    def between(self, first: int, last: int) -> list[str]:
        """Lines `first` to `last`, as far as there are any."""
        return self.lines[max(first - 1, 0) : max(last, 0)] if self.known else []
