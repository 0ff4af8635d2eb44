"""Files near one that asks: those called like something, and those beside it, best first."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence

from pr_review.snapshot.dependencies.effort import Effort
from pr_review.snapshot.dependencies.steps import Wanted
from pr_review.snapshot.dependencies.tree import Tree, is_test, nearness, stem_of
from pr_review.snapshot.dependencies.words import affinity

MOST_SUGGESTED = 3
_MOST_SIBLINGS = 12
_MOST_BESIDE = 100


class Nearby:
    """Ranks files of one tree; what was found near a file is kept."""

    def __init__(self, tree: Tree, effort: Effort) -> None:
        self._tree = tree
        self._effort = effort
        self._near: dict[tuple[str, str], tuple[str, ...]] = {}

    def nearest(self, wanted: Wanted, hint: str) -> tuple[str, ...]:
        """The files that are called like one hint, the first of those nearest to a file."""
        key = (wanted.path, hint)
        if key not in self._near:
            found = self._tree.suggested(hint, wanted.language)
            others = (file for file in found if file != wanted.path)
            self._near[key] = tuple(sorted(others, key=nearer(wanted.path))[:MOST_SUGGESTED])
        return self._near[key]

    def siblings(
        self, wanted: Wanted, files: Sequence[str], hints: tuple[str, ...]
    ) -> tuple[str, ...]:
        """The files beside one that stands for its folder, which mostly exports theirs: first
        those that sound like what is looked for.
        """
        found: list[str] = []
        barrels = wanted.language.barrels
        for barrel in files[:_MOST_BESIDE] if barrels else ():
            if posixpath.basename(barrel) in barrels:
                beside = self._tree.folder(posixpath.dirname(barrel))
                ranked = self.ranked(wanted, beside, hints)
                found += ranked[:_MOST_SIBLINGS]
        return tuple(dict.fromkeys(file for file in found if file not in files))

    def ranked(
        self, wanted: Wanted, files: Sequence[str], hints: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Files of the language but the asking one: best sounding first, else in their order;
        of a huge folder only those that sound like a hint.
        """
        if len(files) > _MOST_BESIDE:
            tests = is_test(wanted.path)
            near = self._tree.sounding(posixpath.dirname(files[0]), hints)
            files = [file for file in near if tests or not is_test(file)]
        self._effort.take(1 + len(files))
        others = (f for f in files if f != wanted.path and f.endswith(wanted.language.suffixes))
        return tuple(sorted(others, key=lambda f: -sound(f, hints)))


def nearer(path: str) -> Callable[[str], tuple[bool, int, str]]:
    """A key that sorts files by how near they are to one, tests last."""
    return lambda file: (is_test(file), -nearness(path, file), file)


def sound(path: str, hints: tuple[str, ...]) -> int:
    """How much a file's name sounds like one of the hints; 0 if like none."""
    stem = stem_of(path)
    return max((affinity(hint, stem) for hint in hints), default=0)


def count_likely(files: Sequence[str], hints: tuple[str, ...]) -> int:
    """How many files, which are ranked by it, sound like one of the hints."""
    return sum(sound(file, hints) > 0 for file in files)
