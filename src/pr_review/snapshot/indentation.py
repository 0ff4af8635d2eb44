"""The outline of text that no grammar reads, from how far its lines are indented.

Good for YAML, HCL, Dockerfiles, Makefiles, SQL, HTML, CSS and most programming languages: the
blocks that a reader sees are there, under the text of their first line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import PurePosixPath

from pr_review.snapshot.outline import Outline, Scope, ScopeKind

MAX_NAME = 200
MAX_SCOPES = 5_000

_TAB = 8
_INDENT = re.compile(r"[ \t]*")
_BLANKS = " \t\r\f\v"
_COMMENT = re.compile(r"#(?:[ #!]|$)|//|--(?!-)|/\*|<!--|;|%")
_OPENING = re.compile(r"[({\[]+")
# What goes on with, or ends, the block that it stands level with.
_CLOSING = re.compile(r"[)}\]]|</|(?:end|fi|done|esac|else|elif|elsif)(?![A-Za-z0-9_:.\-])")


@dataclass(slots=True)
class _Block:
    """A line, and the deeper ones below it. `index` is its place among the blocks once it has
    any; `above` is the line it is below of."""

    indent: int
    name: str
    start: int
    head: int
    above: _Block | None
    end: int = 0
    index: int | None = None
    holds: bool = False
    shut: bool = False  # by a line that ends or goes on with it


def outline(path: str, text: str, why: str = "") -> Outline:
    """Blocks: a line that deeper lines follow, up to the next line that is as shallow as it.

    A block that holds others is a TYPE, one that holds none a FUNCTION; its name is the text of
    its first line, at most 200 characters. Blank lines and comments in the first column belong
    to no block; closing brackets, closing tags and words such as `end` and `else` go on with
    the block they stand level with; a bracket that opens on a line of its own belongs to the
    line above. Over 5,000 blocks the deepest ones are left out. `why` says why there is no
    syntax tree where there could have been one. No uses, no imports. Linear in bytes.
    """
    source = f"indentation: {why}" if why else "indentation"
    return Outline(_language(path), scopes=_scopes(_blocks(text)), source=source)


def _language(path: str) -> str:
    """The suffix of a file, or its name where it has none: enough to tell kinds apart."""
    name = PurePosixPath(path).name.lower()
    return (PurePosixPath(name).suffix.removeprefix(".") or name)[:20] or "text"


def _blocks(text: str) -> list[_Block]:
    """All blocks by first line; a parent stands before its children."""
    found: list[_Block] = []
    path: list[_Block] = []
    last = 0
    for number, indent, line in _lines(text):
        level = _close(path, indent, last, goes_on=_CLOSING.match(line) is not None)
        opens = _OPENING.fullmatch(line) is not None
        above = path[-1] if path else None
        if opens and level and not level.shut:
            level.head = number
            path.append(level)
        elif above and above.indent == indent:
            above.shut = True
        elif not opens:
            _keep(above, found)
            path.append(_Block(indent, line[:MAX_NAME], number, number, above))
        last = number
    _close(path, -1, last, goes_on=False)
    return found


def _close(path: list[_Block], indent: int, last: int, *, goes_on: bool) -> _Block | None:
    """Ends what a line is not part of; returns what it stands level with, if that has ended."""
    level = None
    while path and (path[-1].indent > indent or (path[-1].indent == indent and not goes_on)):
        block = path.pop()
        block.end = last
        level = block if block.indent == indent else None
    return level


def _keep(block: _Block | None, found: list[_Block]) -> None:
    """A line is a block from the first deeper one on."""
    if block and block.index is None:
        block.index = len(found)
        found.append(block)
        if block.above:
            block.above.holds = True


def _lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Number, width of the indentation and text of each line that says something."""
    for number, line in enumerate(text.split("\n"), 1):
        lead = _INDENT.match(line)
        assert lead is not None
        said = line[lead.end() :].rstrip(_BLANKS)
        if said and not (lead.end() == 0 and _COMMENT.match(said)):
            yield number, len(lead[0]) + (_TAB - 1) * lead[0].count("\t"), said


def _scopes(blocks: list[_Block]) -> tuple[Scope, ...]:
    """The outermost levels, as many as fit: all of a level or none, but something of the first."""
    depths: list[int] = []
    for block in blocks:
        above = _place(block.above)
        depths.append(0 if above is None else depths[above] + 1)
    per_level = Counter(depths)
    totals = accumulate(per_level[depth] for depth in range(len(per_level)))
    levels = max(1, sum(total <= MAX_SCOPES for total in totals))
    kept = [block for block, depth in zip(blocks, depths, strict=True) if depth < levels]
    places = {block.start: place for place, block in enumerate(kept)}
    return tuple(
        Scope(
            name=block.name,
            kind=ScopeKind.TYPE if block.holds else ScopeKind.FUNCTION,
            start=block.start,
            line=block.start,
            head=block.head,
            end=block.end,
            parent=None if block.above is None else places[block.above.start],
        )
        for block in kept[:MAX_SCOPES]
    )


def _place(block: _Block | None) -> int | None:
    return None if block is None else block.index
