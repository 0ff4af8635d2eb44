"""Patch text: nothing of it is lost or invented, the ledger balances, and every anchor exists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pr_review.change.hunks import hunks, sections
from pr_review.change.patch_text import PatchText
from pr_review.domain.diff import Change, FileChange, Hunk, Line, Side
from pr_review.domain.finding import Confidence, Finding, Judged, Place, Severity
from pr_review.domain.snapshot import Snapshot
from pr_review.errors import SnapshotError
from pr_review.judge.judge import judge
from pr_review.judge.policy import JudgePolicy
from pr_review.snapshot.fit import fit
from pr_review.snapshot.policy import SnapshotPolicy
from tests.fuzz.words import one_line
from tests.snapshot.listing import prepared

_MOST_BYTES = 3_000
_HEADER = re.compile(r"@@ -([0-9]+)(?:,([0-9]+))? \+([0-9]+)(?:,([0-9]+))? @@")
_POLICIES = (
    SnapshotPolicy(),
    SnapshotPolicy(token_budget=1_000, max_file_bytes=700),
    SnapshotPolicy(token_budget=1_000, passes=3),
)


class Bytes:
    """A counter of tokens that costs nothing: four bytes are one."""

    name = "bytes"

    def count(self, text: str) -> int:
        return (len(text.encode()) + 3) // 4


def check(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    for section in sections(text):
        _reads_as_written(section)
    try:
        change = PatchText(data, name="a patch", max_bytes=_MOST_BYTES).change()
    except SnapshotError as error:
        one_line(str(error))
        return
    assert change.oversize == (len(data) > _MOST_BYTES)
    assert len({file.path for file in change.files}) == len(change.files)
    for file in change.files:
        _counts(file, whole=not change.oversize)
    policy = _POLICIES[len(data) % len(_POLICIES)]
    snapshot = fit(prepared(change, policy), policy, Bytes())
    _balances(snapshot, change)
    _anchors_exist(snapshot, change)


def _reads_as_written(section: str) -> None:
    """The hunks of a section are those that stand there, line by line, or none at all."""
    try:
        read = hunks(section)
    except ValueError as error:
        one_line(str(error))
        return
    assert [_plain(hunk) for hunk in read] == list(_written(section))


def _plain(hunk: Hunk) -> tuple[object, ...]:
    place = (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count)
    return *place, [line.sign + line.text for line in hunk.lines]


def _written(section: str) -> Iterator[tuple[object, ...]]:
    """The hunks of a section by their headers' counts alone."""
    lines = section.removesuffix("\n").split("\n")
    at = next((i for i, line in enumerate(lines) if line.startswith("@@ -")), len(lines))
    while at < len(lines):
        header, at = _HEADER.match(lines[at]), at + 1
        if header is None:
            assert not lines[at - 1].startswith("@@ -"), "a hunk is lost"
            continue
        old_start, old, new_start, new = (int(1 if n is None else n) for n in header.groups())
        place, body = (old_start, old, new_start, new), []
        while old > 0 or new > 0:
            line, at = lines[at], at + 1
            if line.startswith("\\"):
                continue
            assert line[:1] in (" ", "+", "-") or line in ("", "\r"), (
                "a line without a sign is read"
            )
            body.append(line if line[:1] in (" ", "+", "-") else f" {line}")
            old, new = old - (body[-1][0] in " -"), new - (body[-1][0] in " +")
        yield *place, body
        assert at == len(lines) or lines[at][:1] not in ("+", "-") or lines[at] == "-- "


def _counts(file: FileChange, *, whole: bool) -> None:
    lines = tuple(file.lines)
    added, removed = sum(line.added for line in lines), sum(line.removed for line in lines)
    if file.defect:
        assert not file.hunks
    elif whole or file.hunks:
        assert (added, removed) == (file.additions, file.deletions)
    for hunk in file.hunks:
        old = [line.old for line in hunk.lines if line.old is not None]
        new = [line.new for line in hunk.lines if line.new is not None]
        assert old == list(range(hunk.old_start, hunk.old_start + hunk.old_count))
        assert new == list(range(hunk.new_start, hunk.new_start + hunk.new_count))
        assert 0 not in (*old, *new)
        assert not any("\n" in line.text for line in hunk.lines)


def _balances(snapshot: Snapshot, change: Change) -> None:
    entries = snapshot.ledger.entries
    assert [entry.path for entry in entries] == [file.path for file in change.files]
    sent = {file.path: file for file in snapshot.sent}
    for entry, file in zip(entries, change.files, strict=True):
        assert entry.changed == file.additions + file.deletions
        assert entry.shown + entry.folded + entry.omitted == entry.changed
        assert entry.omitted == 0 or entry.reason
        lines = sent[entry.path].lines
        assert set(entry.shown_added) <= {line.new for line in lines if line.old is None}
        assert set(entry.shown_removed) <= {line.old for line in lines if line.new is None}
        assert all(line.text in snapshot.text and "\n" not in line.text for line in lines)
    for part in snapshot.passes:
        assert part.tokens <= snapshot.budget
    snapshot.text.encode()


def _anchors_exist(snapshot: Snapshot, change: Change) -> None:
    """Whatever is said of the change, an inline comment stands on a line of its diff."""
    files = {file.path: file for file in change.files}
    said = [one for file in change.files[:3] for one in _said(file)]
    judged = judge(said, snapshot, JudgePolicy())
    assert len(judged) == len(said)
    for one in judged:
        assert one.reason or one.place is Place.INLINE
        if one.place is Place.INLINE:
            assert _stands(one, files[one.finding.path])


def _said(file: FileChange) -> Iterator[Finding]:
    lines = [*file.lines][:4]
    for line in lines:
        yield _finding(file, line, line.text, line.number)
        yield _finding(file, line, "", line.number + len(lines))
        yield _finding(file, line, line.text[2:], None)


def _finding(file: FileChange, line: Line, quote: str, number: int | None) -> Finding:
    end = None if number is None else number + len(quote) % 3
    return Finding(
        file.path, number, end, line.side, Severity.HIGH, Confidence.HIGH,
        "bugs", f"It is wrong at {number} {quote}", "Because.", quote, "x = 1", ("bugs",),
    )  # fmt: skip


def _stands(judged: Judged, file: FileChange) -> bool:
    """Both ends of a comment are lines of one hunk on its side: what GitHub accepts."""
    place = judged.finding
    right = place.side is Side.RIGHT
    assert place.start is not None
    assert place.end is not None
    numbers = [{line.new if right else line.old for line in hunk.lines} for hunk in file.hunks]
    return place.start <= place.end and any({place.start, place.end} <= own for own in numbers)
