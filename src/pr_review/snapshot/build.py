"""Builds a snapshot: classify, fold, screen, truncate, render; each stage writes the account."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pr_review.domain.diff import Change, FileChange
from pr_review.domain.ledger import Entry, Ledger, Reason, Redaction, Tier
from pr_review.domain.snapshot import (
    SentFile,
    SentLine,
    Snapshot,
    StageRecord,
    estimate_tokens,
)
from pr_review.snapshot.classify import Classified, classify, path_tier
from pr_review.snapshot.draft import Draft, rows, sections
from pr_review.snapshot.folds import fold
from pr_review.snapshot.globs import matches
from pr_review.snapshot.notice import notice
from pr_review.snapshot.policy import NOTICE_SHARE, Screening, SnapshotPolicy
from pr_review.snapshot.ports import SecretScanner, TokenCounter
from pr_review.snapshot.render import fence, section
from pr_review.snapshot.screen import Screened, screen
from pr_review.snapshot.truncate import Prices, Rows, choose, within_file_cap

_ROUNDS = 6
_HEAD_BYTES = 2_000
# The budget is held with room to spare: counting a text in parts gives a few tokens more.
_MARGIN = 0.002

Blobs = Callable[[Sequence[str]], Mapping[str, bytes]]


def build(
    change: Change,
    blobs: Blobs,
    policy: SnapshotPolicy,
    *,
    counter: TokenCounter,
    scanner: SecretScanner,
    late: Callable[[], bool] = lambda: False,
) -> Snapshot:
    """The snapshot of a change, within `policy.token_budget` tokens by `counter`.

    `late()` says that the time for preparation is up: files that are not ready then are
    omitted with reason `deadline`, and the snapshot is not reproducible.
    """
    builder = _Builder(change, policy, counter, late)
    contents = blobs(builder.wanted_blobs())
    builder.prepare(contents, scanner)
    return builder.fit()


@dataclass
class _Builder:
    change: Change
    policy: SnapshotPolicy
    counter: TokenCounter
    late: Callable[[], bool]
    drafts: list[Draft] = field(default_factory=list)
    redactions: tuple[Redaction, ...] = ()
    stages: list[StageRecord] = field(default_factory=list)
    overdue: int = 0

    def wanted_blobs(self) -> list[str]:
        """Both sides of every text file with hunks: markers and key blocks need the whole."""
        readable = [f for f in self.change.files if f.hunks and not f.submodule]
        return [
            oid
            for file in readable
            for oid in (file.new_oid, file.old_oid)
            if path_tier(file.path) > Tier.GENERATED
        ]

    def prepare(self, contents: Mapping[str, bytes], scanner: SecretScanner) -> None:
        """Classifies, folds, screens and renders every file."""
        files = self.change.files
        kinds = [self._classify(file, contents) for file in files]
        screened = self._screen(files, contents, scanner)
        for file, kind, found in zip(files, kinds, screened, strict=True):
            self.drafts.append(self._draft(file, kind, found))
        self._record(kinds)

    def _classify(self, file: FileChange, contents: Mapping[str, bytes]) -> Classified:
        blob = contents.get(file.new_oid) or contents.get(file.old_oid) or b""
        head = blob[:_HEAD_BYTES].decode("utf-8", "replace")
        if not blob and file.hunks and file.hunks[0].new_start <= 1:
            head = "\n".join(line.text for line in file.hunks[0].lines if not line.removed)
        return classify(file, marked=file.path in self.change.generated, head=head)

    def _screen(
        self, files: Sequence[FileChange], contents: Mapping[str, bytes], scanner: SecretScanner
    ) -> list[Screened]:
        if self.policy.screening is Screening.OFF:
            return [Screened() for _ in files]
        texts = [replace(f, hunks=()) if fold(f) else f for f in files]
        screened = screen(texts, contents, scanner)
        self.redactions = tuple(r for found in screened for r in found.redactions)
        return screened

    def _draft(self, file: FileChange, kind: Classified, screened: Screened) -> Draft:
        barred = self._barred(file)
        if barred:
            return Draft(file, kind, barred=barred)
        folded = fold(file)
        if folded:
            return Draft(file, kind, says=folded.says, fold=folded.reason)
        printed, hunk_of, crlf = rows(file, screened)
        return Draft(file, kind, printed, hunk_of, sections(file, screened), crlf)

    def _barred(self, file: FileChange) -> Reason | None:
        policy = self.policy
        if (policy.include and not matches(file.path, policy.include)) or matches(
            file.path, policy.exclude
        ):
            return Reason.EXCLUDED
        if self.change.oversize and not file.binary and file.additions + file.deletions:
            return Reason.DIFF_CAP
        if file.defect:
            return Reason.UNPARSABLE
        if self.late():
            self.overdue += 1
            return Reason.DEADLINE
        return None

    def _record(self, kinds: Sequence[Classified]) -> None:
        tiers = ", ".join(
            f"{sum(k.tier is tier for k in kinds)} {tier.label}"
            for tier in reversed(Tier)
            if any(k.tier is tier for k in kinds)
        )
        self.stages.append(StageRecord("classify", tiers or "no files"))
        folded = sum(bool(d.says) for d in self.drafts)
        if folded:
            self.stages.append(StageRecord("fold", f"{folded} files described in one sentence"))
        if self.policy.screening is not Screening.OFF:
            self.stages.append(StageRecord("screen", f"{len(self.redactions)} redactions"))

    def fit(self) -> Snapshot:
        """Chooses, renders and counts until the text holds the budget."""
        budget = int(self.policy.token_budget * (1 - _MARGIN))
        prices = Prices(self.counter.count)
        allowed = {
            d.file.path: within_file_cap(d, self.policy.max_file_bytes)
            for d in self.drafts
            if not d.barred
        }
        usable = [
            d for d in self.drafts if d.file.path in allowed and (d.says or allowed[d.file.path])
        ]
        room, best = budget - 80, None
        for _ in range(_ROUNDS):
            attempt = self._attempt(choose(usable, allowed, room, prices), allowed, budget, prices)
            if attempt.tokens <= budget:
                best = attempt if best is None or attempt.shown > best.shown else best
                if attempt.complete or budget - attempt.tokens < budget // 100:
                    break
            room += budget - attempt.tokens - (budget // 500)
        if best is None:
            best = self._shrink(usable, allowed, budget, room, prices)
        self._record_fit(best)
        return self._snapshot(best)

    def _shrink(
        self,
        usable: Sequence[Draft],
        allowed: Mapping[str, Rows],
        budget: int,
        room: int,
        prices: Prices,
    ) -> _Attempt:
        """Gives up room until the text fits: never over budget."""
        while True:
            room = min(room, budget) * 9 // 10
            attempt = self._attempt(choose(usable, allowed, room, prices), allowed, budget, prices)
            if attempt.tokens <= budget or room <= 0:
                return attempt

    def _attempt(
        self, kept: Mapping[str, Rows], allowed: Mapping[str, Rows], budget: int, prices: Prices
    ) -> _Attempt:
        body = {
            d.file.path: section(d, kept[d.file.path]) for d in self.drafts if d.file.path in kept
        }
        entries = tuple(self._entry(d, kept, allowed, budget, prices) for d in self.drafts)
        ledger = Ledger(entries, self.redactions)
        head = notice(ledger, max_tokens=int(budget * NOTICE_SHARE), count=self.counter.count)
        text = f"{head}\n{fence('diff', ''.join(body.values()))}"
        return _Attempt(text, self.counter.count(text), ledger, kept)

    def _entry(
        self,
        draft: Draft,
        kept: Mapping[str, Rows],
        allowed: Mapping[str, Rows],
        budget: int,
        prices: Prices,
    ) -> Entry:
        file = draft.file
        present = file.path in kept
        shown = [
            draft.rows[i].line for i in sorted(kept.get(file.path, ())) if not draft.rows[i].cut
        ]
        folded = bool(draft.says) and present
        reason = self._reason(draft, len([x for x in shown if x.changed]), allowed, present=present)
        full = frozenset(range(len(draft.rows)))
        tokens = prices.section(draft, kept[file.path], budget) if present else 0
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
            shown_added=tuple(x.new for x in shown if x.added and x.new is not None),
            shown_removed=tuple(x.old for x in shown if x.removed and x.old is not None),
            folded_added=file.added_lines if folded else (),
            folded_removed=file.removed_lines if folded else (),
            described=present,
            reason=reason,
            tokens=tokens,
            full_tokens=tokens if present and len(kept[file.path]) == len(full)
            else estimate_tokens("x" * draft.size),
            says=draft.says,
            marker=draft.kind.marker,
        )  # fmt: skip

    def _reason(
        self, draft: Draft, shown: int, allowed: Mapping[str, Rows], *, present: bool
    ) -> Reason | None:
        """Why a file is not shown in full; None if it is."""
        file = draft.file
        if draft.barred:
            return draft.barred
        if present and draft.fold:
            return draft.fold
        if present and shown == file.additions + file.deletions:
            return None
        may = allowed[file.path]
        if not draft.says and len(may) < len(draft.rows) and not _only_context(draft, may):
            return Reason.FILE_CAP
        cut = sum(row.cut and row.line.changed for row in draft.rows)
        if present and shown + cut == file.additions + file.deletions:
            return Reason.LONG_LINE
        return Reason.BUDGET

    def _record_fit(self, best: _Attempt) -> None:
        omitted = [e for e in best.ledger.entries if e.reason in (Reason.BUDGET, Reason.FILE_CAP)]
        lines = sum(e.omitted for e in omitted)
        words = f"{lines} lines of {len(omitted)} files given up" if omitted else "everything fits"
        self.stages.append(StageRecord("truncate", words))

    def _snapshot(self, best: _Attempt) -> Snapshot:
        source = self.change.source
        hashed = f"{source}\n{self.counter.name}\n{best.text}".encode()
        return Snapshot(
            text=best.text,
            digest=hashlib.sha256(hashed).hexdigest(),
            tokens=best.tokens,
            counter=self.counter.name,
            source=source,
            ledger=best.ledger,
            stages=tuple(self.stages),
            sent=tuple(_sent(d, best.kept) for d in self.drafts),
            reproducible=not self.overdue,
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
        return not any(e.reason is Reason.BUDGET for e in self.ledger.entries)


def _only_context(draft: Draft, rows_kept: Rows) -> bool:
    """Whether the rows that are missing from `rows_kept` are all context."""
    return all(i in rows_kept or not row.line.changed for i, row in enumerate(draft.rows))


def _sent(draft: Draft, kept: Mapping[str, Rows]) -> SentFile:
    file = draft.file
    lines = tuple(
        SentLine(row.line.old, row.line.new, row.body, row.whole)
        for row in (draft.rows[i] for i in sorted(kept.get(file.path, ())))
    )
    hunks = tuple((h.old_start, h.old_count, h.new_start, h.new_count) for h in file.hunks)
    return SentFile(file.path, file.old_path, hunks, lines)
