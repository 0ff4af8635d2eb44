"""Private key blocks in a text: where key material stands, whatever notation it is dressed in.

Of a block only its markers and what looks like key material count: code between two comments
that imitate a block's first and last line is left alone, and so are words and paths.

Texts are written by strangers: whatever a line holds, the work here grows with its length
alone. So every quantifier is possessive or bounded, and no line is walked once for each match.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pr_review.snapshot.screen.spans import Extent

_GATE = "PRIVATE"
# In a URL a blank is `+` or `%20`.
_MARKER = re.compile(
    r"-----(?P<kind>BEGIN|END)(?:[A-Z0-9 +]|%20){1,40}?PRIVATE(?: |\+|%20)KEY"
    r"(?:(?: |\+|%20)BLOCK)?-----"
)
# An escaped character keeps its length: itself and fillers.
_FILLER = "\0"
_RUN = re.compile(r"=?[A-Za-z0-9+/\0]++[=\0]{0,32}+")
_LINE_FEED = re.compile(
    r"(?:\\{1,8}+(?:[nr]|u000[aAdD]|x0[aAdD])|%0[aAdD]|&#(?:1[03]|[xX]0?[aAdD]);)++"
)
# Characters of base64 that some notations write in another way.
_ESCAPED = re.compile(r"\\{1,8}+(?:/|u002[bBfF]|u003[dD])|%2[bBfF]|%3[dD]")
_GAP = re.compile(rf"(?:[ \t]|{_LINE_FEED.pattern})*+")
_ARMOUR = re.compile(
    r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID|Subject|X-[A-Za-z-]{1,30}+):"
)
_WORD = re.compile(
    r"[A-Z][a-z]++[0-9]{0,4}+|[a-z]{2,}+[0-9]{0,4}+|[A-Z]++[0-9]{0,2}+|[a-z]|[0-9]++"
)
_SEPARATORS = re.compile(r"[/+=\0]++")
_DIGITS_OR_BLANKS = re.compile(r"[0-9]++|\s++")
_TRIMMING = re.compile(r"[^A-Za-z0-9(]*+")
_LONG, _SHORT = 16, 8
_LONGEST_DRESS = 200
_LEAST_CHAIN = 32
# Headers, blank lines and short last lines in a block; lines of which the run reads as a word.
_MOST_IDLE, _MOST_STRANGE = 10, 2


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of a block: where it starts in the text, what it holds, its runs of base64."""

    offset: int
    text: str
    runs: tuple[re.Match[str], ...]

    def extent(self, run: re.Match[str]) -> Extent:
        return self.offset + run.start(), self.offset + run.end()


def key_spans(text: str) -> list[Extent]:
    """What to hide of the private key blocks in a text; ordered, none on two lines.

    A block whose first or last line is missing reaches as far as its lines look like a key's.
    """
    if _GATE not in text:
        return []
    markers = list(_MARKER.finditer(text))
    spans = [marker.span() for marker in markers]
    for start, end in _blocks(text, markers):
        spans += _material(text, start, end)
    return _joined(text, spans)


def without_markers(text: str) -> str:
    """The text, as long as before, without the first and last lines of key blocks.

    For a scanner that would take all that stands between two of them.
    """
    return _MARKER.sub(lambda match: " " * len(match[0]), text) if _GATE in text else text


def looks_like_key(text: str, least: int) -> bool:
    """Whether a run of at least `least` characters of base64 stands here that is no word."""
    return any(len(run) >= least and not worded(run) for run in _RUN.findall(text))


def _blocks(text: str, markers: Sequence[re.Match[str]]) -> Iterator[Extent]:
    floor, opened = 0, False
    for index, marker in enumerate(markers):
        following = markers[index + 1] if index + 1 < len(markers) else None
        limit = following.start() if following else len(text)
        if marker["kind"] == "BEGIN":
            closed = following is not None and following["kind"] == "END"
            yield marker.end(), limit if closed else _below(text, marker.end(), limit)
        elif not opened:
            yield _above(text, marker.start(), floor), marker.start()
        floor, opened = marker.end(), marker["kind"] == "BEGIN"


class _Walk:
    """Goes from a marker over the lines of a block that has no other one, until it has ended."""

    def __init__(self) -> None:
        self._idle = self._strange = self._width = 0

    def goes_on(self, line: str) -> bool:
        """Whether the block may reach over this line: material, or few lines without any."""
        runs = _RUN.findall(line)
        material = [len(run) for run in runs if len(run) >= _SHORT and not worded(run)]
        if material:
            self._idle = self._strange = 0
            self._width = max(material)
            return True
        as_wide = any(len(run) == self._width for run in runs)
        self._idle += 1
        self._strange += len(runs) > 1 and not as_wide and not _ARMOUR.search(line)
        return self._idle <= _MOST_IDLE and self._strange <= _MOST_STRANGE


def _below(text: str, start: int, limit: int) -> int:
    """Where a block without a last line ends. The rest of its first line is always in it."""
    walk = _Walk()
    end = _line_end(text, start, limit)
    while end < limit:
        following = _line_end(text, end + 1, limit)
        if not walk.goes_on(text[end + 1 : following]):
            break
        end = following
    return end


def _line_end(text: str, start: int, limit: int) -> int:
    end = text.find("\n", start, limit)
    return limit if end < 0 else end


def _above(text: str, end: int, floor: int) -> int:
    """Where a block without a first line starts."""
    walk = _Walk()
    start = max(text.rfind("\n", floor, end) + 1, floor)
    while start > floor:
        earlier = max(text.rfind("\n", floor, start - 1) + 1, floor)
        if not walk.goes_on(text[earlier : start - 1]):
            break
        start = earlier
    return start


def worded(run: str) -> bool:
    """Whether a run reads as a name or a path: at least half of it stands in parts of few words.

    Chance gives a new case or a digit every two or three characters, a name every five or so:
    of 64 random characters next to none look worded, of 16 some in a hundred.
    """
    parts = [part for part in _SEPARATORS.split(run) if part]
    named = sum(len(part) for part in parts if len(_WORD.findall(part)) <= 1 + len(part) // 5)
    return 2 * named >= sum(len(part) for part in parts)


def _material(text: str, start: int, end: int) -> Iterator[Extent]:
    rows = _rows(text[start:end], start)
    for row in rows:
        hidden = -1
        for run in row.runs:
            beside = hidden >= 0 and not row.text[hidden : run.start()].strip()
            if (len(run[0]) >= _LONG or beside) and not worded(run[0]):
                yield row.extent(run)
                hidden = run.end()
    position = 0
    while position < len(rows):
        chain, position = _chain(rows, position)
        yield from _linked(chain)


def _rows(block: str, offset: int) -> list[_Row]:
    rows = []
    for line in "\n".join(map(_plain, block.split("\n"))).split("\n"):
        rows.append(_Row(offset, line, tuple(_RUN.finditer(line))))
        offset += len(line) + 1
    return rows


def _plain(line: str) -> str:
    """The line without escapes, as long as before, so that every offset stays right.

    Escaped line feeds part a key that stands on one line; a single one is a line's own end.
    """
    feed = "\n" if len(_LINE_FEED.findall(line)) > 1 else " "
    line = _LINE_FEED.sub(lambda match: feed + " " * (len(match[0]) - 1), line)
    return _ESCAPED.sub(lambda match: _padded(match[0]), line)


def _padded(escape: str) -> str:
    return ("=" if escape[-1] in "dD" else "/").ljust(len(escape), _FILLER)


def _width(run: re.Match[str]) -> int:
    return len(run[0].replace(_FILLER, ""))


def _chain(rows: Sequence[_Row], start: int) -> tuple[list[tuple[_Row, re.Match[str]]], int]:
    """The runs of base64 that stand below each other in one dress, and the row after them.

    The dress is what stands around a run: a call, quotes, a number, a time. So a key's last
    line and the lines of a narrow key are told from code, which their length cannot do.
    """
    first = rows[start]
    column = max(
        (n for n, run in enumerate(first.runs) if len(run[0]) >= _SHORT and not worded(run[0])),
        key=lambda n: len(first.runs[n][0]),
        default=None,
    )
    if column is None or first.runs[column].start() > _LONGEST_DRESS:
        return [], start + 1
    before, after = _dress(first, first.runs[column])
    chain: list[tuple[_Row, re.Match[str]]] = []
    for position in range(start, len(rows)):
        row = rows[position]
        if not row.runs:
            continue
        if len(row.runs) <= column:
            return chain, position
        run = row.runs[column]
        own_before, own_after = _dress(row, run)
        if own_before != before or (own_after != after and not _TRIMMING.fullmatch(own_after)):
            return chain, max(position, start + 1)
        chain.append((row, run))
    return chain, len(rows)


def _dress(row: _Row, run: re.Match[str]) -> tuple[str, str]:
    before, after = row.text[: run.start()], row.text[run.end() :]
    return _DIGITS_OR_BLANKS.sub(" ", before).lstrip(), _DIGITS_OR_BLANKS.sub(" ", after).strip()


def _linked(chain: Sequence[tuple[_Row, re.Match[str]]]) -> Iterator[Extent]:
    """A chain's runs; a run that reads as a word counts if it is as wide as the widest."""
    if len(chain) < 2 or sum(len(run[0]) for _, run in chain) < _LEAST_CHAIN:
        return
    width = max(_width(run) for _, run in chain)
    for row, run in chain:
        path = run[0].startswith("/") and run[0].count("/") > 1
        if not worded(run[0]) or (_width(run) == width and not path):
            yield row.extent(run)


def _joined(text: str, spans: Iterable[Extent]) -> list[Extent]:
    """The spans in order; two with nothing but blanks or escapes between them become one."""
    out: list[Extent] = []
    for start, end in sorted(spans):
        if out and (start <= out[-1][1] or _GAP.fullmatch(text, out[-1][1], start)):
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out
