"""The files of the head commit, indexed once so that a look-up never walks all of them."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from pr_review.domain.ledger import Tier
from pr_review.snapshot.classify import path_tier
from pr_review.snapshot.dependencies.effort import Effort
from pr_review.snapshot.dependencies.languages import Language, language_of
from pr_review.snapshot.dependencies.words import squeeze, words

# Files that stand for their folder, and folders that stand for the one around them.
_FOLDER_STEMS = frozenset(["index", "__init__", "mod", "lib", "main"])
_SOURCE_FOLDERS = frozenset(["src", "lib"])
# Deeper than any tree that people work in: a path chooses how many folders it names.
_MOST_FOLDERS = 40
# From here on a path is so long that to spell it is work.
_LONG_PATH = 128


class Tree:
    """Look-ups over the paths of one commit. All answers are in the order of the paths.

    Most count as many steps as the answer is long, so that whoever goes through it need not.
    """

    def __init__(self, paths: Iterable[str], effort: Effort | None = None) -> None:
        self.effort = effort or Effort()
        self._paths = sorted(paths)
        self._known = frozenset(self._paths)
        self._around: dict[str, Sequence[str]] = {}
        self._shallowest: dict[str, Sequence[str]] = {}
        self._by_word: dict[str, dict[str, list[str]]] = {}

    def __contains__(self, path: str) -> bool:
        self.effort.take(len(path) // _LONG_PATH)
        return path in self._known

    def tsconfigs(self, folder: str) -> Sequence[str]:
        """The files right in a folder that may hold options of TypeScript."""
        return self._counted(self._tsconfigs.get(folder, ()))

    def folder(self, folder: str) -> Sequence[str]:
        """The files right in a folder; the root is the empty string. Counts no steps."""
        return self._by_folder.get(folder, ())

    def around(self, path: str) -> Sequence[str]:
        """The folders around a file, nearest first; the root, the empty string, comes last. Of a
        path with more than 40 only the nearest ones and the root.
        """
        folder = posixpath.dirname(path)
        if folder not in self._around:
            self._around[folder] = tuple(_upwards(folder))
        return self._counted(self._around[folder])

    def named(self, name: str) -> Sequence[str]:
        """The files with this base name."""
        return self._counted(self._by_name.get(name, ()))

    def shallowest(self, name: str) -> Sequence[str]:
        """The files with this base name, those first that lie in the fewest folders."""
        if name not in self._shallowest:
            found = self._by_name.get(name, ())
            self._shallowest[name] = sorted(found, key=lambda path: (path.count("/"), path))
        return self._shallowest[name]

    def ending(self, suffix: str) -> Iterator[str]:
        """The files whose last segments are `suffix`."""
        for path in self.named(posixpath.basename(suffix)):
            if path == suffix or path.endswith(f"/{suffix}"):
                yield path

    def folders_ending(self, suffix: str) -> Iterator[str]:
        """The folders whose last segments are `suffix`."""
        for folder in self.folders_named(posixpath.basename(suffix)):
            if folder == suffix or folder.endswith(f"/{suffix}"):
                yield folder

    def folders_named(self, name: str) -> Sequence[str]:
        """The folders whose last segment is spelled like `name`."""
        return self._counted(self._folders_by_name.get(squeeze(name), ()))

    def suggested(self, name: str, language: Language) -> Sequence[str]:
        """The files of a language that are named like `name`, or stand for such a folder."""
        return self._counted(self._by_stem.get((language.name, squeeze(name)), ()))

    def sounding(self, folder: str, hints: Sequence[str]) -> Sequence[str]:
        """The files right in a folder whose names share a word with one of the hints."""
        if folder not in self._by_word:
            self._by_word[folder] = _grouped(
                (word, path)
                for path in self._by_folder.get(folder, ())
                for word in {squeeze(stem_of(path)), *words(stem_of(path))}
            )
        index = self._by_word[folder]
        self.effort.take(len(hints))
        sought = {word for hint in hints for word in {squeeze(hint), *words(hint)}}
        found = {path for word in sorted(sought) for path in self._counted(index.get(word, ()))}
        return sorted(found)

    def _counted(self, found: Sequence[str]) -> Sequence[str]:
        self.effort.take(1 + len(found))
        return found

    @cached_property
    def _tsconfigs(self) -> dict[str, list[str]]:
        named = ((posixpath.basename(path), path) for path in self._paths)
        return _grouped(
            (posixpath.dirname(path), path)
            for name, path in named
            if name.endswith(".json") and name.startswith(("tsconfig", "jsconfig"))
        )

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        return _grouped((posixpath.dirname(path), path) for path in self._paths)

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        return _grouped((posixpath.basename(path), path) for path in self._paths)

    @cached_property
    def _folders_by_name(self) -> dict[str, list[str]]:
        folders = set(self._by_folder)
        level = folders
        while level:
            level = {posixpath.dirname(folder) for folder in level} - folders
            folders |= level
        return _grouped((squeeze(posixpath.basename(folder)), folder) for folder in sorted(folders))

    @cached_property
    def _by_stem(self) -> dict[tuple[str, str], list[str]]:
        found: dict[tuple[str, str], list[str]] = defaultdict(list)
        for path in self._paths:
            language = language_of(path)
            if language is not None:
                found[language.name, squeeze(stem_of(path))].append(path)
        return found


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for key, path in pairs:
        groups[key].append(path)
    return groups


@lru_cache(maxsize=65_536)
def stem_of(path: str) -> str:
    """What a file is called for: its name up to the first dot, or that of its folder if it
    stands for it (`foo-bar/index.ts`, `foo_bar/src/lib.rs`).
    """
    stem = posixpath.basename(path).split(".", 1)[0]
    folder = posixpath.dirname(path)
    if stem not in _FOLDER_STEMS:
        return stem
    if posixpath.basename(folder) in _SOURCE_FOLDERS:
        folder = posixpath.dirname(folder)
    return posixpath.basename(folder)


def _upwards(folder: str) -> Iterator[str]:
    for _ in range(_MOST_FOLDERS):
        yield folder
        if not folder:
            return
        folder = posixpath.dirname(folder)
    yield ""


def join(folder: str, relative: str) -> str | None:
    """A path below a folder, normalised; None where it would leave the tree."""
    path = posixpath.normpath(posixpath.join(folder, relative.lstrip("/")))
    if path == ".." or path.startswith("../"):
        return None
    return "" if path == "." else path


@lru_cache(maxsize=65_536)
def is_test(path: str) -> bool:
    """Whether a path alone says that a file is a test."""
    return path_tier(path) is Tier.TEST


def nearness(path: str, other: str) -> int:
    """How many leading segments two paths share."""
    shared = 0
    for left, right in zip(path.split("/"), other.split("/"), strict=False):
        if left != right:
            break
        shared += 1
    return shared
