"""Fits prepared files into a budget: at once, or in several passes where source is over it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from pr_review.domain.ledger import Ledger, Reason
from pr_review.domain.snapshot import Part, SentFile, SentLine, Snapshot, StageRecord
from pr_review.snapshot.attempt import Attempt, Fitting, Material, Share
from pr_review.snapshot.draft import Draft, Sheet
from pr_review.snapshot.passes import Union, in_passes
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.ports import TokenCounter
from pr_review.snapshot.prepare import Prepared
from pr_review.snapshot.truncate import Rows


def fit(prepared: Prepared, policy: SnapshotPolicy, counter: TokenCounter) -> Snapshot:
    """The snapshot of a change, within `policy.token_budget` tokens by `counter`.

    The text is counted as it would be sent, and never passes the budget (of 1,000 tokens or
    more: a notice takes some). Where source or tests do not fit, it is made of up to
    `policy.passes` such texts; what one of them would show is shown by several, too.
    """
    material = Material(prepared, policy, counter)
    whole = Fitting(material, Share(prepared.drafts, prepared.helpers)).best()
    several = in_passes(material, whole)
    found = several or Union((whole,), whole.ledger, whole.choice.kept)
    text = "".join(one.text for one in found.passes)
    return Snapshot(
        text=text,
        digest=hashlib.sha256(_hashed(material, text)).hexdigest(),
        tokens=sum(one.tokens for one in found.passes),
        counter=counter.name,
        source=prepared.change.source,
        ledger=found.ledger,
        stages=(*prepared.stages, *_records(found.ledger, found.passes)),
        sent=_all_sent(prepared, found.kept),
        reproducible=not prepared.overdue,
        budget=policy.token_budget,
        since=policy.since,
        parts=tuple(_part(prepared, one) for one in several.passes) if several else (),
        max_passes=policy.passes,
    )


def _hashed(material: Material, text: str) -> bytes:
    return f"{material.prepared.change.source}\n{material.counter.name}\n{text}".encode()


def _part(prepared: Prepared, one: Attempt) -> Part:
    return Part(one.text, one.tokens, one.ledger, _all_sent(prepared, one.choice.kept))


def _records(ledger: Ledger, passes: Sequence[Attempt]) -> list[StageRecord]:
    given_up = [e for e in ledger.entries if e.reason in (Reason.BUDGET, Reason.FILE_CAP)]
    lines = sum(entry.omitted for entry in given_up)
    words = f"{lines} lines of {len(given_up)} files given up" if given_up else "everything fits"
    around = sum(len(entry.context) for entry in ledger.entries)
    records = [
        StageRecord("context", f"{around} unchanged lines shown"),
        StageRecord("truncate", words),
    ]
    if len(passes) > 1:
        sizes = " + ".join(f"{one.tokens:,}" for one in passes)
        records.append(StageRecord("passes", f"{len(passes)} passes of {sizes} tokens"))
    return records


def _all_sent(prepared: Prepared, kept: Mapping[str, Rows]) -> tuple[SentFile, ...]:
    """All changed files, and the unchanged ones of which something is shown."""
    sheets = [*prepared.drafts, *(sheet for sheet in prepared.sheets if sheet.path in kept)]
    return tuple(_sent(sheet, kept.get(sheet.path, frozenset())) for sheet in sheets)


def _sent(sheet: Sheet, kept: Rows) -> SentFile:
    lines = tuple(
        SentLine(row.line.old, row.line.new, row.body, row.whole)
        for row in (sheet.rows[i] for i in sorted(kept))
    )
    if not isinstance(sheet, Draft):
        return SentFile(sheet.path, None, (), lines, sheet.printed)
    hunks = [(h.old_start, h.old_count, h.new_start, h.new_count) for h in sheet.file.hunks]
    return SentFile(sheet.path, sheet.file.old_path, tuple(hunks), lines, sheet.printed)
