"""The common form of manifests and lock files: names of dependencies and what is asked of them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

Table = Mapping[str, frozenset[str]]
"""Requirements by name; a name has several if several tables list it."""

ANY = "?"
"""A requirement that cannot be compared, such as a path or a git address."""

NOTHING: frozenset[str] = frozenset()

_LARGEST_BYTES = 16_000_000
_T = TypeVar("_T")


class Lock(Protocol):
    """What a lock file says of the manifests it covers."""

    def covers(self, member: str, declared: Table, *, beside: bool) -> bool:
        """Whether it locks a manifest. `beside`: the two stand in one folder."""

    def agrees(self, member: str, name: str, specs: frozenset[str]) -> bool:
        """Whether it records just these requirements; none means that it records none."""

    def recorded(self) -> Mapping[str, Table]:
        """Requirements as it records them, by member; empty if it keeps no such record."""


@dataclass(frozen=True, slots=True)
class Direct:
    """A lock file that repeats the requirements of each manifest."""

    tables: Mapping[str, Table]

    def covers(self, member: str, declared: Table, *, beside: bool) -> bool:  # noqa: ARG002
        return member in self.tables

    def agrees(self, member: str, name: str, specs: frozenset[str]) -> bool:
        kept = self.tables.get(member, {}).get(name, NOTHING)
        if not kept or not specs:
            return not kept and not specs
        return ANY in kept | specs or kept <= specs

    def recorded(self) -> Mapping[str, Table]:
        return self.tables


@dataclass(frozen=True, slots=True)
class Pool:
    """A lock file that lists what is locked, without saying who asked for it."""

    entries: frozenset[tuple[str, str]]

    def covers(self, member: str, declared: Table, *, beside: bool) -> bool:
        known = all(self.agrees(member, name, specs) for name, specs in declared.items())
        return beside or (bool(declared) and known)

    def agrees(self, member: str, name: str, specs: frozenset[str]) -> bool:  # noqa: ARG002
        return all(spec == ANY or (name, spec) in self.entries for spec in specs)

    def recorded(self) -> Mapping[str, Table]:
        return {}


def read(parse: Callable[[str], _T], data: bytes | None) -> _T | None:
    """A manifest or lock file through its parser; None if it is none, or cannot be read."""
    if data is None or len(data) > _LARGEST_BYTES:
        return None
    try:
        return parse(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return None


def merged(pairs: Iterator[tuple[str, str]]) -> Table:
    table: dict[str, frozenset[str]] = {}
    for name, spec in pairs:
        table[name] = table.get(name, NOTHING) | {spec}
    return table


def objects(value: object) -> dict[str, object]:
    """The value if it is an object or a TOML table, else an empty one."""
    return value if isinstance(value, dict) else {}


def json_object(text: str) -> dict[str, object]:
    """Raises ValueError for what is no JSON object."""
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError("no JSON object")
    return value


def toml_packages(text: str, wanted: Callable[[str], object]) -> Iterator[dict[str, object]]:
    """The `[[package]]` tables whose text is wanted; only those are parsed, for speed."""
    for block in text.split("\n[[package]]\n")[1:]:
        if wanted(block):
            packages = tomllib.loads("[[package]]\n" + block)["package"]
            yield packages[0]
