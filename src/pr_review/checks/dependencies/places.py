"""Where a dependency stands in a changed file, and how several are named."""

from __future__ import annotations

import re

from pr_review.checks.check import Spot, code
from pr_review.domain.diff import FileChange, Line

_MOST_NAMED = 5


def place(file: FileChange, names: tuple[str, ...]) -> Spot:
    """The first added line that holds one of the names, else the first removed one.

    The whole file if none does: its hunks were not read, or it is written in another way.
    """
    found = [line for line in file.lines if line.changed and _names_any(line.text, names)]
    if not found:
        return Spot(file.path)
    first: Line = min(found, key=lambda line: (line.removed, line.number))
    return Spot(file.path, first.number, first.number, first.side)


def listed(names: tuple[str, ...]) -> str:
    """`a`, `b` and 3 more."""
    named = ", ".join(map(code, names[:_MOST_NAMED]))
    rest = len(names) - _MOST_NAMED
    return f"{named} and {rest} more" if rest > 0 else named


def _names_any(text: str, names: tuple[str, ...]) -> bool:
    return any(_word(name).search(text) for name in names)


def _word(name: str) -> re.Pattern[str]:
    # Python writes one name with `-`, `_` or `.`, in any case
    letters = re.sub(r"(?:\\-|_|\\\.)+", "[-_.]+", re.escape(name))
    return re.compile(rf"(?<![\w@/-]){letters}(?![\w-])", re.IGNORECASE)
