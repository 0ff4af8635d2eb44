"""Java, Kotlin and Scala: the package is a path of folders, a class mostly a file."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from pr_review.snapshot.dependencies.imports.target import Target, World
from pr_review.snapshot.dependencies.languages import JVM, language_of
from pr_review.snapshot.dependencies.tree import nearness
from pr_review.snapshot.dependencies.words import affinity
from pr_review.snapshot.outline import Import


class Jvm:
    def __init__(self, world: World) -> None:
        self._tree = world.tree

    def target(self, path: str, imported: Import) -> Target:
        package = imported.module.replace(".", "/")
        name = imported.name if imported.name not in ("", "*", "_") else ""
        folders = self._near(path, self._tree.folders_ending(package))
        files = self._class(posixpath.join(package, name)) if name else ()
        owner = self._class(package)
        if files or owner:
            # A static or nested import names a class where others name a package.
            return Target(tuple(self._near(path, (*files, *owner))), (), inside=True)
        inside = [file for folder in folders for file in self._sources(folder)]
        likely = sorted(inside, key=lambda file: -affinity(name, posixpath.basename(file)))
        return Target(tuple(likely), tuple(likely) if not name else (), inside=bool(folders))

    def _class(self, path: str) -> tuple[str, ...]:
        return tuple(file for end in JVM.suffixes for file in self._tree.ending(path + end))

    def _sources(self, folder: str) -> Iterator[str]:
        inside = self._tree.folder(folder)
        self._tree.effort.take(len(inside))
        return (file for file in inside if language_of(file) is JVM)

    @staticmethod
    def _near(path: str, places: Sequence[str] | Iterator[str]) -> list[str]:
        return sorted(places, key=lambda place: (-nearness(path, place), place))
