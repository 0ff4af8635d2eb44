"""Changes as data: two sets of files become a change and the tree of its head."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pr_review.adapters.yaml_leaves import leaves
from pr_review.change.hunks import hunks
from pr_review.checks.check import CheckInput
from pr_review.domain.diff import ABSENT_MODE, Change, FileChange, SourceKind, Status
from pr_review.domain.ledger import Redaction

Files = Mapping[str, str]
Modes = Mapping[str, tuple[str, str]]


@dataclass
class Memory:
    """A tree held in memory; `asked` and `opened` list the paths that were looked for and read."""

    head: Mapping[str, bytes]
    objects: Mapping[str, bytes]
    asked: list[str] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)

    def blob(self, oid: str) -> bytes | None:
        return self.objects.get(oid)

    def sizes(self, oids: Sequence[str]) -> Mapping[str, int]:
        return {oid: len(self.objects[oid]) for oid in oids if oid in self.objects}

    def exists(self, path: str) -> bool:
        self.asked.append(path)
        return path in self.head

    def read(self, path: str) -> bytes | None:
        self.opened.append(path)
        return self.head.get(path)


def given(
    before: Files, after: Files, *redactions: Redaction, modes: Modes | None = None
) -> CheckInput:
    """The change from one set of files to another. `modes` holds git's old and new mode of files
    that are not just text; a NUL makes a file binary.
    """
    every = sorted(before.keys() | after.keys())
    of = {path: (modes or {}).get(path, ("100644", "100644")) for path in every}
    moved = {path for path, (old, new) in of.items() if old != new}
    paths = [p for p in every if before.get(p) != after.get(p) or p in moved]
    files = tuple(_file(path, before.get(path), after.get(path), of[path]) for path in paths)
    texts = [*before.values(), *after.values()]
    tree = Memory(
        {path: text.encode() for path, text in after.items()},
        {_oid(text): text.encode() for text in texts},
    )
    change = Change(
        source=SourceKind.GIT,
        merge_base="b" * 40,
        head="a" * 40,
        files=files,
        raw_bytes=0,
    )
    return CheckInput(change, redactions, tree, leaves)


def _file(path: str, old: str | None, new: str | None, modes: tuple[str, str]) -> FileChange:
    binary = "\0" in f"{old}{new}"
    sides = ([], []) if binary else (_lines(old), _lines(new))
    patch = "".join(difflib.unified_diff(*sides, "a/f", "b/f"))
    found = hunks(f"diff --git a/f b/f\n{patch}")
    lines = [line for hunk in found for line in hunk.lines]
    return FileChange(
        path=path,
        old_path=None,
        status=_status(old, new, modes),
        old_mode=ABSENT_MODE if old is None else modes[0],
        new_mode=ABSENT_MODE if new is None else modes[1],
        old_oid=_oid(old),
        new_oid=_oid(new),
        binary=binary,
        additions=sum(line.added for line in lines),
        deletions=sum(line.removed for line in lines),
        hunks=found,
    )


def _status(old: str | None, new: str | None, modes: tuple[str, str]) -> Status:
    if old is None or new is None:
        return Status.ADDED if old is None else Status.DELETED
    if modes[0][:3] != modes[1][:3]:
        return Status.TYPE
    return Status.MODE if old == new else Status.MODIFIED


def _lines(text: str | None) -> list[str]:
    return [f"{line}\n" for line in (text or "").split("\n")[:-1]]


def _oid(text: str | None) -> str:
    return "0" * 40 if text is None else hashlib.sha1(text.encode()).hexdigest()
