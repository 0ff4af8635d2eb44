"""Parsing within bounds that are counted, so that equal bytes always end the same way."""

from __future__ import annotations

import tree_sitter

MAX_BYTES = 512 * 1024
MAX_NODES = 500_000
MAX_DEPTH = 1_000
_CHUNK = 4096


class OutOfBounds(Exception):  # noqa: N818 - a reason, not an error
    """A file costs more than it may; the text says which bound it passed."""


def parse(language: tree_sitter.Language, text: bytes) -> tree_sitter.Tree:
    """The tree of a file, broken syntax or not. Raises `OutOfBounds`."""
    if len(text) > MAX_BYTES:
        raise OutOfBounds(f"over {MAX_BYTES // 1024} KiB")
    tree = _parsed(language, text)
    if tree.root_node.descendant_count > MAX_NODES:
        raise OutOfBounds(f"over {MAX_NODES:,} nodes")
    _check_shape(tree.root_node)
    return tree


def _parsed(language: tree_sitter.Language, text: bytes) -> tree_sitter.Tree:
    """Counts two things: steps of about a hundred operations of the parser, and the blocks that
    its lexer reads again and again where tokens end far behind their start or not at all. Ordinary
    source takes a twentieth of what is granted, the densest text of short lines a half.
    """
    steps = reads = 0
    max_steps, max_reads = 1_000 + len(text) // 8, 1_000 + 16 * len(text) // _CHUNK

    def read(offset: int, _point: tree_sitter.Point) -> bytes:
        nonlocal reads
        reads += 1
        return text[offset : offset + _CHUNK]

    def progress(_offset: int, _has_error: bool) -> bool:  # noqa: FBT001 - tree-sitter's signature
        nonlocal steps
        steps += 1
        return steps > max_steps or reads > max_reads

    try:
        return tree_sitter.Parser(language).parse(read, progress_callback=progress)
    except ValueError:  # what a cancelled parse raises
        raise OutOfBounds("too many steps to parse") from None


def _check_shape(root: tree_sitter.Node) -> None:
    """Queries cost nodes times depth, and nodes times neighbours without a name (as in `[,,,,]`
    or a file of brackets that nothing closes): neither may pass `MAX_DEPTH`.

    Only subtrees large enough to hold such a thing are looked into.
    """
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise OutOfBounds(f"over {MAX_DEPTH:,} levels deep")
        unnamed = 0
        for child in node.children:
            unnamed = 0 if child.is_named else unnamed + 1
            if unnamed > MAX_DEPTH:
                raise OutOfBounds(f"over {MAX_DEPTH:,} tokens without structure")
            if child.descendant_count > MAX_DEPTH // 2:
                stack.append((child, depth + 1))
