"""The lines of a file as the page prints them: runs of lines that share one fate, and the notes
of a review between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from pr_review.domain.coverage import Mark, MarkedLine
from pr_review.domain.text import visible, visible_line
from pr_review.report.html.notes import NONE, Note, Notes
from pr_review.report.html.places import spot

LETTERS = {
    Mark.SHOWN: "S",
    Mark.CONTEXT: "C",
    Mark.FOLDED: "F",
    Mark.REDACTED: "R",
    Mark.CUT: "T",
    Mark.OMITTED: "X",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One line: `gutter` holds its numbers and the letter of its mark, `text` starts with its
    sign, as in a diff."""

    gutter: str
    text: str


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring lines with one mark and one reason; `skipped` unchanged lines of the file
    stand before it and are not listed, and `notes` of a review behind it.

    `id` is that of its first line, empty if nothing leads there; `about`: a finding is about it.
    `labelled` is how many lines its label speaks of, those of the runs behind it included that
    only the review cut off; 0 for these, and where rows explain themselves.
    """

    mark: Mark
    why: str
    skipped: int
    rows: tuple[Row, ...]
    id: str = ""
    about: bool = False
    labelled: int = 0
    notes: tuple[Note, ...] = ()


def runs(lines: Sequence[MarkedLine], notes: Notes = NONE) -> tuple[Run, ...]:
    """The lines in order, cut where the mark or the reason changes, at every gap, and where the
    review has something to say or to lead to."""
    widths = _width(line.old for line in lines), _width(line.new for line in lines)
    made: list[Run] = []
    head = 0  # of the runs that share a label
    for _, group in groupby(_numbered(lines, notes), key=lambda item: item[0]):
        members = list(group)
        run = _run([line for _, line, _ in members], members[0][2], notes, widths)
        made.append(run)
        if run.skipped or (made[head].mark, made[head].why) != (run.mark, run.why):
            head = len(made) - 1
        if run.why or run.mark not in (Mark.SHOWN, Mark.CONTEXT):
            made[head] = replace(made[head], labelled=made[head].labelled + len(run.rows))
    return tuple(made)


def _width(numbers: Iterable[int | None]) -> int:
    return max((len(str(number)) for number in numbers if number is not None), default=0)


def _run(lines: Sequence[MarkedLine], skipped: int, notes: Notes, widths: tuple[int, int]) -> Run:
    first, last = lines[0], lines[-1]
    return Run(
        first.mark,
        visible_line(first.why),
        skipped,
        tuple(_row(line, *widths) for line in lines),
        id=notes.ids.get(spot(first), ""),
        about=spot(first) in notes.about,
        notes=tuple(notes.behind.get(spot(last), ())),
    )


def _numbered(lines: Sequence[MarkedLine], notes: Notes) -> Iterator[tuple[int, MarkedLine, int]]:
    """Every line with the number of its run and the unchanged lines left out before it."""
    run, old, new = 0, 0, 0
    before: MarkedLine | None = None
    for line in lines:
        skipped = _skipped(line, old, new)
        if before and (skipped or _cut(before, line, notes)):
            run += 1
        yield run, line, skipped
        before = line
        old = line.old if line.old is not None else old + skipped
        new = line.new if line.new is not None else new + skipped


def _cut(before: MarkedLine, line: MarkedLine, notes: Notes) -> bool:
    """Whether two neighbours stand apart."""
    if (line.mark, line.why) != (before.mark, before.why):
        return True
    here, there = spot(line), spot(before)
    apart = (here in notes.about) != (there in notes.about)
    return apart or here in notes.ids or there in notes.behind


def _skipped(line: MarkedLine, old: int, new: int) -> int:
    if line.new is not None:
        return max(line.new - new - 1, 0)
    return max(line.old - old - 1, 0) if line.old is not None else 0


def _row(line: MarkedLine, old_width: int, new_width: int) -> Row:
    numbers = [
        str("" if number is None else number).rjust(width)
        for number, width in ((line.old, old_width), (line.new, new_width))
        if width
    ]
    text = visible(line.text).replace("\n", "\\u{a}")
    return Row(" ".join([*numbers, LETTERS[line.mark]]), _sign(line) + text)


def _sign(line: MarkedLine) -> str:
    """A line of an unchanged file may have one number and is still no change."""
    if line.mark is Mark.CONTEXT or (line.old is None) == (line.new is None):
        return " "
    return "+" if line.old is None else "-"
