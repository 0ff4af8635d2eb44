"""How the snapshot's text looks: fences, one header a file, numbered lines, gaps.

    ## src/app.py (modified, source, +2 of 12, -1)
    … def main():
    12 +added
    13  context
    -removed
    … +10 -0

`… +10 -0` stands for ten added lines that are not shown, `…` alone for unchanged ones. No
padding, no bar, no git header: each costs tokens that lines could have. A row always starts
with a number, `-` or `\\`, so that no text can imitate a header.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise

from pr_review.domain.diff import EXECUTABLE_MODE, SYMLINK_MODE, FileChange, Status
from pr_review.snapshot.draft import Draft

GAP = "…"


def section(draft: Draft, kept: Collection[int]) -> str:
    """What stands of one file: its header, and the rows whose positions are in `kept`."""
    head = f"## {draft.name} ({', '.join(_facts(draft, kept))})\n"
    return head + "".join(_body(draft, sorted(kept)))


def _facts(draft: Draft, kept: Collection[int]) -> Iterator[str]:
    file = draft.file
    if draft.old_name:
        yield f"{file.status} from {draft.old_name}"
    else:
        yield str(file.status)
    yield draft.kind.tier.label
    if draft.kind.marker:
        yield f"says {draft.kind.marker}"
    if SYMLINK_MODE in (file.old_mode, file.new_mode):
        yield "symlink"
    if not draft.says:
        yield from _mode(file)
    if draft.crlf:
        yield "CRLF"
    if draft.says:
        yield draft.says
        return
    whole = [draft.rows[i].line for i in kept if not draft.rows[i].cut]
    added = sum(line.added for line in whole)
    removed = sum(line.removed for line in whole)
    yield _share("+", added, file.additions)
    yield _share("-", removed, file.deletions)


def _mode(file: FileChange) -> Iterator[str]:
    """A change of mode, and that a new file can be executed."""
    if file.status is Status.ADDED:
        yield from ["executable"] * (file.new_mode == EXECUTABLE_MODE)
    elif file.status is not Status.DELETED and file.old_mode != file.new_mode:
        yield f"mode {file.old_mode} -> {file.new_mode}"


def _share(sign: str, shown: int, total: int) -> str:
    return f"{sign}{total}" if shown == total else f"{sign}{shown} of {total}"


def _body(draft: Draft, kept: list[int]) -> Iterator[str]:
    """Rows in order, with a line for every gap between them."""
    if not kept:
        return
    for before, after in pairwise([-1, *kept, len(draft.rows)]):
        if after != before + 1 or _new_hunk(draft, before, after):
            yield from _gap(draft, before, after, whole=len(kept) == len(draft.rows))
        if after < len(draft.rows):
            yield draft.rows[after].text


def _new_hunk(draft: Draft, before: int, after: int) -> bool:
    if after >= len(draft.rows):
        return False
    return before < 0 or draft.hunk_of[before] != draft.hunk_of[after]


def _gap(draft: Draft, before: int, after: int, *, whole: bool) -> Iterator[str]:
    """A gap counts the changed lines it hides; in a file shown whole it names the function
    that follows, if git knows one.
    """
    hidden = draft.rows[before + 1 : after]
    added = sum(row.line.added for row in hidden)
    removed = sum(row.line.removed for row in hidden)
    words = f"+{added} -{removed}" if added or removed else ""
    if whole and _new_hunk(draft, before, after):
        words = draft.sections[draft.hunk_of[after]]
    if words or (before >= 0 and after < len(draft.rows)):
        yield f"{GAP} {words}".rstrip() + "\n"
