"""A change as git tells it: files, hunks and lines, numbered from 1 on both sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

ABSENT_MODE = "000000"
SUBMODULE_MODE = "160000"
SYMLINK_MODE = "120000"
EXECUTABLE_MODE = "100755"


class Status(StrEnum):
    """What happened to a path. `mode` and `type` are changes of mode alone and of kind."""

    ADDED = "added"
    DELETED = "deleted"
    MODIFIED = "modified"
    RENAMED = "renamed"
    COPIED = "copied"
    MODE = "mode"
    TYPE = "type"


class Side(StrEnum):
    """A side of the diff, in GitHub's words: LEFT is the old file, RIGHT the new one."""

    LEFT = "LEFT"
    RIGHT = "RIGHT"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a hunk.

    `old` and `new` are its 1-based numbers on each side, None where it does not stand:
    an added line has no `old`, a removed line no `new`, a context line has both.
    `text` is the line without its line feed; a lone CR, a form feed or U+2028 is part of it
    (git ends lines at LF alone). Bytes that are not UTF-8 are kept as surrogate escapes.
    """

    old: int | None
    new: int | None
    text: str
    ends_without_newline: bool = False

    @property
    def added(self) -> bool:
        return self.old is None

    @property
    def removed(self) -> bool:
        return self.new is None

    @property
    def changed(self) -> bool:
        return self.old is None or self.new is None

    @property
    def sign(self) -> str:
        return "+" if self.old is None else "-" if self.new is None else " "

    @property
    def side(self) -> Side:
        return Side.LEFT if self.new is None else Side.RIGHT

    @property
    def number(self) -> int:
        """The line's number on its own side: new for added and context, old for removed."""
        number = self.old if self.new is None else self.new
        assert number is not None
        return number


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of changed lines with context around it.

    For `@@ -17,7 +17,8 @@ def f():` the old side holds 7 lines from line 17, the new side 8
    from line 17, and `section` is `def f():`. A side that holds no line has count 0 and the
    number of the line before it as its start.
    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    section: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a change does to one path.

    `additions` and `deletions` are git's own counts (`--numstat`), 0 for binary files.
    `defect` says why `hunks` could not be read; it is empty for a file that was read. `withheld`
    is set where GitHub did not hand out the lines of a text file.
    Modes are git's six digits, empty where a source does not tell; object ids are full, all
    zeros where the side is absent or a source does not tell.
    """

    path: str
    old_path: str | None
    status: Status
    old_mode: str
    new_mode: str
    old_oid: str
    new_oid: str
    binary: bool
    additions: int
    deletions: int
    hunks: tuple[Hunk, ...] = ()
    defect: str = ""
    withheld: bool = False

    @property
    def submodule(self) -> bool:
        return SUBMODULE_MODE in (self.old_mode, self.new_mode)

    @property
    def lines(self) -> Iterator[Line]:
        for hunk in self.hunks:
            yield from hunk.lines

    @property
    def added_lines(self) -> tuple[int, ...]:
        """New-side numbers of added lines, ascending."""
        return tuple(line.new for line in self.lines if line.old is None and line.new is not None)

    @property
    def removed_lines(self) -> tuple[int, ...]:
        """Old-side numbers of removed lines, ascending."""
        return tuple(line.old for line in self.lines if line.new is None and line.old is not None)


class SourceKind(StrEnum):
    """Where a change was read from; part of what the digest covers."""

    GIT = "git"
    REST = "rest"
    PATCH = "patch"


@dataclass(frozen=True, slots=True)
class Change:
    """Everything between a merge base and a head, at immutable commits.

    `merge_base` and `head` are commit ids, empty for a patch without commits.
    `oversize` is set when the raw diff passed its cap: then the largest files have no hunks,
    and `raw_bytes` is the number of bytes read until then. `generated` holds the paths that
    the merge base's `.gitattributes` (which the change cannot alter) mark as
    linguist-generated or linguist-vendored. `unlisted` counts changed files that the source knows
    of and cannot name. `hurried` is set where a server that failed, or a deadline, cost something
    of the change: then equal commits may give more another time.
    """

    source: SourceKind
    merge_base: str
    head: str
    files: tuple[FileChange, ...]
    raw_bytes: int
    oversize: bool = False
    generated: frozenset[str] = frozenset()
    unlisted: int = 0
    hurried: bool = False
