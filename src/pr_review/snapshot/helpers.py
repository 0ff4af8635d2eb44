"""Helpers: definitions that changed lines use, as what could be shown of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from pr_review.domain.diff import FileChange, Status
from pr_review.domain.ledger import Dependency, DependencyState, Reason
from pr_review.snapshot.dependencies import Definition, Resolved
from pr_review.snapshot.draft import Helper, Sheet
from pr_review.snapshot.widen import widened

# A definition of up to 12 lines is shown whole, of a longer one its signature and 9 lines.
_SHORT, _HEAD, _MOST = 12, 9, 20
_MODE = "100644"
UNSCREENED = "(not screened)"


def shown_lines(definition: Definition) -> range:
    """The lines of a definition that are shown at most, 1-based."""
    if definition.end - definition.start < _SHORT:
        return range(definition.start, definition.end + 1)
    last = min(max(definition.head, definition.line + _HEAD - 1), definition.end)
    start = definition.start if last - definition.start < _MOST else definition.line
    return range(start, min(last, start + _MOST - 1) + 1)


def by_path(definitions: Iterable[Definition]) -> dict[str, set[int]]:
    """The lines that are wanted of each file."""
    wanted: dict[str, set[int]] = defaultdict(set)
    for definition in definitions:
        wanted[definition.path].update(shown_lines(definition))
    return wanted


def unchanged(resolved: Resolved, changed: Collection[str]) -> list[tuple[FileChange, bytes]]:
    """Every unchanged file that holds definitions, as a change of nothing with their lines as
    its context, and its contents. `changed` are the paths of the change itself.
    """
    wanted = by_path(resolved.definitions)
    return [
        (_as_change(path, blob, sorted(wanted[path])), blob)
        for path, blob in sorted(resolved.texts.items())
        if wanted.get(path) and path not in changed
    ]


def _as_change(path: str, blob: bytes, numbers: Sequence[int]) -> FileChange:
    # No object id: the name under which its contents are looked up is the path's alone.
    oid = f"unchanged:{path}"
    empty = FileChange(path, None, Status.MODIFIED, _MODE, _MODE, oid, oid, False, 0, 0)  # noqa: FBT003
    return widened(empty, blob.decode("utf-8", "surrogateescape").split("\n"), numbers)


def helpers(resolved: Resolved, sheets: Mapping[str, Sheet]) -> tuple[Helper, ...]:
    """The definitions of which the lines stand on a sheet, with the rows that use them."""
    found = []
    for definition in resolved.definitions:
        sheet = sheets.get(definition.path)
        lines = shown_lines(definition)
        rows = sheet.at(lines) if sheet else ()
        users = tuple(
            (path, sheets[path].position[line])
            for path, line in definition.users
            if path in sheets and line in sheets[path].position
        )
        if sheet and users:
            dependency = Dependency(
                definition.name, definition.path, definition.start, definition.end,
                DependencyState.SHOWN,
            )  # fmt: skip
            # Of some changed files nothing beyond the diff is at hand: a part would mislead.
            whole = rows if len(rows) == len(lines) else ()
            found.append(Helper(dependency, definition.kind, sheet, whole, users))
    return tuple(found)


def unplaced(
    resolved: Resolved, sheets: Mapping[str, Sheet], placed: Iterable[Helper], *, screened: bool
) -> tuple[Dependency, ...]:
    """The other definitions, so that each has its entry: their files, or all lines that use them,
    were not made ready. Of a change that is `screened` their names may not be told: nothing has
    looked at the lines in which they stand.
    """
    has = {_key(helper.definition) for helper in placed}
    found = []
    for definition in resolved.definitions:
        if _key(definition) not in has:
            reason = Reason.DEADLINE if definition.path in sheets else Reason.NO_CONTEXT
            name = UNSCREENED if screened else definition.name
            found.append(
                Dependency(
                    name,
                    definition.path,
                    definition.start,
                    definition.end,
                    DependencyState.OMITTED,
                    reason,
                )
            )
    return tuple(found)


def _key(definition: Definition | Dependency) -> tuple[str, str, int, int]:
    return (definition.name, definition.path, definition.start, definition.end)
