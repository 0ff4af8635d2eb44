"""The lines of a file as the page prints them: runs of lines that share one fate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pr_review.domain.coverage import Mark, MarkedLine
from pr_review.domain.text import visible, visible_line

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
    stand before it and are not listed."""

    mark: Mark
    why: str
    skipped: int
    rows: tuple[Row, ...]

    @property
    def labelled(self) -> bool:
        """Its rows do not explain themselves."""
        return bool(self.why) or self.mark not in (Mark.SHOWN, Mark.CONTEXT)


def runs(lines: Sequence[MarkedLine]) -> tuple[Run, ...]:
    """The lines in order, cut where the mark or the reason changes and at every gap."""
    old_width = max((len(str(line.old)) for line in lines if line.old is not None), default=0)
    new_width = max((len(str(line.new)) for line in lines if line.new is not None), default=0)
    return tuple(
        Run(
            members[0][1].mark,
            visible_line(members[0][1].why),
            members[0][2],
            tuple(_row(line, old_width, new_width) for _, line, _ in members),
        )
        for _, group in groupby(_numbered(lines), key=lambda item: item[0])
        for members in [list(group)]
    )


def _numbered(lines: Sequence[MarkedLine]) -> Iterator[tuple[int, MarkedLine, int]]:
    """Every line with the number of its run and the unchanged lines left out before it."""
    run, old, new = 0, 0, 0
    before: MarkedLine | None = None
    for line in lines:
        skipped = _skipped(line, old, new)
        if before and (skipped or (line.mark, line.why) != (before.mark, before.why)):
            run += 1
        yield run, line, skipped
        before = line
        old = line.old if line.old is not None else old + skipped
        new = line.new if line.new is not None else new + skipped


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
