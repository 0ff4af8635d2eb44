"""A change line by line, with what became of every line: what a coverage report is drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pr_review.domain.diff import Side
from pr_review.domain.ledger import Entry
from pr_review.domain.snapshot import Snapshot


class Mark(StrEnum):
    """What became of one line. A redacted or cut line is shown in part."""

    SHOWN = "shown"
    CONTEXT = "context"
    FOLDED = "folded"
    REDACTED = "redacted"
    CUT = "cut"
    OMITTED = "omitted"


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """One line of a file: `old` or `new` is None as in `diff.Line`, both for none.

    `text` is made visible and redacted, as the model would read it; `why` says in words why a
    line that is not shown was left out, or what stands for it.
    """

    old: int | None
    new: int | None
    text: str
    mark: Mark
    why: str = ""

    @property
    def side(self) -> Side:
        return Side.LEFT if self.new is None else Side.RIGHT

    @property
    def changed(self) -> bool:
        return self.old is None or self.new is None


@dataclass(frozen=True, slots=True)
class MarkedFile:
    """A file of the report; its lines ascend, with gaps where unchanged lines were not needed.

    `entry` is None for an unchanged file of which a definition is shown.
    """

    path: str
    entry: Entry | None
    lines: tuple[MarkedLine, ...]


@dataclass(frozen=True, slots=True)
class CoverageReport:
    """Everything a reader can ask of one snapshot: files in the order of the change."""

    snapshot: Snapshot
    files: tuple[MarkedFile, ...]
