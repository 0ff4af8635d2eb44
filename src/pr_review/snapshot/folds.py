"""Files of which one sentence says all there is to say: they are folded, not omitted."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pr_review.domain.diff import ABSENT_MODE, SUBMODULE_MODE, FileChange, Hunk, Status
from pr_review.domain.ledger import Reason
from pr_review.snapshot.classify import may_run

_LFS_POINTER = re.compile(
    r"version https://git-lfs\.github\.com/spec/v1\n"
    r"(?:ext-\d-[A-Za-z0-9.-]+ sha256:[0-9a-f]{64}\n)*"
    r"oid sha256:[0-9a-f]{64}\nsize (?P<size>\d+)"
)


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
    """A submodule on every side there is; where a file became one, its lines are read."""
    if not {file.old_mode, file.new_mode} <= {SUBMODULE_MODE, ABSENT_MODE}:
        return None
    old, new = file.old_oid[:12], file.new_oid[:12]
    if file.status is Status.ADDED:
        return Fold(Reason.SUBMODULE, f"submodule added at {new}")
    if file.status is Status.DELETED:
        return Fold(Reason.SUBMODULE, f"submodule removed, was at {old}")
    return Fold(Reason.SUBMODULE, f"submodule moved from {old} to {new}")


def unreadable(file: FileChange) -> bool:
    """A file that may hold code and that git takes for binary: a NUL in a script is enough.

    Nothing stands in for it, so it is omitted and named; what no person writes is folded.
    """
    return file.binary and not _unchanged(file) and may_run(file.path)


def pointed_to(file: FileChange) -> bool:
    """A file that may hold code and of which the change holds only a pointer: whoever checks it
    out runs what nobody read, so it is omitted and named.
    """
    return file.status is not Status.DELETED and may_run(file.path) and _lfs(file) is not None


def _binary(file: FileChange) -> Fold | None:
    if not file.binary or _unchanged(file) or unreadable(file):
        return None
    return Fold(Reason.BINARY, "binary, not readable as text")


def _unchanged(file: FileChange) -> bool:
    return file.old_oid == file.new_oid and bool(file.new_oid.strip("0"))


def _lfs(file: FileChange) -> Fold | None:
    """A pointer on every side there is, and nothing but a pointer.

    Its form: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
    """
    if len(file.hunks) != 1 or max(file.hunks[0].old_start, file.hunks[0].new_start) > 1:
        return None
    sides = [[x.text for x in file.lines if getattr(x, side)] for side in ("old", "new")]
    pointers = [_LFS_POINTER.fullmatch("\n".join(side)) for side in sides]
    if any(side and not pointer for side, pointer in zip(sides, pointers, strict=True)):
        return None
    old, new = (pointer["size"] if pointer else "" for pointer in pointers)
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
    """Both sides are the same lines, but for a CR that all the changed ones gain or lose."""
    if not file.additions or file.additions != file.deletions:
        return None
    if any(_without_cr(hunk, old=True) != _without_cr(hunk, old=False) for hunk in file.hunks):
        return None
    before = {line.text.endswith("\r") for line in file.lines if line.removed}
    after = {line.text.endswith("\r") for line in file.lines if line.added}
    if len(before) > 1 or len(after) > 1 or before == after:
        return None
    words = "LF to CRLF" if after == {True} else "CRLF to LF"
    return Fold(Reason.LINE_ENDINGS, f"line endings alone changed, {words}, {file.additions} lines")


def _without_cr(hunk: Hunk, *, old: bool) -> list[tuple[str, bool]]:
    """The lines of one side, context included: their order counts too."""
    side = [line for line in hunk.lines if (line.old if old else line.new)]
    return [(line.text.removesuffix("\r"), line.ends_without_newline) for line in side]
