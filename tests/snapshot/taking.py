"""Snapshots of real repositories by the product's own parts, with all that they leave behind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from pr_review.adapters.git import LocalSource
from pr_review.adapters.secrets import Kingfisher
from pr_review.adapters.syntax import TreeSitter
from pr_review.adapters.tokens import token_counter
from pr_review.domain.snapshot import Snapshot
from pr_review.snapshot.fit import fit
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.ports import Objects
from pr_review.snapshot.prepare import Prepared, Tools, prepare
from tests.snapshot.repository import ENVIRON, Repo

_NUMBERED = re.compile(r"(\d+) ([+ ])(.*)", re.DOTALL)
_UNSIGNED = re.compile(r"(\d+) ()(.*)", re.DOTALL)
_HIDDEN = re.compile(r"…(?: \+(\d+))?(?: -(\d+))?")


@cache
def scanner() -> Kingfisher:
    return Kingfisher()


@contextmanager
def source(repo: Repo) -> Iterator[LocalSource]:
    with LocalSource(
        repo.folder, base="base", head="head", max_bytes=10**9, passed={"PATH": ENVIRON["PATH"]}
    ) as opened:
        yield opened


def ready(repo: Repo, policy: SnapshotPolicy, objects: Objects | None = None) -> Prepared:
    with source(repo) as opened:
        change = opened.change()
        return prepare(change, policy, Tools(objects or opened, TreeSitter(), scanner()))


def taken(repo: Repo, policy: SnapshotPolicy) -> Snapshot:
    return fit(ready(repo, policy), policy, token_counter())


@dataclass(frozen=True)
class Printed:
    """The rows of one section of a snapshot's text, in order, told apart by their first signs.

    A row is its new-side number (0 for a removed line), its sign and its text; a gap is the
    sign `…` with what it hides in `added` and `removed`, both 0 for unchanged lines.
    """

    number: int
    sign: str
    text: str
    added: int = 0
    removed: int = 0


def printed(rows: list[str], *, new: bool = False) -> list[Printed]:
    """`new`: every line of the file is added, so none has a sign."""
    form = _UNSIGNED if new else _NUMBERED
    found = []
    for row in rows:
        if row.startswith("\\"):
            continue
        if numbered := form.fullmatch(row):
            found.append(Printed(int(numbered[1]), numbered[2] or "+", numbered[3]))
        elif row.startswith("-"):
            found.append(Printed(0, "-", row[1:]))
        else:
            assert row.startswith("…"), row
            hidden = _HIDDEN.fullmatch(row)
            added, removed = hidden.groups() if hidden else (None, None)
            found.append(Printed(0, "…", row, int(added or 0), int(removed or 0)))
    return found
