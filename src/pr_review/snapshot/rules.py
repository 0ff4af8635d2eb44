"""How a path finds the rule that names its kind: whole segments, names and suffixes.

A look-up costs time that grows with the length of the path alone: a pull request chooses its
paths, so no pattern may backtrack over folders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pr_review.domain.ledger import Tier

_MOST_CACHED = 65_536


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of file that is not source, by its path.

    `patterns` are separated by blanks: `name.json` and `*.pb.go` are file names in any folder
    (letters of either case after a leading `*.`), `vendor/` is everything in a folder of that
    name, `db/schema.rb` a name right in one, `dist/**/*.js` a name anywhere below one. `*`, `?`
    and `[a-z]` stay within a name; a folder is spelled out, but for one `*` at its start.

    The rule holds only `below` one of these folders, and not where one of `not_below` stands
    above the folder of the pattern; `unless` are patterns it does not hold for. `data` says
    that no machine runs such a file, `binary` that its form is never text: text under such a name
    is not what the name says. `source` is where the fact can be looked up.
    """

    what: str
    tier: Tier
    patterns: str
    source: str = ""
    data: bool = False
    binary: bool = False
    below: frozenset[str] = frozenset()
    not_below: frozenset[str] = frozenset()
    unless: str = ""


@dataclass(frozen=True, slots=True)
class _Pattern:
    folders: tuple[str, ...]
    deep: bool
    name: str

    @classmethod
    def parse(cls, text: str) -> _Pattern:
        *folders, name = text.split("/")
        deep = not name or folders[-1:] == ["**"]
        return cls(tuple(folder for folder in folders if folder != "**"), deep, name or "*")

    def places(self, folders: Sequence[str]) -> Iterator[int]:
        """Where in a path's folders those of the pattern begin, so that the name stands below."""
        if not self.folders:
            yield len(folders)
            return
        size = len(self.folders)
        starts = range(len(folders) - size + 1) if self.deep else [len(folders) - size]
        for start in starts:
            if start >= 0 and all(
                _same_folder(mine, folders[start + i]) for i, mine in enumerate(self.folders)
            ):
                yield start

    def names(self, name: str) -> bool:
        return self.name == "*" or bool(_name_pattern(self.name).fullmatch(name))


class Rules:
    """Rules in order: the first one that holds for a path names its kind."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)
        self._unless = tuple(_parsed(rule.unless) for rule in rules)
        self._by_key: dict[str, list[tuple[int, _Pattern]]] = {}
        for number, rule in enumerate(rules):
            for pattern in _parsed(rule.patterns):
                self._by_key.setdefault(_key(pattern), []).append((number, pattern))
        self._loose = _Loose([pattern for _, pattern in self._by_key.get("", ())])
        self.find = lru_cache(maxsize=_MOST_CACHED)(self._find)

    def _find(self, path: str) -> Rule | None:
        """The rule that names the kind of a path, None for what people write."""
        *folders, name = path.split("/")
        best = len(self._rules)
        keys = {*_keys(folders, name)}
        if self._loose.may_hold(folders, name):
            keys.add("")
        for key in keys:
            for number, pattern in self._by_key.get(key, ()):
                if number < best and self._holds(number, pattern, folders, name):
                    best = number
        return self._rules[best] if best < len(self._rules) else None

    def _holds(self, number: int, pattern: _Pattern, folders: Sequence[str], name: str) -> bool:
        rule = self._rules[number]
        # The first place has the fewest folders above it.
        start = next(pattern.places(folders), None)
        if start is None or not pattern.names(name):
            return False
        if rule.below and rule.below.isdisjoint(folders):
            return False
        if pattern.folders and not rule.not_below.isdisjoint(folders[:start]):
            return False
        return not any(
            other.names(name) and next(other.places(folders), None) is not None
            for other in self._unless[number]
        )


class _Loose:
    """Patterns that no folder, name or suffix leads to, asked all at once: few paths fit any."""

    def __init__(self, patterns: Sequence[_Pattern]) -> None:
        names = {_expression(pattern.name) for pattern in patterns if not pattern.folders}
        self._names = re.compile("|".join(sorted(names)) or r"(?!)", re.ASCII | re.DOTALL)
        ends = {pattern.folders[0].removeprefix("*") for pattern in patterns if pattern.folders}
        self._ends = tuple(sorted(ends))

    def may_hold(self, folders: Sequence[str], name: str) -> bool:
        """False only if none of the patterns holds for a path."""
        if self._names.fullmatch(name):
            return True
        return bool(self._ends) and any(folder.endswith(self._ends) for folder in folders)


def _key(pattern: _Pattern) -> str:
    """What a path must hold for the pattern to be tried: a folder, a name or a suffix."""
    if pattern.folders:
        return "" if "*" in pattern.folders[0] else f"{pattern.folders[0]}/"
    if not set("*?[") & set(pattern.name):
        return pattern.name
    tail = pattern.name[1:]
    return tail.lower() if pattern.name.startswith("*.") and not set("*?[") & set(tail) else ""


def _keys(folders: Sequence[str], name: str) -> Iterator[str]:
    yield from (f"{folder}/" for folder in folders)
    yield name
    yield from (name[dot.start() :].lower() for dot in re.finditer(r"\.", name))


def _parsed(patterns: str) -> tuple[_Pattern, ...]:
    return tuple(_Pattern.parse(pattern) for pattern in patterns.split())


def _same_folder(pattern: str, folder: str) -> bool:
    return folder.endswith(pattern[1:]) if pattern.startswith("*") else folder == pattern


@lru_cache(maxsize=2_048)
def _name_pattern(glob: str) -> re.Pattern[str]:
    return re.compile(_expression(glob), re.ASCII | re.DOTALL)


def _expression(glob: str) -> str:
    """A glob as a regular expression, of either case where only its ending is given."""
    marks = {"*": ".*", "?": "."}
    parts = re.findall(r"\[[^\]]+\]|.", glob)
    pattern = "".join(
        part if part.startswith("[") and len(part) > 1 else marks.get(part, re.escape(part))
        for part in parts
    )
    return f"(?i:{pattern})" if glob.startswith("*.") else f"(?:{pattern})"
