"""What both sources read from a repository that holds the commits: change, blobs, attributes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from pr_review.adapters.git.command import Git, TooSlowError
from pr_review.change.hunks import sections
from pr_review.change.rows import files, uncounted, with_hunks
from pr_review.domain.diff import Change, FileChange, SourceKind
from pr_review.errors import SnapshotError

Prefetch = Callable[[Sequence[str]], None]

_MAX_BLOB = 1_000_000
_LARGEST = (1, 4, 16)
_ATTRIBUTES = ".gitattributes"
# Renames only, as GitHub shows them; the limit is git's default, written out because equal
# commits must give an equal diff with every version of git.
DIFF = (
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--full-index",
    "--no-abbrev",
    "-M",
    "-l1000",
)
# git's defaults, which GitHub shows too: a comment's line must stand in a hunk of theirs.
PATCH = (
    "--patch", "--unified=3", "--inter-hunk-context=0", "--diff-algorithm=myers",
    "--indent-heuristic", "--submodule=short", "--ignore-submodules=none",
    "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip


def read_change(
    git: Git,
    merge_base: str,
    head: str,
    *,
    max_bytes: int,
    prefetch: Prefetch = lambda _oids: None,
    whole: bool = False,
) -> Change:
    """The change between two commits. Raises `SnapshotError`.

    A file whose contents are not in the repository has a `defect`; where the change has to be
    `whole`, it is an error.

    `prefetch` is told of objects that will be read one by one, where they may be missing.

    A patch over `max_bytes` gives an `oversize` change: every file with git's counts, and
    hunks of those that fit without the largest ones. It is never read whole.
    """
    reading = _Reading(git, merge_base, head, max_bytes, prefetch)
    try:
        return reading.change(())
    except TooSlowError:
        raise
    except SnapshotError:
        gone = () if whole else reading.gone()
        if not gone:
            raise
        return reading.change(gone)


@dataclass(frozen=True, slots=True)
class _Reading:
    git: Git
    merge_base: str
    head: str
    max_bytes: int
    prefetch: Prefetch

    def change(self, gone: Sequence[FileChange]) -> Change:
        """The change; of the files that are `gone` nothing is read."""
        specs = [f":(exclude,top,literal){row.path}" for row in gone]
        commits = (self.merge_base, self.head, "--", *specs)
        git = self.git
        try:
            rows = files(git.run(*DIFF, "--raw", "--numstat", "-z", *commits))
            patch, oversize = git.read(*DIFF, *PATCH, *commits, limit=self.max_bytes)
            if oversize:
                paired = _without_the_largest(git, commits, rows, self.max_bytes)
            else:
                paired = paired_with(rows, patch)
        except ValueError as error:
            raise SnapshotError(f"git's diff could not be read: {error}") from error
        every = sorted((*paired, *gone), key=lambda row: os.fsencode(row.path))
        return Change(
            SourceKind.GIT, self.merge_base, self.head, tuple(every if gone else paired),
            len(patch) + oversize, oversize,
            _marked_generated(git, self.merge_base, every, self.prefetch),
        )  # fmt: skip

    def gone(self) -> tuple[FileChange, ...]:
        """The changed files of which contents are not in the repository."""
        commits = (self.merge_base, self.head, "--")
        rows = uncounted(self.git.run(*DIFF, "--no-renames", "--raw", "-z", *commits))
        oids = sorted({o for row in rows for o in (row.old_oid, row.new_oid) if o.strip("0")})
        asked = "\n".join(oids).encode() + b"\n"
        out = self.git.run("cat-file", "--batch-check", stdin=asked, check=False)
        lines = [line.split(" ") for line in out.decode("ascii", "replace").split("\n")]
        missing = {line[0] for line in lines if line[1:] == ["missing"]}
        return tuple(
            replace(row, defect="its contents are not in the repository")
            for row in rows
            if not row.submodule and missing & {row.old_oid, row.new_oid}
        )


def paired_with(rows: Sequence[FileChange], patch: bytes) -> tuple[FileChange, ...]:
    """The rows with their hunks. Raises `ValueError` where the patch is not theirs."""
    return with_hunks(rows, tuple(sections(patch.decode("utf-8", "surrogateescape"))))


def _without_the_largest(
    git: Git, commits: Sequence[str], rows: Sequence[FileChange], max_bytes: int
) -> tuple[FileChange, ...]:
    """Leaves out one file, then a few, until the rest is within the cap: most often a lock
    file alone is what makes a diff too large.
    """
    by_size = sorted(rows, key=lambda row: (-row.additions - row.deletions, row.path))
    for number in _LARGEST:
        left_out = {path for row in by_size[:number] for path in (row.path, row.old_path) if path}
        specs = [f":(exclude,top,literal){path}" for path in sorted(left_out)]
        patch, oversize = git.read(*DIFF, *PATCH, *commits, *specs, limit=max_bytes)
        if not oversize:
            kept = [row for row in rows if row.path not in left_out]
            read = {file.path: file for file in paired_with(kept, patch)}
            return tuple(read.get(row.path, row) for row in rows)
    return tuple(rows)


def read_blobs(git: Git, oids: Sequence[str]) -> Mapping[str, bytes]:
    """Blobs of up to 1 MB by id; one that is larger, missing or no blob is left out."""
    small = [oid for oid, size in read_sizes(git, oids).items() if size <= _MAX_BLOB]
    if not small:
        return {}
    return _unpack(git.run("cat-file", "--batch", stdin="\n".join(small).encode() + b"\n"))


def read_sizes(git: Git, oids: Sequence[str]) -> Mapping[str, int]:
    """Bytes of blobs by id; one that is missing or no blob is left out."""
    wanted = [oid for oid in dict.fromkeys(oids) if oid.strip("0")]
    if not wanted:
        return {}
    out = git.run("cat-file", "--batch-check", stdin="\n".join(wanted).encode() + b"\n")
    rows = (line.split(" ") for line in out.decode("ascii", "replace").split("\n"))
    return {row[0]: int(row[2]) for row in rows if len(row) == 3 and row[1] == "blob"}


class HeadTree:
    """The files of one commit, listed once; a `checks.ports.Tree`."""

    def __init__(self, git: Git, commit: str) -> None:
        self._git = git
        self._commit = commit
        self._blobs: dict[str, bytes | None] = {}

    @cached_property
    def files(self) -> Mapping[str, str]:
        return regular_files(self._git, self._commit)

    def blob(self, oid: str) -> bytes | None:
        if oid not in self._blobs:
            self._blobs[oid] = read_blobs(self._git, [oid]).get(oid)
        return self._blobs[oid]

    def sizes(self, oids: Sequence[str]) -> Mapping[str, int]:
        return read_sizes(self._git, oids)

    def exists(self, path: str) -> bool:
        return path in self.files

    def read(self, path: str) -> bytes | None:
        oid = self.files.get(path)
        return None if oid is None else self.blob(oid)


def _unpack(out: bytes) -> dict[str, bytes]:
    """Parses `<oid> blob <size>\\n<size bytes>\\n`, repeated."""
    blobs: dict[str, bytes] = {}
    position = 0
    while position < len(out):
        end = out.index(b"\n", position)
        oid, _, size = out[position:end].decode("ascii").split(" ")
        start = end + 1
        blobs[oid] = out[start : start + int(size)]
        position = start + int(size) + 1
    return blobs


def _marked_generated(
    git: Git, commit: str, rows: Sequence[FileChange], prefetch: Prefetch
) -> frozenset[str]:
    """Paths that the commit's own `.gitattributes` mark; the change cannot alter them.

    `check-attr --cached` reads attributes from an index, so ours is filled from the commit.
    """
    attributes = _attributes_above(git, commit, [row.path for row in rows])
    if not attributes:
        return frozenset()
    prefetch(attributes)
    git.run("read-tree", commit)
    paths = "\0".join(row.path for row in rows).encode("utf-8", "surrogateescape")
    names = ("linguist-generated", "linguist-vendored")
    out = git.run("check-attr", "--cached", "--stdin", "-z", *names, stdin=paths + b"\0")
    fields = out.decode("utf-8", "surrogateescape").split("\0")
    return frozenset(
        path
        for path, value in zip(fields[0::3], fields[2::3], strict=False)
        if value in ("set", "true")
    )


def _attributes_above(git: Git, commit: str, paths: Sequence[str]) -> list[str]:
    """Object ids of the `.gitattributes` in the folders that lead to some paths."""
    folders = {str(parent) for path in paths for parent in PurePosixPath(path).parents}
    listed = regular_files(git, commit)
    wanted = (_ATTRIBUTES if folder == "." else f"{folder}/{_ATTRIBUTES}" for folder in folders)
    return sorted(listed[path] for path in wanted if path in listed)


def regular_files(git: Git, commit: str) -> Mapping[str, str]:
    """Object ids of a commit's regular files by path."""
    out = git.run("ls-tree", "-r", "-z", "--full-tree", commit)
    listed = {}
    for row in out.decode("utf-8", "surrogateescape").split("\0"):
        facts, tab, path = row.partition("\t")
        mode, _, oid = facts.partition(" blob ")
        if tab and mode.startswith("100"):
            listed[path] = oid
    return listed
