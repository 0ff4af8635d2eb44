"""A finding as the page tells it, in full."""

from __future__ import annotations

from dataclasses import dataclass

from pr_review.domain.finding import Finding, Judged, Place
from pr_review.domain.review import Run
from pr_review.domain.text import visible, visible_line
from pr_review.report.html.places import Link, Places
from pr_review.report.html.prose import Block, Span, blocks, spans

NOT_LISTED = "its lines are not on this page"


@dataclass(frozen=True, slots=True)
class Card:
    """`id` is that of its card among the lines; empty if its file is not on the page, or if it is
    told in no place but a list. `place` leads to its lines, `also` to the other places of a
    pattern; `merged` is what was taken for the same, and who said it; `reason` says why it stands
    at no line, is not inline, or was left out."""

    id: str
    severity: str
    title: tuple[Span, ...]
    body: tuple[Block, ...]
    place: Link
    said: str
    reason: str = ""
    suggestion: str | None = None
    also: tuple[Link, ...] = ()
    merged: tuple[tuple[tuple[Span, ...], str], ...] = ()


def standing(run: Run, places: Places) -> tuple[tuple[Judged, Card], ...]:
    """The findings that stand among the lines: those that this run tells, as ranked, then those
    that it met again and an earlier review told."""
    told = [judged for judged in run.judged if judged.place is Place.TOLD]
    return tuple(
        (judged, card(judged, places, name=f"n{index}"))
        for index, judged in enumerate((*run.findings, *told), 1)
    )


def card(judged: Judged, places: Places, *, name: str = "") -> Card:
    """A finding; with a `name` it stands among the lines, if its file is on the page."""
    finding, place = judged.finding, places.place(judged.finding)
    stands = bool(name) and place.file is not None
    reasons = [judged.reason] if judged.reason else []
    if stands and finding.start is not None and not place.spots:
        reasons.append(NOT_LISTED)
    return Card(
        id=name if stands else "",
        severity=finding.severity.label,
        title=spans(finding.title.strip()),
        body=blocks(finding.body),
        place=places.link(finding),
        said=_said(finding),
        reason=visible_line("; ".join(reasons)),
        suggestion=None if finding.suggestion is None else visible(finding.suggestion),
        also=tuple(places.link(other) for other in judged.also),
        merged=tuple(
            (spans(other.title.strip()), visible_line(other.said_by)) for other in judged.merged
        ),
    )


def _said(finding: Finding) -> str:
    sure = f"confidence {finding.confidence.label}"
    return visible_line(f"{finding.category} · said by {finding.said_by} · {sure}")
