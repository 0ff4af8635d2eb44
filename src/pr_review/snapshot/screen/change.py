"""Screens a change: both sides of its files line by line, and the headers of its hunks."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pr_review.domain.diff import FileChange, Side
from pr_review.domain.ledger import Redaction
from pr_review.snapshot.ports import SecretScanner
from pr_review.snapshot.screen.keys import key_spans, looks_like_key
from pr_review.snapshot.screen.rules import KEY_RULE, find
from pr_review.snapshot.screen.spans import Lines, Span

HEADER_RULE = "hunk-header"

_KEY_WIDTH = 48
# git cuts a header at 80 bytes; the last character may have been half in.
_CUT_BYTES = 76
_HEADER_CHARACTERS = 80
_WHOLE_CHARACTERS = 2_000
_HALF_A_CHARACTER = "".join(map(chr, range(0xDC80, 0xDD00))) + "\ufffd"
_TOKEN = re.compile(r"[A-Za-z0-9_\-+/.=]{16}")

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
    looked for in the whole file on both sides, and a header that was cut is judged by the
    whole line.
    """
    found = [Screened() for _ in files]
    secret: list[set[str]] = [set() for _ in files]
    whole = [_whole_lines(file, blobs) for file in files]
    owners = [(n, text) for n, file in enumerate(files) for text in _texts(file, whole[n])]
    scanned = find([text.joined for _, text in owners], scanner)
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


def _texts(file: FileChange, whole: Mapping[str, Sequence[str]]) -> Iterator[Lines[Place | str]]:
    """Each side of a file, and its headers: their places are the headers' own words.

    A header that was cut is scanned as the `whole` lines it may come from.
    """
    lines = list(file.lines)
    for side, kept in (
        (Side.RIGHT, [line for line in lines if not line.removed]),
        (Side.LEFT, [line for line in lines if line.removed]),
    ):
        if kept:
            yield Lines(((side, line.number), line.text) for line in kept)
    sections = dict.fromkeys(hunk.section for hunk in file.hunks if hunk.section)
    if sections:
        yield Lines((key, line) for key in sections for line in whole.get(key, [key]))


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
        text = Lines(rows)
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
