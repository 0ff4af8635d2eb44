"""Builds what was sent of a file from a listing that reads like a diff."""

from __future__ import annotations

import json
import re
from pathlib import Path

from pr_review.domain.diff import SourceKind, Status
from pr_review.domain.ledger import Entry, Ledger, Reason, Tier
from pr_review.domain.snapshot import SentFile, SentLine, Snapshot

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def sent(path: str, listing: str, old_path: str | None = None) -> SentFile:
    """A file sent in full. `listing` holds hunks as git prints them; an empty row is an empty
    unchanged line, and a row that ends in `‽` is a line that was cut."""
    hunks: list[tuple[int, int, int, int]] = []
    lines: list[SentLine] = []
    old = new = 0
    for row in listing.strip("\n").split("\n"):
        if match := _HUNK.match(row):
            old, old_count, new, new_count = (int(n or 1) for n in match.groups())
            hunks.append((old, old_count, new, new_count))
        else:
            sign, text = row[:1], row[1:]
            whole, text = not text.endswith("‽"), text.removesuffix("‽")
            lines.append(
                SentLine(None if sign == "+" else old, None if sign == "-" else new, text, whole)
            )
            old, new = old + (sign != "+"), new + (sign != "-")
    return SentFile(path, old_path, tuple(hunks), tuple(lines))


def entry(file: SentFile, *, shown: bool = True, reason: Reason | None = None) -> Entry:
    added = tuple(line.new for line in file.lines if line.old is None and line.new is not None)
    removed = tuple(line.old for line in file.lines if line.new is None and line.old is not None)
    return Entry(
        path=file.path,
        old_path=file.old_path,
        status=Status.MODIFIED,
        tier=Tier.SOURCE,
        additions=len(added),
        deletions=len(removed),
        added_lines=added,
        removed_lines=removed,
        shown_added=added if shown else (),
        shown_removed=removed if shown else (),
        described=not (added or removed),
        reason=reason if added or removed else reason or Reason.RENAME,
    )


def snapshot(*files: SentFile, omitted: tuple[SentFile, ...] = ()) -> Snapshot:
    """A snapshot that holds `files`; the ledger knows of the `omitted` ones too."""
    entries = [entry(file) for file in files]
    entries += [entry(file, shown=False, reason=Reason.BUDGET) for file in omitted]
    return Snapshot(
        "text", "0" * 64, 1, "o200k_base", SourceKind.GIT, Ledger(tuple(entries)), (), files
    )


def case(folder: Path) -> Snapshot:
    """The snapshot of a case: hunks and paths from its expected file, lines from its diff."""
    expected = json.loads((folder / "expected.files.json").read_text("utf-8"))["files"]
    diff = (folder / "input.diff").read_bytes().decode("utf-8")
    sections = re.split(r"^diff --git .*\n", diff, flags=re.MULTILINE)[1:]
    assert len(sections) == len(expected)
    files = []
    for file, section in zip(expected, sections, strict=True):
        start = section.find("@@ -")
        hunks = tuple(
            (h["old_start"], h["old_count"], h["new_start"], h["new_count"]) for h in file["hunks"]
        )
        old_path = file["old_path"] if file["old_path"] != file["path"] else None
        lines = sent(file["path"], section[start:]).lines if hunks else ()
        files.append(SentFile(file["path"], old_path, hunks, lines))
    return snapshot(*files)
