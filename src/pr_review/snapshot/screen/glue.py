"""Values that a language puts together again: literals joined by `+`, by standing side by side,
by a backslash at the end of a line, by `+=`; words of a folded block of YAML.

A scanner sees such a value only when what stands between its parts is taken out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from pr_review.snapshot.screen.spans import Extent

_OPERATOR = r"(?:\.\.|\|\||<>|\+\+|[+.&~^])"
_BREAK = r"(?:\\?\r?\n[ \t]*+)"
# From the quote that ends one literal to the one that begins the next.
_LITERALS = (
    rf"(?P<quote>[\"'`])(?:[ \t]*+(?:{_OPERATOR}[ \t]*+{_BREAK}?|{_BREAK}(?:{_OPERATOR}[ \t]*+)?"
    rf"|;?[ \t]*+\r?\n[ \t]*+[$@\w.\->]{{1,60}}+[ \t]*+[+.]=[ \t]*+)|[ \t]++)"
    r"(?:[fbruFBRU](?=[\"']))?(?P=quote)"
)
_CONTINUED = r"(?<=[\w/+=-])\\\r?\n[ \t]*+(?=[\w/+=-])"
_JOINT = re.compile(f"{_LITERALS}|{_CONTINUED}")
_WORD = r"[A-Za-z0-9+/=_.~-]{8,}+"
_FOLDED = re.compile(rf"(?<=:)[ \t]++[|>][-+0-9]{{0,2}}+(?:[ \t]*+\r?\n[ \t]++{_WORD}(?=\s|$))++")
_FOLD = re.compile(r"[ \t]++[|>][-+0-9]{0,2}+[ \t]*+\r?\n[ \t]++|[ \t]*+\r?\n[ \t]++")


class Glued:
    """The chains of a text, glued; each on a line of its own. Empty if there are none."""

    def __init__(self, text: str) -> None:
        self._from: list[int] = []
        self._at: list[int] = []
        parts: list[str] = []
        position = 0
        for start, end, ends in _kept(text):
            part = text[start:end] + ("\n" if ends else "")
            self._from.append(start)
            self._at.append(position)
            parts.append(part)
            position += len(part)
        self.text = "".join(parts)
        self._at.append(position)

    def across(self, start: int, end: int) -> list[Extent]:
        """A match as parts of the original text; none if it lies within one part."""
        first, last = bisect_right(self._at, start) - 1, bisect_right(self._at, end - 1) - 1
        if first >= last:
            return []
        return [
            (
                self._from[n] + max(start - self._at[n], 0),
                self._from[n] + min(end, self._at[n + 1]) - self._at[n],
            )
            for n in range(first, last + 1)
        ]


def _kept(text: str) -> Iterator[tuple[int, int, bool]]:
    """(start, end, last): the parts between joints; those of one chain follow each other.

    A chain begins with the line of its first joint and ends with the line of its last one.
    """
    limit = -1
    begin = 0
    for start, end in _joints(text):
        if limit < 0 or start > limit:
            if limit >= 0:
                yield begin, limit, True
            begin = text.rfind("\n", 0, start) + 1
        yield begin, start, False
        begin = end
        if end > limit:
            limit = text.find("\n", end)
            limit = len(text) if limit < 0 else limit
    if limit >= 0:
        yield begin, limit, True


def _joints(text: str) -> Iterator[Extent]:
    """Where two parts of a value are parted, in order; none overlaps another."""
    found = [match.span() for match in _JOINT.finditer(text)]
    for block in _FOLDED.finditer(text):
        found += [match.span() for match in _FOLD.finditer(text, *block.span())]
    end = 0
    for joint in sorted(found):
        if joint[0] >= end:
            yield joint
            end = joint[1]
