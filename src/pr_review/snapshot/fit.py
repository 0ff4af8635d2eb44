"""Fits prepared files into a budget: choose, render, count, until the text holds it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pr_review.domain.diff import Line, Side
from pr_review.domain.ledger import Entry, Ledger, Reason, Redaction
from pr_review.domain.snapshot import (
    SentFile,
    SentLine,
    Snapshot,
    StageRecord,
    estimate_tokens,
)
from pr_review.domain.text import fence
from pr_review.snapshot.draft import Draft, Sheet
from pr_review.snapshot.notice import notice
from pr_review.snapshot.policy import NOTICE_SHARE, SnapshotPolicy
from pr_review.snapshot.ports import TokenCounter
from pr_review.snapshot.prepare import Prepared
from pr_review.snapshot.ranking import Prices
from pr_review.snapshot.render import section
from pr_review.snapshot.truncate import Choice, Rows, choose, groups

_ROUNDS = 6
# The budget is held with room to spare: counting a text in parts gives a few tokens more.
_MARGIN = 0.002
_FRAME_TOKENS = 80


def fit(prepared: Prepared, policy: SnapshotPolicy, counter: TokenCounter) -> Snapshot:
    """The snapshot of a change, within `policy.token_budget` tokens by `counter`.

    The text is counted as it would be sent, and never passes the budget (of 1,000 tokens or
    more: a notice takes some).
    """
    best = _Fitting(prepared, policy, counter).best()
    change = prepared.change
    hashed = f"{change.source}\n{counter.name}\n{best.text}".encode()
    kept = best.choice.kept
    sheets = [*prepared.drafts, *(sheet for sheet in prepared.sheets if sheet.path in kept)]
    return Snapshot(
        text=best.text,
        digest=hashlib.sha256(hashed).hexdigest(),
        tokens=best.tokens,
        counter=counter.name,
        source=change.source,
        ledger=best.ledger,
        stages=(*prepared.stages, *_records(best.ledger)),
        sent=tuple(_sent(sheet, kept.get(sheet.path, frozenset())) for sheet in sheets),
        reproducible=not prepared.overdue,
        budget=policy.token_budget,
        since=policy.since,
    )


@dataclass(frozen=True, slots=True)
class _Attempt:
    text: str
    tokens: int
    ledger: Ledger
    choice: Choice

    @property
    def shown(self) -> tuple[int, int]:
        """Changed lines the model knows of, then lines that help to read them."""
        entries = self.ledger.entries
        changed = sum(e.shown + e.folded + e.described for e in entries)
        return changed, sum(len(rows) for rows in self.choice.kept.values())


class _Fitting:
    """Tries selections until one holds the budget and little of it is left over."""

    def __init__(self, prepared: Prepared, policy: SnapshotPolicy, counter: TokenCounter) -> None:
        self._prepared = prepared
        self._policy = policy
        self._counter = counter
        self._prices = Prices(counter.count)
        self._budget = int(policy.token_budget * (1 - _MARGIN))
        self._groups = groups(prepared.drafts, policy, self._prices)
        self._beyond = _beyond(prepared)

    def best(self) -> _Attempt:
        """Corrects the room by what was left over; gives up room where nothing fitted."""
        room = self._budget - _FRAME_TOKENS
        best: _Attempt | None = None
        for _ in range(_ROUNDS):
            attempt = self._attempt(room)
            left = self._budget - attempt.tokens
            if left >= 0:
                best = attempt if best is None or attempt.shown > best.shown else best
                if attempt.choice.complete or left < self._budget // 100:
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
        choice = choose(self._groups, self._prepared.helpers, self._policy, room, self._prices)
        kept, drafts = choice.kept, self._prepared.drafts
        sheets: list[Sheet] = [*drafts, *self._prepared.sheets]
        body = "".join(section(s, kept[s.path]) for s in sheets if s.path in kept)
        entries = tuple(self._entry(draft, choice) for draft in drafts)
        dependencies = (*choice.dependencies, *self._prepared.missing)
        unlisted = self._prepared.change.unlisted
        ledger = Ledger(entries, self._redactions(choice), dependencies, unlisted)
        share = int(self._budget * NOTICE_SHARE)
        head = notice(ledger, max_tokens=share, count=self._counter.count, since=self._policy.since)
        text = f"{head}\n{fence('diff', body)}\n"
        return _Attempt(text, self._counter.count(text), ledger, choice)

    def _redactions(self, choice: Choice) -> tuple[Redaction, ...]:
        """Those of the change itself, and of the other lines that are shown."""
        paths = {hidden.path for hidden in self._beyond}
        shown = {
            (sheet.path, sheet.rows[i].line.new)
            for sheet in (*self._prepared.drafts, *self._prepared.sheets)
            if sheet.path in paths
            for i in choice.kept.get(sheet.path, ())
        }
        return tuple(
            hidden
            for hidden in self._prepared.redactions
            if hidden not in self._beyond or (hidden.path, hidden.line) in shown
        )

    def _entry(self, draft: Draft, choice: Choice) -> Entry:
        """What became of a file."""
        file = draft.file
        kept = choice.kept.get(draft.path)
        lines = [draft.rows[i].line for i in sorted(kept or ()) if not draft.rows[i].cut]
        shown = [line for line in lines if line.changed]
        folded = list(_folded(draft, kept))
        tokens = 0 if kept is None else self._counter.count(section(draft, kept))
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
            folded_added=_numbers(folded, added=True),
            folded_removed=_numbers(folded, added=False),
            described=kept is not None,
            reason=_reason(
                draft, kept, len(shown), len(folded), capped=draft.path in choice.capped
            ),
            tokens=tokens,
            full_tokens=max(tokens, _whole(draft)),
            says=draft.says,
            marker=draft.kind.marker,
            printed=draft.printed,
            context=tuple(line.number for line in lines if not line.changed),
            structure=draft.structure,
            since=draft.since if folded else "",
        )


def _beyond(prepared: Prepared) -> frozenset[Redaction]:
    """Redactions of lines beyond the diff, most of which are not sent."""
    paths = {hidden.path for hidden in prepared.redactions}
    own = {
        (draft.path, line.number)
        for draft in prepared.drafts
        if draft.path in paths
        for line in draft.file.lines
        if line.new is not None
    }
    right = (h for h in prepared.redactions if h.line and h.side is Side.RIGHT)
    return frozenset(hidden for hidden in right if (hidden.path, hidden.line) not in own)


def _folded(draft: Draft, kept: Rows | None) -> Iterator[Line]:
    """The changed lines that the text describes in place of printing them."""
    if kept is None:
        return
    if draft.says:
        yield from (line for line in draft.file.lines if line.changed)
    yield from (row.line for row in draft.folded_rows(kept))


def _reason(
    draft: Draft, kept: Rows | None, shown: int, folded: int, *, capped: bool
) -> Reason | None:
    """Why a file is not shown in full; None if it is."""
    left = draft.file.additions + draft.file.deletions - shown - folded
    if draft.barred:
        return draft.barred
    if kept is not None and draft.says:
        return draft.fold
    if kept is not None and not left:
        return Reason.REVIEWED if folded else None
    cut = sum(draft.rows[i].cut and draft.rows[i].line.changed for i in kept or ())
    if kept is not None and cut == left:
        return Reason.LONG_LINE
    return Reason.FILE_CAP if capped else Reason.BUDGET


def _whole(draft: Draft) -> int:
    """Estimated tokens of a file shown whole."""
    if draft.rows:
        return estimate_tokens("x" * draft.full_size)
    return sum(estimate_tokens(f"{line.number} +{line.text}\n") for line in draft.file.lines)


def _numbers(lines: Sequence[Line], *, added: bool) -> tuple[int, ...]:
    return tuple(line.number for line in lines if line.changed and line.added is added)


def _records(ledger: Ledger) -> list[StageRecord]:
    given_up = [e for e in ledger.entries if e.reason in (Reason.BUDGET, Reason.FILE_CAP)]
    lines = sum(entry.omitted for entry in given_up)
    words = f"{lines} lines of {len(given_up)} files given up" if given_up else "everything fits"
    around = sum(len(entry.context) for entry in ledger.entries)
    return [
        StageRecord("context", f"{around} unchanged lines shown"),
        StageRecord("truncate", words),
    ]


def _sent(sheet: Sheet, kept: Rows) -> SentFile:
    lines = tuple(
        SentLine(row.line.old, row.line.new, row.body, row.whole)
        for row in (sheet.rows[i] for i in sorted(kept))
    )
    if not isinstance(sheet, Draft):
        return SentFile(sheet.path, None, (), lines)
    hunks = [(h.old_start, h.old_count, h.new_start, h.new_count) for h in sheet.file.hunks]
    return SentFile(sheet.path, sheet.file.old_path, tuple(hunks), lines)
