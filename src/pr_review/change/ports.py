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
