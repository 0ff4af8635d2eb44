"""What a file takes from elsewhere, from the matches of a query."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import tree_sitter

from pr_review.adapters.syntax.grammar import Captures, Match, Patterns
from pr_review.adapters.syntax.names import MAX_NAME, name_of
from pr_review.adapters.syntax.paths import taken_by
from pr_review.snapshot.outline import Import

_VERSION = re.compile(r"[/.]v[0-9]+$")
_SEPARATOR = re.compile(r"/|::|\\")


def imports_of(
    source: bytes, patterns: Patterns, matches: list[Match], separator: str
) -> tuple[Import, ...]:
    """The imports by line, each once.

    A bare import (`import './x'`) is left out where its statement takes names too.
    """
    found: dict[int, set[Import]] = {}
    for pattern, captures in matches:
        settings = patterns.settings[pattern]
        if path := captures.get("path"):
            found.setdefault(path[0].start_byte, set()).update(_paths(source, path[0], separator))
        elif module := captures.get("module"):
            item = _one(source, module[0], settings, captures)
            found.setdefault(module[0].start_byte, set()).add(item)
    said = {
        item
        for items in found.values()
        for item in items
        if item.name or item.alias or len(items) == 1
    }
    return tuple(sorted(said, key=lambda i: (i.line, i.module, i.name, i.alias)))


def _one(
    source: bytes,
    node: tree_sitter.Node,
    settings: Mapping[str, str | None],
    captures: Captures,
) -> Import:
    module = (settings.get("prefix") or "") + name_of(source, node).strip("<>").replace(" ", "")
    name, at = settings.get("name") or "", node
    if taken := captures.get("taken"):
        name, at = name_of(source, taken[0]), taken[0]
    if alias := captures.get("alias"):
        bound = name_of(source, alias[0])
    else:
        bound = _bound(settings.get("alias"), module, name)
    return Import(at.start_point.row + 1, module, name, "" if bound == "_" else bound)


def _bound(rule: str | None, module: str, name: str) -> str:
    """What a name is called here when the statement gives no other one."""
    if rule == "module":
        return module
    if rule == "last":
        return _SEPARATOR.split(_VERSION.sub("", module))[-1]
    return "" if name == "*" or rule == "none" else name


def _paths(source: bytes, node: tree_sitter.Node, separator: str) -> Iterator[Import]:
    text = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
    for offset, module, name, alias in taken_by(text, separator):
        line = node.start_point.row + 1 + text.count("\n", 0, offset)
        yield Import(line, module[:MAX_NAME], name[:MAX_NAME], alias[:MAX_NAME])
