"""Files ready to be chosen from: classified, folded or rendered line by line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, zip_longest

from pr_review.domain.diff import FileChange, Line, Status
from pr_review.domain.ledger import Dependency, Reason
from pr_review.domain.text import quoted_path, visible, visible_line
from pr_review.snapshot.classify import Classified
from pr_review.snapshot.outline import ScopeKind
from pr_review.snapshot.pieces import Run
from pr_review.snapshot.policy import LONG_LINE_BYTES
from pr_review.snapshot.reviewed import Hunks, positions
from pr_review.snapshot.screen import Screened, Span, redact
from pr_review.snapshot.widen import Window

NO_NEWLINE = "\\ no newline at the end of the file\n"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the diff as it is printed: `text` with number, sign and line feed.

    `body` is what stands behind them. `whole` is false for a line that was redacted or cut,
    `cut` for one over 2,000 bytes, of which only the start is printed.
    """

    line: Line
    text: str
    body: str
    whole: bool
    cut: bool


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of changed lines and the context that helps to read it, as positions of rows.

    `rows` holds the changed lines with one line of context next to them, `changed` those that
    changed; `named` is sorted best first. `worth` is the sum of its lines' values.
    """

    rows: tuple[int, ...]
    changed: tuple[int, ...]
    worth: float
    signature: tuple[int, ...] = ()
    named: tuple[int, ...] = ()
    own: tuple[int, ...] = ()
    near: tuple[int, ...] = ()
    scope: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """The lines of one file that may stand in the snapshot, in order.

    `hunk_of` holds for every row the index of the block of adjacent lines it stands in,
    `sections` what git prints behind the `@@` of each, if it is the diff's own.
    `printed` is the path as the prompt spells it: without a credential that it holds.
    An unchanged file of which definitions may be shown has a sheet, too.
    """

    path: str
    printed: str
    rows: tuple[Row, ...] = ()
    hunk_of: tuple[int, ...] = ()
    sections: tuple[str, ...] = ()

    @cached_property
    def name(self) -> str:
        """The path on one line, in backquotes where it could be misread."""
        return quoted_path(self.printed)

    @cached_property
    def size(self) -> int:
        """Bytes of all its rows as printed."""
        return sum(len(row.text.encode()) for row in self.rows)

    @cached_property
    def position(self) -> Mapping[int, int]:
        """Positions of its new-side lines by number."""
        return {row.line.new: i for i, row in enumerate(self.rows) if row.line.new is not None}

    def at(self, numbers: Iterable[int]) -> tuple[int, ...]:
        """Positions of those of some new-side lines that are here."""
        return tuple(self.position[n] for n in numbers if n in self.position)


@dataclass(frozen=True, kw_only=True)
class Draft(Sheet):
    """One changed file on its way into the snapshot.

    `says` stands in for the lines of a folded file; then there are no rows. `barred` says why
    no line may be shown. `pieces` are those of a file that may be shown in part, `structure`
    what their context was chosen by; `old_printed` is empty if the path is not new.
    `reviewed_hunks` are those of the diff that an earlier review read at commit `since`: they are
    not asked for, and folded where they do not help to read others. `elsewhere` are positions of
    changed rows that are not for this pass.
    """

    file: FileChange
    kind: Classified
    old_printed: str = ""
    crlf: bool = False
    says: str = ""
    fold: Reason | None = None
    barred: Reason | None = None
    pieces: tuple[Piece, ...] = ()
    structure: str = ""
    reviewed_hunks: Hunks = frozenset()
    since: str = ""
    elsewhere: frozenset[int] = frozenset()

    @cached_property
    def old_name(self) -> str:
        """The old path as `name`; empty if there is none."""
        return quoted_path(self.old_printed) if self.old_printed else ""

    @cached_property
    def rank(self) -> tuple[int, int]:
        return self.kind.rank

    @cached_property
    def own_rows(self) -> frozenset[int]:
        """Positions of the rows that the diff itself holds: without wider context."""
        mine = {line.new for line in self.file.lines}
        return frozenset(
            i for i, row in enumerate(self.rows) if row.line.new is None or row.line.new in mine
        )

    @cached_property
    def reviewed(self) -> frozenset[int]:
        """Positions of the rows that an earlier review read."""
        own = sorted(self.own_rows)
        return frozenset(own[i] for i in positions(self.file, self.reviewed_hunks))

    @cached_property
    def asked_rows(self) -> frozenset[int]:
        """Positions of the rows of the diff that are to be shown."""
        return self.own_rows - self.reviewed - self.elsewhere

    @property
    def in_one_line(self) -> bool:
        """Whether its header says all that is asked for."""
        return bool(self.says) or bool(self.reviewed and not self.asked_rows)

    def folded_rows(self, kept: Collection[int]) -> Iterator[Row]:
        """The changed rows that an earlier review read and that are not among the `kept` ones."""
        rows = (self.rows[i] for i in sorted(self.reviewed.difference(kept)))
        return (row for row in rows if row.line.changed)

    @cached_property
    def own_size(self) -> int:
        """Bytes of the rows of its diff that are to be shown, as printed."""
        return sum(len(self.rows[i].text.encode()) for i in self.asked_rows)

    @cached_property
    def full_size(self) -> int:
        """Bytes of all rows of its diff, its long lines uncut."""
        cut = (row for row in self.rows if row.cut and row.line.changed)
        own = sum(len(self.rows[i].text.encode()) for i in self.own_rows)
        return own + sum(max(len(row.line.text) - len(row.body), 0) for row in cut)


@dataclass(frozen=True, slots=True)
class Helper:
    """A definition that changed lines use, as positions of rows of the sheet it stands in.

    `rows` is what is shown of it at most: all where it is short, else its signature and head;
    none where nothing beyond the diff is taken from its file.
    `users` are the changed lines that use it, as paths and positions of rows.
    """

    definition: Dependency
    kind: ScopeKind
    sheet: Sheet
    rows: tuple[int, ...]
    users: tuple[tuple[str, int], ...]


def rows(
    file: FileChange, screened: Screened, *, crlf: bool
) -> tuple[tuple[Row, ...], tuple[int, ...]]:
    """The rows of a file, and the hunk of each. `crlf`: all of its lines end in CRLF.

    In a new file every line is added: its rows have no sign.
    """
    made, hunk_of, hidden = [], [], screened.spans
    signed = file.status is not Status.ADDED
    for index, hunk in enumerate(file.hunks):
        for line in hunk.lines:
            spans = hidden.get((line.side, line.number), ()) if hidden else ()
            made.append(_row(line, spans, crlf=crlf, signed=signed))
            hunk_of.append(index)
    return tuple(made), tuple(hunk_of)


def pieces(sheet: Draft, runs: Sequence[Run], windows: Sequence[Window]) -> tuple[Piece, ...]:
    """The runs of the diff as pieces of a sheet, each with its window if it has one."""
    changed = [line.changed for line in sheet.file.lines]
    place = sorted(sheet.own_rows)
    made = []
    for run, own, window in zip_longest(runs, _around(sheet.file, runs), windows):
        help_with = window or Window()
        made.append(
            Piece(
                tuple(place[i] for i in range(run.low, run.high + 1)),
                tuple(place[i] for i in range(run.first, run.last + 1) if changed[i]),
                run.worth,
                sheet.at(help_with.signature),
                sheet.at(help_with.named),
                tuple(place[i] for i in own if not changed[i]),
                sheet.at(help_with.near),
                sheet.at(help_with.scope),
            )
        )
    return tuple(made)


def _around(file: FileChange, runs: Sequence[Run]) -> Iterator[range]:
    """For every run the lines of its hunk up to the runs next to it."""
    bounds = list(accumulate((len(hunk.lines) for hunk in file.hunks), initial=0))
    for index, run in enumerate(runs):
        low, high = bounds[run.hunk], bounds[run.hunk + 1]
        if index and runs[index - 1].hunk == run.hunk:
            low = runs[index - 1].last + 1
        if index + 1 < len(runs) and runs[index + 1].hunk == run.hunk:
            high = runs[index + 1].first
        yield range(low, high)


def sections(file: FileChange, screened: Screened) -> tuple[str, ...]:
    """The text git prints behind each hunk's `@@`, made visible; empty where it was hidden."""
    return tuple(
        "" if index in screened.headers else visible_line(hunk.section).strip()
        for index, hunk in enumerate(file.hunks)
    )


def is_crlf(file: FileChange) -> bool:
    """Whether all lines of its hunks end in CRLF."""
    ended = [line.text.endswith("\r") for line in file.lines if not line.ends_without_newline]
    return bool(ended) and all(ended)


def _row(line: Line, spans: Sequence[Span], *, crlf: bool, signed: bool) -> Row:
    text = redact(line.text, spans) if spans else line.text
    if crlf:
        text = text.removesuffix("\r")
    body, cut = _bounded(visible(text))
    number = "" if line.new is None else f"{line.new} "
    ending = NO_NEWLINE if line.ends_without_newline and line.changed else ""
    sign = line.sign if signed or line.removed else ""
    printed = f"{number}{sign}{body}\n{ending}"
    return Row(line, printed, body, whole=not spans and not cut, cut=cut)


def _bounded(body: str) -> tuple[str, bool]:
    if len(body) <= LONG_LINE_BYTES // 4:
        return body, False
    data = body.encode()
    if len(data) <= LONG_LINE_BYTES:
        return body, False
    start = data[:LONG_LINE_BYTES].decode("utf-8", "ignore")
    rest = len(data) - len(start.encode())
    return f"{start}… [line cut: {rest:,} more bytes]", True
