"""What `explain` finds out: about a file, about a line, about a place that a reader needs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pr_review.domain.coverage import Mark
from pr_review.domain.diff import Side
from pr_review.domain.ledger import Entry, Reason


@dataclass(frozen=True, slots=True)
class Span:
    """Changed lines that stand together, by their numbers on `side`."""

    first: int
    last: int
    side: Side = Side.RIGHT

    def __str__(self) -> str:
        numbers = f"{self.first}" if self.first == self.last else f"{self.first}-{self.last}"
        if self.side is Side.LEFT:
            return f"removed {numbers}"
        return f"line {numbers}" if self.first == self.last else f"lines {numbers}"


@dataclass(frozen=True, slots=True)
class Place:
    """A line by its 1-based number on `side`. `name` is the path as it may be printed."""

    path: str
    name: str
    number: int
    side: Side = Side.RIGHT

    def __str__(self) -> str:
        sign = "-" if self.side is Side.LEFT else ""
        return f"{self.name}:{sign}{self.number}"


@dataclass(frozen=True, slots=True)
class Remedy:
    """Settings that show what is asked for, as a run with them has proved.

    `changes` are settings by outward name with their new values. Each number is the smallest
    that was found while the others stand as they are: `fails` holds for each the next smaller
    value, with which it is not shown; None for what is no number. `passes` of the same budget
    show it as well, as another run has proved; 0 if they do not.
    """

    changes: tuple[tuple[str, str], ...]
    fails: tuple[int | None, ...] = ()
    passes: int = 0


@dataclass(frozen=True, slots=True)
class Turn:
    """Where a piece stands in the order in which pieces are shown.

    It is number `rank` of `of` in its rank of files. They are dealt up to number `dealt`: of
    those `shown` are shown, the others are over the cap of their file. Of the later ones `along`
    are seen all the same, in definitions or signatures. `score` falls with the number, `last`
    is that of the last one shown. `worth` is the sum of `values`: new-side numbers of its
    added lines with what each is worth.
    """

    rank: int
    of: int
    dealt: int
    shown: int
    along: int
    score: float
    last: float
    worth: float
    tokens: int
    lines: Span
    values: tuple[tuple[int, float], ...]


class Part(StrEnum):
    """Why an unchanged line may stand in the snapshot, in the order in which they are chosen."""

    NEXT = "next to a change"
    SIGNATURE = "signature"
    DEFINITION = "definition"
    NAMED = "line that shares names"
    OWN = "the diff's own context"
    SCOPE = "start of the enclosing definition"
    NEAR = "lines near a change"


@dataclass(frozen=True, slots=True)
class Role:
    """What a line is good for: `part` of a piece with the changed lines `of`.

    `names` are the definition's, or the names that are shared; `users` the places that use a
    definition. `piece_shown` tells whether the piece itself is shown, for a definition whether
    a line that uses it is.
    """

    part: Part
    of: Span | None
    piece_shown: bool
    names: tuple[str, ...] = ()
    users: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class FileCounts:
    """Of all files of one rank in the order of loss: how many there are and are in sight."""

    label: str
    files: int
    in_sight: int
    mine: bool


@dataclass(frozen=True, slots=True)
class FileAccount:
    """What became of one changed file, and by which rules.

    `turns` are the places of its pieces in the order of their tier; a file that is shown whole
    or not at all has a place among those of its rank instead: `whole` is (number, of, shown).
    `remedy` shows all of it; where there is none although not all is shown, `stuck` says why.
    """

    name: str
    entry: Entry
    tier_why: str
    order: tuple[FileCounts, ...]
    structure: str
    cap_bytes: int
    own_bytes: int
    turns: tuple[Turn, ...] = ()
    whole: tuple[int, int, int] | None = None
    remedy: Remedy | None = None
    stuck: str = ""


@dataclass(frozen=True, slots=True)
class LineAccount:
    """What became of one line.

    `mark` is OMITTED for an unchanged line that is not shown, too: `changed` tells them apart.
    `because` holds the reasons why it is not shown, `says` what stands for a folded line or
    which rule redacted it. `remedy` shows it; where there is none, `stuck` says why. `asked` is
    the old-side number that was asked for, of a line that did not change; else 0. `passes` are the
    numbers of those that it is shown in, where there are several.
    """

    place: Place
    changed: bool
    mark: Mark
    entry: Entry | None
    because: tuple[Reason, ...] = ()
    says: str = ""
    turn: Turn | None = None
    roles: tuple[Role, ...] = ()
    remedy: Remedy | None = None
    stuck: str = ""
    asked: int = 0
    passes: tuple[int, ...] = ()


class Answer(StrEnum):
    YES = "yes"
    COULD = "could"
    NO = "no"


@dataclass(frozen=True, slots=True)
class Needed:
    """Whether the snapshot holds, or could hold, a place that helps to read another one.

    `stage` is the one that supplies it, or that would have had to. `line` is the account of
    the place itself.
    """

    place: Place
    target: str
    answer: Answer
    stage: str
    why: str
    line: LineAccount
    remedy: Remedy | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer to one question. `refused` says why a review of the change would not run,
    `size` how many tokens the snapshot takes of its budget."""

    about: FileAccount | LineAccount
    size: str
    refused: str = ""
    needed: Needed | None = None
