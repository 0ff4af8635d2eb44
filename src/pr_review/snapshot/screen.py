"""Screening: credentials are replaced before a text can be sent; line counts stay.

A scanner finds what has a shape of its own; two rules of ours cover where it is blind: key
blocks of which a hunk holds the body without its first line, and values that only the name
in front of them gives away. Nothing here claims that all was found.

What is replaced is hidden from the reviewer too. So of a key block only what looks like key
material goes, whatever the scanner took; and the time it takes grows with a text's length
alone, since strangers write the text.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pr_review.domain.diff import FileChange, Side
from pr_review.domain.ledger import Redaction
from pr_review.domain.pull_request import Brief
from pr_review.snapshot.keys import key_spans, looks_like_key, material
from pr_review.snapshot.policy import Screening
from pr_review.snapshot.ports import SecretScanner

KEY_RULE = "private-key"
ASSIGNMENT_RULE = "secret-assignment"
HEADER_RULE = "hunk-header"

_ASSIGNMENT = re.compile(
    r"(?i)(?:secret|passw(?:or)?d|pwd|api[_-]?key|access[_-]?key|auth[_-]?token|private[_-]?key"
    r"|client[_-]?key|credential)s?[\"'\]]?\s*+(?:=>|:=|[:=])\s*+[\"'`]?"
    r"(?P<value>[A-Za-z0-9+/_.~-]{16,}+={0,2})"
)
_MIN_ENTROPY = 3.5
_KEY_WIDTH = 48
# git cuts a header at 80 bytes; the last character may have been half in.
_CUT_BYTES = 76
_HEADER_CHARACTERS = 80
_WHOLE_CHARACTERS = 2_000
_HALF_A_CHARACTER = "".join(map(chr, range(0xDC80, 0xDD00))) + "\ufffd"
_TOKEN = re.compile(r"[A-Za-z0-9_\-+/.=]{16}")

Span = tuple[int, int, str]
Place = tuple[Side, int]
P = TypeVar("P")


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
    looked for in the whole file on both sides, and a header that was cut is judged by the
    whole line.
    """
    found = [Screened() for _ in files]
    secret: list[set[str]] = [set() for _ in files]
    whole = [_whole_lines(file, blobs) for file in files]
    owners = [(n, text) for n, file in enumerate(files) for text in _texts(file, whole[n])]
    scanned = _spans([text.joined for _, text in owners], scanner)
    for (index, text), spans in zip(owners, scanned, strict=True):
        for start, end, rule in spans:
            for place, low, high in text.parts(start, end):
                if isinstance(place, str):
                    secret[index].add(place)
                else:
                    found[index].spans[place].append((low, high, rule))
    for file, result, lines, sections in zip(files, found, whole, secret, strict=True):
        _hide_headers(file, lines, _keys(file, blobs, result), result)
        result.headers |= {n for n, hunk in enumerate(file.hunks) if hunk.section in sections}
        _record(file, result)
    return found


class _Text(Generic[P]):
    """Lines as one text to scan; each has a place of its own."""

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


def _texts(file: FileChange, whole: Mapping[str, Sequence[str]]) -> Iterator[_Text[Place | str]]:
    """Each side of a file, and its headers: their places are the headers' own words.

    A header that was cut is scanned as the `whole` lines it may come from.
    """
    lines = list(file.lines)
    for side, kept in (
        (Side.RIGHT, [line for line in lines if not line.removed]),
        (Side.LEFT, [line for line in lines if line.removed]),
    ):
        if kept:
            yield _Text(((side, line.number), line.text) for line in kept)
    sections = dict.fromkeys(hunk.section for hunk in file.hunks if hunk.section)
    if sections:
        yield _Text((key, line) for key in sections for line in whole.get(key, [key]))


def _cut(section: str) -> bool:
    return len(section.encode("utf-8", "replace")) >= _CUT_BYTES


def _whole_lines(file: FileChange, blobs: Mapping[str, bytes]) -> dict[str, list[str]]:
    """The lines of the old file that a header may have been cut from, by the header.

    git takes headers from the old side, without the blanks in front for some languages.
    """
    sections = {hunk.section for hunk in file.hunks}
    cut = {s for s in sections if _cut(s) and len(s) <= _HEADER_CHARACTERS}
    blob = blobs.get(file.old_oid, b"") if cut else b""
    shortest = _CUT_BYTES // 4
    lines = (line.strip() for line in blob.decode("utf-8", "surrogateescape").split("\n"))
    known = sorted({line[:_WHOLE_CHARACTERS] for line in lines if len(line) >= shortest})
    found = {section: list(_starting(known, _stem(section))) for section in cut}
    return {section: whole for section, whole in found.items() if whole}


def _stem(section: str) -> str:
    return section.rstrip(_HALF_A_CHARACTER).strip()


def _starting(known: Sequence[str], stem: str) -> Iterator[str]:
    """Those of some sorted texts that start with a stem."""
    for index in range(bisect_left(known, stem), len(known)):
        if not known[index].startswith(stem):
            break
        yield known[index]


def _spans(texts: Sequence[str], scanner: SecretScanner) -> list[list[Span]]:
    """What the scanner and the names in front of values find in each text.

    Of a key block, which the scanner takes from first to last line whatever stands between,
    the key material alone.
    """
    found: list[list[Span]] = [
        [(start, end, ASSIGNMENT_RULE) for start, end in _assignments(text)] for text in texts
    ]
    for match in scanner.scan(texts):
        text, own = texts[match.text], found[match.text]
        if text.find("PRIVATE KEY", match.start, match.end) < 0:
            own.append((match.start, match.end, match.rule))
        else:
            inside = material(text, match.start, match.end)
            own += [(start, end, KEY_RULE) for start, end in inside]
    return found


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


def _keys(file: FileChange, blobs: Mapping[str, bytes], result: Screened) -> list[str]:
    """Marks key material, and returns the lines that hold some, sorted.

    On the whole file where it is to be had, since a hunk may hold a key's middle alone.
    """
    secret: set[str] = set()
    for old, oid in ((False, file.new_oid), (True, file.old_oid)):
        numbered = [(line.old if old else line.new, line) for line in file.lines]
        lines = {number: line for number, line in numbered if number}
        blob = blobs.get(oid, b"")
        if b"PRIVATE" in blob:
            whole = blob.decode("utf-8", "surrogateescape").split("\n")
            rows = list(enumerate(whole, start=1))
        else:
            rows = [(number, line.text) for number, line in lines.items()]
        text = _Text(rows)
        texts = dict(rows)
        for start, end in key_spans(text.joined):
            for number, low, high in text.parts(start, end):
                secret.add(texts[number].strip()[:_HEADER_CHARACTERS])
                if number in lines:
                    place = (lines[number].side, lines[number].number)
                    result.spans[place].append((low, high, KEY_RULE))
    return sorted(secret)


def _hide_headers(
    file: FileChange,
    whole: Mapping[str, Sequence[str]],
    secret: Sequence[str],
    result: Screened,
) -> None:
    """A hunk's header repeats a line above it, cut at 80 bytes: it may be a line of a key.

    Without the whole line its shape has to do: no function's name looks like a key, and no
    rule knows a token of which the end was cut.
    """
    for index, hunk in enumerate(file.hunks):
        section = hunk.section
        unknown = _cut(section) and section not in whole and _TOKEN.search(section)
        stem = _stem(section)
        listed = stem and any(True for _ in _starting(secret, stem))
        if unknown or listed or looks_like_key(section, _KEY_WIDTH):
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
    spans = _all_spans([text], scanner)[0]
    rules = tuple(dict.fromkeys(rule for _, _, rule in sorted(spans)))
    lines = text.split("\n")
    rows = _Text(enumerate(lines))
    own: dict[int, list[Span]] = defaultdict(list)
    for start, end, rule in spans:
        for index, low, high in rows.parts(start, end):
            own[index].append((low, high, rule))
    return "\n".join(redact(line, own.get(n, ())) for n, line in enumerate(lines)), rules


def screen_paths(paths: Sequence[str], scanner: SecretScanner) -> dict[str, str]:
    """The paths that hold a credential, each with `[REDACTED:<rule>]` in place of the value.

    Two paths that differ in their credentials alone become the same.
    """
    found = zip(paths, _all_spans(paths, scanner), strict=True)
    return {path: redact(path, spans) for path, spans in found if spans}


def _all_spans(texts: Sequence[str], scanner: SecretScanner) -> list[list[Span]]:
    """The spans of texts that are no part of a file, their key blocks included."""
    found = _spans(texts, scanner)
    for text, spans in zip(texts, found, strict=True):
        spans += [(start, end, KEY_RULE) for start, end in key_spans(text)]
    return found


def screen_brief(brief: Brief, scanner: SecretScanner, screening: Screening) -> Brief:
    """What people wrote, without its credentials: it is sent like the change itself."""
    if screening is Screening.OFF:
        return brief
    return Brief(
        screen_text(brief.title, scanner)[0],
        screen_text(brief.body, scanner)[0],
        tuple(screen_text(message, scanner)[0] for message in brief.commit_messages),
    )
