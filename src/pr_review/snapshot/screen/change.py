"""Screens a change: both sides of its files line by line, and the headers of its hunks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from operator import attrgetter

from pr_review.domain.diff import FileChange, Hunk, Line, Side
from pr_review.domain.ledger import Redaction
from pr_review.snapshot.ports import SecretScanner
from pr_review.snapshot.screen.contents import AROUND, Contents
from pr_review.snapshot.screen.headers import Headers
from pr_review.snapshot.screen.rules import KEY_RULE, find
from pr_review.snapshot.screen.spans import Lines, Span
from pr_review.snapshot.screen.walls import WALL_RULE, names_a_key, wall_spans

HEADER_RULE = "hunk-header"

_BESIDE = 2

Place = tuple[Side, int]
Rows = Iterator[tuple[Place | None, str]]


@dataclass(slots=True)
class Screened:
    """What has to be replaced in one file: spans of characters by line, hidden headers."""

    spans: dict[Place, list[Span]] = field(default_factory=lambda: defaultdict(list))
    headers: set[int] = field(default_factory=set)
    redactions: list[Redaction] = field(default_factory=list)


def screen(
    files: Sequence[FileChange], blobs: Mapping[str, bytes], scanner: SecretScanner
) -> list[Screened]:
    """Screens every line and hunk header of some files, by one scan; one result a file, in order.

    A file may be an unchanged one of which some lines are sent, all of them context.
    `blobs` holds the files' contents by object id as far as there are any: key blocks are
    looked for in the whole file on both sides, a value may begin or end beside the lines of
    a hunk, and a header that was cut is judged by the whole line.
    """
    readings = [_Reading(file, blobs) for file in files]
    found = iter(find([text for reading in readings for text in reading.joined], scanner))
    return [reading.screened(found) for reading in readings]


class _Reading:
    """One file, made ready to be searched; of its contents no more is kept than that takes."""

    def __init__(self, file: FileChange, blobs: Mapping[str, bytes]) -> None:
        self._file = file
        self._result = Screened()
        new, old = Contents(blobs.get(file.new_oid, b"")), Contents(blobs.get(file.old_oid, b""))
        removing = [hunk for hunk in file.hunks if any(line.removed for line in hunk.lines)]
        self._texts = (
            Lines(_side(file.hunks, new, old=False)),
            Lines(_side(removing, old, old=True)),
            Lines(_pairs(file.hunks)),
        )
        self._headers = Headers(file.hunks, old)
        for contents, is_old in ((new, False), (old, True)):
            if contents.keys:
                self._mark_keys(contents, old=is_old)
            if not contents.known or names_a_key(file.path):
                self._mark_walls(old=is_old)

    @property
    def joined(self) -> list[str]:
        """The texts to search."""
        return [*(text.joined for text in self._texts), self._headers.text.joined]

    def screened(self, found: Iterator[list[Span]]) -> Screened:
        """The result; takes from `found` what was found in each text."""
        for text, spans in zip(self._texts, islice(found, len(self._texts)), strict=True):
            for start, end, rule in spans:
                self._mark(text, start, end, rule)
                if rule == KEY_RULE:
                    self._headers.secret(text.joined[start:end])
        self._result.headers |= self._headers.hidden(next(found))
        self._record()
        return self._result

    def _mark(self, text: Lines[Place | None], start: int, end: int, rule: str) -> None:
        for place, low, high in text.parts(start, end):
            if place is not None:
                self._result.spans[place].append((low, high, rule))

    def _mark_keys(self, contents: Contents, *, old: bool) -> None:
        """On the whole file where it is to be had, since a hunk may hold a key's middle alone."""
        for number in contents.keys:
            self._headers.secret(contents.lines[number - 1])
        for line in self._file.lines:
            for low, high in contents.keys.get((line.old if old else line.new) or 0, ()):
                self._result.spans[line.side, line.number].append((low, high, KEY_RULE))

    def _mark_walls(self, *, old: bool) -> None:
        named = names_a_key(self._file.path)
        for hunk in self._file.hunks:
            lines = [line for line in hunk.lines if (line.old if old else line.new)]
            for index, (low, high) in wall_spans([line.text for line in lines], named=named):
                place = lines[index].side, lines[index].number
                self._result.spans[place].append((low, high, WALL_RULE))

    def _record(self) -> None:
        result, path = self._result, self._file.path
        for line in self._file.lines if result.spans else ():
            spans = result.spans.get((line.side, line.number), ())
            for rule in dict.fromkeys(rule for _, _, rule in sorted(spans)):
                result.redactions.append(
                    Redaction(path, line.number, line.side, rule, added=line.added)
                )
        for index in sorted(result.headers):
            start = self._file.hunks[index].old_start
            result.redactions.append(Redaction(path, start, Side.LEFT, HEADER_RULE))


def _side(hunks: Sequence[Hunk], contents: Contents, *, old: bool) -> Rows:
    """One side of some hunks, with the few lines around each of them, which have no place."""
    done = 0
    for index, hunk in enumerate(hunks):
        first, last = _range(hunk, old=old)
        for text in contents.between(max(first - AROUND, done + 1), first - 1):
            yield None, text
        for line in hunk.lines:
            if (line.old if old else line.new) is not None:
                yield (line.side, line.number), line.text
        done = last + AROUND
        if index + 1 < len(hunks):
            done = min(done, _range(hunks[index + 1], old=old)[0] - 1)
        for text in contents.between(last + 1, done):
            yield None, text


def _range(hunk: Hunk, *, old: bool) -> tuple[int, int]:
    """First and last line of a hunk on one side; the last before the first if it has none."""
    start, count = (hunk.old_start, hunk.old_count) if old else (hunk.new_start, hunk.new_count)
    first = start if count else start + 1
    return first, first + count - 1


def _pairs(hunks: Sequence[Hunk]) -> Rows:
    """Where added lines follow removed ones, the few lines beside that border: a model reads
    them below each other, although they stand in no file together."""
    for hunk in hunks:
        before: list[Line] = []
        for kind, group in groupby(hunk.lines, attrgetter("sign")):
            lines = list(group)
            if kind == "+" and before:
                for line in (*before, *lines[:_BESIDE]):
                    yield (line.side, line.number), line.text
                yield None, ""
            before = lines[-_BESIDE:] if kind == "-" else []
