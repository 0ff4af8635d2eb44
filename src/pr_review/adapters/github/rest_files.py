"""A changed file as GitHub's lists tell it: `pulls/N/files`, and the trees of both commits.

The file list has neither modes nor the ids of old contents; the trees have both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pr_review.domain.diff import ABSENT_MODE, SUBMODULE_MODE, FileChange, Status

NO_OID = "0" * 40
_EMPTY = (
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)
_STATUS = {
    "added": Status.ADDED,
    "removed": Status.DELETED,
    "modified": Status.MODIFIED,
    "renamed": Status.RENAMED,
    "copied": Status.COPIED,
    "changed": Status.MODIFIED,
    "unchanged": Status.MODIFIED,
}


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry of the file list. `oid` is the new content's (the old one's for a removed file),
    all zeros where GitHub does not tell; `patch` is empty where it is left out.
    """

    path: str
    old_path: str | None
    word: str
    oid: str
    additions: int
    deletions: int
    patch: str

    @classmethod
    def of(cls, entry: Any) -> Listed:
        """From GitHub's JSON. Raises `KeyError`, `TypeError` or `ValueError` for anything else."""
        word = str(entry["status"])
        if word not in _STATUS:
            raise ValueError("a file has a status that GitHub does not describe")
        named = word in ("renamed", "copied")
        return cls(
            str(entry["filename"]), str(entry["previous_filename"]) if named else None, word,
            str(entry.get("sha") or NO_OID), int(entry["additions"]), int(entry["deletions"]),
            str(entry.get("patch") or ""),
        )  # fmt: skip

    @property
    def changed(self) -> int:
        return self.additions + self.deletions


@dataclass(frozen=True, slots=True)
class Node:
    """What a tree holds at a path; `size` is 0 for a submodule."""

    mode: str
    oid: str
    size: int


@dataclass(frozen=True, slots=True)
class Listing:
    """The files and submodules of one commit by path.

    `whole` is false where GitHub cut the list: a path that is not here may exist all the same.
    """

    nodes: Mapping[str, Node] = field(default_factory=dict)
    whole: bool = False

    @classmethod
    def of(cls, answer: Any) -> Listing:
        """From GitHub's JSON of a recursive tree. Raises what `Listed.of` raises."""
        nodes = {
            str(entry["path"]): Node(
                str(entry["mode"]), str(entry["sha"]), int(entry.get("size") or 0)
            )
            for entry in answer["tree"]
            if entry["type"] != "tree"
        }
        return cls(nodes, whole=answer["truncated"] is False)

    @property
    def regular(self) -> dict[str, str]:
        """Object ids of the regular files by path."""
        return {path: n.oid for path, n in self.nodes.items() if n.mode.startswith("100")}


def agree(listed: Listed, base: Listing, head: Listing) -> bool:
    """Whether an entry may belong to the change between two commits, as far as their trees tell.

    The list names no commits: it may be that of a head or a base that moved since.
    """
    if "\ufffd" in listed.path + (listed.old_path or ""):
        return True  # stands for bytes that the lists may have given up differently
    before, after = base.nodes.get(listed.old_path or listed.path), head.nodes.get(listed.path)
    added, removed = listed.word == "added", listed.word == "removed"
    if after and not removed and NO_OID != listed.oid != after.oid:
        return False
    return _stands(before, base, wanted=not added) and _stands(after, head, wanted=not removed)


def _stands(node: Node | None, listing: Listing, *, wanted: bool) -> bool:
    """Whether something is where it should be, or nothing is; a cut list leaves it open."""
    return wanted if node else not (wanted and listing.whole)


def file(listed: Listed, base: Listing, head: Listing) -> FileChange:
    """One file without its hunks. What no list tells is empty, or an id of zeros."""
    status = _STATUS[listed.word]
    before = None if status is Status.ADDED else base.nodes.get(listed.old_path or listed.path)
    after = None if status is Status.DELETED else head.nodes.get(listed.path)
    row = FileChange(
        listed.path,
        listed.old_path,
        status,
        old_mode=ABSENT_MODE if status is Status.ADDED else before.mode if before else "",
        new_mode=ABSENT_MODE if status is Status.DELETED else after.mode if after else "",
        old_oid=_old_oid(listed, before),
        new_oid=NO_OID if status is Status.DELETED else after.oid if after else listed.oid,
        binary=False,
        additions=listed.additions,
        deletions=listed.deletions,
    )
    return replace(row, status=_status(listed, row), binary=_binary(listed, row))


def _old_oid(listed: Listed, before: Node | None) -> str:
    if before is not None:
        return before.oid
    return listed.oid if listed.word == "removed" else NO_OID


def _status(listed: Listed, row: FileChange) -> Status:
    """GitHub's `modified`, `changed` and `unchanged` in git's terms: by the modes, if known."""
    if row.status is not Status.MODIFIED:
        return row.status
    if row.old_mode and row.new_mode:
        if row.old_mode[:3] != row.new_mode[:3]:
            return Status.TYPE
        only_mode = row.old_mode != row.new_mode and row.old_oid == row.new_oid
        return Status.MODE if only_mode else Status.MODIFIED
    return Status.MODE if listed.word == "changed" and not listed.changed else Status.MODIFIED


def _binary(listed: Listed, row: FileChange) -> bool:
    """Whether content changed and no line did: GitHub has no word for binary.

    Where an id is not known, a renamed, copied, `changed` or `unchanged` file is taken for one
    that kept its content, as GitHub means it, and a modified one for binary.
    """
    if listed.changed or listed.patch or SUBMODULE_MODE in (row.old_mode, row.new_mode):
        return False
    if row.status in (Status.ADDED, Status.DELETED):
        return (row.new_oid if row.status is Status.ADDED else row.old_oid) not in _EMPTY
    if row.old_oid.strip("0") and row.new_oid.strip("0"):
        return row.old_oid != row.new_oid
    return listed.word == "modified"
