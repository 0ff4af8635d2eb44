"""Names as an outline holds them: bounded text, and the dotted name before a member."""

from __future__ import annotations

import re

import tree_sitter

MAX_NAME = 200

_BLANK = re.compile(r"[\x00-\x20]+")
_GENERIC = re.compile(r"(?:::)?<[^<>()]*>")
_ASSURED = re.compile(r"[!?]+(?=\.|$)")  # of a value that may be missing
# By code point, not by the interpreter's classes: all but blanks and what builds expressions.
_DOTTED = re.compile(r"[^\x00-\x20()\[\]{}\"'`+*/%&|^=<>,;~-]+")


def name_of(source: bytes, node: tree_sitter.Node) -> str:
    """A node's text on one line, quotes and a symbol's colon taken off, at most 200 characters."""
    text = source[node.start_byte : min(node.end_byte, node.start_byte + 4 * MAX_NAME)]
    return _BLANK.sub(" ", text.decode("utf-8", "replace")).strip("\"'`: ")[:MAX_NAME]


def qualifier_of(source: bytes, node: tree_sitter.Node) -> str:
    """The dotted name that stands before a member, `?` for any other expression."""
    if node.end_byte - node.start_byte > 2 * MAX_NAME:
        return "?"
    text = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
    text = _BLANK.sub("", text).replace("->", ".")
    text = _ASSURED.sub("", _GENERIC.sub("", text))
    return text[:MAX_NAME] if _DOTTED.fullmatch(text) else "?"
