"""Symbolic links: those that lead out of the repository, and those that lead elsewhere."""

from __future__ import annotations

from pathlib import PurePosixPath

from pr_review.checks.check import CheckInput, Spot, finding
from pr_review.checks.paths import kept_as_it_is
from pr_review.checks.ports import Tree
from pr_review.domain.diff import ABSENT_MODE, SUBMODULE_MODE, SYMLINK_MODE, FileChange
from pr_review.domain.finding import Finding, Severity

NAME = "symlink-changed"

_DRIVE = 2


def run(given: CheckInput) -> tuple[Finding, ...]:
    """One finding a link. A new link that stays inside of the repository is none."""
    found = (_finding(file, given) for file in given.change.files if _concerns(file))
    return tuple(one for one in found if one)


def _concerns(file: FileChange) -> bool:
    modes = (file.old_mode, file.new_mode)
    gone = file.new_mode in (ABSENT_MODE, SUBMODULE_MODE) or file.old_mode == SUBMODULE_MODE
    return SYMLINK_MODE in modes and not gone and not kept_as_it_is(file.path)


def _finding(file: FileChange, given: CheckInput) -> Finding | None:
    target = _target(file, given.tree)
    leads = "" if target is None else f"It leads to {given.quoted(file.path, 1, target)}"
    if file.new_mode != SYMLINK_MODE:
        return _told(file, Severity.MEDIUM, "A symbolic link becomes a file", _WAS_LINK)
    if target is not None and leaves_repository(file.path, target) and not _left(file, target):
        title = "A symbolic link leads out of the repository"
        return _told(file, Severity.HIGH, title, f"{leads}, {_OUTSIDE}")
    if file.old_mode == ABSENT_MODE or file.old_oid == file.new_oid:
        return None
    now = f"{leads} now. " if leads else ""
    if file.old_mode != SYMLINK_MODE:
        return _told(file, Severity.MEDIUM, "A file becomes a symbolic link", now + _IS_LINK)
    return _told(file, Severity.LOW, "A symbolic link leads elsewhere than before", now + _MOVED)


_OUTSIDE = (
    "which is not part of what is checked out: it breaks on every other machine, and whoever "
    "reads or packs the folder may follow it to a file that is none of the repository's."
)
_WAS_LINK = (
    "Its content is a copy from now on. That happens by itself where git cannot make links "
    "(`core.symlinks=false`): restore the link unless the copy is meant."
)
_IS_LINK = "Its content is gone, and whatever reads the path gets that of another file."
_MOVED = "Check that all who read this path are to get the other file."


def leaves_repository(path: str, target: str) -> bool:
    """Whether a link at a path leads out of the repository, or into its `.git`.

    >>> leaves_repository("a/b", "../c"), leaves_repository("a/b", "../../c")
    (False, True)
    """
    if target.startswith(("/", "\\", "~")) or target[1:_DRIVE] == ":":
        return True
    depth: list[str] = list(PurePosixPath(path).parent.parts)
    for part in target.split("/"):
        if part == "..":
            if not depth:
                return True
            depth.pop()
        elif part not in ("", "."):
            depth.append(part)
    return depth[:1] == [".git"]


def _left(file: FileChange, target: str) -> bool:
    """Whether a link that was renamed led out of the repository where it stood before."""
    same = file.old_oid == file.new_oid
    return same and file.old_path is not None and leaves_repository(file.old_path, target)


def _target(file: FileChange, tree: Tree | None) -> str | None:
    """What a link holds: its only line in the diff, or else its object."""
    lines = [line.text for line in file.lines if line.added]
    if len(lines) == 1 and not file.binary:
        return lines[0]
    data = tree.blob(file.new_oid) if tree else None
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _told(file: FileChange, severity: Severity, title: str, body: str) -> Finding:
    first = next((line.new for line in file.lines if line.added), None)
    return finding(
        NAME,
        Spot(file.path, first, first),
        severity=severity,
        category="security" if severity is Severity.HIGH else "correctness",
        title=title,
        body=body,
    )
