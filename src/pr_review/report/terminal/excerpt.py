"""The lines that a finding is about, as the model received them: escaped, and without secrets."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from pr_review.domain.diff import Side
from pr_review.domain.finding import Finding
from pr_review.domain.snapshot import SentFile, SentLine
from pr_review.domain.text import visible
from pr_review.report.terminal.screen import Screen, Style

_AROUND = 2
_MOST = 16
_COLOURS = {"+": Style.GREEN, "-": Style.RED}


def excerpt(finding: Finding, file: SentFile, screen: Screen) -> list[str]:
    """The finding's lines and some around them, numbered on the side that it names, so that no
    number stands for two lines; its own ones are pointed at. Empty where none was sent."""
    own = {index for index, line in enumerate(file.lines) if _meant(line, finding)}
    if not own:
        return []
    first, last = max(0, min(own) - _AROUND), max(own) + _AROUND + 1
    rows = list(enumerate(file.lines))[first:last]
    numbers = [str(_number(line, finding.side) or "") for _, line in rows[:_MOST]]
    width = max(map(len, numbers))
    told: list[str] = []
    for (index, line), number in zip(rows, numbers, strict=False):
        if told and not _follows(file.lines[index - 1], line):
            told.append(_gap(width, "", screen))
        told.append(_row(line, ">" if index in own else " ", f"{number:>{width}}", screen))
    if len(rows) > _MOST:
        told.append(_gap(width, f" {len(rows) - _MOST} more lines", screen))
    return told


def suggested(finding: Finding, file: SentFile, screen: Screen) -> Iterator[str]:
    """What the suggestion takes away and puts there, as a small diff."""
    if finding.suggestion is None:
        return
    old = [line.text for line in file.lines if line.new is not None and _meant(line, finding)]
    new = visible(finding.suggestion).split("\n")
    for line in _changes(old, new):
        text = screen.cut(f"{line[0]} {line[1:].expandtabs(4)}", 4)
        yield "    " + screen.paint(text, *_colour(line[0]))


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Lines behind their sign, without what unified diffs put between hunks."""
    yield from list(difflib.unified_diff(old, new, n=len(old), lineterm=""))[3:]


def _row(line: SentLine, pointer: str, number: str, screen: Screen) -> str:
    sign = "+" if line.old is None else "-" if line.new is None else " "
    number = f"{pointer} {number} "
    text = screen.cut(f"{sign} {line.text.expandtabs(4)}".rstrip(), len(number) + 2)
    style = Style.BOLD if pointer == ">" else Style.DIM
    head = screen.paint(number if text else number.rstrip(), style)
    return f"  {head}{screen.paint(text, *_colour(sign))}"


def _gap(width: int, words: str, screen: Screen) -> str:
    return screen.paint(f"    {' ' * width} …{words}", Style.DIM)


def _colour(sign: str) -> tuple[Style, ...]:
    return (_COLOURS[sign],) if sign in _COLOURS else ()


def _meant(line: SentLine, finding: Finding) -> bool:
    number = _number(line, finding.side)
    if number is None or finding.start is None or finding.end is None:
        return False
    return finding.start <= number <= finding.end


def _number(line: SentLine, side: Side) -> int | None:
    return line.old if side is Side.LEFT else line.new


def _follows(before: SentLine, line: SentLine) -> bool:
    """Whether nothing stands between two lines of one side; of two sides nobody knows more."""
    sides = ((before.old, line.old), (before.new, line.new))
    return all(a is None or b is None or b == a + 1 for a, b in sides)
