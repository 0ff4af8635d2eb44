"""Which lines differ between the head and a commit that was read before.

That a file is the same at both says nothing by itself: the earlier change may have taken it for
another one under a new name, and shown neither its lines nor that the old ones are gone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

from pr_review.adapters.git.command import Git
from pr_review.adapters.git.reading import DIFF, PATCH, Prefetch
from pr_review.change.hunks import sections
from pr_review.change.rows import files, uncounted, with_hunks
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

    `prefetch` is told of the contents that will be read. Over `max_bytes` of differences no
    lines are told: every file that differs does so in every line.
    """
    found = _since(git, commit, change, max_bytes=max_bytes, prefetch=prefetch)
    paired = _pairs(git, change.merge_base, commit, prefetch)
    anew = (file.path for file in change.files if paired.get(file.path, file.path) != _from(file))
    return {**found, **dict.fromkeys(anew, (EVERY_LINE,))}


def _pairs(git: Git, merge_base: str, commit: str, prefetch: Prefetch) -> dict[str, str]:
    """With what the change to an earlier commit compared a path that it took for the new name
    of a file; empty for the old name, which it compared with nothing.
    """
    alone = [row for row in _differing(git, merge_base, commit) if not row.submodule]
    # what git reads to see which new file is like which old one
    new = [row.new_oid for row in alone if row.status is Status.ADDED]
    old = [row.old_oid for row in alone if row.status is Status.DELETED]
    prefetch([*new, *old] if new and old else [])
    renamed = [row for row in _differing(git, merge_base, commit, "-M") if row.old_path]
    return {str(row.old_path): "" for row in renamed} | {row.path: _from(row) for row in renamed}


def _from(file: FileChange) -> str:
    """The path of what a file is compared with."""
    return file.old_path or file.path


def _since(
    git: Git, commit: str, change: Change, *, max_bytes: int, prefetch: Prefetch
) -> dict[str, tuple[range, ...]]:
    """In which lines the paths of a change differ between a commit and the head."""
    head = change.head
    wanted = {path for file in change.files for path in (file.path, file.old_path)}
    rows = {row.path: row for row in _differing(git, commit, head) if row.path in wanted}
    prefetch([row.old_oid for row in rows.values() if not row.submodule and row.old_oid.strip("0")])
    found: dict[str, tuple[range, ...]] = {}
    names = list(rows)
    for start in range(0, len(names), _AT_ONCE):
        batch = [rows[name] for name in names[start : start + _AT_ONCE]]
        for file in _with_lines(git, commit, head, batch, max_bytes):
            found[file.path] = _ranges(file)
    return {name: found.get(name, (EVERY_LINE,)) for name in names}


def _differing(
    git: Git, commit: str, head: str, renames: str = "--no-renames"
) -> tuple[FileChange, ...]:
    """The paths that differ; without renames the trees tell, and no contents are read."""
    try:
        return uncounted(git.run(*DIFF, renames, "--raw", "-z", commit, head, "--"))
    except ValueError as error:
        raise SnapshotError(f"git's diff could not be read: {error}") from error


def _with_lines(
    git: Git, commit: str, head: str, batch: Sequence[FileChange], max_bytes: int
) -> tuple[FileChange, ...]:
    between = (*DIFF, "--no-renames")
    where = (commit, head, "--", *(f":(top,literal){row.path}" for row in batch))
    try:
        rows = files(git.run(*between, "--raw", "--numstat", "-z", *where))
        patch, oversize = git.read(*between, *PATCH, "--unified=0", *where, limit=max_bytes)
        if oversize:
            return rows
        return with_hunks(rows, tuple(sections(patch.decode("utf-8", "surrogateescape"))))
    except ValueError as error:
        raise SnapshotError(f"git's diff could not be read: {error}") from error


def _ranges(file: FileChange) -> tuple[range, ...]:
    unread = not file.hunks and (file.additions or file.deletions)
    if file.binary or file.submodule or file.defect or unread:
        return (EVERY_LINE,)
    return tuple(_new_side(file.hunks))


def _new_side(hunks: Sequence[Hunk]) -> Iterator[range]:
    """Without context, a side that holds no line names the line before it."""
    for hunk in hunks:
        start = hunk.new_start if hunk.new_count else hunk.new_start + 1
        yield range(start, start + hunk.new_count)
