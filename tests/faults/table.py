"""The fault matrices as tables; without the product, since every test session loads it."""

from __future__ import annotations

from collections.abc import Sequence

CELL = "fault"
MODEL = "failing model"


def table(cells: Sequence[Sequence[str]]) -> str:
    """Rows of calls, columns of troubles, as (call, trouble, words) come; absent cells stay
    empty."""
    found = {(call, trouble): words for call, trouble, words in cells}
    calls, troubles = (list(dict.fromkeys(cell[i] for cell in cells)) for i in (0, 1))
    rows = [["", *troubles]]
    rows += [[call, *(found.get((call, name), "") for name in troubles)] for call in calls]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)
