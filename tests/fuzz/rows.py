"""Output of `git diff --raw -z --numstat`: files and counts, or `ValueError`."""

from __future__ import annotations

from pr_review.change import rows
from pr_review.change.hunks import sections
from tests.fuzz.words import one_line


def check(data: bytes) -> None:
    """Fields with NUL behind each, and behind an empty one the patch."""
    table, _, patch = data.partition(b"\0\0")
    text = patch.decode("utf-8", "surrogateescape")
    try:
        files = rows.files(table + b"\0")
        paired = rows.with_hunks(files, list(sections(text)))
    except ValueError as error:
        one_line(str(error))
        return
    assert [file.path for file in paired] == [file.path for file in files]
    for file in paired:
        lines = tuple(file.lines)
        counts = sum(line.added for line in lines), sum(line.removed for line in lines)
        assert file.defect or file.binary or counts == (file.additions, file.deletions)
