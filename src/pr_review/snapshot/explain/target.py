"""Which file or line a question is about: `PATH`, `PATH:LINE`, or `PATH:-LINE` for the old side."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pr_review.domain.diff import FileChange, Side, Status
from pr_review.domain.text import quoted_path
from pr_review.errors import ConfigurationError, nearest
from pr_review.snapshot.explain.case import Case
from pr_review.snapshot.explain.model import Place

_NUMBER = re.compile(r"(-?)([0-9]{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Target:
    """A path of the change or of the head, and a line of it if one is named.

    `asked` is the old-side number that was named, where that line did not change: `place` is
    then its place on the new side.
    """

    path: str
    place: Place | None = None
    asked: int = 0


def target(text: str, case: Case) -> Target:
    """Reads a question. Raises `ConfigurationError` if there is no such path or line."""
    path = _known(text, case)
    if path is not None:
        return Target(path)
    head, _, tail = text.rpartition(":")
    number = _NUMBER.fullmatch(tail)
    if not head or number is None:
        raise _unknown(text, case)
    path = _known(head, case)
    if path is None:
        raise _unknown(head, case)
    side = Side.LEFT if number[1] else Side.RIGHT
    return _line(Place(path, name_of(path, case), int(number[2]), side), case)


def name_of(path: str, case: Case) -> str:
    """The path as it may be printed: on one line, without a credential in it."""
    return quoted_path(case.now.prepared.names.get(path, path))


def _known(path: str, case: Case) -> str | None:
    """The path of the file that is meant: of the change, before a rename, or of the head."""
    path = path.removeprefix("./")
    if path in case.now.sheets:
        return path
    for draft in case.now.prepared.drafts:
        if draft.file.old_path == path:
            return draft.path
    return path if path in case.objects.head_files() else None


def _unknown(path: str, case: Case) -> ConfigurationError:
    names = [draft.printed for draft in case.now.prepared.drafts]
    if not names:
        return ConfigurationError("the change is empty: there is no file to explain")
    below = [name for name in names if name.endswith(f"/{path}")]  # asked from within a folder
    near = next(iter(below), "") or nearest(path, names)
    so = f", the nearest changed path is {quoted_path(near)}" if near else ""
    return ConfigurationError(
        f"there is no {quoted_path(path)} in the change or at its head{so}",
        remedy="give PATH, PATH:LINE, or PATH:-LINE for a removed line",
    )


def _line(place: Place, case: Case) -> Target:
    file = case.file(place.path)
    old = place.side is Side.LEFT
    text = case.old_text(place.path) if old else case.text(place.path)
    if file is None and old:
        raise ConfigurationError(f"{place.name} is not changed", remedy="give PATH:LINE")
    if place.number < 1 or (text is not None and place.number > len(text)):
        raise _past(place, case, 0 if text is None else len(text))
    if file is None or not old or place.number in file.removed_lines:
        return Target(place.path, place)
    now = _new_number(file, place.number)
    return Target(place.path, Place(place.path, place.name, now), asked=place.number)


def _past(place: Place, case: Case, lines: int) -> ConfigurationError:
    file = case.file(place.path)
    if file is not None and file.status is Status.DELETED and place.side is Side.RIGHT:
        what = f"{place.name} is deleted"
    elif not lines:
        what = f"{place.name} has no line {place.number}"
    else:
        what = f"{place.name} has {lines:,} lines, there is no line {place.number:,}"
    return ConfigurationError(what, remedy="PATH:LINE counts new lines, PATH:-LINE old ones")


def _new_number(file: FileChange, old: int) -> int:
    """Where an old line that was not removed stands on the new side."""
    shift = 0
    for line in file.lines:
        if line.old is not None and line.old > old:
            break
        shift += line.added - line.removed
    return old + shift
