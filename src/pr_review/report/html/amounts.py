"""How much of something the model saw: counts, and the bar that draws them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pr_review.domain.ledger import Entry


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a bar that is 100 wide: `kind` is shown, folded or omitted."""

    kind: str
    start: str
    width: str


@dataclass(frozen=True, slots=True)
class Amount:
    """Lines or tokens: printed, exactly described, left out."""

    shown: int = 0
    folded: int = 0
    omitted: int = 0

    @property
    def total(self) -> int:
        return self.shown + self.folded + self.omitted

    @property
    def share(self) -> str:
        """What is in sight, shown or folded, in whole percent: `100%` only if nothing is left out,
        `–` if there is nothing to see."""
        if not self.total:
            return "–"
        seen = self.shown + self.folded
        percent = 100 * seen // self.total
        return "<1%" if seen and not percent else f"{percent}%"

    @property
    def segments(self) -> tuple[Segment, ...]:
        return tuple(self._segments())

    def _segments(self) -> Iterator[Segment]:
        start = 0
        for kind, count in (
            ("shown", self.shown),
            ("folded", self.folded),
            ("omitted", self.omitted),
        ):
            if count:
                yield Segment(kind, _percent(start, self.total), _percent(count, self.total))
            start += count

    def __add__(self, other: Amount) -> Amount:
        return Amount(
            self.shown + other.shown, self.folded + other.folded, self.omitted + other.omitted
        )


def lines_of(entries: Iterable[Entry]) -> Amount:
    """Changed lines, by git's count."""
    return sum((Amount(e.shown, e.folded, e.omitted) for e in entries), Amount())


def tokens_of(entries: Iterable[Entry]) -> Amount:
    """Tokens sent; those that a fold saved in files that are all in sight; those left out."""
    return sum((_tokens(entry) for entry in entries), Amount())


def _tokens(entry: Entry) -> Amount:
    unsent = max(entry.full_tokens - entry.tokens, 0)
    if entry.in_sight:
        return Amount(entry.tokens, unsent, 0)
    return Amount(entry.tokens, 0, unsent)


def _percent(count: int, total: int) -> str:
    return f"{100 * count / total:.2f}"
