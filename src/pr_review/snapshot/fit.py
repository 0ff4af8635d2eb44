"""Fits prepared files into a budget: choose, render, count, until the text holds it."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pr_review.domain.diff import Line
from pr_review.domain.ledger import Entry, Ledger, Reason
from pr_review.domain.snapshot import (
    SentFile,
    SentLine,
    Snapshot,
    StageRecord,
    estimate_tokens,
)
from pr_review.domain.text import fence
from pr_review.snapshot.draft import Draft
from pr_review.snapshot.notice import notice
from pr_review.snapshot.policy import NOTICE_SHARE, SnapshotPolicy
from pr_review.snapshot.ports import TokenCounter
from pr_review.snapshot.prepare import Prepared
from pr_review.snapshot.render import section
from pr_review.snapshot.truncate import Prices, Rows, choose, within_file_cap

_ROUNDS = 6
# The budget is held with room to spare: counting a text in parts gives a few tokens more.
_MARGIN = 0.002
_FRAME_TOKENS = 80


def fit(prepared: Prepared, policy: SnapshotPolicy, counter: TokenCounter) -> Snapshot:
    """The snapshot of a change, within `policy.token_budget` tokens by `counter`.

    The text is counted as it would be sent, and never passes the budget (of 1,000 tokens or
    more: a notice takes some).
    """
    fitting = _Fitting(prepared, policy, counter)
    best = fitting.best()
    change = prepared.change
    hashed = f"{change.source}\n{counter.name}\n{best.text}".encode()
    return Snapshot(
        text=best.text,
        digest=hashlib.sha256(hashed).hexdigest(),
        tokens=best.tokens,
        counter=counter.name,
        source=change.source,
        ledger=best.ledger,
        stages=(*prepared.stages, _record(best.ledger)),
        sent=tuple(_sent(draft, best.kept) for draft in prepared.drafts),
        reproducible=not prepared.overdue,
        budget=policy.token_budget,
    )


@dataclass(frozen=True, slots=True)
class _Attempt:
    text: str
    tokens: int
    ledger: Ledger
    kept: Mapping[str, Rows]

    @property
    def shown(self) -> int:
        return sum(e.shown + e.folded + e.described for e in self.ledger.entries)

    @property
    def complete(self) -> bool:
        """Nothing was given up for the budget."""
        return not any(entry.reason is Reason.BUDGET for entry in self.ledger.entries)


class _Fitting:
    """Tries selections until one holds the budget and little of it is left over."""

    def __init__(self, prepared: Prepared, policy: SnapshotPolicy, counter: TokenCounter) -> None:
        self._prepared = prepared
        self._counter = counter
        self._prices = Prices(counter.count)
        self._budget = int(policy.token_budget * (1 - _MARGIN))
        open_to_all = [draft for draft in prepared.drafts if not draft.barred]
        self._allowed = {
            draft.file.path: within_file_cap(draft, policy.max_file_bytes) for draft in open_to_all
        }
        self._usable = [d for d in open_to_all if d.says or self._allowed[d.file.path]]

    def best(self) -> _Attempt:
        """Corrects the room by what was left over; gives up room where nothing fitted."""
        room = self._budget - _FRAME_TOKENS
        best: _Attempt | None = None
        for _ in range(_ROUNDS):
            attempt = self._attempt(room)
            left = self._budget - attempt.tokens
            if left >= 0:
                best = attempt if best is None or attempt.shown > best.shown else best
                if attempt.complete or left < self._budget // 100:
                    return best
            room += left - self._budget // 500
        return best or self._shrink(room)

    def _shrink(self, room: int) -> _Attempt:
        while True:
            room = min(room, self._budget) * 9 // 10
            attempt = self._attempt(room)
            if attempt.tokens <= self._budget or room <= 0:
                return attempt

    def _attempt(self, room: int) -> _Attempt:
        kept = choose(self._usable, self._allowed, room, self._prices)
        drafts = self._prepared.drafts
        body = "".join(section(d, kept[d.file.path]) for d in drafts if d.file.path in kept)
        entries = tuple(self._entry(draft, kept.get(draft.file.path)) for draft in drafts)
        ledger = Ledger(entries, self._prepared.redactions)
        share = int(self._budget * NOTICE_SHARE)
        head = notice(ledger, max_tokens=share, count=self._counter.count)
        text = f"{head}\n{fence('diff', body)}\n"
        return _Attempt(text, self._counter.count(text), ledger, kept)

    def _entry(self, draft: Draft, rows: Rows | None) -> Entry:
        """What became of a file; `rows` is None if it does not stand in the text at all."""
        file = draft.file
        lines = [draft.rows[i].line for i in sorted(rows or ()) if not draft.rows[i].cut]
        shown = [line for line in lines if line.changed]
        folded = bool(draft.says) and rows is not None
        tokens = 0 if rows is None else self._prices.section(draft, rows, self._budget)
        whole = rows is not None and len(rows) == len(draft.rows)
        cut = any(row.cut for row in draft.rows)
        return Entry(
            file.path,
            file.old_path,
            file.status,
            draft.kind.tier,
            file.additions,
            file.deletions,
            binary=file.binary,
            submodule=file.submodule,
            added_lines=file.added_lines,
            removed_lines=file.removed_lines,
            shown_added=_numbers(shown, added=True),
            shown_removed=_numbers(shown, added=False),
            folded_added=file.added_lines if folded else (),
            folded_removed=file.removed_lines if folded else (),
            described=rows is not None,
            reason=self._reason(draft, rows, len(shown)),
            tokens=tokens,
            full_tokens=tokens if whole and not cut else estimate_tokens("x" * draft.full_size),
            says=draft.says,
            marker=draft.kind.marker,
            printed=draft.printed,
        )

    def _reason(self, draft: Draft, rows: Rows | None, shown: int) -> Reason | None:
        """Why a file is not shown in full; None if it is."""
        total = draft.file.additions + draft.file.deletions
        if draft.barred:
            return draft.barred
        if rows is not None and draft.says:
            return draft.fold
        if rows is not None and shown == total:
            return None
        if not draft.says and self._capped(draft, rows):
            return Reason.FILE_CAP
        cut = sum(row.cut and row.line.changed for row in draft.rows)
        return Reason.LONG_LINE if rows is not None and shown + cut == total else Reason.BUDGET

    def _capped(self, draft: Draft, rows: Rows | None) -> bool:
        """Whether it is the cap of one file that hides the rest: all it allows is shown."""
        allowed = self._allowed[draft.file.path]
        return _misses_changes(draft, allowed) and not _misses_changes(draft, rows or (), allowed)


def _numbers(lines: Sequence[Line], *, added: bool) -> tuple[int, ...]:
    return tuple(line.number for line in lines if line.added is added)


def _misses_changes(
    draft: Draft, rows: Collection[int], among: Collection[int] | None = None
) -> bool:
    """Whether a changed row (of those `among` some) is not in `rows`."""
    positions = range(len(draft.rows)) if among is None else among
    return any(draft.rows[i].line.changed and i not in rows for i in positions)


def _record(ledger: Ledger) -> StageRecord:
    given_up = [e for e in ledger.entries if e.reason in (Reason.BUDGET, Reason.FILE_CAP)]
    lines = sum(entry.omitted for entry in given_up)
    words = f"{lines} lines of {len(given_up)} files given up" if given_up else "everything fits"
    return StageRecord("truncate", words)


def _sent(draft: Draft, kept: Mapping[str, Rows]) -> SentFile:
    file = draft.file
    lines = tuple(
        SentLine(row.line.old, row.line.new, row.body, row.whole)
        for row in (draft.rows[i] for i in sorted(kept.get(file.path, ())))
    )
    hunks = tuple((h.old_start, h.old_count, h.new_start, h.new_count) for h in file.hunks)
    return SentFile(file.path, file.old_path, hunks, lines)
