"""How the snapshot's text looks: fences, one header a file, numbered lines, gaps.

    ## src/app.py (modified, source, +2 of 12, -1)
    … def main():
    12 +added
    13  context
    -removed
    … +10, +3 -2 reviewed

`… +10` stands for ten added lines that are not shown, `…` alone for unchanged ones; `reviewed`
are lines that an earlier review read, at the commit that the notice names. In a new
file, where every line is added, no line has a sign. No padding, no bar, no git header: each
costs tokens that lines could have. A row always starts with a number, `-` or `\\`, so that no
text can imitate a header.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise

from pr_review.domain.diff import EXECUTABLE_MODE, SYMLINK_MODE, FileChange, Status
from pr_review.snapshot.draft import Draft, Row, Sheet

GAP = "…"
REVIEWED = "reviewed"
UNCHANGED = "unchanged, used by changed lines"


def section(sheet: Sheet, kept: Collection[int]) -> str:
    """What stands of one file: its header, and the rows whose positions are in `kept`."""
    return header(sheet, kept) + "".join(_body(sheet, sorted(kept)))


def header(sheet: Sheet, kept: Collection[int]) -> str:
    """The line that names a file, and says what it is and how much of it is shown."""
    facts = _facts(sheet, kept) if isinstance(sheet, Draft) else [UNCHANGED]
    return f"## {sheet.name} ({', '.join(facts)})\n"


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
    if added or removed or not draft.in_one_line:
        yield from _share("+", added, file.additions)
        yield from _share("-", removed, file.deletions)
    if words := _counted(draft.folded_rows(kept)):
        yield f"{words} {REVIEWED}"


def _mode(file: FileChange) -> Iterator[str]:
    """A change of mode, and that a new file can be executed."""
    if file.status is Status.ADDED:
        yield from ["executable"] * (file.new_mode == EXECUTABLE_MODE)
    elif file.status is not Status.DELETED and file.old_mode != file.new_mode:
        yield f"mode {file.old_mode} -> {file.new_mode}"


def _share(sign: str, shown: int, total: int) -> Iterator[str]:
    if total:
        yield f"{sign}{total}" if shown == total else f"{sign}{shown} of {total}"


def _body(sheet: Sheet, kept: list[int]) -> Iterator[str]:
    """Rows in order, with a line for every gap between them."""
    if not kept:
        return
    for before, after in pairwise([-1, *kept, len(sheet.rows)]):
        if after != before + 1 or _new_block(sheet, before, after):
            yield from _gap(sheet, before, after)
        if after < len(sheet.rows):
            yield sheet.rows[after].text


def _new_block(sheet: Sheet, before: int, after: int) -> bool:
    if after >= len(sheet.rows):
        return False
    return before < 0 or sheet.hunk_of[before] != sheet.hunk_of[after]


def _gap(sheet: Sheet, before: int, after: int) -> Iterator[str]:
    """A gap counts the changed lines it hides; where it hides none it names the function
    that follows, if nothing but git knows it.
    """
    read = sheet.reviewed if isinstance(sheet, Draft) else frozenset()
    hidden = range(before + 1, after)
    words = _counted(sheet.rows[i] for i in hidden if i not in read)
    if read and (told := _counted(sheet.rows[i] for i in hidden if i in read)):
        words = f"{words}, {told} {REVIEWED}".removeprefix(", ")
    if not words and sheet.sections and _new_block(sheet, before, after):
        words = sheet.sections[sheet.hunk_of[after]]
    if words or (before >= 0 and after < len(sheet.rows)):
        yield f"{GAP} {words}".rstrip() + "\n"


def _counted(rows: Iterable[Row]) -> str:
    """`+10 -2` of some rows; empty if none of them changed."""
    lines = [row.line for row in rows if row.line.changed]
    added = sum(line.added for line in lines)
    removed = len(lines) - added
    return " ".join([f"+{added}"] * bool(added) + [f"-{removed}"] * bool(removed))
