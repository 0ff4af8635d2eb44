"""Rust: paths through `crate`, `self` and `super`, and the crates of the workspace."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from pr_review.snapshot.dependencies.imports.target import Target, World
from pr_review.snapshot.dependencies.manifests import table_of, text_of
from pr_review.snapshot.dependencies.tree import Tree, join, nearness
from pr_review.snapshot.outline import Import

_ROOTS = ("lib.rs", "main.rs")
_FOLDER_FILES = frozenset([*_ROOTS, "mod.rs"])
_NO_CRATES = frozenset("crate self super std core alloc proc_macro test".split())


def manifests(tree: Tree, path: str, imports: Sequence[Import]) -> Iterator[str]:
    """Cargo.toml of crates whose folder is not called like the crate, but nearly so."""
    for name in dict.fromkeys(imported.module.split("::", 1)[0] for imported in imports):
        if name in _NO_CRATES or _like_named(tree, name):
            continue
        for part in _parts(name):
            near = sorted(tree.folders_named(part), key=lambda folder: -nearness(path, folder))
            files = (posixpath.join(folder, "Cargo.toml") for folder in near)
            yield from (file for file in files if file in tree)


class Rust:
    def __init__(self, world: World) -> None:
        self._tree = world.tree
        self._crates: dict[str, list[str]] = {}
        for path in world.manifests.named("Cargo.toml"):
            name = text_of(table_of(world.manifests.table(path).get("package")).get("name"))
            source = posixpath.join(posixpath.dirname(path), "src")
            self._crates.setdefault(name.replace("-", "_"), []).append(source)

    def target(self, path: str, imported: Import) -> Target:
        start, *rest = imported.module.split("::")
        folders = self._starts(path, start)
        folder = folders[0] if len(folders) == 1 else None
        if start not in ("crate", "self", "super"):
            beside = self._module(_module_folder(path), start)
            if beside:
                folder, rest = _module_folder(path), [start, *rest]
        while rest and rest[0] == "super" and folder is not None:
            folder, rest = posixpath.dirname(folder), rest[1:]
        if folder is None:
            # Which of several crates of that name is meant only cargo knows.
            return Target(inside=len(folders) > 1)
        return self._below(folder, [part for part in rest if part != "self"], imported.name)

    def _starts(self, path: str, start: str) -> Sequence[str]:
        """The folders whose modules a path may begin with; none if it is not in the tree."""
        if start == "crate":
            return [self._root(path)]
        if start == "self":
            return [_module_folder(path)]
        if start == "super":
            above = posixpath.dirname(_module_folder(path))
            return [above] if above else []
        if start in self._crates:
            return self._crates[start]
        return [] if start in _NO_CRATES else _like_named(self._tree, start)

    def _root(self, path: str) -> str:
        for folder in self._tree.around(path):
            if any(posixpath.join(folder, root) in self._tree for root in _ROOTS):
                return folder
            if posixpath.basename(folder) == "src":
                return folder
        return posixpath.dirname(path)

    def _below(self, folder: str, segments: Sequence[str], name: str) -> Target:
        """The deepest module along the segments: what follows may be a type, or re-exported."""
        files = self._own(folder)
        deep = 0
        for depth, segment in enumerate(segments, 1):
            found = self._module(folder, segment)
            folder = posixpath.join(folder, segment)
            if found:
                files, deep = found, depth
        if name in ("", "*", "self"):
            modules = files if deep == len(segments) else ()
        else:
            modules = self._module(folder, name)
        return Target(files, modules, inside=True)

    def _module(self, folder: str, name: str) -> tuple[str, ...]:
        files = (join(folder, f"{name}.rs"), join(folder, f"{name}/mod.rs"))
        return tuple(file for file in files if file is not None and file in self._tree)

    def _own(self, folder: str) -> tuple[str, ...]:
        """The files of the module whose submodules lie in a folder."""
        names = [posixpath.join(folder, name) for name in ("mod.rs", *_ROOTS)]
        found = tuple(name for name in (*names, f"{folder}.rs") if name in self._tree)
        # Cargo.toml may call the root of a crate as it likes.
        if found:
            return found
        inside = self._tree.folder(folder)
        self._tree.effort.take(len(inside))
        return tuple(file for file in inside if file.endswith(".rs"))


def _module_folder(path: str) -> str:
    """Where the submodules of a file lie."""
    if posixpath.basename(path) in _FOLDER_FILES:
        return posixpath.dirname(path)
    return path.removesuffix(".rs")


def _like_named(tree: Tree, name: str) -> list[str]:
    """The source folders of the crates that lie in a folder of that name."""
    sources = [posixpath.join(folder, "src") for folder in tree.folders_named(name)]
    tree.effort.take(sum(len(tree.folder(source)) for source in sources))
    return [
        source for source in sources if any(file.endswith(".rs") for file in tree.folder(source))
    ]


def _parts(name: str) -> Iterator[str]:
    """Shorter names of a crate's folder: `my_tool_core` may lie in `tool-core` or `core`."""
    parts = name.split("_")
    for drop in range(1, len(parts)):
        yield "_".join(parts[drop:])
