"""Changes as data: two sets of files become a change and the tree of its head."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from pr_review.change.hunks import hunks
from pr_review.checks.check import CheckInput
from pr_review.domain.diff import ABSENT_MODE, Change, FileChange, SourceKind, Status
from pr_review.domain.ledger import Redaction

Files = Mapping[str, str]


@dataclass
class Memory:
    """A tree held in memory; `asked` and `opened` list the paths that were looked for and read."""

    head: Mapping[str, bytes]
    objects: Mapping[str, bytes]
    asked: list[str] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)

    def blob(self, oid: str) -> bytes | None:
        return self.objects.get(oid)

    def exists(self, path: str) -> bool:
        self.asked.append(path)
        return path in self.head

    def read(self, path: str) -> bytes | None:
        self.opened.append(path)
        return self.head.get(path)


def given(before: Files, after: Files, *redactions: Redaction) -> CheckInput:
    """The change from one set of files to another."""
    paths = sorted(p for p in before.keys() | after.keys() if before.get(p) != after.get(p))
    files = tuple(_file(path, before.get(path), after.get(path)) for path in paths)
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
    return CheckInput(change, redactions, tree)


def _file(path: str, old: str | None, new: str | None) -> FileChange:
    patch = "".join(difflib.unified_diff(_lines(old), _lines(new), "a/f", "b/f"))
    found = hunks(f"diff --git a/f b/f\n{patch}")
    lines = [line for hunk in found for line in hunk.lines]
    status = Status.ADDED if old is None else Status.DELETED if new is None else Status.MODIFIED
    return FileChange(
        path=path,
        old_path=None,
        status=status,
        old_mode=ABSENT_MODE if old is None else "100644",
        new_mode=ABSENT_MODE if new is None else "100644",
        old_oid=_oid(old),
        new_oid=_oid(new),
        binary=False,
        additions=sum(line.added for line in lines),
        deletions=sum(line.removed for line in lines),
        hunks=found,
    )


def _lines(text: str | None) -> list[str]:
    return [f"{line}\n" for line in (text or "").split("\n")[:-1]]


def _oid(text: str | None) -> str:
    return "0" * 40 if text is None else hashlib.sha1(text.encode()).hexdigest()
