"""The change that a tool offers, where it is a change of whole lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pr_review.checks.sarif.log import Node, dig, nodes, number, text


def suggestion(
    result: Node, start: int, end: int, lines: Mapping[int, str], own: Callable[[object], bool]
) -> str | None:
    """What to put in place of lines start..end, by the result's one fix; None if it has no fix
    or several, if the fix touches other lines or files than its `own`, or if what it counts as a
    column is not sure.

    `lines` are those that the change shows, by number.
    """
    fixes = nodes(result.get("fixes"))
    changes = nodes(dig(fixes[0], "artifactChanges")) if len(fixes) == 1 else ()
    replaced = nodes(dig(changes[0], "replacements")) if len(changes) == 1 else ()
    if len(replaced) != 1 or not own(changes[0].get("artifactLocation")):
        return None
    region = dig(replaced[0], "deletedRegion")
    first, last = number(dig(region, "startLine")), number(dig(region, "endLine"))
    inserted = text(dig(replaced[0], "insertedContent", "text"))
    if first is None or "\r" in inserted:
        return None
    low, high = number(dig(region, "startColumn")) or 1, number(dig(region, "endColumn"))
    whole = low == high == 1 and last == end + 1
    if first != start or (not whole and (last or first) != end):
        return None
    before = _part(lines.get(start), 0, low - 1)
    after = "" if whole or high is None else _part(lines.get(end), high - 1, None)
    if before is None or after is None or (whole and inserted and not inserted.endswith("\n")):
        return None
    return f"{before}{inserted}{after}"


def _part(line: str | None, low: int, high: int | None) -> str | None:
    """A part of a line, in ASCII alone: tools differ in what they call a column beyond it."""
    if low == high:
        return ""
    if line is None or not line.isascii() or max(low, high or 0) > len(line):
        return None
    return line[low:high]
