"""The lines around some places, out of those that were sent: as the snapshot shows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from pr_review.domain.diff import Side
from pr_review.domain.finding import Finding
from pr_review.domain.snapshot import SentFile, SentLine
from pr_review.domain.text import fence, quoted_path

GAP = "…"


class Excerpts:
    """Cuts excerpts out of the files of one snapshot: nothing in them that was not sent."""

    def __init__(self, sent: Iterable[SentFile]) -> None:
        self._files = {file.path: file for file in sent if file.lines}

    def holds(self, finding: Finding) -> bool:
        """Whether any line of the finding's file was sent."""
        return finding.path in self._files

    def name(self, finding: Finding) -> str:
        """The file of a finding as the snapshot spells it, on one line."""
        file = self._files[finding.path]
        return quoted_path(file.printed or file.path)

    def text(self, findings: Iterable[Finding], radius: int) -> str:
        """The lines of the findings and `radius` lines on both sides, each line once.

        All of it stands in a fence, file by file in the order of the findings: its name, then its
        lines with their new-side numbers and signs, and a gap mark wherever lines are missing
        between two. Of a finding that spans much more than `radius` lines only the first stand
        there.
        """
        windows: defaultdict[str, set[int]] = defaultdict(set)
        for finding in findings:
            if self.holds(finding):
                windows[finding.path] |= {*_window(self._files[finding.path], finding, radius)}
        return fence("code", "\n".join(self._section(*window) for window in windows.items()))

    def _section(self, path: str, rows: Iterable[int]) -> str:
        file = self._files[path]
        lines = [file.lines[i] for i in sorted(rows)]
        return "\n".join([f"## {quoted_path(file.printed or path)}", *_printed(lines)])


def _window(file: SentFile, finding: Finding, radius: int) -> range:
    """Positions of the lines to show of one file."""
    first, last = _position(file, finding)
    last = min(last, first + 4 * radius)
    return range(max(0, first - radius), min(len(file.lines), last + radius + 1))


def _position(file: SentFile, finding: Finding) -> tuple[int, int]:
    """First and last position of the lines that a finding names; of the nearest if they were not
    sent, and of the file's first if it names none."""
    if finding.start is None or finding.end is None:
        return 0, 0
    distances = {
        i: max(0, finding.start - number, number - finding.end)
        for i, line in enumerate(file.lines)
        if (number := _number(line, finding.side)) is not None
    }
    if not distances:
        return 0, 0
    least = min(distances.values())
    nearest = [i for i, distance in distances.items() if distance == least]
    return nearest[0], nearest[-1]


def _number(line: SentLine, side: Side) -> int | None:
    return line.new if side is Side.RIGHT else line.old


def _printed(lines: Sequence[SentLine]) -> Iterator[str]:
    """`12 +added`, `13  context`, `-removed`, and gaps."""
    old: int | None = None
    new: int | None = None
    for line in lines:
        if not (_next(line.old, old) and _next(line.new, new)):
            yield GAP
        old, new = line.old or old, line.new or new
        if line.new is None:
            yield f"-{line.text}"
        else:
            yield f"{line.new} {'+' if line.old is None else ' '}{line.text}"


def _next(number: int | None, before: int | None) -> bool:
    """Whether no line of a side stands between; unknown at the beginning."""
    return number is None or before is None or number == before + 1
