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
_COUNTS = r"(?: \+(\d+))?(?: -(\d+))?"
_HIDDEN = re.compile(rf"…(?!.* reviewed){_COUNTS}|…(?:{_COUNTS},)?{_COUNTS} reviewed")


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
        touched = opened.touched_since(policy.since) if policy.since else None
        tools = Tools(objects or opened, TreeSitter(), scanner(), touched=touched)
        return prepare(change, policy, tools)


def taken(repo: Repo, policy: SnapshotPolicy) -> Snapshot:
    return fit(ready(repo, policy), policy, token_counter())


@dataclass(frozen=True)
class Printed:
    """The rows of one section of a snapshot's text, in order, told apart by their first signs.

    A row is its new-side number (0 for a removed line), its sign and its text; a gap is the
    sign `…` with what it hides in `added` and `removed`, both 0 for unchanged lines. Of those
    `read_added` and `read_removed` were reviewed before.
    """

    number: int
    sign: str
    text: str
    added: int = 0
    removed: int = 0
    read_added: int = 0
    read_removed: int = 0


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
            counts = [int(count or 0) for count in hidden.groups()] if hidden else [0] * 6
            added, removed = (sum(counts[side::2]) for side in (0, 1))
            found.append(Printed(0, "…", row, added, removed, *counts[4:]))
    return found
