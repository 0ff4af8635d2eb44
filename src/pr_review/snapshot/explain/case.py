"""One change, and what the stages make of it under its settings or under others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from pr_review.domain.coverage import MarkedFile
from pr_review.domain.diff import Change, FileChange, Status
from pr_review.domain.ledger import Entry
from pr_review.domain.snapshot import Snapshot
from pr_review.snapshot.draft import Draft, Sheet
from pr_review.snapshot.fit import fit
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.ports import Objects, TokenCounter
from pr_review.snapshot.prepare import Prepared, Tools, prepare
from pr_review.snapshot.ranking import Prices
from pr_review.snapshot.structure import Structure, structures
from pr_review.snapshot.truncate import Group, groups
from pr_review.snapshot.view import coverage_report

# Texts whose tokens are remembered: rows and headers, not whole snapshots.
_SHORT = 4_096


@dataclass(frozen=True, slots=True)
class Limits:
    """The settings that decide what is shown: the snapshot's, and the cap of the raw diff."""

    policy: SnapshotPolicy
    diff_bytes: int


@dataclass(frozen=True)
class Outcome:
    """What the stages made of the change under some limits."""

    limits: Limits
    prepared: Prepared
    snapshot: Snapshot

    @cached_property
    def drafts(self) -> Mapping[str, Draft]:
        return {draft.path: draft for draft in self.prepared.drafts}

    @cached_property
    def sheets(self) -> Mapping[str, Sheet]:
        """All files of which lines may be shown."""
        return {**{sheet.path: sheet for sheet in self.prepared.sheets}, **self.drafts}

    @cached_property
    def marked(self) -> Mapping[str, MarkedFile]:
        """Changed lines and those that are shown, with what became of them, by path as printed."""
        report = coverage_report(self.prepared, self.snapshot)
        return {file.path: file for file in report.files}

    @cached_property
    def _sent(self) -> Mapping[str, frozenset[tuple[int | None, int | None]]]:
        return {
            file.path: frozenset((line.old, line.new) for line in file.lines)
            for file in self.snapshot.sent
        }

    def entry(self, path: str) -> Entry | None:
        return self.snapshot.ledger.by_path.get(path)

    def prints(self, sheet: Sheet, row: int) -> bool:
        """Whether a row of a sheet stands in the text."""
        line = sheet.rows[row].line
        return (line.old, line.new) in self._sent.get(sheet.path, ())

    def tells(self, sheet: Sheet, rows: Iterable[int]) -> bool:
        """Whether each of some rows is printed or exactly described."""
        entry = self.entry(sheet.path)
        added = entry.folded_added if entry else ()
        removed = entry.folded_removed if entry else ()
        return all(
            self.prints(sheet, row)
            or sheet.rows[row].line.number in (added if sheet.rows[row].line.new else removed)
            for row in rows
        )


@dataclass(frozen=True)
class Recording:
    """Objects that keep in mind which contents were asked for."""

    objects: Objects
    asked: set[str] = field(default_factory=set)

    def blobs(self, oids: Sequence[str]) -> Mapping[str, bytes]:
        self.asked.update(oids)
        return self.objects.blobs(oids)

    def head_files(self) -> Mapping[str, str]:
        return self.objects.head_files()


class Case:
    """A change that questions are asked about. `read` gives it under a cap of its raw bytes.

    Every run is the one that `snapshot` would make with these settings.
    """

    def __init__(
        self,
        read: Callable[[int], Change],
        tools: Tools,
        counter: TokenCounter,
        limits: Limits,
    ) -> None:
        self._read = read
        self.counter = _Remembering(counter)
        self.limits = limits
        self.objects = Recording(tools.objects)
        self.tools = replace(tools, objects=self.objects)
        self._changes: dict[int, Change] = {}
        self._prepared: dict[tuple[SnapshotPolicy, int], Prepared] = {}
        self._outcomes: dict[Limits, Outcome] = {}
        self._structures: dict[str, Structure | None] = {}
        self.prices = Prices(self.counter.count)
        self.now = self.under(limits)
        # Later runs read more; these are what the settings themselves led to.
        self.looked_at = frozenset(self.objects.asked)

    def under(self, limits: Limits) -> Outcome:
        """The outcome under other limits; each is worked out once."""
        if limits not in self._outcomes:
            prepared = self._ready(limits)
            snapshot = fit(prepared, limits.policy, self.counter)
            self._outcomes[limits] = Outcome(limits, prepared, snapshot)
        return self._outcomes[limits]

    def change(self, size: int) -> Change:
        """The change under a cap of its raw bytes."""
        if size not in self._changes:
            self._changes[size] = self._read(size)
        return self._changes[size]

    def file(self, path: str) -> FileChange | None:
        draft = self.now.drafts.get(path)
        return draft.file if draft else None

    def structure(self, path: str) -> Structure | None:
        """The text and the outline of a changed file, where it has context."""
        draft = self.now.drafts.get(path)
        if draft is None or draft.barred or draft.says:
            return None
        if path not in self._structures:
            policy = replace(self.limits.policy, skip_suffixes=())
            blobs, reader = self.objects.blobs, self.tools.reader
            reviewed = {path: draft.reviewed_hunks}
            found = structures(
                [draft.file], blobs, policy, reader, lambda: False, reviewed=reviewed
            )
            self._structures[path] = found.get(path)
        return self._structures[path]

    @cached_property
    def groups(self) -> Mapping[tuple[int, int], Group]:
        """The files that may be shown, by their rank in the order of loss."""
        drafts = [draft for draft in self.now.prepared.drafts if not draft.barred]
        ranks = sorted({draft.rank for draft in drafts}, reverse=True)
        found = groups(drafts, self.limits.policy, self.prices)
        return dict(zip(ranks, found, strict=True))

    def text(self, path: str) -> list[str] | None:
        """The lines of a file at the head; None where it cannot be read."""
        file = self.file(path)
        if file and file.status is Status.DELETED:
            return []
        return self._lines(file.new_oid if file else self.objects.head_files().get(path, ""))

    def old_text(self, path: str) -> list[str] | None:
        """The lines of a changed file before the change."""
        file = self.file(path)
        if file and file.status is Status.ADDED:
            return []
        return self._lines(file.old_oid) if file else None

    def _lines(self, oid: str) -> list[str] | None:
        blob = self.objects.blobs([oid]).get(oid) if oid else None
        if blob is None:
            return None
        text = blob.decode("utf-8", "surrogateescape")
        return text.removesuffix("\n").split("\n") if text else []

    def _ready(self, limits: Limits) -> Prepared:
        """Preparation does not look at the limits of choice, so it is done once for them all."""
        policy = limits.policy
        key = replace(
            policy, token_budget=0, max_file_bytes=0, context_bytes=0,
            dependencies=min(policy.dependencies, 1), passes=1,
        )  # fmt: skip
        if (key, limits.diff_bytes) not in self._prepared:
            change = self.change(limits.diff_bytes)
            self._prepared[key, limits.diff_bytes] = prepare(change, policy, self.tools)
        return self._prepared[key, limits.diff_bytes]


class _Remembering:
    """A counter that counts a row once, however many budgets are tried."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._known: dict[str, int] = {}

    @property
    def name(self) -> str:
        return self._counter.name

    def count(self, text: str) -> int:
        if len(text) > _SHORT:
            return self._counter.count(text)
        if text not in self._known:
            self._known[text] = self._counter.count(text)
        return self._known[text]
