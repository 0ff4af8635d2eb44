"""Makes every changed file ready to be chosen from: classify, fold, screen, render."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pr_review.domain.diff import Change, FileChange, Side
from pr_review.domain.ledger import Reason, Redaction, Tier
from pr_review.domain.snapshot import StageRecord
from pr_review.snapshot.classify import Classified, classify, path_tier
from pr_review.snapshot.draft import Draft, rows, sections
from pr_review.snapshot.folds import Fold, fold, unreadable
from pr_review.snapshot.globs import matches
from pr_review.snapshot.policy import Screening, SnapshotPolicy
from pr_review.snapshot.ports import SecretScanner
from pr_review.snapshot.screen import Screened, screen, screen_paths

_HEAD_BYTES = 2_000
_BATCH = 50
NAME_RULE = "file-name"

Blobs = Callable[[Sequence[str]], Mapping[str, bytes]]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A change whose files are ready; `stages` says what was done to them.

    `overdue` counts the files that were not ready when the time was up, `names` holds the
    redacted form of paths that hold a credential.
    """

    change: Change
    drafts: tuple[Draft, ...]
    redactions: tuple[Redaction, ...]
    stages: tuple[StageRecord, ...]
    overdue: int
    names: Mapping[str, str] = field(default_factory=dict)


def prepare(
    change: Change,
    blobs: Blobs,
    policy: SnapshotPolicy,
    scanner: SecretScanner,
    *,
    late: Callable[[], bool] = lambda: False,
) -> Prepared:
    """Prepares every file of a change, some at a time: their contents are not kept.

    `late()` says that the time for preparation is up: files that are not ready then are
    barred with reason `deadline`.
    """
    drafts: list[Draft] = []
    names = _names(change.files, policy, scanner)
    redactions = [Redaction(path, 0, Side.RIGHT, NAME_RULE) for path in sorted(names)]
    for start in range(0, len(change.files), _BATCH):
        batch = change.files[start : start + _BATCH]
        barred = [_barred(file, change, policy, late) for file in batch]
        folds = [None if bar else fold(file) for file, bar in zip(batch, barred, strict=True)]
        # A folded or barred file has no text that could be sent.
        sent = [
            replace(file, hunks=()) if bar or folded else file
            for file, bar, folded in zip(batch, barred, folds, strict=True)
        ]
        contents = blobs(wanted) if (wanted := _wanted(sent)) else {}
        screened = _screen(sent, contents, policy, scanner)
        for file, bar, folded, found in zip(batch, barred, folds, screened, strict=True):
            draft = _draft(file, _classify(file, change, contents), found, bar or folded)
            drafts.append(replace(draft, names=names))
            redactions += found.redactions
    return Prepared(
        change,
        tuple(drafts),
        tuple(redactions),
        tuple(_records(drafts, redactions, policy)),
        overdue=sum(draft.barred is Reason.DEADLINE for draft in drafts),
        names=names,
    )


def _names(
    files: Sequence[FileChange], policy: SnapshotPolicy, scanner: SecretScanner
) -> Mapping[str, str]:
    """Paths that hold a credential, by their redacted form: names are sent, too."""
    if policy.screening is Screening.OFF:
        return {}
    paths = [path for file in files for path in (file.path, file.old_path) if path]
    return screen_paths(paths, scanner)


def _wanted(files: Sequence[FileChange]) -> list[str]:
    """Both sides of every text file a person may have written: markers and key blocks need
    the whole of it."""
    return [
        oid
        for file in files
        if file.hunks and not file.submodule and path_tier(file.path) > Tier.GENERATED
        for oid in (file.new_oid, file.old_oid)
    ]


def _classify(file: FileChange, change: Change, contents: Mapping[str, bytes]) -> Classified:
    blob = contents.get(file.new_oid) or contents.get(file.old_oid) or b""
    head = blob[:_HEAD_BYTES].decode("utf-8", "replace")
    if not blob and file.hunks and file.hunks[0].new_start <= 1:
        head = "\n".join(line.text for line in file.hunks[0].lines if not line.removed)
    return classify(file, marked=file.path in change.generated, head=head)


def _screen(
    files: Sequence[FileChange],
    contents: Mapping[str, bytes],
    policy: SnapshotPolicy,
    scanner: SecretScanner,
) -> list[Screened]:
    if policy.screening is Screening.OFF:
        return [Screened() for _ in files]
    return screen(files, contents, scanner)


def _barred(
    file: FileChange, change: Change, policy: SnapshotPolicy, late: Callable[[], bool]
) -> Reason | None:
    if policy.include and not matches(file.path, policy.include):
        return Reason.EXCLUDED
    if matches(file.path, policy.exclude):
        return Reason.EXCLUDED
    if change.oversize and not file.hunks and file.additions + file.deletions:
        return Reason.DIFF_CAP
    if file.defect:
        return Reason.UNPARSABLE
    if unreadable(file):
        return Reason.BINARY
    return Reason.DEADLINE if late() else None


def _draft(
    file: FileChange, kind: Classified, screened: Screened, instead: Reason | Fold | None
) -> Draft:
    """`instead` is what bars the file, or the sentence that replaces its lines."""
    if isinstance(instead, Reason):
        return Draft(file, kind, barred=instead)
    if instead is not None:
        return Draft(file, kind, says=instead.says, fold=instead.reason)
    printed, hunk_of, crlf = rows(file, screened)
    return Draft(file, kind, printed, hunk_of, sections(file, screened), crlf)


def _records(
    drafts: Sequence[Draft], redactions: Sequence[Redaction], policy: SnapshotPolicy
) -> list[StageRecord]:
    tiers = {tier: sum(d.kind.tier is tier for d in drafts) for tier in reversed(Tier)}
    counted = ", ".join(f"{count} {tier.label}" for tier, count in tiers.items() if count)
    records = [StageRecord("classify", counted or "no files")]
    folded = sum(bool(draft.says) for draft in drafts)
    if folded:
        records.append(StageRecord("fold", f"{folded} files described in one sentence"))
    if policy.screening is not Screening.OFF:
        records.append(StageRecord("screen", f"{len(redactions)} redactions"))
    return records
