"""Screening: credentials are replaced before a text can be sent; line counts stay.

A scanner finds what has a shape of its own; two rules of ours cover where it is blind: key
blocks of which a hunk holds the body without its first line, and values that only the name
in front of them gives away. Nothing here claims that all was found.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pr_review.domain.diff import FileChange, Line, Side
from pr_review.domain.ledger import Redaction
from pr_review.domain.pull_request import Brief
from pr_review.snapshot.policy import Screening
from pr_review.snapshot.ports import SecretScanner

KEY_RULE = "private-key"
ASSIGNMENT_RULE = "secret-assignment"
HEADER_RULE = "hunk-header"

_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(r"[\s\"'+\\n,;|>#*/]*[A-Za-z0-9+/]{16,}={0,2}[\s\"'+\\n,;]*")
_ASSIGNMENT = re.compile(
    r"(?i)(?:secret|passw(?:or)?d|pwd|api[_-]?key|access[_-]?key|auth[_-]?token|private[_-]?key"
    r"|client[_-]?key|credential)s?[\"'\]]?\s*(?:=>|:=|[:=])\s*[\"'`]?"
    r"(?P<value>[A-Za-z0-9+/_.~-]{16,}={0,2})"
)
_MIN_ENTROPY = 3.5

Span = tuple[int, int, str]
Place = tuple[Side, int]


@dataclass(slots=True)
class Screened:
    """What has to be replaced in one file: spans of characters by line, hidden headers."""

    spans: dict[Place, list[Span]] = field(default_factory=lambda: defaultdict(list))
    headers: set[int] = field(default_factory=set)
    redactions: list[Redaction] = field(default_factory=list)


def screen(
    files: Sequence[FileChange], blobs: Mapping[str, bytes], scanner: SecretScanner
) -> list[Screened]:
    """Screens every line and hunk header of some files; one result a file, in order.

    `blobs` holds the files' contents by object id as far as there are any: key blocks are
    looked for in the whole file on both sides.
    """
    found = [Screened() for _ in files]
    texts: list[str] = []
    owners: list[tuple[int, _Text]] = []
    for index, file in enumerate(files):
        for text in _texts(file):
            owners.append((index, text))
            texts.append(text.joined)
    for match in scanner.scan(texts):
        index, text = owners[match.text]
        text.mark(found[index], match.start, match.end, match.rule)
    for index, text in owners:
        for start, end in _assignments(text.joined):
            text.mark(found[index], start, end, ASSIGNMENT_RULE)
    for file, result in zip(files, found, strict=True):
        _keys(file, blobs, result)
        _record(file, result)
    return found


class _Text:
    """The lines of one side of a file (or its hunk headers) as one text to scan."""

    def __init__(self, lines: Iterable[tuple[Place | int, str]]) -> None:
        self._places: list[Place | int] = []
        self._starts: list[int] = []
        parts = []
        position = 0
        for place, text in lines:
            self._places.append(place)
            self._starts.append(position)
            parts.append(text)
            position += len(text) + 1
        self.joined = "\n".join(parts)

    def mark(self, result: Screened, start: int, end: int, rule: str) -> None:
        """Records the part of every line that a match touches."""
        first = bisect_right(self._starts, start) - 1
        for index in range(first, len(self._starts)):
            offset = self._starts[index]
            if offset >= end:
                break
            following = self._starts[index + 1 :][:1] or [len(self.joined) + 1]
            low, high = max(start - offset, 0), min(end, following[0] - 1) - offset
            place = self._places[index]
            if isinstance(place, int):
                result.headers.add(place)
            elif low < high:
                result.spans[place].append((low, high, rule))


def _texts(file: FileChange) -> Iterator[_Text]:
    lines = list(file.lines)
    for side, kept in (
        (Side.RIGHT, [line for line in lines if not line.removed]),
        (Side.LEFT, [line for line in lines if line.removed]),
    ):
        if kept:
            yield _Text(((side, line.number), line.text) for line in kept)
    sections = [(index, hunk.section) for index, hunk in enumerate(file.hunks) if hunk.section]
    if sections:
        yield _Text(sections)


def _assignments(text: str) -> Iterator[tuple[int, int]]:
    for match in _ASSIGNMENT.finditer(text):
        if _looks_random(match["value"]):
            yield match.span("value")


def _looks_random(value: str) -> bool:
    """Upper, lower and digits in one value without a word's shape; not hexadecimal."""
    kinds = (r"[A-Z]", r"[a-z]", r"[0-9]")
    if not all(re.search(kind, value) for kind in kinds) or "EXAMPLE" in value:
        return False
    if re.search(r"[A-Za-z]\.[A-Za-z]", value) or re.fullmatch(r"[0-9a-fA-F-]+", value):
        return False
    counts = Counter(value)
    entropy = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    return entropy >= _MIN_ENTROPY


def key_lines(lines: Sequence[str]) -> set[int]:
    """Indexes of lines that belong to a private key block, first and last line included.

    A block whose first or last line is not among `lines` reaches as far as its lines look
    like a key's.
    """
    inside: set[int] = set()
    start: int | None = None
    for index, line in enumerate(lines):
        if _KEY_BEGIN.search(line):
            start = index
        if _KEY_END.search(line):
            inside.update(range(start, index + 1) if start is not None else _before(lines, index))
            start = None
    if start is not None:
        inside.add(start)
        for index in range(start + 1, len(lines)):
            if not _KEY_BODY.fullmatch(lines[index]):
                break
            inside.add(index)
    return inside


def _before(lines: Sequence[str], end: int) -> set[int]:
    first = end
    while first and _KEY_BODY.fullmatch(lines[first - 1]):
        first -= 1
    return set(range(first, end + 1))


def _keys(file: FileChange, blobs: Mapping[str, bytes], result: Screened) -> None:
    for side, oid in ((Side.RIGHT, file.new_oid), (Side.LEFT, file.old_oid)):
        lines = [line for line in file.lines if (line.new if side is Side.RIGHT else line.old)]
        blob = blobs.get(oid, b"")
        whole = blob.decode("utf-8", "replace").split("\n") if b" PRIVATE KEY" in blob else []
        numbers = {index + 1 for index in key_lines(whole)}
        in_hunks = key_lines([line.text for line in lines]) if not whole else set()
        for index, line in enumerate(lines):
            number = line.new if side is Side.RIGHT else line.old
            if (number in numbers or index in in_hunks) and line.text.strip():
                _mark_line(result, line)
        _hide_headers(file, [whole[number - 1] for number in numbers], result)


def _mark_line(result: Screened, line: Line) -> None:
    place = (line.side, line.number)
    result.spans[place] = [(0, len(line.text), KEY_RULE)]


def _hide_headers(file: FileChange, secret: Sequence[str], result: Screened) -> None:
    """git cuts a hunk header's text at 80 bytes, so it may hold the head of a key's line."""
    for index, hunk in enumerate(file.hunks):
        section = hunk.section.strip()
        if section and any(text.strip().startswith(section) for text in secret):
            result.headers.add(index)


def _record(file: FileChange, result: Screened) -> None:
    for line in file.lines:
        spans = result.spans.get((line.side, line.number), ())
        for rule in dict.fromkeys(rule for _, _, rule in sorted(spans)):
            result.redactions.append(
                Redaction(file.path, line.number, line.side, rule, added=line.added)
            )
    for index in sorted(result.headers):
        hunk = file.hunks[index]
        result.redactions.append(Redaction(file.path, hunk.old_start, Side.LEFT, HEADER_RULE))


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


def screen_text(text: str, scanner: SecretScanner) -> tuple[str, tuple[str, ...]]:
    """A free text without its credentials, and the rules that matched."""
    spans: list[Span] = [(m.start, m.end, m.rule) for m in scanner.scan([text])]
    spans += [(start, end, ASSIGNMENT_RULE) for start, end in _assignments(text)]
    position = 0
    lines = text.split("\n")
    keys = key_lines(lines)
    for index, line in enumerate(lines):
        if index in keys and line:
            spans.append((position, position + len(line), KEY_RULE))
        position += len(line) + 1
    rules = tuple(dict.fromkeys(rule for _, _, rule in sorted(spans)))
    return _redact_keeping_lines(text, spans), rules


def screen_brief(brief: Brief, scanner: SecretScanner, screening: Screening) -> Brief:
    """What people wrote, without its credentials: it is sent like the change itself."""
    if screening is Screening.OFF:
        return brief
    return Brief(
        screen_text(brief.title, scanner)[0],
        screen_text(brief.body, scanner)[0],
        tuple(screen_text(message, scanner)[0] for message in brief.commit_messages),
    )


def _redact_keeping_lines(text: str, spans: Sequence[Span]) -> str:
    """Redacts line by line, so that a match over several lines takes none of them away."""
    out = []
    position = 0
    for line in text.split("\n"):
        end = position + len(line)
        own = [
            (max(start, position) - position, min(stop, end) - position, rule)
            for start, stop, rule in spans
            if start < end and stop > position
        ]
        out.append(redact(line, own))
        position = end + 1
    return "\n".join(out)
