"""The change line by line, with what became of every line: what the HTML report is drawn from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pr_review.domain.coverage import CoverageReport, Mark, MarkedFile, MarkedLine
from pr_review.domain.diff import Side
from pr_review.domain.ledger import Entry, Reason, Redaction
from pr_review.domain.snapshot import SentFile, Snapshot
from pr_review.snapshot.draft import Draft, Row, Sheet
from pr_review.snapshot.prepare import Prepared

_Place = tuple[Side, int]


def coverage_report(prepared: Prepared, snapshot: Snapshot) -> CoverageReport:
    """Every changed line, and every unchanged one that is shown; `snapshot` is of `prepared`.

    Changed files come first, in the order of the change, then unchanged ones of which
    something is shown. Paths are spelt as in the prompt. Text that was not screened is never
    in it: the lines of a file that was barred or folded as a whole are empty.
    """
    rules = _rules(snapshot.ledger.redactions)
    sent = {file.path: file for file in snapshot.sent}
    files = []
    for draft, entry in zip(prepared.drafts, snapshot.ledger.entries, strict=True):
        marker = _marker(draft, sent.get(draft.path), rules, entry)
        rows = draft.rows or _empty(draft)
        files.append(MarkedFile(draft.printed, entry, tuple(marker.lines(rows))))
    for sheet in prepared.sheets:
        marker = _marker(sheet, sent.get(sheet.path), rules)
        if lines := tuple(marker.lines(sheet.rows)):
            files.append(MarkedFile(sheet.printed, None, lines))
    return CoverageReport(snapshot, tuple(files))


def _rules(redactions: Sequence[Redaction]) -> Mapping[tuple[str, Side, int], str]:
    """The names of the rules that hid something, by place."""
    found: dict[tuple[str, Side, int], list[str]] = defaultdict(list)
    for hidden in redactions:
        found[hidden.path, hidden.side, hidden.line].append(hidden.rule)
    return {place: ", ".join(dict.fromkeys(rules)) for place, rules in found.items()}


def _empty(draft: Draft) -> list[Row]:
    """The changed lines of a file that has no rows, without their text."""
    return [Row(line, "", "", whole=True, cut=False) for line in draft.file.lines if line.changed]


def _marker(
    sheet: Sheet,
    sent: SentFile | None,
    rules: Mapping[tuple[str, Side, int], str],
    entry: Entry | None = None,
) -> _Marker:
    return _Marker(
        sheet.path,
        frozenset((line.old, line.new) for line in sent.lines) if sent else frozenset(),
        _places(entry.shown_added, entry.shown_removed) if entry else frozenset(),
        _places(entry.folded_added, entry.folded_removed) if entry else frozenset(),
        _instead(entry) if entry else "",
        entry.reason.words if entry and entry.reason else "",
        rules,
    )


def _instead(entry: Entry) -> str:
    """What stands for the folded lines of a file."""
    return f"reviewed before, at {entry.since[:12]}" if entry.since else entry.says


def _places(added: Sequence[int], removed: Sequence[int]) -> frozenset[_Place]:
    return frozenset(
        [*((Side.RIGHT, number) for number in added), *((Side.LEFT, number) for number in removed)]
    )


@dataclass(frozen=True, slots=True)
class _Marker:
    """Marks the rows of one file.

    The ledger decides on changed lines: `shown` and `folded` are its places, `instead` tells
    what stands for the folded ones, `missing` why others are omitted. `sent` holds the old and
    new numbers of the lines that stand in the snapshot.
    """

    path: str
    sent: Collection[tuple[int | None, int | None]]
    shown: Collection[_Place]
    folded: Collection[_Place]
    instead: str
    missing: str
    rules: Mapping[tuple[str, Side, int], str]

    def lines(self, rows: Sequence[Row]) -> Iterator[MarkedLine]:
        for row in rows:
            line = row.line
            printed = (line.old, line.new) in self.sent
            if line.changed or printed:
                mark, why = self._changed(row, printed=printed) if line.changed else self._read(row)
                yield MarkedLine(line.old, line.new, row.body, mark, why)

    def _changed(self, row: Row, *, printed: bool) -> tuple[Mark, str]:
        place = (row.line.side, row.line.number)
        if place in self.folded:
            return Mark.FOLDED, self.instead
        if place in self.shown or (row.cut and printed):
            return self._read(row)
        return Mark.OMITTED, self.missing

    def _read(self, row: Row) -> tuple[Mark, str]:
        """A line that stands in the snapshot, whole or in part."""
        if row.cut:
            return Mark.CUT, Reason.LONG_LINE.words
        if not row.whole:
            rule = self.rules.get((self.path, row.line.side, row.line.number), "")
            return Mark.REDACTED, f"holds a credential ({rule})" if rule else "holds a credential"
        return (Mark.SHOWN if row.line.changed else Mark.CONTEXT), ""
