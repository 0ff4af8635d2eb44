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
        """New-side line ranges of the change's hunks that the change to an earlier commit, from
        the same merge base, did not hold.

        A hunk without lines on the new side is an empty range at the line it stood before; a
        file of which the mode differs and no hunk (or an empty file) has no range; one whose
        lines cannot be told has a range over all, and so has one that the change to `commit` did
        not hold or compared with another file, as after a rename. A path of the change that is
        not in the mapping has no hunk that is new.

        Raises `SnapshotError` where the commit cannot be had.
        """
