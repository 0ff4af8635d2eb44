"""What has been chosen so far, and whether more of it fits: tokens, bytes of a file, of context."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from pr_review.domain.ledger import Reason
from pr_review.snapshot.draft import Draft, Sheet
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.ranking import GAP_TOKENS, Prices

# No text of code holds more bytes a token than this: larger files cannot fit, and are not counted.
_MOST_BYTES_A_TOKEN = 12


@dataclass
class Tray:
    """Rows chosen by file, within `room` tokens and the policy's caps in bytes.

    Nothing that was added is ever taken back. `refused`: something did not fit into the room.
    `spent` are bytes of files that count for their cap and stand elsewhere.
    """

    policy: SnapshotPolicy
    prices: Prices
    room: int
    kept: dict[str, set[int]] = field(default_factory=dict)
    used: int = 0
    refused: bool = False
    spent: Mapping[str, int] = field(default_factory=dict)
    _bytes: dict[str, int] = field(default_factory=dict)
    _beyond: dict[str, int] = field(default_factory=dict)

    def emptied(self) -> Tray:
        """Another tray of the same limits, with nothing on it."""
        return Tray(self.policy, self.prices, self.room, spent=self.spent)

    def holds(self, sheet: Sheet, rows: Iterable[int]) -> bool:
        """Whether all of some rows are chosen."""
        kept = self.kept.get(sheet.path, ())
        return all(i in kept for i in rows)

    def add(self, sheet: Sheet, rows: Iterable[int], *, upto: int | None = None) -> Reason | None:
        """Adds rows that are not there yet, or says why they do not fit.

        `upto` is a limit of tokens below the room, for all that is chosen.
        """
        kept = self.kept.get(sheet.path)
        new = sorted(set(rows) - kept) if kept is not None else sorted(set(rows))
        if kept is not None and not new:
            return None
        left = (self.room if upto is None else min(upto, self.room)) - self.used
        tokens = self._tokens(sheet, new, kept or (), left)
        if tokens > left:
            self.refused = True
            return Reason.BUDGET
        size = sum(len(sheet.rows[i].text.encode()) for i in new)
        beyond = self._outside(sheet, new)
        if reason := self._capped(sheet, size, beyond):
            return reason
        self.kept.setdefault(sheet.path, set()).update(new)
        self.used += tokens
        self._bytes[sheet.path] = self._bytes.get(sheet.path, 0) + size
        self._beyond[sheet.path] = self._beyond.get(sheet.path, 0) + beyond
        return None

    def _capped(self, sheet: Sheet, size: int, beyond: int) -> Reason | None:
        """Which cap some bytes pass, `beyond` of them beyond the diff: of one file, context gives
        way to the diff before any of that is lost.
        """
        most = self.policy.max_file_bytes
        if self._bytes.get(sheet.path, 0) + self.spent.get(sheet.path, 0) + size > most:
            return Reason.FILE_CAP
        if not beyond:
            return None
        own = sheet.own_size if isinstance(sheet, Draft) else 0
        if own + self._beyond.get(sheet.path, 0) + beyond > most:
            return Reason.FILE_CAP
        over = sum(self._beyond.values()) + beyond > self.policy.context_bytes
        return Reason.CONTEXT_CAP if over else None

    def _tokens(self, sheet: Sheet, new: list[int], kept: Collection[int], left: int) -> int:
        """What the rows would take, with the gaps they make or close, and the header."""
        if len(new) == len(sheet.rows) and sheet.size > max(left, 1) * _MOST_BYTES_A_TOKEN:
            return left + 1
        costs, block = self.prices.rows(sheet), sheet.hunk_of
        runs = 0
        chosen = set(new)
        for i in new:
            before = (i - 1 in kept or i - 1 in chosen) and block[i - 1] == block[i]
            after = i + 1 in kept and block[i + 1] == block[i]
            runs += 1 - before - after
        tokens = sum(costs[i] for i in new) + GAP_TOKENS * runs
        return tokens if kept else tokens + self.prices.header(sheet)

    def _outside(self, sheet: Sheet, new: list[int]) -> int:
        """Bytes of rows beyond those of the diff that are to be shown."""
        own: Collection[int] = sheet.asked_rows if isinstance(sheet, Draft) else ()
        return sum(len(sheet.rows[i].text.encode()) for i in new if i not in own)
