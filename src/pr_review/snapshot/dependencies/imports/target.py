"""What an import may mean, and what the rules of a language are told to find it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pr_review.snapshot.dependencies.manifests import Manifests
from pr_review.snapshot.dependencies.tree import Tree
from pr_review.snapshot.outline import Import


@dataclass(frozen=True, slots=True)
class Target:
    """The files an import may mean, likeliest first.

    `files` may hold the imported name; `modules` are what the name itself stands for, where
    that is a module. `inside` says that the import names this repository, found or not.
    """

    files: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    inside: bool = False


@dataclass(frozen=True, slots=True)
class World:
    """The tree, the manifests that were read, and the imports of the changed files."""

    tree: Tree
    manifests: Manifests
    files: tuple[tuple[str, Sequence[Import]], ...]


class Rules(Protocol):
    """How one language finds modules."""

    def __init__(self, world: World) -> None: ...

    def target(self, path: str, imported: Import) -> Target:
        """What an import in the file `path` may mean."""
        ...
