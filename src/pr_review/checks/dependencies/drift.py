"""Where a change moved a manifest without its lock file, or a lock file without its manifest.

A dependency has drifted only if both agreed about it before the change and do not after it:
what was out of step already, or cannot be read, is not this change's doing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

from pr_review.checks.dependencies.ecosystems import ECOSYSTEMS, Ecosystem
from pr_review.checks.dependencies.tables import NOTHING, Lock, Table, read
from pr_review.checks.paths import kept_as_it_is
from pr_review.checks.ports import Tree
from pr_review.domain.diff import Change, FileChange


@dataclass(frozen=True, slots=True)
class Drift:
    """`names` of dependencies on which `changed`, and not `other`, moved."""

    changed: FileChange
    other: str
    ecosystem: Ecosystem
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Pair:
    """A manifest and the lock file that may cover it."""

    ecosystem: Ecosystem
    manifest: str
    lockfile: str

    @property
    def folder(self) -> str:
        """The manifest's folder as seen from the lock file; empty if they stand together."""
        path = PurePosixPath(self.manifest).relative_to(PurePosixPath(self.lockfile).parent).parent
        return "" if path == PurePosixPath() else str(path)

    def member(self, manifest_text: str) -> str:
        name = self.ecosystem.member
        return name(manifest_text) if name else self.folder


class _Head:
    """The head's files, each looked up once: a workspace asks for one lock file many times."""

    def __init__(self, tree: Tree) -> None:
        self.exists = cache(tree.exists)
        self.lock = cache(self._lock)
        self._tree = tree

    def _lock(self, ecosystem: Ecosystem, path: str) -> Lock | None:
        return read(ecosystem.recorded, self._tree.read(path)) if ecosystem.recorded else None


def manifests_ahead(change: Change, tree: Tree) -> Iterator[Drift]:
    """Manifests whose dependency tables changed while the lock file beside or above did not."""
    changed = {file.path for file in change.files}
    names = {ecosystem.manifest for ecosystem in ECOSYSTEMS}
    head = _Head(tree)
    for file in change.files:
        if PurePosixPath(file.path).name not in names or kept_as_it_is(file.path):
            continue
        pairs = list(_pairs(file.path, head))
        if changed.isdisjoint(pair.lockfile for pair in pairs):
            for pair in pairs:
                if outdated := _outdated(file, pair, head, tree):
                    yield Drift(file, pair.lockfile, pair.ecosystem, outdated)


def lockfiles_ahead(change: Change, tree: Tree) -> Iterator[Drift]:
    """Lock files that ceased to record what the manifest asks for."""
    files = {file.path: file for file in change.files}
    for file in change.files:
        path = PurePosixPath(file.path)
        for ecosystem in ECOSYSTEMS:
            if path.name == ecosystem.lockfile and not _steered(path, ecosystem, files, tree):
                yield from _ahead_of_manifests(file, ecosystem, tree)


def _pairs(manifest: str, head: _Head) -> Iterator[_Pair]:
    """The lock files in the nearest folder that has any, from the manifest's own upwards."""
    path = PurePosixPath(manifest)
    for folder in path.parents:
        found = [
            _Pair(ecosystem, manifest, str(folder / ecosystem.lockfile))
            for ecosystem in ECOSYSTEMS
            if ecosystem.manifest == path.name
            and (ecosystem.workspaces or folder == path.parent)
            and head.exists(str(folder / ecosystem.lockfile))
        ]
        if found:
            yield from found
            return


def _outdated(file: FileChange, pair: _Pair, head: _Head, tree: Tree) -> tuple[str, ...]:
    """Names that the manifest asks for in another way, of which the lock file knows nothing."""
    sides = _tables(file, pair.ecosystem, tree)
    if sides is None:
        return ()
    before, after = sides
    moved = _moved(before, after)
    if pair.ecosystem.recorded is None or not moved:
        return moved
    lock = head.lock(pair.ecosystem, pair.lockfile)
    member = read(pair.member, tree.blob(file.new_oid))
    if lock is None or member is None or not lock.covers(member, before, beside=not pair.folder):
        return ()
    return tuple(
        name
        for name in moved
        if lock.agrees(member, name, before.get(name, NOTHING))
        and not lock.agrees(member, name, after.get(name, NOTHING))
    )


def _tables(file: FileChange, ecosystem: Ecosystem, tree: Tree) -> tuple[Table, Table] | None:
    """What a changed manifest asked for before and after; a new one asked for nothing before."""
    before = read(ecosystem.declared, tree.blob(file.old_oid)) if file.old_oid.strip("0") else {}
    after = read(ecosystem.declared, tree.blob(file.new_oid))
    return None if before is None or after is None else (before, after)


def _steered(
    lockfile: PurePosixPath, ecosystem: Ecosystem, files: dict[str, FileChange], tree: Tree
) -> bool:
    """Whether something else than a dependency table moved that decides what is recorded."""
    if any(str(lockfile.with_name(name)) in files for name in ecosystem.steering):
        return True
    beside = files.get(str(lockfile.with_name(ecosystem.manifest)))
    if beside is None or ecosystem.steers is None:
        return False
    before, after = (read(ecosystem.steers, tree.blob(o)) for o in (beside.old_oid, beside.new_oid))
    return before != after


def _ahead_of_manifests(file: FileChange, ecosystem: Ecosystem, tree: Tree) -> Iterator[Drift]:
    """One drift for each manifest that a changed lock file left behind."""
    if ecosystem.recorded is None:
        return
    old = read(ecosystem.recorded, tree.blob(file.old_oid))
    new = read(ecosystem.recorded, tree.blob(file.new_oid))
    if old is None or new is None:
        return
    for pair in _members(file.path, ecosystem, old, new):
        if names := _unasked(pair, (old, new), tree):
            yield Drift(file, pair.manifest, ecosystem, names)


def _members(lockfile: str, ecosystem: Ecosystem, old: Lock, new: Lock) -> Iterator[_Pair]:
    """Manifests whose record moved, by the folders that the lock files name.

    Where they name none, the manifest beside the lock file.
    """
    tables = old.recorded()
    moved = [key for key, table in new.recorded().items() if tables.get(key, table) != table]
    for folder in [""] if ecosystem.member else sorted(moved):
        path = PurePosixPath(lockfile).parent / folder / ecosystem.manifest
        outside = path.is_absolute() or ".." in path.parts
        if not outside and not kept_as_it_is(str(path)):
            yield _Pair(ecosystem, str(path), lockfile)


def _unasked(pair: _Pair, sides: tuple[Lock, Lock], tree: Tree) -> tuple[str, ...]:
    """Names of which the lock file recorded what the manifest asks for, and does no more."""
    data = tree.read(pair.manifest)
    member = read(pair.member, data)
    asked = read(pair.ecosystem.declared, data)
    if member is None or asked is None:
        return ()
    old, new = (lock.recorded().get(member) for lock in sides)
    if old is None or new is None or not (moved := _moved(old, new)):
        return ()
    return tuple(
        name
        for name in moved
        if sides[0].agrees(member, name, asked.get(name, NOTHING))
        and not sides[1].agrees(member, name, asked.get(name, NOTHING))
    )


def _moved(before: Table, after: Table) -> tuple[str, ...]:
    names = sorted(before.keys() | after.keys())
    return tuple(n for n in names if before.get(n, NOTHING) != after.get(n, NOTHING))
