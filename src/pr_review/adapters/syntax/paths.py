"""Imports that are written as one path with groups in it: `a::b::{self, c as d, e::*}`."""

from __future__ import annotations

import re
from collections.abc import Iterator

_KEYWORDS = re.compile(r"(?:(?:use|import|using)[ \t\n]+)?(?:(?:function|const)[ \t\n]+)?")
_TOKEN = re.compile(r"::|=>|[{},.\\]|[^\x00-\x20{},.\\:;=>]+")
_EVERYTHING = ("*", "_")
_MAX_DEPTH = 20
_MAX_NAMES = 1_000


def taken_by(text: str, separator: str) -> Iterator[tuple[int, str, str, str]]:
    """Offset, module, name and alias of each thing that a path takes, at most 1,000.

    A path of one name is a module itself. `self` in a group is what the group belongs to, as
    in Rust. Groups nested over 20 deep are not followed.
    """
    outer: list[tuple[str, ...]] = []
    prefix: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    alias, renaming, offset, count = "", False, 0, 0
    keywords = _KEYWORDS.match(text)
    for match in _TOKEN.finditer(f"{text},", keywords.end() if keywords else 0):
        part = match[0]
        if part == "{":
            outer.append(prefix)
            prefix, names = prefix + names, ()
        elif part in {",", "}"}:
            if names and (count := count + 1) <= _MAX_NAMES:
                yield offset, *_taken(prefix, names, alias, separator)
            names, alias, renaming = (), "", False
            if part == "}":
                prefix = outer.pop() if outer else ()
        elif part in {"as", "=>"}:
            renaming = True
        elif renaming:
            alias = part
        elif part not in {"::", ".", "\\"}:
            names, offset = (*names, part), match.start()
        if len(outer) > _MAX_DEPTH or len(names) > _MAX_NAMES:
            return


def _taken(
    prefix: tuple[str, ...], names: tuple[str, ...], alias: str, separator: str
) -> tuple[str, str, str]:
    whole = prefix if prefix and names == ("self",) else prefix + names
    *module, name = whole
    if not module:
        return name, "", _bound(alias or name)
    if name in _EVERYTHING:
        return separator.join(module), "*", ""
    return separator.join(module), name, _bound(alias or name)


def _bound(alias: str) -> str:
    return "" if alias == "_" else alias
