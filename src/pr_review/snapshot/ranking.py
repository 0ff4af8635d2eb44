"""In which order pieces are shown: most value for their tokens first, no file starved."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from pr_review.snapshot.draft import Draft, Piece, Sheet
from pr_review.snapshot.render import header

# Tokens of a file after which its next piece counts half; 100 to 1,000 make no difference.
_FILE_SHARE = 300
GAP_TOKENS = 5
# The numbers in a header grow a little as lines are added to it.
_HEADER_SLACK = 3


@dataclass
class Prices:
    """Token counts of headers and rows, each counted once.

    Exact: no token spans two rows, since a row ends in a line feed and starts with a number,
    a sign or `…`; so a text's tokens are the sum of its rows'.
    """

    count: Callable[[str], int]
    _rows: dict[str, list[int]] = field(default_factory=dict)
    _headers: dict[str, int] = field(default_factory=dict)

    def rows(self, sheet: Sheet) -> list[int]:
        """Tokens of each row."""
        if sheet.path not in self._rows:
            self._rows[sheet.path] = [self.count(row.text) for row in sheet.rows]
        return self._rows[sheet.path]

    def header(self, sheet: Sheet) -> int:
        """Tokens of a sheet's header at most."""
        if sheet.path not in self._headers:
            self._headers[sheet.path] = self.count(header(sheet, ())) + _HEADER_SLACK
        return self._headers[sheet.path]


@dataclass(frozen=True, slots=True)
class Turn:
    """A piece in its turn; `score` falls from one turn to the next."""

    draft: Draft
    piece: Piece
    score: float


def ranked(drafts: Iterable[Draft], prices: Prices) -> list[Turn]:
    """The pieces of some files, best first: value over the root of their tokens, and less for
    each the more tokens of better pieces its file has.

    The order depends on the change alone, not on a budget. Ties go by path and position.
    """
    turns = [turn for draft in drafts for turn in _scored(draft, prices)]
    return sorted(turns, key=lambda t: (-t.score, t.draft.path, t.piece.rows))


def _scored(draft: Draft, prices: Prices) -> Iterator[Turn]:
    costs = prices.rows(draft)
    valued = []
    for piece in draft.pieces:
        tokens = GAP_TOKENS + sum(costs[i] for i in piece.rows)
        valued.append((piece.worth / math.sqrt(tokens), tokens, piece))
    had = 0
    for worth, tokens, piece in sorted(valued, key=lambda x: (-x[0], x[2].rows)):
        yield Turn(draft, piece, worth / (1 + had / _FILE_SHARE))
        had += tokens
