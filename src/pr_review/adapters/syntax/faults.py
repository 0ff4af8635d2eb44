"""How much of a file does not parse: what a change of it can be measured by."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import PurePosixPath

import tree_sitter
import yaml

from pr_review.adapters.syntax.grammar import grammar_of
from pr_review.adapters.syntax.languages import language_of
from pr_review.adapters.syntax.parse import OutOfBounds, parse

# PyYAML reads a megabyte in ten seconds.
_MAX_DATA_BYTES = 64 * 1024


def faults(path: str, text: bytes) -> int | None:
    """Places in a file that its language does not allow; of data formats 1 if it does not parse.

    None where that cannot be told: no grammar, no UTF-8, a file over the bounds of the parser.
    """
    reads = _DATA.get(PurePosixPath(path).suffix.lower())
    if reads is not None:
        return None if len(text) > _MAX_DATA_BYTES else int(not _parses(reads, text))
    language = language_of(path)
    if language is None:
        return None
    try:
        return _errors(parse(grammar_of(language), text).root_node)
    except (OutOfBounds, ImportError):
        return None


def _errors(root: tree_sitter.Node) -> int:
    """Nodes that are errors or that the parser made up; only trees with some are looked into."""
    count, stack = 0, [root]
    while stack:
        node = stack.pop()
        count += node.is_error or node.is_missing
        if node.has_error:
            stack.extend(node.children)
    return count


def _parses(reads: Callable[[str], object], text: bytes) -> bool:
    try:
        reads(text.decode())
    except (ValueError, RecursionError, yaml.YAMLError):
        return False
    return True


def _yaml(text: str) -> None:
    """Events alone: nothing is built, and no alias is followed."""
    for _ in yaml.parse(text, Loader=yaml.SafeLoader):
        pass


_DATA: dict[str, Callable[[str], object]] = {
    ".json": json.loads,
    ".toml": tomllib.loads,
    ".yml": _yaml,
    ".yaml": _yaml,
}
