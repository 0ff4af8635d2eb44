"""How a finding is known again in a later review: by the text it stands on, not by its number.

Fingerprints are keyed: a review is public, and a plain hash of a line that held a credential
would let anyone guess on until it fits.
"""

from __future__ import annotations

import hmac
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from pr_review.domain.diff import Change, FileChange, Hunk, Side
from pr_review.domain.finding import Finding

# Enough to tell a place; every line that counts must be the same for it to be found again.
_MOST_LINES = 5
_PLACE_DIGITS = 16
_TOPIC_DIGITS = 6
_COUNT = "[0-9]{1,9}"
_Rows = tuple[Side, int | None, int | None]
# The number of the first line of a block, and the stripped text of each.
_Block = tuple[int, list[str]]
#: Every fingerprint as text, for a regular expression.
FINGERPRINT = (
    rf"[0-9a-f]{{{_PLACE_DIGITS}}}\.{_COUNT}\.{_COUNT}\.{_COUNT}\.[0-9a-f]{{{_TOPIC_DIGITS}}}"
)


@dataclass(frozen=True, slots=True)
class Spot:
    """Lines start..end of one side of a file; both None for the file as a whole."""

    path: str
    side: Side = Side.RIGHT
    start: int | None = None
    end: int | None = None

    def overlaps(self, other: Spot) -> bool:
        """Whether both have a line in common."""
        if (self.path, self.side) != (other.path, other.side):
            return False
        if self.start is None or other.start is None or self.end is None or other.end is None:
            return False
        return self.start <= other.end and other.start <= self.end

    def holds(self, other: Spot) -> bool:
        """Whether both have lines, and every line of the other is one of these."""
        if not self.overlaps(other):
            return False
        first, last = replace(other, end=other.start), replace(other, start=other.end)
        return self.overlaps(first) and self.overlaps(last)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What is kept of a finding: `place` hashes its path, side and stripped lines, `topic` its
    category. The text was the `nth` (from 0) of `of` equal ones in the file. `lines` is 0 for a
    finding whose lines the change does not hold: then `place` hashes the path alone, and `topic`
    what was quoted or said as well.
    """

    place: str
    lines: int
    nth: int
    of: int
    topic: str

    def __str__(self) -> str:
        return f"{self.place}.{self.lines}.{self.nth}.{self.of}.{self.topic}"

    @classmethod
    def parse(cls, text: str) -> Fingerprint:
        """The fingerprint of a text that matches `FINGERPRINT`."""
        place, lines, nth, of, topic = text.split(".")
        return cls(place, int(lines), int(nth), int(of), topic)


class Places:
    """Where texts stand in a change. `key` is the markers' key: with another, nothing is found.

    `sought` are the fingerprints that `find` and `same` will be asked for: a change may have
    so many lines that not every place is worth its memory.
    """

    def __init__(
        self, change: Change | None, key: bytes, sought: Iterable[Fingerprint] = ()
    ) -> None:
        self._files = {file.path: file for file in change.files} if change else {}
        self._key = key
        self._sought = frozenset((one.lines, one.place) for one in sought)
        self._kept: dict[tuple[str, Side], list[_Block]] = {}
        self._cut = change is None or change.oversize or change.unlisted > 0

    @cached_property
    def complete(self) -> bool:
        """Whether every changed line can be read: only then is a text that is not found gone."""
        return not self._cut and not any(map(_unread, self._files.values()))

    def fingerprint(self, finding: Finding) -> Fingerprint:
        """The finding's fingerprint in this change."""
        category = finding.category
        texts, starts = self._equal_windows(finding)
        if not starts:
            said = " ".join((finding.quote.strip() or finding.title).casefold().split())
            return Fingerprint(
                self._place(_spelt(finding.path)), 0, 0, 1, self._topic(category, said)
            )
        place = self._place(_spelt(finding.path, finding.side, *texts))
        nth = starts.index(finding.start)
        return Fingerprint(place, len(texts), nth, len(starts), self._topic(category))

    def same(self, finding: Finding, fingerprint: Fingerprint, *, alone: bool = False) -> bool:
        """Whether a finding is of the category of an earlier one, on lines that it stood on;
        on those `alone`, if wanted."""
        spot = self.the_spot(fingerprint)
        here = Spot(finding.path, finding.side, finding.start, finding.end)
        if spot is None or not (spot.holds(here) if alone else spot.overlaps(here)):
            return False
        return fingerprint.topic == self._topic(finding.category)

    def find(self, fingerprint: Fingerprint) -> tuple[Spot, ...]:
        """All spots with the text of a fingerprint, in the order of the change."""
        return tuple(self._found.get((fingerprint.lines, fingerprint.place), ()))

    def the_spot(self, fingerprint: Fingerprint) -> Spot | None:
        """The one spot that is meant; None where equal texts came or went and none is sure."""
        spots = self.find(fingerprint)
        sure = len(spots) == fingerprint.of and fingerprint.nth < len(spots)
        return spots[fingerprint.nth] if sure else None

    @cached_property
    def _found(self) -> dict[tuple[int, str], list[Spot]]:
        found: defaultdict[tuple[int, str], list[Spot]] = defaultdict(list)
        counts = sorted({lines for lines, _ in self._sought})
        for file in self._files.values():
            for lines in counts:
                for place, spot in self._spots(file, lines):
                    if (lines, place) in self._sought:
                        found[lines, place].append(Spot(file.path, *spot))
        return found

    def _spots(self, file: FileChange, lines: int) -> Iterator[tuple[str, _Rows]]:
        """Every place of so many lines in a file, with its side, start and end."""
        if not lines:
            yield self._place(_spelt(file.path)), (Side.RIGHT, None, None)
            return
        for side in Side:
            before = _spelt(file.path, side)
            for start, text in _windows(file, side, lines):
                yield self._place(before + text), (side, start, start + lines - 1)

    def _equal_windows(self, finding: Finding) -> tuple[list[str], list[int | None]]:
        """The texts of the finding's lines that count, and every number in its file at which
        they stand; none if its lines are not in the change."""
        if finding.start is None or finding.end is None:
            return [], []
        blocks = self._blocks(finding.path, finding.side)
        sought = _lines(blocks, finding.start, _counted(finding.start, finding.end))
        return sought, [
            first + at
            for first, texts in blocks
            for at, text in enumerate(texts)
            if sought and text == sought[0] and texts[at : at + len(sought)] == sought
        ]

    def _blocks(self, path: str, side: Side) -> list[_Block]:
        """A side of a file, kept: a model may have much to say of a large one."""
        if (path, side) not in self._kept:
            file = self._files.get(path)
            self._kept[path, side] = [_side(hunk, side) for hunk in file.hunks] if file else []
        return self._kept[path, side]

    def _place(self, spelt: str) -> str:
        return self._hash(f"place {spelt}")[:_PLACE_DIGITS]

    def _topic(self, *said: str) -> str:
        return self._hash(f"topic {_spelt(*said)}")[:_TOPIC_DIGITS]

    def _hash(self, text: str) -> str:
        return hmac.digest(self._key, text.encode(), "sha256").hex()


def _spelt(*texts: str) -> str:
    """Texts as JSON in ASCII: no two lists are spelt alike, whatever characters they hold."""
    return "".join(map(json.dumps, texts))


def _counted(start: int, end: int) -> int:
    """How many lines of a range count."""
    return min(end - start + 1, _MOST_LINES)


def _windows(file: FileChange, side: Side, count: int) -> Iterator[tuple[int, str]]:
    """Each row of `count` lines that one hunk holds: its first number and its stripped text."""
    for hunk in file.hunks:
        first, texts = _side(hunk, side)
        spelt = [_spelt(text) for text in texts]
        for at in range(len(spelt) - count + 1):
            yield first + at, "".join(spelt[at : at + count])


def _lines(blocks: Iterable[_Block], start: int, count: int) -> list[str]:
    """So many lines from a number on; none if no block holds all of them."""
    for first, texts in blocks:
        if first <= start <= first + len(texts) - count:
            return texts[start - first :][:count]
    return []


def _side(hunk: Hunk, side: Side) -> _Block:
    """One side of a hunk, whose lines follow each other there."""
    lines = [
        (number, line.text.strip())
        for line in hunk.lines
        if (number := line.old if side is Side.LEFT else line.new) is not None
    ]
    return lines[0][0] if lines else 0, [text for _, text in lines]


def _unread(file: FileChange) -> bool:
    """Whether git or GitHub counts more changed lines than could be read."""
    read = len(file.added_lines) + len(file.removed_lines)
    short = not file.binary and read < file.additions + file.deletions
    return bool(file.defect) or file.withheld or short
