"""Parsing within bounds that are counted, so that equal bytes always end the same way."""

from __future__ import annotations

import sys

import tree_sitter

MAX_BYTES = 512 * 1024
MAX_NODES = 500_000
MAX_DEPTH = 1_000
_BLOCK = 4096
_TOO_MANY_STEPS = "too many steps to parse"


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
    """Counts steps of about a hundred operations of the parser, and blocks read. Ordinary source
    takes a twentieth of what is granted, the densest text of short lines a half.
    """
    steps, max_steps = 0, 1_000 + len(text) // 8
    blocks = _Blocks(text)

    def progress(_offset: int, _has_error: bool) -> bool:  # noqa: FBT001 - tree-sitter's signature
        nonlocal steps
        steps += 1
        return steps > max_steps or blocks.spent

    try:
        tree = tree_sitter.Parser(language).parse(blocks.read, progress_callback=progress)
    except ValueError:  # what a cancelled parse raises
        raise OutOfBounds(_TOO_MANY_STEPS) from None
    if blocks.spent:
        raise OutOfBounds(_TOO_MANY_STEPS)
    blocks.free()
    return tree


class _Blocks:
    """The text in blocks, as a lexer asks for them. One that looks for the end of a token in all
    that is left, again and again, within one step of the parser, finds that the text has ended.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._end = 0
        self._left = 1_000 + 16 * len(text) // _BLOCK

    @property
    def spent(self) -> bool:
        """Whether more was read than is granted: then the tree is not that of the text."""
        return self._left < 0

    def free(self) -> None:
        """Grants all further reads: predicates of queries read the text through the tree."""
        self._left = sys.maxsize

    def read(self, offset: int, _point: tree_sitter.Point) -> bytes:
        self._left -= 1
        if not self.spent:
            self._end = min(offset + _BLOCK, len(self._text))
            return self._text[offset : self._end]
        # the rest of a character that the last block has begun: without it tree-sitter crashes
        return self._text[offset : self._end] if self._end - 4 < offset < self._end else b""


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
            unnamed = 0 if child.is_named and not child.is_error else unnamed + 1
            if unnamed > MAX_DEPTH:
                raise OutOfBounds(f"over {MAX_DEPTH:,} tokens without structure")
            if child.descendant_count > MAX_DEPTH // 2:
                stack.append((child, depth + 1))
