"""Two sources of one change: the second is asked where git cannot reach the server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from pr_review.change.ports import ChangeSource
from pr_review.domain.diff import Change
from pr_review.errors import ServerUnreachable

Source = TypeVar("Source", bound=ChangeSource)


class Fallback(Generic[Source]):
    """A `ChangeSource` that is `first`, or what `second` makes once the first is unreachable.

    What is asked before `change` goes to the first. From then on one source answers
    everything: object ids and commits of one run come from one place. `say` is told why.
    """

    def __init__(
        self, first: Source, second: Callable[[], Source], say: Callable[[str], None]
    ) -> None:
        self.source = first
        self._second = second
        self._say = say

    def change(self) -> Change:
        try:
            return self.source.change()
        except ServerUnreachable as error:
            self._say(f"git could not read the change, so GitHub's API is asked for it: {error}")
            self.source = self._second()
        return self.source.change()

    def blobs(self, oids: Sequence[str]) -> Mapping[str, bytes]:
        return self.source.blobs(oids)

    def head_files(self) -> Mapping[str, str]:
        return self.source.head_files()

    def touched_since(self, commit: str) -> Mapping[str, tuple[range, ...]]:
        return self.source.touched_since(commit)
