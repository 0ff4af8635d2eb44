"""imports: from what a file imports to the files of the tree that it may mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from pr_review.snapshot.dependencies.imports import ecma, golang, includes, jvm, python, ruby, rust
from pr_review.snapshot.dependencies.imports.target import Rules, Target, World
from pr_review.snapshot.dependencies.languages import (
    ECMA,
    GO,
    JVM,
    LANGUAGES,
    PYTHON,
    RUBY,
    RUST,
    language_of,
)
from pr_review.snapshot.dependencies.manifests import Manifests
from pr_review.snapshot.dependencies.tree import Tree
from pr_review.snapshot.outline import Import

__all__ = ["Imports", "Target", "manifests_wanted"]

MAX_MANIFESTS = 20

_RULES: dict[str, type[Rules]] = {language.name: includes.Includes for language in LANGUAGES} | {
    PYTHON.name: python.Python,
    ECMA.name: ecma.Ecma,
    GO.name: golang.Go,
    RUST.name: rust.Rust,
    JVM.name: jvm.Jvm,
    RUBY.name: ruby.Ruby,
}
_MANIFESTS: dict[str, Callable[[Tree, str, Sequence[Import]], Iterator[str]]] = {
    ECMA.name: ecma.manifests,
    GO.name: golang.manifests,
    RUST.name: rust.manifests,
}
FileImports = tuple[str, Sequence[Import]]


def manifests_wanted(tree: Tree, files: Sequence[FileImports]) -> tuple[str, ...]:
    """The manifests that the imports of some files cannot be read without, at most 20.

    Dealt over the files, what each needs most first.
    """
    tree.effort.begin()
    queues = [_wanted(tree, path, imports) for path, imports in files]
    longest = max(map(len, queues), default=0)
    dealt = (queue[turn] for turn in range(longest) for queue in queues if turn < len(queue))
    return tuple(dict.fromkeys(dealt))[:MAX_MANIFESTS]


def _wanted(tree: Tree, path: str, imports: Sequence[Import]) -> list[str]:
    """The first 20 that a file needs, or those that were found with the steps for one name."""
    language = language_of(path)
    found: dict[str, None] = {}
    if language is not None and language.name in _MANIFESTS and not tree.effort.over:
        with tree.effort.one():
            for manifest in _MANIFESTS[language.name](tree, path, imports):
                found[manifest] = None
                if len(found) == MAX_MANIFESTS:
                    break
    return list(found)


class Imports:
    """Answers what an import of a file may mean; each question is worked out once."""

    def __init__(
        self, tree: Tree, files: Sequence[FileImports], manifests: Mapping[str, bytes]
    ) -> None:
        self._world = World(tree, Manifests(manifests), tuple(files))
        self._rules: dict[str, Rules] = {}
        self._targets: dict[tuple[str, str, str], Target] = {}

    def target(self, path: str, imported: Import) -> Target:
        """The files that an import in the file `path` may mean."""
        language = language_of(path)
        if language is None:
            return Target()
        key = (path, imported.module, imported.name)
        if key not in self._targets:
            rules = self._rules.get(language.name)
            if rules is None:
                rules = self._rules[language.name] = _RULES[language.name](self._world)
            self._targets[key] = rules.target(path, imported)
        return self._targets[key]
