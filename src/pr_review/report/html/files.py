"""The files of the report as a tree of folders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pr_review.domain.coverage import Mark, MarkedFile
from pr_review.domain.ledger import Entry
from pr_review.domain.text import visible_line
from pr_review.report.html.amounts import Amount, lines_of
from pr_review.report.html.lines import Run, runs
from pr_review.report.html.notes import NONE, Notes
from pr_review.report.html.places import file_id

UNCHANGED = "unchanged"
CONTEXT_ONLY = "context only"
# A browser drops what is nested deeper than 512 elements; a path may have thousands of folders.
_DEPTH = 12
_OPEN_FILES = 100


@dataclass(frozen=True, slots=True)
class FileView:
    """A file as the page shows it. `id` names its lines in links; `entry` is None for an
    unchanged file, of which the tier is `unchanged` and the state `context only`.

    `name` is what is left of `path` below its folder in the tree; `notes` are those of a review.
    """

    id: str
    path: str
    name: str
    old_path: str
    tier: str
    state: str
    entry: Entry | None
    lines: Amount
    marks: tuple[tuple[Mark, int], ...]
    runs: tuple[Run, ...]
    notes: Notes = NONE

    @property
    def folder(self) -> str:
        return self.path.removesuffix(self.name)

    @property
    def tokens(self) -> int:
        return self.entry.tokens if self.entry else 0

    @property
    def unlisted(self) -> int:
        """Changed lines of which the report has no text."""
        if self.entry is None:
            return 0
        return self.entry.changed - len(self.entry.added_lines) - len(self.entry.removed_lines)

    @property
    def withheld(self) -> bool:
        return self.entry is not None and not self.entry.in_sight


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder, or a chain of folders that hold nothing else; the top one has no name.

    `files` are its own, `count` is the number of those below it as well.
    """

    name: str
    folders: tuple[Folder, ...]
    files: tuple[FileView, ...]
    count: int
    lines: Amount
    tokens: int
    open: bool


Member = tuple[tuple[str, ...], FileView]


def file_view(
    index: int, file: MarkedFile, names: Mapping[str, str], notes: Notes = NONE
) -> FileView:
    """`names` holds what is printed for paths that must not be, as they hold a credential."""
    entry = file.entry
    path = visible_line(names.get(file.path, file.path))
    old = entry.old_path if entry else None
    counts = [(mark, sum(line.mark is mark for line in file.lines)) for mark in Mark]
    return FileView(
        id=file_id(index),
        path=path,
        name=path.rpartition("/")[2],
        old_path=visible_line(names.get(old, old)) if old else "",
        tier=entry.tier.label if entry else UNCHANGED,
        state=entry.state.value if entry else CONTEXT_ONLY,
        entry=entry,
        lines=lines_of([entry] if entry else []),
        marks=tuple((mark, count) for mark, count in counts if count),
        runs=runs(file.lines, notes),
        notes=notes,
    )


def tree(files: Sequence[FileView]) -> Folder:
    """All files by folder: folders before files, each by name."""
    everything = len(files) <= _OPEN_FILES
    members = [(tuple(file.path.split("/")), file) for file in files]
    return _folder("", members, 0, everything=everything)


def _folder(name: str, members: Sequence[Member], depth: int, *, everything: bool) -> Folder:
    """`members` are files with what is left of their paths below this folder."""
    common = _common(members) if depth else 0
    if common:
        name = "/".join([name, *members[0][0][:common]])
        members = [(parts[common:], file) for parts, file in members]
    below: dict[str, list[Member]] = {}
    own = []
    for parts, file in members:
        if len(parts) == 1 or depth == _DEPTH:
            own.append(replace(file, name="/".join(parts)))
        else:
            below.setdefault(parts[0], []).append((parts[1:], file))
    inside = [file for _, file in members]
    return Folder(
        name,
        tuple(
            _folder(part, below[part], depth + 1, everything=everything) for part in sorted(below)
        ),
        tuple(sorted(own, key=lambda file: file.path)),
        count=len(inside),
        lines=sum((file.lines for file in inside), Amount()),
        tokens=sum(file.tokens for file in inside),
        open=everything or any(file.withheld or file.notes.cards for file in inside),
    )


def _common(members: Sequence[Member]) -> int:
    """How many folders all members share."""
    folders = [parts[:-1] for parts, _ in members]
    shortest, longest = min(folders), max(folders)
    same = 0
    while same < len(shortest) and shortest[same] == longest[same]:
        same += 1
    return same
