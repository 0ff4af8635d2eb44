"""Which lines differ between the head and a commit that was read before."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

from pr_review.adapters.git.command import Git
from pr_review.adapters.git.reading import DIFF, PATCH, Prefetch
from pr_review.change.hunks import sections
from pr_review.change.rows import files, uncounted, with_hunks
from pr_review.domain.diff import FileChange, Hunk
from pr_review.errors import SnapshotError

EVERY_LINE = range(1, sys.maxsize)

# Paths travel as arguments, of which a system allows some hundred kilobytes.
_AT_ONCE = 200


def touched(
    git: Git,
    commit: str,
    head: str,
    paths: Sequence[str],
    *,
    max_bytes: int,
    prefetch: Prefetch = lambda _oids: None,
) -> Mapping[str, tuple[range, ...]]:
    """As `ChangeSource.touched_since` has it, for these paths. Raises `SnapshotError`.

    `prefetch` is told of the contents that will be read. Over `max_bytes` of differences no
    lines are told: every file that differs does so in every line.
    """
    wanted = set(paths)
    differing = _differing(git, commit, head)
    rows = {row.path: row for row in differing if row.path in wanted}
    prefetch([row.old_oid for row in rows.values() if not row.submodule and row.old_oid.strip("0")])
    found: dict[str, tuple[range, ...]] = {}
    names = list(rows)
    for start in range(0, len(names), _AT_ONCE):
        batch = [rows[name] for name in names[start : start + _AT_ONCE]]
        for file in _with_lines(git, commit, head, batch, max_bytes):
            found[file.path] = _ranges(file)
    return {name: found.get(name, (EVERY_LINE,)) for name in names}


def _differing(git: Git, commit: str, head: str) -> tuple[FileChange, ...]:
    """The paths that differ, told by the trees alone; no contents are read."""
    try:
        return uncounted(git.run(*DIFF, "--no-renames", "--raw", "-z", commit, head, "--"))
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
