"""What of a change is new since a commit that was read before.

Not what differs between that commit and the head: two changes from one merge base may say
different things of lines that are the same at both. A renamed file of which the old one came back
or the new one went, or a block that seems to have moved the other way round, was never shown as
what it is now. So the hunks of both changes are compared.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

from pr_review.adapters.git.command import Git
from pr_review.adapters.git.reading import DIFF, PATCH, Prefetch, paired_with
from pr_review.change.rows import files, uncounted
from pr_review.domain.diff import Change, FileChange, Hunk, Status
from pr_review.errors import SnapshotError

EVERY_LINE = range(1, sys.maxsize)

# Paths travel as arguments, of which a system allows some hundred kilobytes.
_AT_ONCE = 200


def touched(
    git: Git,
    commit: str,
    change: Change,
    *,
    max_bytes: int,
    prefetch: Prefetch = lambda _oids: None,
) -> Mapping[str, tuple[range, ...]]:
    """As `ChangeSource.touched_since` has it. Raises `SnapshotError`.

    `prefetch` is told of the contents that will be read. Of an earlier change over `max_bytes` no
    hunks are known: those of every file that differs are new.
    """
    _prefetch(git, commit, change, prefetch)
    rows = {row.path: row for row in _rows(git, change.merge_base, commit)}
    differing = [file for file in change.files if not _same(file, rows.get(file.path))]
    alike = [file for file in differing if _paired(file, rows.get(file.path))]
    found: dict[str, tuple[range, ...]] = {file.path: (EVERY_LINE,) for file in differing}
    for start in range(0, len(alike), _AT_ONCE):
        batch = alike[start : start + _AT_ONCE]
        then = {one.path: one for one in _read(git, change.merge_base, commit, batch, max_bytes)}
        found |= {file.path: _ranges(file, then.get(file.path)) for file in batch}
    moded = {file.path for file in differing if not _same_mode(file, rows.get(file.path))}
    return {path: ranges for path, ranges in found.items() if ranges or path in moded}


def _prefetch(git: Git, commit: str, change: Change, prefetch: Prefetch) -> None:
    """Contents of the earlier commit: of files that the change has, and of those that git
    compares to see which new one is like which old one."""
    head = {file.path: file.new_oid for file in change.files}
    every = _rows(git, change.merge_base, commit, "--no-renames")
    rows = [row for row in every if not row.submodule]
    read = [row.new_oid for row in rows if head.get(row.path, row.new_oid) != row.new_oid]
    new = [row.new_oid for row in rows if row.status is Status.ADDED]
    old = [row.old_oid for row in rows if row.status is Status.DELETED]
    prefetch([*read, *new, *old] if new and old else read)


def _rows(git: Git, merge_base: str, commit: str, renames: str = "-M") -> tuple[FileChange, ...]:
    """The paths of a change; without renames the trees tell, and no contents are read."""
    try:
        return uncounted(git.run(*DIFF, renames, "--raw", "-z", merge_base, commit, "--"))
    except ValueError as error:
        raise SnapshotError(f"git's diff could not be read: {error}") from error


def _read(
    git: Git, merge_base: str, commit: str, batch: Sequence[FileChange], max_bytes: int
) -> tuple[FileChange, ...]:
    """Some files of the earlier change with their hunks, or without any if they are too large."""
    paths = sorted({path for file in batch for path in (file.path, file.old_path) if path})
    where = (merge_base, commit, "--", *(f":(top,literal){path}" for path in paths))
    try:
        rows = files(git.run(*DIFF, "--raw", "--numstat", "-z", *where))
        patch, oversize = git.read(*DIFF, *PATCH, *where, limit=max_bytes)
        return rows if oversize else paired_with(rows, patch)
    except ValueError as error:
        raise SnapshotError(f"git's diff could not be read: {error}") from error


def _same(file: FileChange, then: FileChange | None) -> bool:
    """Whether both changes make the same of the same."""
    if then is None or not _paired(file, then):
        return False
    return file.new_oid == then.new_oid and _same_mode(file, then)


def _same_mode(file: FileChange, then: FileChange | None) -> bool:
    return then is not None and file.new_mode == then.new_mode


def _paired(file: FileChange, then: FileChange | None) -> bool:
    """Whether both changes compare a path with the same file, or with none."""
    before = (file.old_path, file.old_oid)
    return then is not None and (then.old_path, then.old_oid) == before


def _ranges(file: FileChange, then: FileChange | None) -> tuple[range, ...]:
    """Where the hunks stand on the new side that are not among those of then."""
    unread = not file.hunks and (file.additions or file.deletions or file.defect)
    if file.binary or file.submodule or unread:
        return (EVERY_LINE,)
    known = {_key(hunk) for hunk in then.hunks} if then and _paired(file, then) else set()
    return tuple(_new_side([hunk for hunk in file.hunks if _key(hunk) not in known]))


def _key(hunk: Hunk) -> tuple[int, tuple[tuple[str, str, bool], ...]]:
    """What a hunk says, wherever it stands on the new side."""
    lines = ((line.sign, line.text, line.ends_without_newline) for line in hunk.lines)
    return hunk.old_start, tuple(lines)


def _new_side(hunks: Sequence[Hunk]) -> Iterator[range]:
    """A side that holds no line names the line before it."""
    for hunk in hunks:
        start = hunk.new_start if hunk.new_count else hunk.new_start + 1
        yield range(start, start + hunk.new_count)
