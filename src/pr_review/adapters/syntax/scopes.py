"""Definitions, from the matches of a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import tree_sitter

from pr_review.adapters.syntax.grammar import Captures, Match, Patterns
from pr_review.adapters.syntax.leads import Leads
from pr_review.adapters.syntax.names import name_of
from pr_review.snapshot.outline import Scope, ScopeKind


@dataclass(frozen=True, slots=True)
class _Found:
    """A definition before its parent is known; offsets are in bytes.

    `place` makes two matches one definition: that of the name, or of the whole where it has none.
    """

    pattern: int
    place: int
    first: int
    last: int
    scope: tuple[str, ScopeKind, int, int, int, int]


def scopes_of(source: bytes, patterns: Patterns, matches: list[Match]) -> tuple[Scope, ...]:
    """The definitions by their first line, a parent before its children.

    Where several patterns name the same place, the first one of the query file holds. A name
    that an import binds (`const x = require('./x')`) is no definition.
    """
    best: dict[int, _Found] = {}
    leads = Leads(source, matches)
    for pattern, captures in matches:
        if found := _read(source, pattern, patterns.settings[pattern], captures, leads):
            known = best.setdefault(found.place, found)
            if found.pattern < known.pattern:
                best[found.place] = found
    for place in _imported(matches):
        best.pop(place, None)
    return _nested(sorted(best.values(), key=lambda f: (f.first, -f.last, f.place)))


def _imported(matches: list[Match]) -> set[int]:
    return {
        node.start_byte
        for _, captures in matches
        if "module" in captures
        for node in (*captures.get("alias", ()), *captures.get("taken", ()))
    }


def _read(
    source: bytes,
    pattern: int,
    settings: Mapping[str, str | None],
    captures: Captures,
    leads: Leads,
) -> _Found | None:
    """A match as a definition; `@head` and the start of `@body` tell where its signature ends."""
    kind = next((kind for kind in ScopeKind if kind.value in captures), None)
    if kind is None:
        return None
    node = captures[kind.value][0]
    named = captures.get("name", (node,))[0]
    name = name_of(source, named) if "name" in captures else settings.get("name") or ""
    first = leads.first(node)
    line = named.start_point.row
    end = max(_last_row(node), line)
    heads = [_last_row(head) for head in captures.get("head", ())]
    heads += [body.start_point.row for body in captures.get("body", ())]
    head = min(max(heads, default=line), end)
    numbers = (first.start_point.row + 1, line + 1, max(head, line) + 1, end + 1)
    place = named.start_byte
    return _Found(pattern, place, first.start_byte, node.end_byte, (name, kind, *numbers))


def _last_row(node: tree_sitter.Node) -> int:
    """The row of a node's last character: one that ends with a line feed ends on that row."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point.row else row


def _nested(found: list[_Found]) -> tuple[Scope, ...]:
    scopes: list[Scope] = []
    around: list[int] = []
    for index, item in enumerate(found):
        while around and not _holds(found[around[-1]], item):
            around.pop()
        scopes.append(Scope(*item.scope, parent=around[-1] if around else None))
        around.append(index)
    return tuple(scopes)


def _holds(outer: _Found, inner: _Found) -> bool:
    """Two that share one statement (`A, B = 1, 2`) stand side by side."""
    same = (outer.first, outer.last) == (inner.first, inner.last)
    return outer.first <= inner.first and inner.last <= outer.last and not same
