"""Paths, modes, status and counts, from `git diff --raw -z --numstat -z -M`.

Format: https://git-scm.com/docs/diff-format. With `-z` paths are the bytes of the tree,
unquoted, and each record ends with NUL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pr_review.change.hunks import count, hunks
from pr_review.domain.diff import FileChange, Status

_STATUS = {
    "A": Status.ADDED,
    "D": Status.DELETED,
    "M": Status.MODIFIED,
    "R": Status.RENAMED,
    "C": Status.COPIED,
    "T": Status.TYPE,
}


@dataclass(frozen=True, slots=True)
class _Counts:
    added: int
    removed: int
    binary: bool


def files(raw_and_numstat: bytes) -> tuple[FileChange, ...]:
    """The changed files, without hunks, in git's order. Raises `ValueError` on other output."""
    try:
        rows, rest = _rows(raw_and_numstat)
        counts = dict(_numstat(rest))
    except LookupError as error:
        raise ValueError("git's rows end early, or name a status that is none") from error
    if counts.keys() != {row.path for row in rows}:
        raise ValueError("git's raw rows and counts name different files")
    return tuple(_counted(row, counts[row.path]) for row in rows)


def uncounted(raw: bytes) -> tuple[FileChange, ...]:
    """The changed files of `git diff --raw -z` alone, which reads no contents: all counts 0."""
    return tuple(_rows(raw)[0])


def _rows(out: bytes) -> tuple[list[FileChange], list[str]]:
    """The raw rows, and the fields behind them."""
    fields = out.decode("utf-8", "surrogateescape").split("\0")
    if fields and fields[-1] == "":
        fields.pop()
    position = 0
    rows: list[FileChange] = []
    while position < len(fields) and fields[position].startswith(":"):
        row, position = _raw(fields, position)
        rows.append(row)
    return rows, fields[position:]


def _raw(fields: Sequence[str], position: int) -> tuple[FileChange, int]:
    old_mode, new_mode, old_oid, new_oid, letter = fields[position].removeprefix(":").split(" ")
    status = _STATUS[letter[0]]
    path, old_path, following = fields[position + 1], None, position + 2
    if status in (Status.RENAMED, Status.COPIED):
        path, old_path, following = fields[position + 2], path, position + 3
    if status is Status.MODIFIED and old_oid == new_oid:
        status = Status.MODE
    row = FileChange(
        path, old_path, status, old_mode, new_mode, old_oid, new_oid,
        binary=False, additions=0, deletions=0,
    )  # fmt: skip
    return row, following


def _numstat(fields: Sequence[str]) -> Iterator[tuple[str, _Counts]]:
    position = 0
    while position < len(fields):
        added, removed, path = fields[position].split("\t", 2)
        position += 1
        if not path:  # a rename: two more fields hold the old and the new path
            path = fields[position + 1]
            position += 2
        binary = added == "-"
        yield path, _Counts(0 if binary else int(added), 0 if binary else int(removed), binary)


def _counted(row: FileChange, counts: _Counts) -> FileChange:
    return replace(row, binary=counts.binary, additions=counts.added, deletions=counts.removed)


def with_hunks(rows: Sequence[FileChange], patch: Sequence[str]) -> tuple[FileChange, ...]:
    """Pairs rows with the patch's sections, which git prints in the same order.

    A change of type takes two sections (the old file's end, the new file's start). A file
    whose hunks do not parse, or do not add up to git's counts, keeps its row and says why in
    `defect`; the others go on. Raises `ValueError` if sections and rows do not pair.
    """
    needed = sum(2 if row.status is Status.TYPE else 1 for row in rows)
    if needed != len(patch):
        raise ValueError(f"git named {needed} file sections and printed {len(patch)}")
    position = 0
    paired = []
    for row in rows:
        width = 2 if row.status is Status.TYPE else 1
        paired.append(with_sections(row, patch[position : position + width]))
        position += width
    return tuple(paired)


def with_sections(row: FileChange, own: Sequence[str]) -> FileChange:
    """One row with the hunks of its sections, or with a `defect` that says why it has none."""
    if row.binary:
        return row
    try:
        parsed = tuple(hunk for section in own for hunk in hunks(section))
    except ValueError as error:
        return replace(row, defect=str(error))
    added, removed = count(parsed)
    if (added, removed) != (row.additions, row.deletions):
        words = f"hunks hold +{added} -{removed}, git counts +{row.additions} -{row.deletions}"
        return replace(row, defect=words)
    return replace(row, hunks=parsed)
