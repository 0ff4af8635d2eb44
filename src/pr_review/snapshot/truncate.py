"""What is given up over budget: lowest tiers first, whole files, largest first; then pieces.

Files are taken from the highest rank down. A rank that fits is taken whole; of source that
does not fit, pieces of hunks are dealt by value over its files, so that none is starved; of
the other tiers, whole files come back smallest first as long as they fit.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from pr_review.domain.ledger import Tier
from pr_review.domain.snapshot import estimate_tokens
from pr_review.snapshot.draft import Draft
from pr_review.snapshot.policy import PIECE_LINES, THIN_CONTEXT
from pr_review.snapshot.render import section
from pr_review.snapshot.value import value

Rows = frozenset[int]
_HEADER_TOKENS = 24
_GAP_TOKENS = 5
# Tokens of a file after which its next piece counts half; 100 to 1,000 make no difference.
_FILE_SHARE = 300
# No text of code holds more bytes a token than this: larger files cannot fit, and are not counted.
_MOST_BYTES_A_TOKEN = 12


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of up to 12 changed lines with the context lines next to it, by row position."""

    rows: tuple[int, ...]


@dataclass
class Prices:
    """Token counts of sections and rows, each counted once."""

    count: Callable[[str], int]
    _sections: dict[tuple[str, Rows], int] = field(default_factory=dict)
    _rows: dict[str, list[int]] = field(default_factory=dict)

    def section(self, draft: Draft, kept: Rows, room: int) -> int:
        """Tokens of a section; an estimate where it is too large to fit into `room` at all."""
        if draft.size > max(room, 1) * _MOST_BYTES_A_TOKEN:
            return max(room + 1, estimate_tokens("".join(draft.rows[i].text for i in kept)))
        key = (draft.file.path, kept)
        if key not in self._sections:
            self._sections[key] = self.count(section(draft, kept))
        return self._sections[key]

    def rows(self, draft: Draft) -> list[int]:
        """Tokens of each row on its own: together a little more than of the text they make."""
        path = draft.file.path
        if path not in self._rows:
            self._rows[path] = [self.count(row.text) for row in draft.rows]
        return self._rows[path]


def whole(draft: Draft) -> Rows:
    return frozenset(range(len(draft.rows)))


def thin(draft: Draft) -> Rows:
    """All changed rows, with one context row before and after each run."""
    return frozenset(i for piece in pieces(draft) for i in piece.rows)


def pieces(draft: Draft) -> list[Piece]:
    """The file's changed rows, cut into runs of up to 12 at blank lines and new blocks."""
    found: list[Piece] = []
    run: list[int] = []
    for position, row in enumerate(draft.rows):
        near = run and position - run[-1] <= 2 * THIN_CONTEXT + 1
        same = run and draft.hunk_of[position] == draft.hunk_of[run[-1]]
        if run and row.line.changed and not (near and same):
            found.append(_piece(draft, run))
            run = []
        if row.line.changed:
            if len(run) >= PIECE_LINES or (
                len(run) >= PIECE_LINES // 2 and _starts_block(row.body)
            ):
                found.append(_piece(draft, run))
                run = []
            run.append(position)
    if run:
        found.append(_piece(draft, run))
    return found


def _starts_block(body: str) -> bool:
    """A line that a reader would start a new part at: blank, or at the left margin."""
    return not body.strip() or (body[:1] not in " \t})]" and not body.startswith(("end", "fi")))


def _piece(draft: Draft, run: Sequence[int]) -> Piece:
    first, last = run[0], run[-1]
    hunk = draft.hunk_of[first]
    low, high = first, last
    while low > first - THIN_CONTEXT and _context(draft, low - 1, hunk):
        low -= 1
    while high < last + THIN_CONTEXT and _context(draft, high + 1, hunk):
        high += 1
    return Piece(tuple(range(low, high + 1)))


def _context(draft: Draft, position: int, hunk: int) -> bool:
    if not 0 <= position < len(draft.rows) or draft.hunk_of[position] != hunk:
        return False
    return not draft.rows[position].line.changed


def choose(
    drafts: Sequence[Draft], allowed: Mapping[str, Rows], room: int, prices: Prices
) -> dict[str, Rows]:
    """Which rows of which files to show in `room` tokens; a file that is not named is omitted.

    `allowed` bounds what may be shown of a file at all. A folded file is shown by its header
    alone, and has no rows.
    """
    kept: dict[str, Rows] = {}
    ranked = sorted(drafts, key=lambda d: (d.rank, d.file.path), reverse=True)
    for rank, members in groupby(ranked, key=lambda d: d.rank):
        group = sorted(members, key=lambda d: d.file.path)
        taken = _group(group, allowed, room, prices, deal=rank[0] == Tier.SOURCE)
        room -= sum(tokens for _, tokens in taken.values())
        kept.update((path, rows) for path, (rows, _) in taken.items())
    return kept


_Taken = dict[str, tuple[Rows, int]]


def _group(
    group: Sequence[Draft], allowed: Mapping[str, Rows], room: int, prices: Prices, *, deal: bool
) -> _Taken:
    wanted = [allowed[d.file.path] for d in group]
    taken = _all(group, wanted, room, prices)
    if taken is None and deal:
        thinner = [thin(d) & rows for d, rows in zip(group, wanted, strict=True)]
        taken = _all(group, thinner, room, prices)
    if taken is not None:
        return taken
    if deal:
        return _deal(group, allowed, room, prices)
    return _smallest_first(group, wanted, room, prices)


def _all(
    group: Sequence[Draft], wanted: Sequence[Rows], room: int, prices: Prices
) -> _Taken | None:
    taken: _Taken = {}
    for draft, rows in zip(group, wanted, strict=True):
        tokens = prices.section(draft, rows, room)
        room -= tokens
        if room < 0:
            return None
        taken[draft.file.path] = (rows, tokens)
    return taken


def _smallest_first(
    group: Sequence[Draft], wanted: Sequence[Rows], room: int, prices: Prices
) -> _Taken:
    """Whole files, smallest first: the same as dropping the largest until the rest fits."""
    taken: _Taken = {}
    sized = sorted(zip(group, wanted, strict=True), key=lambda x: (x[0].size, x[0].file.path))
    for draft, rows in sized:
        tokens = prices.section(draft, rows, room)
        if tokens <= room:
            room -= tokens
            taken[draft.file.path] = (rows, tokens)
    return taken


def _deal(group: Sequence[Draft], allowed: Mapping[str, Rows], room: int, prices: Prices) -> _Taken:
    """Pieces by value, dealt over the files, after the folded files: one line says all there
    is to say of each of those.
    """
    folded = [draft for draft in group if draft.says]
    taken = _smallest_first(folded, [whole(draft) for draft in folded], room, prices)
    room -= sum(tokens for _, tokens in taken.values())
    spent: dict[str, int] = defaultdict(int)
    rows: dict[str, set[int]] = defaultdict(set)
    for draft, piece in _turns(group, allowed, prices):
        path = draft.file.path
        tokens = _piece_tokens(draft, piece, rows[path], prices)
        if tokens <= room:
            room -= tokens
            spent[path] += tokens
            rows[path].update(piece.rows)
    return taken | {path: (frozenset(kept), spent[path]) for path, kept in rows.items() if kept}


def _turns(
    group: Sequence[Draft], allowed: Mapping[str, Rows], prices: Prices
) -> list[tuple[Draft, Piece]]:
    """The pieces of some files in the order they are dealt: most value for its tokens first,
    and less for each the more its file has had, so that no file is starved.
    """
    ranked = [
        (-score, draft.file.path, piece.rows, draft, piece)
        for draft in group
        for score, piece in _scored(draft, allowed[draft.file.path], prices)
    ]
    return [(draft, piece) for *_, draft, piece in sorted(ranked, key=lambda x: x[:3])]


def _scored(draft: Draft, allowed: Rows, prices: Prices) -> Iterator[tuple[float, Piece]]:
    costs = prices.rows(draft)
    valued = []
    for piece in pieces(draft):
        if allowed.issuperset(piece.rows):
            tokens = _GAP_TOKENS + sum(costs[i] for i in piece.rows)
            worth = sum(value(draft.rows[i].line) for i in piece.rows)
            valued.append((worth / math.sqrt(tokens), tokens, piece))
    had = 0
    for worth, tokens, piece in sorted(valued, key=lambda x: (-x[0], x[2].rows)):
        yield worth / (1 + had / _FILE_SHARE), piece
        had += tokens


def _piece_tokens(draft: Draft, piece: Piece, have: Collection[int], prices: Prices) -> int:
    costs = prices.rows(draft)
    tokens = sum(costs[i] for i in piece.rows if i not in have) + _GAP_TOKENS
    return tokens if have else tokens + _HEADER_TOKENS


def within_file_cap(draft: Draft, max_bytes: int) -> Rows:
    """The rows of one file that may be shown: all, or leading pieces up to `max_bytes`.

    Of source and tests a part is worth reading, also where their text says it is generated; a
    lockfile in part is not, so other tiers are shown whole or not at all.
    """
    if draft.size <= max_bytes:
        return whole(draft)
    if draft.kind.tier < Tier.TEST and not draft.kind.marker:
        return frozenset()
    kept: set[int] = set()
    size = 0
    for piece in pieces(draft):
        new = [i for i in piece.rows if i not in kept]
        size += sum(len(draft.rows[i].text.encode()) for i in new)
        if size > max_bytes:
            break
        kept.update(new)
    return frozenset(kept)
