"""Files of which one sentence says all there is to say: they are folded, not omitted."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pr_review.domain.diff import ABSENT_MODE, FileChange, Status
from pr_review.domain.ledger import Reason

_LFS = "version https://git-lfs.github.com/spec/"
_LFS_SIZE = re.compile(r"size (\d+)")


@dataclass(frozen=True, slots=True)
class Fold:
    """What stands in for a file, and why."""

    reason: Reason
    says: str


def fold(file: FileChange) -> Fold | None:
    """The sentence that replaces a file's lines, or None if its lines have to be read."""
    if file.defect:
        return None
    for rule in (_submodule, _binary, _lfs, _without_lines, _line_endings):
        found = rule(file)
        if found:
            return found
    return None


def _submodule(file: FileChange) -> Fold | None:
    if not file.submodule:
        return None
    old, new = file.old_oid[:12], file.new_oid[:12]
    if file.status is Status.ADDED:
        return Fold(Reason.SUBMODULE, f"submodule added at {new}")
    if file.status is Status.DELETED:
        return Fold(Reason.SUBMODULE, f"submodule removed, was at {old}")
    return Fold(Reason.SUBMODULE, f"submodule moved from {old} to {new}")


def _binary(file: FileChange) -> Fold | None:
    return Fold(Reason.BINARY, "binary, not readable as text") if file.binary else None


def _lfs(file: FileChange) -> Fold | None:
    """A pointer file: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md."""
    first = next(file.lines, None)
    if first is None or not first.text.startswith(_LFS) or file.additions + file.deletions > 6:
        return None
    old = new = ""
    for line in file.lines:
        match = _LFS_SIZE.fullmatch(line.text)
        if match:
            old = match[1] if line.old else old
            new = match[1] if line.new else new
    if old and new:
        return Fold(Reason.LFS, f"LFS object changed, {old} -> {new} bytes")
    verb, size = ("added", new) if new else ("removed", old)
    return Fold(Reason.LFS, f"LFS object {verb}, {size} bytes")


def _without_lines(file: FileChange) -> Fold | None:
    if file.additions or file.deletions:
        return None
    mode = ""
    if file.old_mode != file.new_mode and ABSENT_MODE not in (file.old_mode, file.new_mode):
        mode = f"mode {file.old_mode} -> {file.new_mode}"
    if file.status in (Status.RENAMED, Status.COPIED):
        reason = Reason.RENAME if file.status is Status.RENAMED else Reason.COPY
        return Fold(reason, ", ".join(filter(None, ["content unchanged", mode])))
    if file.status in (Status.ADDED, Status.DELETED):
        return Fold(Reason.EMPTY, "empty file")
    return Fold(Reason.MODE, mode or "no line changed")


def _line_endings(file: FileChange) -> Fold | None:
    """Every hunk puts back the lines it takes away, but for the CR at their ends."""
    if not file.additions or file.additions != file.deletions:
        return None
    to_crlf = False
    for hunk in file.hunks:
        old = [line.text for line in hunk.lines if line.removed]
        new = [line.text for line in hunk.lines if line.added]
        if old == new or [x.removesuffix("\r") for x in old] != [x.removesuffix("\r") for x in new]:
            return None
        to_crlf = to_crlf or any(line.endswith("\r") for line in new)
    words = "LF to CRLF" if to_crlf else "CRLF to LF"
    return Fold(Reason.LINE_ENDINGS, f"line endings alone changed, {words}, {file.additions} lines")
