"""The bodies of hunks, read with unidiff one file section at a time.

unidiff is trusted for hunks alone: it guesses status from `@@ -0,0`, leaves quoted paths
quoted, and loses a whole patch to one odd header. Paths, modes and status come from git's
raw rows (`rows`), or from a patch's extended headers where there is nothing else
(`patch_text`).
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from unidiff.constants import LINE_TYPE_EMPTY
from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk as UnidiffHunk
from unidiff.patch import Line as UnidiffLine
from unidiff.patch import PatchSet

from pr_review.domain.diff import Hunk, Line

SECTION = "diff --git "
_MOST_QUOTED = 200
_SIGNATURE = "-- "  # what git format-patch puts behind the last hunk


def sections(patch: str) -> Iterator[str]:
    """Splits git's patch text into one section a file, each starting with `diff --git `.

    Text before the first section is left out. The split is safe: inside a hunk every line
    starts with a space, `+`, `-` or `\\`, and a binary patch's lines hold no space.
    """
    start = 0 if patch.startswith(SECTION) else patch.find("\n" + SECTION) + 1
    if not patch.startswith(SECTION, start):
        return
    while True:
        end = patch.find("\n" + SECTION, start) + 1
        if not end:
            yield patch[start:]
            return
        yield patch[start:end]
        start = end


def hunks(section: str) -> tuple[Hunk, ...]:
    """The hunks of one file's section. Raises `ValueError` in words if they do not parse."""
    body = _without_metadata(section)
    if not body:
        return ()
    try:
        patched = PatchSet(io.StringIO(body, newline="\n"))
    except (UnidiffParseError, ValueError, IndexError) as error:
        raise ValueError(f"unreadable hunk: {_first_line(error)}") from error
    found = [hunk for file in patched for hunk in file]
    _check_all_read(body.split("\n"), found)
    made = tuple(map(_hunk, found))
    _check_order(made)
    return made


def _check_all_read(lines: Sequence[str], found: Sequence[UnidiffHunk]) -> None:
    """Raises `ValueError` for what unidiff passes over: a hunk with a header that it does not
    know, changed lines beyond those that a header counts, and text behind a CR without a sign."""
    if any(line.startswith("\r") and line != "\r" for line in lines):
        raise ValueError("unreadable hunk: a line has no sign")
    headers = [at for at, line in enumerate(lines) if line.startswith("@@ -")]
    if len(headers) != len(found):
        raise ValueError("unreadable hunk: its header is malformed")
    for at, hunk in zip(headers, found, strict=True):
        behind = at + 1 + sum(1 for _ in _own(hunk))
        following = lines[behind : behind + 1]
        if following and following[0][:1] in ("+", "-") and following[0] != _SIGNATURE:
            raise ValueError("unreadable hunk: it is longer than its header says")


def _check_order(found: Sequence[Hunk]) -> None:
    """Raises `ValueError` for lines before the first one, and for hunks that overlap: their lines
    would count twice."""
    if any(h.old_start < 1 <= h.old_count or h.new_start < 1 <= h.new_count for h in found):
        raise ValueError("unreadable hunk: it begins before the first line")
    for before, hunk in pairwise(found):
        old = before.old_start + max(before.old_count, 1) <= hunk.old_start + (not hunk.old_count)
        new = before.new_start + max(before.new_count, 1) <= hunk.new_start + (not hunk.new_count)
        if not (old and new):
            raise ValueError("unreadable hunk: it overlaps the one before it")


def _first_line(error: Exception) -> str:
    """What is wrong, without the end of a line of the patch that it quotes."""
    return str(error).partition("\n")[0][:_MOST_QUOTED]


def _without_metadata(section: str) -> str:
    """The section from its first hunk on, under a header of our own.

    Whatever stands in git's header (a path that imitates one, a binary patch) cannot
    mislead the parser then. A section without a hunk gives an empty text.
    """
    start = 0 if section.startswith("@@ -") else section.find("\n@@ -") + 1
    if not section.startswith("@@ -", start):
        return ""
    return f"--- a/file\n+++ b/file\n{section[start:]}"


def _hunk(source: UnidiffHunk) -> Hunk:
    return Hunk(
        source.source_start,
        source.source_length,
        source.target_start,
        source.target_length,
        source.section_header,
        tuple(_lines(source)),
    )


def _own(source: UnidiffHunk) -> Iterator[UnidiffLine]:
    """Its lines, without blank ones that stand behind it, which unidiff adds to the last hunk."""
    return (line for line in source if line.line_type != LINE_TYPE_EMPTY)


def _lines(source: UnidiffHunk) -> Iterator[Line]:
    pending: Line | None = None
    for line in _own(source):
        if line.line_type == "\\":  # `\ No newline at end of file` is a remark, not a line
            if pending is not None:
                pending = Line(pending.old, pending.new, pending.text, ends_without_newline=True)
            continue
        if pending is not None:
            yield pending
        text = line.value.removesuffix("\n")
        pending = Line(line.source_line_no, line.target_line_no, text)
    if pending is not None:
        yield pending


def count(parsed: Iterable[Hunk]) -> tuple[int, int]:
    """Added and removed lines of some hunks."""
    added = removed = 0
    for hunk in parsed:
        for line in hunk.lines:
            added += line.added
            removed += line.removed
    return added, removed
