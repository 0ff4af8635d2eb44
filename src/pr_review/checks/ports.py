"""What the checks ask of the repository."""

from __future__ import annotations

from typing import Protocol


class Tree(Protocol):
    """Files of the head commit, and contents by object id. Every method raises `SnapshotError`.

    Asked file by file: an implementation answers from what it fetched or listed at once.
    """

    def blob(self, oid: str) -> bytes | None:
        """Content of an object of the change's file list; None if it is not to be had."""

    def exists(self, path: str) -> bool:
        """Whether the head holds a file at this path."""

    def read(self, path: str) -> bytes | None:
        """Content of a regular file at the head; None if there is none at this path."""
