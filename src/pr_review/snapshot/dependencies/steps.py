"""What is looked for, and the steps in which it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, IntEnum, auto

from pr_review.snapshot.dependencies.languages import (
    Language,
)
from pr_review.snapshot.outline import Scope

_DOTS = re.compile(r"::|\.")


class Mode(Enum):
    """Which definitions of a file count: those a plain name can see at the line, those a file
    gives to others, the members of one type, or members of any.
    """

    VISIBLE = auto()
    EXPORTED = auto()
    MEMBER = auto()
    ANY = auto()


class Worth(IntEnum):
    """How likely a file holds what is looked for: the order of fetching."""

    NAMED = 0
    SIBLING = 1
    SUGGESTED = 2
    REACHED = 3
    NEIGHBOUR = 4
    FAR = 5


@dataclass(frozen=True, slots=True)
class Step:
    """Files to look into for `name`, a member of `owner` in mode MEMBER.

    `likely` of the files, which come first, are worth `worth`; the others FAR. With `first`
    the first file that has the name decides, else all that have it are candidates. `everywhere`
    stands for every file at hand of the same language. `only` is the one definition that it can
    be, in the one file there is.
    """

    mode: Mode
    name: str
    files: tuple[str, ...] = ()
    owner: str = ""
    worth: Worth = Worth.NAMED
    likely: int = 0
    first: bool = False
    only: Scope | None = None
    everywhere: bool = False

    def priority(self, position: int) -> tuple[int, int]:
        """The order in which its files are fetched: smaller first."""
        worth = self.worth if position < self.likely else Worth.FAR
        return (worth, position)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A name that changed lines of one file use inside of the same scopes."""

    path: str
    language: Language
    name: str
    qualifier: str
    call: bool
    around: tuple[Scope, ...]
    lines: tuple[int, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """The dotted names of the qualifier; none for an expression."""
        if self.qualifier == "?":
            return ()
        return tuple(part for part in _DOTS.split(self.qualifier) if part)


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps to take in order until one finds something.

    `outside`: an import says that the name belongs to another repository. `expected`: it must
    be defined in this one, so not finding it is worth a record. `ambiguous`: the asking file binds
    it more than once, and which one holds depends on what runs.
    """

    steps: tuple[Step, ...] = ()
    outside: bool = False
    ambiguous: bool = False
    expected: bool = False
