"""Workflows and actions of GitHub Actions, before and after a change.

Their form: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pr_review.checks.check import CheckInput, Spot
from pr_review.checks.paths import kept_as_it_is
from pr_review.checks.ports import Leaf
from pr_review.domain.diff import FileChange

_WORKFLOW = re.compile(r"\.github/workflows/[^/]+\.ya?ml")
_ACTION = re.compile(r"(?:.*/)?action\.ya?ml")

TOP = ""
"""The place of what holds for all jobs of a workflow; every other place is a job's name."""
ALL = "write-all"


@dataclass(frozen=True)
class Workflow:
    """A workflow or a composite action as its leaves."""

    leaves: Sequence[Leaf] = ()

    @cached_property
    def events(self) -> frozenset[str]:
        """Names of the events that start it, in each of the three forms of `on`."""
        found = (leaf for leaf in self.leaves if leaf.path[:1] == ("on",))
        return frozenset(
            leaf.value if len(leaf.path) == 1 or leaf.path[1].isdigit() else leaf.path[1]
            for leaf in found
        )

    @cached_property
    def jobs(self) -> frozenset[str]:
        paths = (leaf.path for leaf in self.leaves)
        return frozenset(path[1] for path in paths if path[0:1] == ("jobs",) and path[1:])

    @cached_property
    def permissions(self) -> Mapping[str, Mapping[str, Leaf]]:
        """By place, then by scope; what is said in one word stands under the scope of that word,
        an empty block has none.
        """
        places: dict[str, dict[str, Leaf]] = {}
        for leaf in self.leaves:
            match leaf.path:
                case ("permissions", *rest):
                    place = TOP
                case ("jobs", job, "permissions", *rest):
                    place = job
                case _:
                    continue
            scopes = places.setdefault(place, {})
            if scope := rest[0] if rest else leaf.value:
                scopes[scope] = leaf
        return places

    def writes(self, place: str) -> Mapping[str, Leaf]:
        """Scopes that a place may write to, and where it says so."""
        scopes = self.permissions.get(place, {})
        return {
            name: leaf
            for name, leaf in scopes.items()
            if ALL in (name, leaf.value) or leaf.value == "write"
        }

    @property
    def all_writes(self) -> frozenset[str]:
        return frozenset(scope for place in self.permissions for scope in self.writes(place))

    @property
    def used(self) -> Iterator[Leaf]:
        """The actions and workflows that steps and jobs use."""
        return (leaf for leaf in self.leaves if _uses(leaf.path))


def _uses(path: tuple[str, ...]) -> bool:
    if path[-1:] != ("uses",):
        return False
    in_step = path[2:3] == ("steps",) and len(path) == 5
    of_job = path[0] == "jobs" and (in_step or len(path) == 3)
    return of_job or (path[:2] == ("runs", "steps") and len(path) == 4)


@dataclass(frozen=True, slots=True)
class Changed:
    """A file before and after; `before` is None for a new one."""

    file: FileChange
    before: Workflow | None
    after: Workflow

    def spot(self, *leaves: Leaf) -> Spot:
        """The first of some lines that the change adds, else the whole file."""
        added = set(self.file.added_lines)
        line = next((leaf.line for leaf in leaves if leaf.line in added), None)
        return Spot(self.file.path, line, line)


def workflows(given: CheckInput) -> Iterator[Changed]:
    """The changed workflows that can be read on both sides."""
    return _changed(given, _WORKFLOW)


def actions(given: CheckInput) -> Iterator[Changed]:
    """The same for composite actions."""
    return _changed(given, _ACTION)


def _changed(given: CheckInput, names: re.Pattern[str]) -> Iterator[Changed]:
    for file in given.change.files:
        if (
            not names.fullmatch(file.path)
            or not file.new_oid.strip("0")
            or kept_as_it_is(file.path)
        ):
            continue
        after = _read(given, file.new_oid)
        before = _read(given, file.old_oid) if file.old_oid.strip("0") else None
        if after and (before or not file.old_oid.strip("0")):
            yield Changed(file, before, after)


def _read(given: CheckInput, oid: str) -> Workflow | None:
    data = given.tree.blob(oid) if given.tree else None
    leaves = None if data is None else given.yaml(data)
    return None if leaves is None else Workflow(leaves)
