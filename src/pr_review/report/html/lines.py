"""The lines of a file as the page prints them: runs of lines that share one fate, and the notes
of a review between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    old_width = max((len(str(line.old)) for line in lines if line.old is not None), default=0)
    new_width = max((len(str(line.new)) for line in lines if line.new is not None), default=0)
    made: list[Run] = []
    head = 0
    for _, group in groupby(_numbered(lines, notes), key=lambda item: item[0]):
        members = list(group)
        _, first, skipped = members[0]
        mark, why = first.mark, visible_line(first.why)
        rows = tuple(_row(line, old_width, new_width) for _, line, _ in members)
        behind = tuple(notes.behind.get(spot(members[-1][1]), ()))
        made.append(
            Run(
                mark, why, skipped, rows,
                notes.ids.get(spot(first), ""), spot(first) in notes.about, notes=behind,
            )
        )  # fmt: skip
        if skipped or (made[head].mark, made[head].why) != (mark, why):
            head = len(made) - 1
        if why or mark not in (Mark.SHOWN, Mark.CONTEXT):
            made[head] = replace(made[head], labelled=made[head].labelled + len(rows))
    return tuple(made)


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
