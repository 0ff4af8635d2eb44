"""What is looked for in a text that stands alone: the scanner's rules and ours."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from pr_review.snapshot.ports import SecretScanner
from pr_review.snapshot.screen.keys import material
from pr_review.snapshot.screen.spans import Extent, Span

KEY_RULE = "private-key"
ASSIGNMENT_RULE = "secret-assignment"

_ASSIGNMENT = re.compile(
    r"(?i)(?:secret|passw(?:or)?d|pwd|api[_-]?key|access[_-]?key|auth[_-]?token|private[_-]?key"
    r"|client[_-]?key|credential)s?[\"'\]]?\s*+(?:=>|:=|[:=])\s*+[\"'`]?"
    r"(?P<value>[A-Za-z0-9+/_.~-]{16,}+={0,2})"
)
_MIN_ENTROPY = 3.5


def find(texts: Sequence[str], scanner: SecretScanner) -> list[list[Span]]:
    """What the scanner and the names in front of values find in each text, by one scan.

    Of a key block, which the scanner takes from first to last line whatever stands between,
    the key material alone. Blocks without their first or last line are not looked for.
    """
    found: list[list[Span]] = [
        [(start, end, ASSIGNMENT_RULE) for start, end in _assignments(text)] for text in texts
    ]
    for match in scanner.scan(texts):
        text, own = texts[match.text], found[match.text]
        if text.find("PRIVATE KEY", match.start, match.end) < 0:
            own.append((match.start, match.end, match.rule))
        else:
            inside = material(text, match.start, match.end)
            own += [(start, end, KEY_RULE) for start, end in inside]
    return found


def _assignments(text: str) -> Iterator[Extent]:
    for match in _ASSIGNMENT.finditer(text):
        if _looks_random(match["value"]):
            yield match.span("value")


def _looks_random(value: str) -> bool:
    """Upper, lower and digits in one value without a word's shape; not hexadecimal."""
    kinds = (r"[A-Z]", r"[a-z]", r"[0-9]")
    if not all(re.search(kind, value) for kind in kinds) or "EXAMPLE" in value:
        return False
    if re.search(r"[A-Za-z]\.[A-Za-z]", value) or re.fullmatch(r"[0-9a-fA-F-]+", value):
        return False
    counts = Counter(value)
    entropy = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    return entropy >= _MIN_ENTROPY
