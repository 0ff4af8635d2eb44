"""What a review adds to the lines of the files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pr_review.domain.finding import Finding, Judged, Severity
from pr_review.domain.review import Run, Told
from pr_review.report.html.cards import Card
from pr_review.report.html.places import Places, Spot


@dataclass(frozen=True, slots=True)
class Note:
    """A card, or a pointer to it at another place of its pattern."""

    card: Card
    pointer: bool = False


@dataclass(frozen=True, slots=True)
class Notes:
    """Of one file: the `ids` of lines that are linked to, the lines that findings are `about`,
    the notes `behind` a line, and those `above` all lines."""

    ids: Mapping[Spot, str] = field(default_factory=dict)
    about: frozenset[Spot] = frozenset()
    behind: Mapping[Spot, Sequence[Note]] = field(default_factory=dict)
    above: tuple[Note, ...] = ()

    @property
    def cards(self) -> int:
        """How many findings stand in the file."""
        return len(self._severities)

    @property
    def worst(self) -> str:
        """The severity of the worst of them."""
        return max(self._severities).label

    @property
    def _severities(self) -> list[Severity]:
        notes = [*self.above, *(note for behind in self.behind.values() for note in behind)]
        return [Severity[note.card.severity.upper()] for note in notes if not note.pointer]


NONE = Notes()


def notes(run: Run, cards: Sequence[tuple[Judged, Card]], places: Places) -> Mapping[int, Notes]:
    """The notes of each file that has any, by its index. `cards` are those that stand."""
    ids: dict[int, dict[Spot, str]] = defaultdict(dict)
    for about in _linked(run):
        place = places.place(about)
        if place.file is not None and place.spots:
            ids[place.file][place.spots[0]] = place.id
    found = defaultdict(list)
    for file, note, spots in _placed(cards, places):
        found[file].append((note, spots))
    return {file: _of_file(found[file], ids[file]) for file in sorted({*found, *ids})}


def _linked(run: Run) -> Iterator[Finding | Told]:
    """Everything whose place the page links to."""
    for judged in run.judged:
        yield judged.finding
        yield from judged.also
    yield from run.earlier


def _placed(
    cards: Sequence[tuple[Judged, Card]], places: Places
) -> Iterator[tuple[int, Note, tuple[Spot, ...]]]:
    """Every note with its file and the lines that it is about."""
    for judged, card in cards:
        notes = [(judged.finding, Note(card))]
        notes += [(other, Note(card, pointer=True)) for other in judged.also]
        for finding, note in notes:
            place = places.place(finding)
            if place.file is not None:
                yield place.file, note, place.spots


def _of_file(found: Sequence[tuple[Note, tuple[Spot, ...]]], ids: Mapping[Spot, str]) -> Notes:
    behind: dict[Spot, list[Note]] = defaultdict(list)
    for note, spots in found:
        if spots:
            behind[spots[-1]].append(note)
    about = frozenset(spot for _, spots in found for spot in spots)
    return Notes(ids, about, behind, tuple(note for note, spots in found if not spots))
