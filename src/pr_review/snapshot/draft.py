"""A file ready to be chosen from: classified, folded or rendered line by line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pr_review.domain.diff import FileChange, Line, Side
from pr_review.domain.ledger import Reason
from pr_review.domain.text import quoted_path, visible, visible_line
from pr_review.snapshot.classify import Classified
from pr_review.snapshot.policy import LONG_LINE_BYTES
from pr_review.snapshot.screen import Screened, redact

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


@dataclass(frozen=True)
class Draft:
    """One changed file on its way into the snapshot.

    `says` stands in for the lines of a folded file; then `rows` is empty. `hunk_of` holds
    the index of the hunk of every row. `barred` says why no line may be shown. `names` holds
    the redacted form of paths that hold a credential.
    """

    file: FileChange
    kind: Classified
    rows: tuple[Row, ...] = ()
    hunk_of: tuple[int, ...] = ()
    sections: tuple[str, ...] = ()
    crlf: bool = False
    says: str = ""
    fold: Reason | None = None
    barred: Reason | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def printed(self) -> str:
        """The path as the prompt spells it: without a credential that it holds."""
        return self.names.get(self.file.path, self.file.path)

    @cached_property
    def name(self) -> str:
        """The same on one line, in backquotes where it could be misread."""
        return quoted_path(self.printed)

    @cached_property
    def old_name(self) -> str:
        """The old path likewise; empty if there is none."""
        old = self.file.old_path
        return "" if old is None else quoted_path(self.names.get(old, old))

    @cached_property
    def rank(self) -> tuple[int, int]:
        return self.kind.rank

    @cached_property
    def size(self) -> int:
        """Bytes of all its rows as printed."""
        return sum(len(row.text.encode()) for row in self.rows)

    @cached_property
    def full_size(self) -> int:
        """The same with its long lines uncut."""
        cut = (row for row in self.rows if row.cut)
        return self.size + sum(max(len(row.line.text) - len(row.body), 0) for row in cut)


def rows(file: FileChange, screened: Screened) -> tuple[tuple[Row, ...], tuple[int, ...], bool]:
    """The rows of a file, the hunk of each, and whether all of its lines end in CRLF."""
    crlf = _is_crlf(file)
    made, hunk_of = [], []
    for index, hunk in enumerate(file.hunks):
        for line in hunk.lines:
            made.append(_row(line, screened.spans.get((line.side, line.number), ()), crlf=crlf))
            hunk_of.append(index)
    return tuple(made), tuple(hunk_of), crlf


def sections(file: FileChange, screened: Screened) -> tuple[str, ...]:
    """The text git prints behind each hunk's `@@`, made visible; empty where it was hidden."""
    return tuple(
        "" if index in screened.headers else visible_line(hunk.section).strip()
        for index, hunk in enumerate(file.hunks)
    )


def _is_crlf(file: FileChange) -> bool:
    ended = [line.text.endswith("\r") for line in file.lines if not line.ends_without_newline]
    return bool(ended) and all(ended)


def _row(line: Line, spans: Sequence[tuple[int, int, str]], *, crlf: bool) -> Row:
    text = redact(line.text, spans) if spans else line.text
    if crlf:
        text = text.removesuffix("\r")
    body, cut = _bounded(visible(text))
    number = "" if line.side is Side.LEFT else f"{line.number} "
    ending = NO_NEWLINE if line.ends_without_newline and line.changed else ""
    printed = f"{number}{line.sign}{body}\n{ending}"
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
