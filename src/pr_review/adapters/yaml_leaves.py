"""Reads YAML as the list of its scalars: nothing is built of it, so no file can make us build much.

Events come one by one and by a loop: neither deep nesting nor aliases cost more than the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from pr_review.checks.ports import Leaf

_LARGEST_BYTES = 262_144
_DEEPEST = 12
# libyaml's, twenty times as fast, wherever the library was built with it
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(slots=True)
class _Level:
    """A mapping or sequence that is open; `key` is the present one, an index in a sequence."""

    line: int
    mapping: bool
    key: str | None = None
    count: int = 0

    def enter(self) -> None:
        """Before each value of a sequence."""
        if not self.mapping:
            self.key = str(self.count)
            self.count += 1


def leaves(data: bytes) -> tuple[Leaf, ...] | None:
    """A `checks.ports.YamlReader`: the leaves of a file of one document, in its order."""
    if len(data) > _LARGEST_BYTES:
        return None
    try:
        return tuple(_read(data.decode("utf-8-sig")))
    except (yaml.YAMLError, ValueError):
        return None


def _read(text: str) -> Iterator[Leaf]:
    levels: list[_Level] = []
    documents = 0
    for event in yaml.parse(text, Loader=_LOADER):
        line = event.start_mark.line + 1 if event.start_mark else 0
        match event:
            case yaml.DocumentStartEvent():
                documents += 1
                if documents > 1:
                    raise ValueError("more than one document")
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                if levels:
                    levels[-1].enter()
                levels.append(_Level(line, isinstance(event, yaml.MappingStartEvent)))
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                ended = levels.pop()
                if not ended.count and len(levels) < _DEEPEST:
                    yield Leaf(_path(levels), "", ended.line)
                if levels:
                    _left(levels[-1])
            case yaml.ScalarEvent() | yaml.AliasEvent():
                value = event.value if isinstance(event, yaml.ScalarEvent) else f"*{event.anchor}"
                yield from _value(levels, value, line)
            case _:
                continue


def _value(levels: list[_Level], value: str, line: int) -> Iterator[Leaf]:
    """A scalar is a key, or the value of the present one."""
    if levels and levels[-1].mapping and levels[-1].key is None:
        levels[-1].key = value
        levels[-1].count += 1
        return
    if levels:
        levels[-1].enter()
    if len(levels) <= _DEEPEST:
        yield Leaf(_path(levels), value, line)
    if levels:
        _left(levels[-1])


def _left(level: _Level) -> None:
    """A value has ended: in a mapping the next scalar is a key."""
    if level.mapping:
        level.key = None


def _path(levels: list[_Level]) -> tuple[str, ...]:
    return tuple(level.key or "" for level in levels)
