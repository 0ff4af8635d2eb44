"""The files of a head commit as GitHub's REST API lists them, for the checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from pr_review.errors import SnapshotError


class _Source(Protocol):
    """What a `RestSource` reads, each with `SnapshotError` where it cannot."""

    def blobs(self, oids: Sequence[str]) -> Mapping[str, bytes]: ...
    def sizes(self) -> Mapping[str, int]: ...
    def head_files(self) -> Mapping[str, str]: ...


class HeadListing:
    """A `checks.ports.Tree` over the list of the head's files.

    A content that cannot be had any more, since the server fails or the time is up, is None.
    """

    def __init__(self, source: _Source) -> None:
        self._source = source

    def blob(self, oid: str) -> bytes | None:
        try:
            return self._source.blobs([oid]).get(oid)
        except SnapshotError:
            return None

    def sizes(self, oids: Sequence[str]) -> Mapping[str, int]:
        try:
            known = self._source.sizes()
        except SnapshotError:
            return {}
        return {oid: known[oid] for oid in oids if oid in known}

    def exists(self, path: str) -> bool:
        return path in self._source.head_files()

    def read(self, path: str) -> bytes | None:
        oid = self._source.head_files().get(path)
        return None if oid is None else self.blob(oid)
