"""The lists of a review's findings, which lead to their lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pr_review.domain.finding import Judged, Place, Severity
from pr_review.domain.review import Run, Told
from pr_review.domain.text import visible_line
from pr_review.report.html.cards import Card, card
from pr_review.report.html.places import Link, Places, address
from pr_review.report.html.prose import Span, spans

_LEFT_OUT = {
    Place.REFUTED: "Refuted by the verify pass",
    Place.WITHHELD: "Not repeated",
    Place.MINOR: "Below min-severity",
    Place.REJECTED: "Did not hold",
    Place.MERGED: "Part of another finding",
}


@dataclass(frozen=True, slots=True)
class Earlier:
    """A finding that an earlier review told: `url` leads there, if it is known."""

    severity: str
    title: tuple[Span, ...]
    place: Link
    url: str
    reason: str


@dataclass(frozen=True, slots=True)
class Lists:
    """All findings of a run: those worth the author's time, those noted for a reviewer, those
    still open from before, those resolved since, and what was left out, by what became of it.

    `counts` are those of the first three, by severity, the worst first.
    """

    worth: tuple[Card, ...]
    noted: tuple[Card, ...]
    open: tuple[Earlier, ...]
    resolved: tuple[Earlier, ...]
    left_out: tuple[tuple[str, tuple[Card, ...]], ...]
    counts: tuple[tuple[str, int], ...]

    @property
    def left_out_count(self) -> int:
        return sum(len(cards) for _, cards in self.left_out)


def lists(run: Run, cards: Sequence[tuple[Judged, Card]], places: Places) -> Lists:
    """`cards` are those that stand among the lines."""
    told = [(judged, card) for judged, card in cards if judged.place.tells]
    return Lists(
        tuple(card for judged, card in told if judged.place is not Place.NOTED),
        tuple(card for judged, card in told if judged.place is Place.NOTED),
        tuple(_earlier(told, places) for told in run.still_open),
        tuple(_earlier(told, places) for told in run.resolved),
        tuple(_left_out(run, places)),
        tuple(_counts(run)),
    )


def _counts(run: Run) -> Iterator[tuple[str, int]]:
    found = Counter(judged.finding.severity for judged in run.findings)
    found += Counter(told.severity for told in run.still_open)
    yield from ((level.label, found[level]) for level in reversed(Severity) if found[level])


def _left_out(run: Run, places: Places) -> Iterator[tuple[str, tuple[Card, ...]]]:
    for place, words in _LEFT_OUT.items():
        if cards := tuple(_listed(one, places) for one in run.judged if one.place is place):
            yield words, cards


def _listed(judged: Judged, places: Places) -> Card:
    """A finding that stands in a list alone; what another one says, it need not say again."""
    made = card(judged, places)
    if judged.place is not Place.MERGED:
        return made
    return replace(made, body=(), suggestion=None, also=())


def _earlier(told: Told, places: Places) -> Earlier:
    return Earlier(
        told.severity.label,
        spans(told.title),
        places.link(told),
        address(told.url),
        visible_line(told.reason),
    )
