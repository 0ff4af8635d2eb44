"""The account of a change: every changed line is shown, folded, or omitted with a reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cached_property

from pr_review.domain.diff import Side, Status
from pr_review.domain.words import counted


class Tier(IntEnum):
    """What kind of file it is; the lowest are dropped first."""

    GENERATED = 0
    ASSET = 1
    SNAPSHOT = 2
    TEST = 3
    SOURCE = 4

    @property
    def label(self) -> str:
        return self.name.lower()


class State(StrEnum):
    """How much of a file the model received."""

    SHOWN = "shown"
    FOLDED = "folded"
    PARTIAL = "partial"
    OMITTED = "omitted"


class Reason(StrEnum):
    """Why a file is not shown in full: first the omissions, then the exact folds."""

    BUDGET = "budget"
    FILE_CAP = "file_cap"
    DIFF_CAP = "diff_cap"
    EXCLUDED = "excluded"
    UNPARSABLE = "unparsable"
    WITHHELD_BY_GITHUB = "withheld_by_github"
    LONG_LINE = "long_line"
    DEADLINE = "deadline"
    CONTEXT_CAP = "context_cap"
    DEPENDENCY_CAP = "dependency_cap"
    LONG_DEFINITION = "long_definition"
    NO_CONTEXT = "no_context"
    ELSEWHERE = "elsewhere"

    BINARY = "binary"
    SUBMODULE = "submodule"
    LFS = "lfs"
    MODE = "mode"
    EMPTY = "empty"
    RENAME = "rename"
    COPY = "copy"
    LINE_ENDINGS = "line_endings"
    REVIEWED = "reviewed"

    @property
    def words(self) -> str:
        """The reason in words for people and models."""
        return _WORDS[self]


_WORDS = {
    Reason.BUDGET: "over the token budget",
    Reason.FILE_CAP: "over the size cap of one file",
    Reason.DIFF_CAP: "the diff is over its size cap",
    Reason.EXCLUDED: "excluded by settings",
    Reason.UNPARSABLE: "its patch could not be read",
    Reason.WITHHELD_BY_GITHUB: "GitHub did not hand out its patch",
    Reason.LONG_LINE: "lines over 2,000 bytes are cut",
    Reason.DEADLINE: "not ready before the deadline",
    Reason.CONTEXT_CAP: "over the size cap of context",
    Reason.DEPENDENCY_CAP: "over the cap of dependencies",
    Reason.LONG_DEFINITION: "its signature and first lines are shown",
    Reason.NO_CONTEXT: "nothing beyond the diff is taken from its file",
    Reason.ELSEWHERE: "read in another pass",
    Reason.BINARY: "binary, not readable as text",
    Reason.SUBMODULE: "submodule",
    Reason.LFS: "stored in Git LFS",
    Reason.MODE: "mode change only",
    Reason.EMPTY: "empty file",
    Reason.RENAME: "renamed without a change",
    Reason.COPY: "copied without a change",
    Reason.LINE_ENDINGS: "line endings alone changed",
    Reason.REVIEWED: "reviewed before",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """What became of one changed file.

    The line tuples hold ascending 1-based numbers: new-side for added lines, old-side for
    removed ones. `additions` and `deletions` are git's counts; they are larger than the
    tuples only for a file whose hunks were not read (`unparsable`, `withheld_by_github`,
    `diff_cap`), and every line that is neither shown nor folded is omitted for `reason`. `tokens`
    counts what the file takes in the snapshot's text; `full_tokens` what it would take if shown
    whole (an estimate where it was not rendered). `says` is the one-line description that stands
    in for a folded file, `printed` the path as the prompt spells it. `context` holds the
    new-side numbers of the unchanged lines shown, `structure` says what they were chosen by.
    `since` is the commit at which an earlier review read the folded lines; empty if another
    reason folds them. `passes` are the numbers (from 1) of the passes that hold its changed lines
    or its description; empty where the change is read in one. In the ledger of a single pass,
    what the others hold is omitted for `ELSEWHERE`.
    """

    path: str
    old_path: str | None
    status: Status
    tier: Tier
    additions: int
    deletions: int
    binary: bool = False
    submodule: bool = False
    added_lines: tuple[int, ...] = ()
    removed_lines: tuple[int, ...] = ()
    shown_added: tuple[int, ...] = ()
    shown_removed: tuple[int, ...] = ()
    folded_added: tuple[int, ...] = ()
    folded_removed: tuple[int, ...] = ()
    described: bool = False
    reason: Reason | None = None
    tokens: int = 0
    full_tokens: int = 0
    says: str = ""
    marker: str = ""
    printed: str = ""
    context: tuple[int, ...] = ()
    structure: str = ""
    since: str = ""
    passes: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Refuses an entry that does not balance: rule 1 cannot be broken silently."""
        for lines, shown, folded, count in (
            (self.added_lines, self.shown_added, self.folded_added, self.additions),
            (self.removed_lines, self.shown_removed, self.folded_removed, self.deletions),
        ):
            told = {*shown, *folded}
            if not told <= set(lines):
                raise ValueError(f"ledger of {self.path!r}: lines shown that did not change")
            if len(told) < len(shown) + len(folded):
                raise ValueError(f"ledger of {self.path!r}: a line that counts twice")
            if len(lines) > count:
                raise ValueError(f"ledger of {self.path!r}: more lines than git counts")
        if self.state is not State.SHOWN and self.reason is None:
            raise ValueError(f"ledger of {self.path!r}: {self.state} without a reason")

    @property
    def changed(self) -> int:
        """Changed lines, by git's count."""
        return self.additions + self.deletions

    @property
    def shown(self) -> int:
        return len(self.shown_added) + len(self.shown_removed)

    @property
    def folded(self) -> int:
        return len(self.folded_added) + len(self.folded_removed)

    @property
    def omitted(self) -> int:
        """Changed lines of which the model saw neither text nor an exact description."""
        return self.changed - self.shown - self.folded

    @property
    def state(self) -> State:
        if not self.changed:
            return State.FOLDED if self.described else State.OMITTED
        if not self.omitted:
            return State.FOLDED if self.folded else State.SHOWN
        return State.PARTIAL if self.shown or self.folded else State.OMITTED

    @property
    def why(self) -> str:
        """Its reason in words."""
        return self.reason.words if self.reason else "no reason recorded"

    @property
    def omission(self) -> str:
        """`src/a.py (source): 20 of 40 changed lines: over the token budget`."""
        count = f"{self.omitted:,} of {counted(self.changed, 'changed line')}"
        return f"{self.path} ({self.tier.label}): {count}: {self.why}"

    @property
    def in_sight(self) -> bool:
        """Nothing of this file was withheld from the model."""
        return self.state in (State.SHOWN, State.FOLDED)

    @property
    def reviewable(self) -> bool:
        """A file of source or test code: what `coverage_source` looks at.

        A claim in its name or text that it is generated lowers a file's tier; it never takes
        it out of this account.
        """
        return self.tier >= Tier.TEST or bool(self.marker)


class Coverage(StrEnum):
    """Whether nothing was withheld from the model."""

    FULL = "full"
    PARTIAL = "partial"


@dataclass(frozen=True, slots=True)
class Redaction:
    """A secret that was replaced before anything was sent; the value is never kept.

    `line` is 1-based on `side`, 0 for the file's name.
    """

    path: str
    line: int
    side: Side
    rule: str
    added: bool = False


class DependencyState(StrEnum):
    """What became of a name that changed lines use: first those that were found."""

    SHOWN = "shown"
    PARTIAL = "partial"
    OMITTED = "omitted"

    UNRESOLVED = "unresolved"
    AMBIGUOUS = "ambiguous"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Dependency:
    """A definition in the head commit that changed lines use, or a name without one.

    `path`, `start` and `end` (1-based, new side) are the definition's; for a name that was
    not found `path` is the file that uses it, at line `start`. `partial`: its signature and
    first lines are shown. `reason` is set where a definition is not shown in full; `outside`
    stands for names of other repositories, which are not missing.
    """

    name: str
    path: str
    start: int
    end: int
    state: DependencyState
    reason: Reason | None = None


@dataclass(frozen=True)
class Ledger:
    """One entry for every changed file that the source could name, in the order of the change.

    `unlisted` counts the others: nobody knows which they are, so nothing is claimed to be full.
    """

    entries: tuple[Entry, ...]
    redactions: tuple[Redaction, ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    unlisted: int = 0

    @cached_property
    def by_path(self) -> dict[str, Entry]:
        return {entry.path: entry for entry in self.entries}

    @property
    def coverage(self) -> Coverage:
        """`full` only if no changed line of any file was withheld."""
        return Coverage.PARTIAL if self.unlisted else _coverage(self.entries)

    @property
    def coverage_source(self) -> Coverage:
        """The same for source and test files alone."""
        if self.unlisted:
            return Coverage.PARTIAL
        return _coverage(e for e in self.entries if e.reviewable)

    @property
    def unlisted_words(self) -> str:
        """What there is to say of files that the source could not name; empty if there are none."""
        if not self.unlisted:
            return ""
        listed = len(self.entries)
        changed, last = listed + self.unlisted, f"the last {self.unlisted} were"
        last = "the last one was" if self.unlisted == 1 else last
        return f"{changed} files changed, {listed} listed: {last} never seen"

    @property
    def withheld(self) -> tuple[Entry, ...]:
        """Files of which the model did not see all, in the order of the change."""
        return tuple(entry for entry in self.entries if not entry.in_sight)

    @property
    def withheld_by_tier(self) -> tuple[Entry, ...]:
        """The same, source first, and by path."""
        return tuple(sorted(self.withheld, key=lambda entry: (-entry.tier, entry.path)))

    @property
    def any_line_shown(self) -> bool:
        return any(entry.shown for entry in self.entries)


def _coverage(entries: Iterable[Entry]) -> Coverage:
    return Coverage.FULL if all(e.in_sight for e in entries) else Coverage.PARTIAL
