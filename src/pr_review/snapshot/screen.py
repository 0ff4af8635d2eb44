"""Screening: credentials are replaced before a text can be sent; line counts stay.

A scanner finds what has a shape of its own; two rules of ours cover where it is blind: key
blocks of which a hunk holds the body without its first line, and values that only the name
in front of them gives away. Nothing here claims that all was found.

What is replaced is hidden from the reviewer too. So of a key block only what looks like key
material goes: code between two comments that imitate its first and last line stays in sight.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from pr_review.domain.diff import FileChange, Side
from pr_review.domain.ledger import Redaction
from pr_review.domain.pull_request import Brief
from pr_review.snapshot.policy import Screening
from pr_review.snapshot.ports import SecretMatch, SecretScanner

KEY_RULE = "private-key"
ASSIGNMENT_RULE = "secret-assignment"
HEADER_RULE = "hunk-header"

# With the material that stands on the same line, as in a string with `\\n` in it.
_KEY_BEGIN = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:\\[nr]|[A-Za-z0-9+/=\s\"',])*"
    r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?"
)
_KEY_END = re.compile(
    r"(?:\\[nr]|[A-Za-z0-9+/=])*-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
)
_KEY_TAIL = re.compile(
    r"[\s\"'+\\n,;|>#*/]*(?:[A-Za-z0-9+/]{1,80}={0,2}|=[A-Za-z0-9+/]{4})[\s\"'+\\n,;]*"
)
_KEY_BODY = re.compile(r"[\s\"'+\\n,;|>#*/]*[A-Za-z0-9+/]{16,}={0,2}[\s\"'+\\n,;]*")
_ASSIGNMENT = re.compile(
    r"(?i)(?:secret|passw(?:or)?d|pwd|api[_-]?key|access[_-]?key|auth[_-]?token|private[_-]?key"
    r"|client[_-]?key|credential)s?[\"'\]]?\s*(?:=>|:=|[:=])\s*[\"'`]?"
    r"(?P<value>[A-Za-z0-9+/_.~-]{16,}={0,2})"
)
_MIN_ENTROPY = 3.5
_KEY_WIDTH = 48

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
    for match in _scanned(texts, scanner):
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


def key_spans(lines: Sequence[str]) -> list[tuple[int, int, int]]:
    """What to hide of private key blocks: index of the line, start and end in characters.

    A block whose first or last line is not among `lines` reaches as far as its lines look
    like a key's.
    """
    spans: list[tuple[int, int, int]] = []
    start: int | None = None
    for index, line in enumerate(lines):
        begin, end = _KEY_BEGIN.search(line), _KEY_END.search(line)
        if end and not begin:
            body = range(start + 1, index) if start is not None else _before(lines, index)
            spans += _material(lines, body)
        spans += [(index, *edge.span()) for edge in (begin, end) if edge]
        if begin or end:
            start = None if end else index
    if start is not None:
        spans += _material(lines, _after(lines, start))
    return spans


def _material(lines: Sequence[str], body: range) -> Iterator[tuple[int, int, int]]:
    """Lines of a block that hold key material; the last two may be short, below long ones."""
    above = False
    for index in body:
        short = above and index >= body.stop - 2 and _KEY_TAIL.fullmatch(lines[index])
        above = bool(short or _KEY_BODY.fullmatch(lines[index]))
        if above:
            yield index, 0, len(lines[index])


def _before(lines: Sequence[str], end: int) -> range:
    """A block's body above its last line, the short lines next to it included."""
    first = end
    while first and (
        _KEY_BODY.fullmatch(lines[first - 1])
        or (first > end - 2 and _KEY_TAIL.fullmatch(lines[first - 1]))
    ):
        first -= 1
    return range(first, end)


def _after(lines: Sequence[str], start: int) -> range:
    stop = start + 1
    while stop < len(lines) and _KEY_BODY.fullmatch(lines[stop]):
        stop += 1
    return range(start + 1, stop)


def _scanned(texts: Sequence[str], scanner: SecretScanner) -> Iterator[SecretMatch]:
    """The scanner's matches but for key blocks, which it takes from first to last line
    whatever stands between: `key_spans` takes the key alone.
    """
    for match in scanner.scan(texts):
        if "PRIVATE KEY" not in texts[match.text][match.start : match.end]:
            yield match


def _keys(file: FileChange, blobs: Mapping[str, bytes], result: Screened) -> None:
    """On the whole file where it is to be had, since a hunk may hold a key's middle alone."""
    for old, oid in ((False, file.new_oid), (True, file.old_oid)):
        numbered = [(line.old if old else line.new, line) for line in file.lines]
        lines = {number: line for number, line in numbered if number}
        blob = blobs.get(oid, b"")
        if b" PRIVATE KEY" in blob:
            whole = blob.decode("utf-8", "surrogateescape").split("\n")
            found = [(index + 1, low, high) for index, low, high in key_spans(whole)]
            secret = {whole[number - 1] for number, _, _ in found}
        else:
            numbers = list(lines)
            inside = key_spans([line.text for line in lines.values()])
            found = [(numbers[index], low, high) for index, low, high in inside]
            secret = set()
        _hide_headers(file, secret, result)
        for number, low, high in found:
            if number in lines:
                place = (lines[number].side, lines[number].number)
                result.spans[place].append((low, high, KEY_RULE))


def _hide_headers(file: FileChange, secret: Collection[str], result: Screened) -> None:
    """A hunk's header repeats a line above it, cut at 80 bytes: it may be a line of a key.

    Without the whole file its shape has to do; no function's name looks like that.
    """
    for index, hunk in enumerate(file.hunks):
        section = hunk.section.strip()
        shaped = len(section) >= _KEY_WIDTH and _KEY_BODY.fullmatch(section)
        if shaped or (section and any(text.strip().startswith(section) for text in secret)):
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
    spans: list[Span] = [(m.start, m.end, m.rule) for m in _scanned([text], scanner)]
    spans += [(start, end, ASSIGNMENT_RULE) for start, end in _assignments(text)]
    lines = text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    for index, low, high in key_spans(lines):
        spans.append((starts[index] + low, starts[index] + high, KEY_RULE))
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
