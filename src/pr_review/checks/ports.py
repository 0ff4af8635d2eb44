"""What the checks ask of the repository, and of a reader of YAML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


class Tree(Protocol):
    """Files of the head commit, and contents by object id. Every method raises `SnapshotError`.

    Asked file by file: an implementation answers from what it fetched or listed at once.
    """

    def blob(self, oid: str) -> bytes | None:
        """Content of an object of the change's file list; None if it is not to be had."""

    def sizes(self, oids: Sequence[str]) -> Mapping[str, int]:
        """Bytes of objects of the change's file list, at once; without those it cannot tell."""

    def exists(self, path: str) -> bool:
        """Whether the head holds a file at this path."""

    def read(self, path: str) -> bytes | None:
        """Content of a regular file at the head; None if there is none at this path."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar of a YAML file, as it is written: `path` holds the keys and indices that lead to
    it, `line` is where it begins (1-based). An empty mapping or sequence is a leaf without value;
    an alias is one of the value `*name`.
    """

    path: tuple[str, ...]
    value: str
    line: int


YamlReader = Callable[[bytes], Sequence[Leaf] | None]
"""The leaves of a file in its order; None for what is too large or no YAML of one document."""
