"""Values that only the name in front of them gives away: `client_secret: …`, `setPassword("…")`.

A value counts if it looks random. Names, paths, sentences, placeholders, patterns and digits
of the alphabet do not, since a line that is replaced is a line no model can review.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from pr_review.snapshot.screen.keys import worded
from pr_review.snapshot.screen.spans import Extent

# In lower case: that is ten times as fast to search as a pattern that ignores case.
_NAME = re.compile(
    r"(?:secret(?:[_.-]?(?:access[_-]?)?(?:key|token))?(?:[_-]?base)?"
    r"|passw(?:or)?d|passphrase|pwd|credential|token|_auth|\"auth(?=\")"
    r"|(?:api|app|auth|access|account|private|client|encryption|signing|master|shared|license)"
    r"[_.-]?key(?:[_-]?data)?)s?"
)
# After a name: `"]: "`, `=> '`, `>` of an element, `(` of a call, `" value="` of a list of names.
_OPERATOR = re.compile(
    r"[\"'\]]{0,2}+(?:"
    r"\s*+(?:=>|:=|[:=])\s*+(?P<quote>[\"'`])?"
    r"|\(\s*+(?P<call>[\"'`])"
    r"|(?P<element>>)"
    r"|[\s,;]{1,40}+[\"']?(?i:value)[\"']?\s*+[:=]\s*+(?P<paired>[\"'`])?"
    r")"
)
_QUOTED = re.compile(r"[^\s\"'`\\<>]{12,400}+(?=[\"'`])")
_PLAIN = re.compile(r"[A-Za-z0-9+/_.~!@#%^*?$-]{16,400}+={0,2}+(?![(\[A-Za-z0-9])")
_CLASSES = tuple(map(re.compile, (r"[A-Z]", r"[a-z]", r"[0-9]")))
_HEXADECIMAL = re.compile(r"[0-9a-f]{32,}|[0-9A-F]{32,}")
_MARKED = re.compile(
    r"EXAMPLE|\$\{|\{\{|#\{|%\(|\$\(|://|[a-z]-z|A-Z|0-9|\\[dws]"
    r"|(?i:abcdef|uvwxyz|012345|123456|deadbeef|placeholder|changeme|your[_-])"
)
_REST = re.compile(r"[^\s\"'`]{4,}")
_DOTTED = re.compile(r"[A-Za-z]\.[A-Za-z]")
_PARTS = re.compile(r"[^A-Za-z0-9]+")
_MIN_ENTROPY, _MIN_HEXADECIMAL = 3.5, 3.0


def assigned_values(text: str) -> Iterator[Extent]:
    """The random-looking values in a text that stand behind the name of a secret."""
    for start, quoted in _starts(text):
        value = (_QUOTED if quoted else _PLAIN).match(text, start)
        if value is not None and looks_random(value[0]):
            yield value.span()


def value_at_the_end(text: str) -> bool:
    """Whether a text ends within what the name of a secret was given, whatever it looks like."""
    return any(_REST.fullmatch(text, start) for start, _ in _starts(text))


def _starts(text: str) -> Iterator[tuple[int, bool]]:
    """Where a value begins behind the name of a secret, and whether it is quoted."""
    # `İ` is the one letter whose lower case is longer.
    lower = text.replace("\u0130", "I").lower()
    for name in _NAME.finditer(lower):
        operator = _OPERATOR.match(text, name.end())
        if operator is not None:
            quote = operator["quote"] or operator["call"] or operator["paired"]
            yield operator.end(), quote is not None


def looks_random(value: str) -> bool:
    """Upper, lower and digits in one value without the shape of words; or long hexadecimal."""
    if _MARKED.search(value):
        return False
    if _HEXADECIMAL.fullmatch(value):
        return _entropy(value) >= _MIN_HEXADECIMAL
    if not all(kind.search(value) for kind in _CLASSES) or _DOTTED.search(value):
        return False
    return _entropy(value) >= _MIN_ENTROPY and not worded(_PARTS.sub("/", value))


def _entropy(value: str) -> float:
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
