"""Ruby: files that are required by path, from beside the file or from a load path."""

from __future__ import annotations

import posixpath

from pr_review.snapshot.dependencies.imports.target import Target, World
from pr_review.snapshot.dependencies.tree import join, nearness
from pr_review.snapshot.outline import Import

_LOAD_PATHS = frozenset(["lib", "app", "src", "test", "spec"])


class Ruby:
    def __init__(self, world: World) -> None:
        self._tree = world.tree

    def target(self, path: str, imported: Import) -> Target:
        wanted = imported.module.removesuffix(".rb") + ".rb"
        if wanted.startswith("."):
            beside = join(posixpath.dirname(path), wanted)
            files = (beside,) if beside is not None and beside in self._tree else ()
            return Target(files, files, inside=True)
        found = [file for file in self._tree.ending(wanted) if _loaded(file, wanted)]
        found.sort(key=lambda file: (-nearness(path, file), file))
        return Target(tuple(found[:1]), tuple(found[:1]), inside=bool(found))


def _loaded(file: str, wanted: str) -> bool:
    """Whether a file lies where Ruby looks: below `lib`, or below `app` and one folder more."""
    above = file.removesuffix(wanted).rstrip("/").split("/")
    return above[-1] in _LOAD_PATHS or (len(above) > 1 and above[-2] == "app")
