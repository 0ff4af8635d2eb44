"""The structure of changed files: their text at the head, and what its lines belong to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from pr_review.domain.diff import FileChange
from pr_review.domain.ledger import Tier
from pr_review.domain.words import adjacent
from pr_review.errors import SnapshotError
from pr_review.snapshot import indentation
from pr_review.snapshot.classify import path_tier
from pr_review.snapshot.outline import Outline
from pr_review.snapshot.pieces import Run, runs
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.ports import Blobs, SyntaxReader
from pr_review.snapshot.reviewed import Hunks, without
from pr_review.snapshot.widen import Widener, Window, agrees

# Text of changed files that is held at once; a change with more has no context in the rest.
_MOST_BYTES = 8_000_000
_BATCH = 20


@dataclass(frozen=True)
class Structure:
    """One changed file at the head: `blob`, and the outline made of it. `reviewed` are the hunks
    whose lines need no context: an earlier review read them.
    """

    file: FileChange
    blob: bytes
    outline: Outline
    reviewed: Hunks = frozenset()

    @cached_property
    def lines(self) -> list[str]:
        """Its lines without line feeds, from line 1; bytes that are not UTF-8 are surrogates."""
        text = self.blob.decode("utf-8", "surrogateescape")
        return text.removesuffix("\n").split("\n") if text else []

    @cached_property
    def runs(self) -> list[Run]:
        """The changed lines that are to be read."""
        return runs(self.file, self.reviewed)

    @cached_property
    def agrees(self) -> bool:
        """Whether its lines are those that the diff says."""
        return agrees(self.file, self.lines)

    @property
    def added(self) -> tuple[int, ...]:
        """New-side numbers of the added lines that are to be read."""
        return _added(self.file, self.reviewed)

    def windows(self, policy: SnapshotPolicy) -> list[Window]:
        """The window of each run, in order; none if the text is not the diff's: its lines would
        be shown under wrong numbers.
        """
        if not self.agrees:
            return []
        widener = Widener(self.file, self.lines, self.outline, policy)
        return [widener.window(run) for run in self.runs]


def structures(
    files: Iterable[FileChange],
    blobs: Blobs,
    policy: SnapshotPolicy,
    reader: SyntaxReader,
    late: Callable[[], bool],
    *,
    reviewed: Mapping[str, Hunks] = MappingProxyType({}),
) -> dict[str, Structure]:
    """Structures by path, of files that a person may have written and that stand in the head."""
    wanted = [file for file in files if _has_context(file, policy)]
    found: dict[str, Structure] = {}
    size = 0
    for start in range(0, len(wanted), _BATCH):
        if late():
            break
        batch = wanted[start : start + _BATCH]
        try:
            contents = blobs([file.new_oid for file in batch])
        except SnapshotError:
            break
        for file in batch:
            blob = contents.get(file.new_oid, b"")
            if blob and size + len(blob) <= _MOST_BYTES:
                size += len(blob)
                mine = reviewed.get(file.path, frozenset())
                outline = _outline(file, blob, reader, _added(file, mine))
                found[file.path] = Structure(file, blob, outline, mine)
    return found


def _has_context(file: FileChange, policy: SnapshotPolicy) -> bool:
    return (
        bool(file.hunks)
        and bool(file.new_oid.strip("0"))
        and not file.submodule
        and path_tier(file.path, policy.rules) >= Tier.TEST
        and not file.path.lower().endswith(policy.skip_suffixes)
    )


def _added(file: FileChange, reviewed: Hunks) -> tuple[int, ...]:
    lines = (line for hunk in without(file, reviewed) for line in hunk.lines)
    return tuple(line.new for line in lines if line.added and line.new is not None)


def _outline(file: FileChange, blob: bytes, reader: SyntaxReader, used: Sequence[int]) -> Outline:
    why = ""
    if reader.knows(file.path):
        read = reader.outline(file.path, blob, list(adjacent(used)))
        if isinstance(read, Outline):
            return read
        why = read
    return indentation.outline(file.path, blob.decode("utf-8", "surrogateescape"), why)


def described(
    found: Mapping[str, Structure], files: Iterable[FileChange], policy: SnapshotPolicy
) -> str:
    """How many of the files that could be were read, and by what, in words."""
    left = sum(_has_context(file, policy) and file.path not in found for file in files)
    kinds = ["syntax", "indentation"]
    sources = [structure.outline.source.partition(":")[0] for structure in found.values()]
    words = [f"{sources.count(kind)} files by {kind}" for kind in kinds]
    if left:
        words.append(f"{left} not read: over {_MOST_BYTES:,} bytes together, gone, or too late")
    return ", ".join(words)
