"""Go: an import path is the module of a go.mod and a folder below it."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

from pr_review.snapshot.dependencies.imports.target import Target, World
from pr_review.snapshot.dependencies.tree import Tree, nearness
from pr_review.snapshot.outline import Import

_MODULE_FILES = ("go.mod", "vendor.mod")


def manifests(tree: Tree, path: str, imports: Sequence[Import]) -> Iterator[str]:
    """The module files around, nearest first, then the other modules of the repository."""
    if not any("." in imported.module.split("/", 1)[0] for imported in imports):
        return
    yield from _module_files(tree, path)
    yield from tree.shallowest("go.mod")


class Go:
    def __init__(self, world: World) -> None:
        self._world = world

    def target(self, path: str, imported: Import) -> Target:
        fitting = [
            (module, folder)
            for module, folder in self._modules
            if imported.module == module or imported.module.startswith(f"{module}/")
        ]
        if not fitting:
            return Target()
        module, folder = max(fitting, key=lambda found: (len(found[0]), nearness(path, found[1])))
        below = imported.module.removeprefix(module).lstrip("/")
        files = self._files(posixpath.normpath(posixpath.join(folder, below)))
        return Target(files, files, inside=True)

    def _files(self, folder: str) -> tuple[str, ...]:
        inside = self._world.tree.folder("" if folder == "." else folder)
        self._world.tree.effort.take(len(inside))
        return tuple(f for f in inside if f.endswith(".go") and not f.endswith("_test.go"))

    @cached_property
    def _modules(self) -> list[tuple[str, str]]:
        """(module path, folder) of the modules of the repository, in a fixed order."""
        manifests = self._world.manifests
        found = {
            (manifests.go_module(path), posixpath.dirname(path))
            for path in manifests.named("go.mod", "vendor.mod")
        }
        return sorted(((m, f) for m, f in {*found, *self._guessed()} if m))

    def _guessed(self) -> list[tuple[str, str]]:
        """For files with no module file above them: their checkout is its own import path,
        `host/owner/name`, the one whose imports lead to the most folders of the tree.
        """
        hits: Counter[str] = Counter()
        for path, imports in self._world.files:
            if path.endswith(".go") and not any(_module_files(self._world.tree, path)):
                for imported in imports:
                    prefix, below = _checkout(imported.module)
                    hits[prefix] += bool(below and self._files(below))
        best = max(hits, key=lambda prefix: (hits[prefix], prefix), default="")
        return [(best, "")] if hits[best] else []


def _module_files(tree: Tree, path: str) -> Iterator[str]:
    """The module files above a file, nearest first."""
    for folder in tree.around(path):
        # Some projects keep theirs as vendor.mod, to stay a GOPATH project.
        files = (posixpath.join(folder, name) for name in _MODULE_FILES)
        yield from (file for file in files if file in tree)


def _checkout(module: str) -> tuple[str, str]:
    """`host/owner/name/a/b` is `host/owner/name` and `a/b`; a version belongs to the name."""
    parts = module.split("/")
    size = 4 if len(parts) > 3 and _is_version(parts[3]) else 3
    return "/".join(parts[:size]), "/".join(parts[size:]) if "." in parts[0] else ""


def _is_version(part: str) -> bool:
    return part.startswith("v") and part[1:].isdigit()
