"""A generated file that changes although what it is made from does not: somebody edited it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from pr_review.checks.check import CheckInput, Spot, code, finding, line_spot
from pr_review.checks.paths import kept_as_it_is, suffix
from pr_review.checks.ports import Tree
from pr_review.domain.diff import Change, FileChange, Status
from pr_review.domain.finding import Finding, Severity

NAME = "generated-edited"

_HEAD_LINES = 30
_HEAD_BYTES = 4_000
# More of them at once are the work of a generator that is new or asked in another way.
_MOST = 2
_NAMED = re.compile(
    r"(?i)\.pb\.|[._]pb\d?(?:_grpc)?\.|mocks?[_./]|[_.]mocks?\b|\.sql\.go$|(?:lexer|parser|visitor|listener)"
    r"\w*\.\w+$|\bgen(?:erated)?[/.]|[_.]gen(?:erated)?\.|\.g\.dart$"
)
_GENERATED = re.compile(r"(?i)\bgenerated\b")
_SOURCE = re.compile(
    r"(?i)^\W*(?:source:[ \t]*|[^\n]{0,120}?\bgenerated (?:by \S{1,80} )?from (?:file )?)"
    r"[\"'`]?(?P<path>[\w./+-]+\.\w+)"
)
_FORBIDDEN = re.compile(r"(?i)\bgenerated\b.{0,200}\bdo not edit\b")
_PROTOBUF = re.compile(r"(?:_grpc|_grpc_web|_services)?[._]pb2?(?:_grpc)?\.(?:gw\.|d\.)?\w+$")
# What may make a generator write something else: its version, its options, the way it is called.
_STEERING = re.compile(
    r"(?i)(?:go\.mod|package\.json|.*lock.*|pyproject\.toml|requirements.*\.txt|cargo\.toml|pom\.xml"
    r"|.*\.gradle(?:\.kts)?|.*\.mk|makefile|dockerfile.*|.*\.sh|.*\.ya?ml|.*\.toml|.*\.bazel|.*\.bzl)"
)


@dataclass(frozen=True, slots=True)
class _Made:
    file: FileChange
    source: str


def run(given: CheckInput) -> tuple[Finding, ...]:
    """One finding a file that names its source in its header, where the source stands in the
    head, and nothing changed that the generator may have read.
    """
    change = given.change
    named = [f for f in change.files if f.status is Status.MODIFIED and _may_be(f, change)]
    if given.tree is None or not 0 < len(named) <= _MOST or _steered(change):
        return ()
    made = [found for file in named if (found := _made(file, given.tree))]
    return tuple(_finding(one) for one in made if not _reads_what_changed(one, change, made))


def _may_be(file: FileChange, change: Change) -> bool:
    """By its name, so that not every file has to be read."""
    return bool(_NAMED.search(file.path)) or file.path in change.generated


def _steered(change: Change) -> bool:
    return any(_STEERING.fullmatch(PurePosixPath(file.path).name) for file in change.files)


def _made(file: FileChange, tree: Tree) -> _Made | None:
    """A file of the same header before and after: its first lines down to the name of its source,
    where generators write their versions.
    """
    if kept_as_it_is(file.path) or file.binary:
        return None
    before, after = (_header(tree.blob(oid)) for oid in (file.old_oid, file.new_oid))
    if not after or before != after or not any(map(_GENERATED.search, after)):
        return None
    match = _SOURCE.match(after[-1])
    source = match["path"] if match else _PROTOBUF.sub(".proto", file.path.rpartition("/")[2])
    found = next((path for path in _places(file.path, source) if tree.exists(path)), "")
    return _Made(file, found) if found not in ("", file.path) else None


def _header(data: bytes | None) -> list[str]:
    """The first lines of a file, down to one that names a source, or else forbids to edit what is
    generated; empty if none does.
    """
    text = (data or b"")[:_HEAD_BYTES].decode("utf-8", "replace")
    lines = text.split("\n")[:_HEAD_LINES]
    for number, line in enumerate(lines, start=1):
        if _SOURCE.match(line):
            return lines[:number]
    told = (number for number, line in enumerate(lines, start=1) if _FORBIDDEN.search(line))
    return lines[: next(told, 0)]


def _places(made: str, source: str) -> Iterator[str]:
    """Where a source may stand: generators name it from a folder above, or beside their output."""
    folder = PurePosixPath(made).parent
    if PurePosixPath(source).is_absolute() or ".." in PurePosixPath(source).parts:
        return
    for above in (folder, *folder.parents):
        yield str(above / source)
    yield str(folder / PurePosixPath(source).name)


def _reads_what_changed(one: _Made, change: Change, made: list[_Made]) -> bool:
    """Whether a file of the source's kind changed: a generator follows imports, too."""
    own = {other.file.path for other in made}
    kind = suffix(one.source)
    return any(suffix(file.path) == kind and file.path not in own for file in change.files)


def _finding(one: _Made) -> Finding:
    first = next((line for line in one.file.lines if line.added), None)
    return finding(
        NAME,
        line_spot(one.file, first) if first else Spot(one.file.path),
        severity=Severity.MEDIUM,
        category="maintainability",
        title="A generated file is edited by hand",
        body=f"Its header says that it is made from {code(one.source)}, which this change leaves "
        "as it is: the next run of the generator undoes the edit. Change the source and "
        "generate again.",
    )
