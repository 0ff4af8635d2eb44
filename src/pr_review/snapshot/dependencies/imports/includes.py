"""The other languages: a file by its path, or by the name of what it defines."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from pr_review.snapshot.dependencies.imports.target import Target, World
from pr_review.snapshot.dependencies.languages import C, language_of
from pr_review.snapshot.dependencies.tree import join, nearness, stem_of
from pr_review.snapshot.outline import Import

_SEPARATORS = re.compile(r"[\\.:]+")
_MOST = 4


class Includes:
    def __init__(self, world: World) -> None:
        self._tree = world.tree

    def target(self, path: str, imported: Import) -> Target:
        if imported.module.startswith("."):
            return self._by_path(path, imported.module)
        language = language_of(path)
        name = imported.name or _SEPARATORS.split(imported.module)[-1]
        if language is None or name == "*":
            return Target()
        files = self._near(path, self._tree.suggested(name, language))
        return Target(files, (), inside=bool(files))

    def _by_path(self, path: str, module: str) -> Target:
        """The file beside, else one whose path ends like it (an include folder); of a header
        also the files that implement it.
        """
        beside = join(posixpath.dirname(path), module)
        if beside is not None and beside in self._tree:
            found: tuple[str, ...] = (beside,)
        else:
            ending = module.lstrip("./")
            found = self._near(path, self._tree.ending(ending)) if ending else ()
        bodies = self._bodies(found[0]) if found and language_of(found[0]) is C else ()
        files = tuple(dict.fromkeys((*found[:1], *bodies)))
        return Target(files, files, inside=True)

    def _bodies(self, header: str) -> tuple[str, ...]:
        return self._near(header, self._tree.suggested(stem_of(header), C))

    @staticmethod
    def _near(path: str, files: Sequence[str] | Iterator[str]) -> tuple[str, ...]:
        return tuple(sorted(files, key=lambda file: (-nearness(path, file), file))[:_MOST])
