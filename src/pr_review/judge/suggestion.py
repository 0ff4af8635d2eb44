"""Whether a suggested change may be offered as one that is applied with a click."""

from __future__ import annotations

import re

from pr_review.domain.diff import Side
from pr_review.domain.finding import Finding
from pr_review.domain.text import visible
from pr_review.judge.lines import FileLines, Spot, normal

MOST_CHARACTERS = 4_000
# Marks of our own rendering: a line that shows one is not the file's line.
_OURS = re.compile(r"\[REDACTED:|\\u\{[0-9a-f]+\}")


def offered(finding: Finding, spot: Spot, asked: int, file: FileLines) -> str | None:
    """The suggestion if it replaces exactly the whole lines of `spot`, else None.

    `asked` is how many lines the finding wanted replaced. Refused: another number of lines,
    the left side, a place that no quote proves, text over 4,000 characters, lines that were
    not sent or not whole (cut, redacted), text with hidden characters, a fragment of a line,
    another indentation, and no change at all.
    """
    text = finding.suggestion
    if text is None or len(text) > MOST_CHARACTERS or spot.side is Side.LEFT:
        return None
    if not (finding.quote.strip() or finding.deterministic) or asked != spot.end - spot.start + 1:
        return None
    text = text.replace("\r\n", "\n").removesuffix("\n")
    old = [file.right.get(number) for number in range(spot.start, spot.end + 1)]
    lines = [line.text.removesuffix(r"\u{d}") for line in old if line is not None and line.whole]
    if len(lines) != len(old) or visible(text) != text:
        return None
    if any(_OURS.search(part) for part in (text, *lines)):
        return None
    whole = _same_indentation(text, lines[0]) and not _fragment(text, finding.quote, lines)
    return text if whole and text != "\n".join(lines) else None


def _same_indentation(text: str, line: str) -> bool:
    """Models often strip the first line; applied, that breaks the file. Removal is fine."""
    first = next((part for part in text.split("\n") if part.strip()), None)
    return first is None or not line.strip() or _indentation(first) == _indentation(line)


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _fragment(text: str, quote: str, lines: list[str]) -> bool:
    """Whether the text replaces only the quoted part of a line and would lose the rest."""
    if len(lines) != 1 or not text.strip():
        return False
    before, found, after = normal(lines[0]).partition(normal(quote) or "\0")
    return bool(found) and not all(part.strip() in normal(text) for part in (before, after))
