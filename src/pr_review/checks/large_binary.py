"""A large binary file: every clone carries it from now on, whatever later commits do."""

from __future__ import annotations

from pr_review.checks.check import CheckInput, Spot, finding
from pr_review.domain.diff import FileChange
from pr_review.domain.finding import Finding, Severity

NAME = "large-binary"

LARGE_BYTES = 1_000_000
"""From here on a binary file is told."""
_VERY_LARGE_BYTES = 10_000_000


def run(given: CheckInput) -> tuple[Finding, ...]:
    """One finding for each binary file that comes in, or grows, to a megabyte and more.

    One that was as large before is this repository's way, and no news.
    """
    binary = [file for file in given.change.files if file.binary and file.new_oid.strip("0")]
    if not binary or given.tree is None:
        return ()
    sizes = given.tree.sizes([oid for file in binary for oid in (file.old_oid, file.new_oid)])
    return tuple(
        _finding(file, sizes[file.new_oid])
        for file in binary
        if sizes.get(file.new_oid, 0) >= LARGE_BYTES > sizes.get(file.old_oid, 0)
    )


def _finding(file: FileChange, size: int) -> Finding:
    return finding(
        NAME,
        Spot(file.path),
        severity=Severity.MEDIUM if size >= _VERY_LARGE_BYTES else Severity.LOW,
        category="maintainability",
        title="A large binary file is added",
        body=f"It has {size / 1_000_000:,.1f} MB ({size:,} bytes), and every clone carries it from "
        "now on, also after a later commit deletes it. Keep it in Git LFS or beside a release, or "
        "make it smaller.",
    )
