"""Makes every changed file ready to be chosen from: classify, fold, widen, screen, render."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pr_review.domain.diff import Change, FileChange, Side
from pr_review.domain.ledger import Dependency, DependencyState, Reason, Redaction, Tier
from pr_review.domain.snapshot import StageRecord
from pr_review.errors import SnapshotError
from pr_review.snapshot.classify import Classified, classify, head_of, path_tier
from pr_review.snapshot.dependencies import Effort, Resolved, Source, resolve
from pr_review.snapshot.draft import Draft, Helper, Sheet, is_crlf, pieces, rows, sections
from pr_review.snapshot.folds import Fold, fold, pointed_to, unreadable
from pr_review.snapshot.helpers import by_path, helpers, unchanged, unplaced
from pr_review.snapshot.names import Names
from pr_review.snapshot.pieces import runs
from pr_review.snapshot.policy import Screening, SnapshotPolicy
from pr_review.snapshot.ports import Objects, SecretScanner, SyntaxReader
from pr_review.snapshot.reviewed import Hunks, Touched, reviewed_hunks
from pr_review.snapshot.screen import Screened, screen, screen_paths
from pr_review.snapshot.structure import Structure, described, structures
from pr_review.snapshot.widen import Window, widened

_BATCH = 50
NAME_RULE = "file-name"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A change whose files are ready; `stages` says what was done to them.

    `sheets` are unchanged files of which definitions may be shown, `helpers` all definitions
    that changed lines use, `missing` the names without one. `overdue` counts the files that
    were not ready when the time was up, `names` holds the redacted form of paths that hold a
    credential.
    """

    change: Change
    drafts: tuple[Draft, ...]
    redactions: tuple[Redaction, ...]
    stages: tuple[StageRecord, ...]
    overdue: int
    names: Mapping[str, str] = field(default_factory=dict)
    sheets: tuple[Sheet, ...] = ()
    helpers: tuple[Helper, ...] = ()
    missing: tuple[Dependency, ...] = ()


@dataclass(frozen=True, slots=True)
class Tools:
    """What preparation works with. `late()` says that its time is up: files that are not ready
    then are barred with reason `deadline`, and context that was not read is not shown. `touched`
    is what differs from the policy's `since`; it is needed where that is set.
    """

    objects: Objects
    reader: SyntaxReader
    scanner: SecretScanner
    late: Callable[[], bool] = lambda: False
    touched: Touched | None = None


def prepare(change: Change, policy: SnapshotPolicy, tools: Tools) -> Prepared:
    """Prepares every file of a change, some at a time: their old sides are not kept.

    Raises `ValueError` if the policy names an earlier review and the tools do not tell what was
    touched since: then nothing could be said to be reviewed.
    """
    return _Preparation(change, policy, tools).run()


@dataclass(frozen=True, slots=True)
class _Open:
    """A file on its way: what stands instead of its lines, else its structure, the windows of
    its runs, and the file with all the context that could be shown."""

    file: FileChange
    instead: Reason | Fold | None
    wide: FileChange
    structure: Structure | None = None
    windows: Sequence[Window] = ()


class _Preparation:
    def __init__(self, change: Change, policy: SnapshotPolicy, tools: Tools) -> None:
        self._change = change
        self._policy = policy
        self._tools = tools
        self._names: Mapping[str, str] = {}
        self._redactions: list[Redaction] = []
        self._hurried = False
        self._screening = policy.screening is not Screening.OFF
        self._reviewed = _reviewed(change, policy, tools.touched)

    def run(self) -> Prepared:
        files = self._change.files
        instead = {f.path: _barred(f, self._change, self._policy) or fold(f) for f in files}
        readable = [f for f in files if not instead[f.path]]
        known = structures(
            readable, self._blobs, self._policy, self._tools.reader, self._late,
            reviewed=self._reviewed,
        )  # fmt: skip
        resolved = self._resolved(known)
        wanted = by_path(resolved.definitions)
        self._names = _names(files, sorted(resolved.texts), self._policy, self._tools.scanner)
        self._redactions = [Redaction(p, 0, Side.RIGHT, NAME_RULE) for p in sorted(self._names)]
        drafts: list[Draft] = []
        for start in range(0, len(files), _BATCH):
            batch = []
            for file in files[start : start + _BATCH]:
                late = Reason.DEADLINE if self._tools.late() else None
                what = instead[file.path] or late
                batch.append(
                    self._opened(file, what, known.get(file.path), wanted.get(file.path, ()))
                )
            drafts += self._drafts(batch)
        sheets = list(self._sheets(resolved))
        made = {sheet.path: sheet for sheet in (*drafts, *sheets)}
        told = Names.of(made, self._redactions)
        placed = helpers(resolved, made)
        unmet = unplaced(resolved, made, placed, screened=self._screening)
        return Prepared(
            self._change,
            tuple(drafts),
            tuple(self._redactions),
            tuple(self._records(drafts, known, resolved)),
            overdue=self._overdue(drafts),
            names=self._names,
            sheets=tuple(sheets),
            helpers=told.helpers(placed),
            missing=(*told.missing(resolved.missing, screened=self._screening), *unmet),
        )

    def _overdue(self, drafts: Sequence[Draft]) -> int:
        late = sum(draft.barred is Reason.DEADLINE for draft in drafts)
        return late + self._hurried + self._tools.reader.late + self._change.hurried

    def _late(self) -> bool:
        """Whether there is no time for context; then the snapshot is not reproducible."""
        self._hurried = self._hurried or self._tools.late()
        return self._hurried

    def _resolved(self, known: Mapping[str, Structure]) -> Resolved:
        sources = [
            Source(path, structure.outline, self._using(structure), structure.blob)
            for path, structure in known.items()
        ]
        uses = any(source.changed and source.outline.uses for source in sources)
        nothing = Resolved((), (), {}, 0)
        if not uses or not self._policy.dependencies or self._late():
            return nothing
        objects = self._tools.objects
        try:
            # What is left out by settings is not to be sent: no definition is looked up there.
            excludes, files = self._policy.excludes, objects.head_files()
            tree = {path: oid for path, oid in files.items() if not excludes(path)}
            effort = Effort(self._late)
            return resolve(sources, tree, objects.blobs, self._tools.reader, effort)
        except SnapshotError:
            # The change is at hand: a server that fails now costs its context, not the review.
            self._hurried = True
            return nothing

    def _using(self, structure: Structure) -> frozenset[int]:
        """The changed lines of which the names are looked up: those of source, not of tests."""
        source = path_tier(structure.file.path, self._policy.rules) is Tier.SOURCE
        return frozenset(structure.added if source else ())

    def _opened(
        self,
        file: FileChange,
        instead: Reason | Fold | None,
        structure: Structure | None,
        wanted: Collection[int],
    ) -> _Open:
        if instead or structure is None:
            # A folded or barred file has no text that could be sent.
            return _Open(file, instead, replace(file, hunks=()) if instead else file)
        windows = structure.windows(self._policy)
        numbers = {number for window in windows for number in window.lines}
        wide = widened(file, structure.lines, numbers | set(wanted)) if structure.agrees else file
        return _Open(file, None, wide, structure, windows)

    def _drafts(self, batch: Sequence[_Open]) -> Iterator[Draft]:
        contents = self._contents(batch)
        screened = self._screened([one.wide for one in batch], contents)
        for one, found in zip(batch, screened, strict=True):
            kind = _classify(one.file, self._change, contents, self._policy)
            yield self._draft(one, kind, found)

    def _contents(self, batch: Sequence[_Open]) -> Mapping[str, bytes]:
        """Both sides of every text file a person may have written: markers and key blocks need
        the whole of it."""
        at_hand = {one.file.new_oid: one.structure.blob for one in batch if one.structure}
        files = [one.wide for one in batch if one.wide.hunks and not one.wide.submodule]
        rules = self._policy.rules
        written = [file for file in files if path_tier(file.path, rules) > Tier.GENERATED]
        wanted = [oid for file in written for oid in (file.new_oid, file.old_oid)]
        missing = [oid for oid in wanted if oid not in at_hand]
        try:
            return {**(self._blobs(missing) if missing else {}), **at_hand}
        except SnapshotError:
            return at_hand

    def _blobs(self, oids: Sequence[str]) -> Mapping[str, bytes]:
        """The change is at hand: a server that fails now costs what helps to read it, not the
        review; then the snapshot is not reproducible."""
        try:
            return self._tools.objects.blobs(oids)
        except SnapshotError:
            self._hurried = True
            raise

    def _screened(
        self, files: Sequence[FileChange], contents: Mapping[str, bytes]
    ) -> list[Screened]:
        if not self._screening:
            return [Screened() for _ in files]
        found = screen(files, contents, self._tools.scanner)
        self._redactions += [redaction for one in found for redaction in one.redactions]
        return found

    def _draft(self, one: _Open, kind: Classified, screened: Screened) -> Draft:
        """`instead` is what bars the file, or the sentence that replaces its lines."""
        file = one.file
        barred = one.instead if isinstance(one.instead, Reason) else None
        folded = one.instead if isinstance(one.instead, Fold) else None
        old = file.old_path
        draft = Draft(
            path=file.path,
            printed=self._names.get(file.path, file.path),
            old_printed="" if old is None else self._names.get(old, old),
            file=file,
            kind=kind,
            barred=barred,
            says=folded.says if folded else "",
            fold=folded.reason if folded else None,
        )
        if one.instead:
            return draft
        crlf = is_crlf(one.wide)
        made, hunk_of = rows(one.wide, screened, crlf=crlf)
        # Signatures, where they may be shown, say what git's headers would.
        signed = one.structure and self._policy.dynamic
        headers = () if signed else sections(one.wide, screened)
        draft = replace(
            draft, rows=made, hunk_of=hunk_of, sections=headers, crlf=crlf,
            structure=one.structure.outline.source if one.structure else "",
        )  # fmt: skip
        if kind.tier < Tier.TEST and not kind.marker:
            return draft
        read = self._reviewed.get(file.path, frozenset())
        found = one.structure.runs if one.structure else runs(file, read)
        return replace(
            draft, pieces=pieces(draft, found, one.windows), reviewed_hunks=read,
            since=self._policy.since,
        )  # fmt: skip

    def _sheets(self, resolved: Resolved) -> Iterator[Sheet]:
        found = unchanged(resolved, {file.path for file in self._change.files})
        screened = self._screened(
            [file for file, _ in found], {file.new_oid: blob for file, blob in found}
        )
        for (file, _), hidden in zip(found, screened, strict=True):
            made, hunk_of = rows(file, hidden, crlf=is_crlf(file))
            yield Sheet(
                path=file.path, printed=self._names.get(file.path, file.path),
                rows=made, hunk_of=hunk_of,
            )  # fmt: skip

    def _records(
        self, drafts: Sequence[Draft], known: Mapping[str, Structure], resolved: Resolved
    ) -> Iterator[StageRecord]:
        tiers = {tier: sum(d.kind.tier is tier for d in drafts) for tier in reversed(Tier)}
        counted = ", ".join(f"{count} {tier.label}" for tier, count in tiers.items() if count)
        yield StageRecord("classify", counted or "no files")
        folded = sum(bool(draft.says) for draft in drafts)
        if folded:
            yield StageRecord("fold", f"{folded} files described in one sentence")
        if self._policy.since:
            read = sum(1 for draft in drafts for _ in draft.folded_rows(()))
            yield StageRecord("reviewed", f"{read} lines read at {self._policy.since[:12]}")
        if known:
            readable = (draft.file for draft in drafts if not draft.barred and not draft.says)
            yield StageRecord("structure", described(known, readable, self._policy))
        if resolved.definitions or resolved.missing:
            states = [found.state for found in resolved.missing]
            words = [
                f"{states.count(state)} {state}" for state in DependencyState if state in states
            ]
            words.insert(0, f"{len(resolved.definitions)} definitions found")
            if resolved.passed_over:
                words.append(f"{resolved.passed_over} names not looked up")
            yield StageRecord("dependencies", ", ".join(words))
        if self._screening:
            yield StageRecord("screen", f"{len(self._redactions)} redactions")


def _reviewed(
    change: Change, policy: SnapshotPolicy, touched: Touched | None
) -> Mapping[str, Hunks]:
    if not policy.since:
        return {}
    if touched is None:
        raise ValueError(f"what was touched since {policy.since} is not told")
    return reviewed_hunks(change, touched)


def _names(
    files: Sequence[FileChange], others: Sequence[str], policy: SnapshotPolicy,
    scanner: SecretScanner,
) -> Mapping[str, str]:  # fmt: skip
    """Paths that hold a credential, by their redacted form: names are sent, too."""
    if policy.screening is Screening.OFF:
        return {}
    paths = [path for file in files for path in (file.path, file.old_path) if path]
    return screen_paths([*paths, *others], scanner)


def _classify(
    file: FileChange, change: Change, contents: Mapping[str, bytes], policy: SnapshotPolicy
) -> Classified:
    blob = contents.get(file.new_oid) or contents.get(file.old_oid) or b""
    head = head_of(file.path, blob)
    if not blob and file.hunks and file.hunks[0].new_start <= 1:
        head = "\n".join(line.text for line in file.hunks[0].lines if not line.removed)
    marked = file.path in change.generated
    return classify(file, marked=marked, head=head, rules=policy.rules)


def _barred(file: FileChange, change: Change, policy: SnapshotPolicy) -> Reason | None:
    if policy.excludes(file.path):
        return Reason.EXCLUDED
    if file.withheld:
        return Reason.WITHHELD_BY_GITHUB
    if change.oversize and not file.hunks and file.additions + file.deletions:
        return Reason.DIFF_CAP
    if file.defect:
        return Reason.UNPARSABLE
    if unreadable(file):
        return Reason.BINARY
    if pointed_to(file):
        return Reason.LFS
    return None
