"""What the change stage asks of a source of changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from pr_review.domain.diff import Change


class ChangeSource(Protocol):
    """Reads one change. Every method raises `SnapshotError`."""

    def change(self) -> Change:
        """The change between the merge base and the head, hunks included."""

    def blobs(self, oids: Sequence[str]) -> Mapping[str, bytes]:
        """Contents by object id, in one round trip; an id that is not there is left out."""

    def head_files(self) -> Mapping[str, str]:
        """Object ids of the head's regular files by path; none where there is no commit."""

    def touched_since(self, commit: str) -> Mapping[str, tuple[range, ...]]:
        """New-side line ranges in which the change's files differ from an earlier commit.

        The head's file at a path is compared with what stood at the same path at `commit`. A
        deletion is an empty range at the line it stood before; a file that differs in no line
        (its mode, an empty file) has no range; one whose lines cannot be told has a range over
        all, and so has one that the change to `commit` compared with another file or not at all,
        as the old or the new name of a rename. A path of the change that is not in the mapping
        is the same in both.

        Raises `SnapshotError` where the commit cannot be had.
        """
