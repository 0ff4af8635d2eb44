"""What a check is: a pure function from a change to findings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from pr_review.checks.ports import Tree, YamlReader
from pr_review.domain.diff import Change, FileChange, Line, Side
from pr_review.domain.finding import Confidence, Finding, Severity
from pr_review.domain.ledger import Redaction
from pr_review.domain.text import visible_line

_MOST_QUOTED = 80


@dataclass(frozen=True)
class CheckInput:
    """What every check may look at. `tree` is None for a patch without commits; without a
    reader of `yaml` nothing is said of workflows."""

    change: Change
    redactions: tuple[Redaction, ...] = ()
    tree: Tree | None = None
    yaml: YamlReader = lambda _data: None

    def quoted(self, path: str, line: int | None, text: str, side: Side = Side.RIGHT) -> str:
        """Text of a line as a code span, cut where it is long; a line that screening took a
        credential from is not repeated.
        """
        hidden = (path, line, side) in self._redacted
        return "`[REDACTED]`" if hidden else code(text[:_MOST_QUOTED])

    @cached_property
    def _redacted(self) -> frozenset[tuple[str, int, Side]]:
        return frozenset((one.path, one.line, one.side) for one in self.redactions)


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its name in settings, one line for the documentation, and what it runs."""

    name: str
    title: str
    run: Callable[[CheckInput], tuple[Finding, ...]]


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a finding stands: lines start..end of one side, both None for the whole file."""

    path: str
    start: int | None = None
    end: int | None = None
    side: Side = Side.RIGHT


def finding(
    check: str, spot: Spot, *, severity: Severity, category: str, title: str, body: str
) -> Finding:
    """A finding of a check: no model had a part in it. What it says is certain; of what is small
    it is not whether it matters, until an agent says so, too.
    """
    return Finding(
        path=spot.path,
        start=spot.start,
        end=spot.end,
        side=spot.side,
        severity=severity,
        confidence=Confidence.HIGH if severity > Severity.LOW else Confidence.MEDIUM,
        category=category,
        title=title,
        body=body,
        sources=(f"check:{check}",),
        deterministic=True,
    )


def line_spot(file: FileChange, line: Line) -> Spot:
    """One line of a file's diff."""
    return Spot(file.path, line.number, line.number, line.side)


def code(text: str) -> str:
    """Text from the change as one Markdown code span that it cannot leave."""
    return "`" + visible_line(text).replace("`", "'") + "`"
