"""Python: absolute imports from any folder around the file or its `src`, and relative ones."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from pr_review.snapshot.dependencies.imports.target import Target, World
from pr_review.snapshot.dependencies.tree import join, nearness
from pr_review.snapshot.outline import Import

_FORMS = (".py", "/__init__.py", ".pyi", "/__init__.pyi")
_ROOTS = ("", "src", "lib", "python")


class Python:
    def __init__(self, world: World) -> None:
        self._tree = world.tree

    def target(self, path: str, imported: Import) -> Target:
        dots = len(imported.module) - len(imported.module.lstrip("."))
        inside = posixpath.join(*imported.module[dots:].split("."))
        bases = [_up(path, dots)] if dots else list(self._bases(path, inside))
        for base in bases:
            found = self._at(base, inside, imported)
            if found.files or found.modules:
                return found
        return Target(inside=bool(bases))

    def _at(self, base: str | None, inside: str, imported: Import) -> Target:
        module = join(base, inside) if base is not None else None
        if module is None:
            return Target()
        files = self._forms(module)
        if not imported.name or imported.name == "*":
            return Target(files, files, inside=True)
        below = join(module, imported.name)
        return Target(files, self._forms(below) if below else (), inside=True)

    def _forms(self, module: str) -> tuple[str, ...]:
        forms = (f"{module}{form}".lstrip("/") for form in _FORMS)
        return tuple(path for path in forms if path in self._tree)

    def _bases(self, path: str, inside: str) -> Iterator[str]:
        """Folders that the top package of an absolute import stands in, outermost first.

        The folder of a module that belongs to a package is none: there, `import json` means
        the standard library, whatever lies beside it.
        """
        top = inside.split("/", 1)[0]
        for folder in reversed(self._tree.around(path)):
            for root in _ROOTS:
                base = posixpath.join(folder, root) if root else folder
                if self._holds(base, top) and not self._package(base):
                    yield base
        if "/" in inside:
            yield from self._elsewhere(path, inside)

    def _elsewhere(self, path: str, inside: str) -> list[str]:
        """Folders anywhere that hold the whole dotted path, nearest first."""
        found = {
            file.removesuffix(f"{inside}{form}").rstrip("/")
            for form in _FORMS[:2]
            for file in self._tree.ending(f"{inside}{form}")
        }
        return sorted(found, key=lambda base: (-nearness(path, base), base))

    def _holds(self, base: str, top: str) -> bool:
        module = posixpath.join(base, top)
        return bool(self._forms(module) or self._tree.folder(module))

    def _package(self, folder: str) -> bool:
        return posixpath.join(folder, "__init__.py") in self._tree


def _up(path: str, dots: int) -> str | None:
    """The folder that as many dots at the start of a module stand for, None outside the tree."""
    folders = path.split("/")[:-1]
    return "/".join(folders[: len(folders) - dots + 1]) if dots <= len(folders) + 1 else None
