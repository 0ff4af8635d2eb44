"""Attributes and decorators that stand before a definition and are no part of its node."""

from __future__ import annotations

import re

import tree_sitter

from pr_review.adapters.syntax.grammar import Match

_BLANKS = re.compile(rb"[ \t\r\n\f]*")


class Leads:
    """What `@lead` captured; comments (`@between`) may stand among it."""

    def __init__(self, source: bytes, matches: list[Match]) -> None:
        self._before: dict[int, tuple[tree_sitter.Node, bool]] = {}
        for _, captures in matches:
            for kind in ("lead", "between"):
                for node in captures.get(kind, ()):
                    blanks = _BLANKS.match(source, node.end_byte)
                    after = blanks.end() if blanks else node.end_byte
                    self._before[after] = (node, kind == "lead")

    def first(self, node: tree_sitter.Node) -> tree_sitter.Node:
        """The first of what leads up to a definition, the definition itself if nothing does."""
        found, place = node, node.start_byte
        while place in self._before:
            before, leads = self._before[place]
            place = before.start_byte
            found = before if leads else found
        return found
