"""What is looked for in a text that stands alone: the scanner's rules and ours."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence

from pr_review.snapshot.ports import SecretScanner
from pr_review.snapshot.screen.assignments import assigned_values
from pr_review.snapshot.screen.glue import Glued
from pr_review.snapshot.screen.keys import key_spans, without_markers
from pr_review.snapshot.screen.spans import Extent, Span

KEY_RULE = "private-key"
ASSIGNMENT_RULE = "secret-assignment"
WEBHOOK_RULE = "webhook-url"

_WEBHOOK = re.compile(r"(?<=/api/webhooks/)[0-9]{17,20}/(?P<value>[\w-]{60,80})", re.ASCII)
# A block that is encoded as a whole starts with the same letters; what kind it is stands in one
# of three ways, by where it falls among the threes of bytes.
_BEGIN = base64.b64encode(b"-----BEGIN ").decode()[:14]
_ENCODED_KEY = re.compile(
    rf"{_BEGIN}[A-Za-z0-9+/]{{0,40}}?(?:"
    + "|".join(base64.b64encode(b"." * n + b"PRIVATE KEY")[2 * n : 14].decode() for n in range(3))
    + r")[A-Za-z0-9+/]*+={0,2}+"
)
# Known to everybody: the passwords of documentation and of databases on one's own machine.
_HERE = re.compile(
    r"@(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\]|0\.0\.0\.0|(?:[\w-]+\.)*example(?:\.[a-z]+)?)"
    r"(?![\w.-])"
)
_LETTERS = re.compile(r"[A-Za-z]{1,12}|(?i:pass(?:word)?)[0-9]{0,4}")


def find(texts: Sequence[str], scanner: SecretScanner) -> list[list[Span]]:
    """What the scanner and our own rules find in each text, by one scan for all of them.

    Values whose parts a language puts together are looked for as one. Of a key block only the
    key material and its first and last line are taken, so that code between imitated ones
    stays in sight.
    """
    glued = [(index, made) for index, text in enumerate(texts) if (made := Glued(text)).text]
    every = [*texts, *(made.text for _, made in glued)]
    found: list[list[Span]] = [[] for _ in texts]
    for index, start, end, rule in _matches(every, scanner):
        if index < len(texts):
            found[index].append((start, end, rule))
        else:
            owner, made = glued[index - len(texts)]
            found[owner] += [(low, high, rule) for low, high in made.across(start, end)]
    return found


def _matches(texts: Sequence[str], scanner: SecretScanner) -> Iterator[tuple[int, int, int, str]]:
    """(text, start, end, rule) of everything that is found."""
    for index, text in enumerate(texts):
        yield from ((index, *extent, rule) for extent, rule in _own(text))
    for match in scanner.scan([without_markers(text) for text in texts]):
        if not _known_to_everybody(texts[match.text], match.start, match.end):
            yield match.text, match.start, match.end, match.rule


def _own(text: str) -> Iterator[tuple[Extent, str]]:
    for extent in key_spans(text):
        yield extent, KEY_RULE
    for extent in assigned_values(text):
        yield extent, ASSIGNMENT_RULE
    for match in _WEBHOOK.finditer(text):
        yield match.span("value"), WEBHOOK_RULE
    if _BEGIN in text:
        for match in _ENCODED_KEY.finditer(text):
            yield match.span(), KEY_RULE


def _known_to_everybody(text: str, start: int, end: int) -> bool:
    """Whether a match is an example of documentation, or a word as password on this machine."""
    if text.find("EXAMPLE", start, end) >= 0:
        return True
    local = _HERE.match(text, end)
    return local is not None and _LETTERS.fullmatch(text, start, end) is not None
