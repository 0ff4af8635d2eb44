"""Screening: credentials are replaced before a text can be sent; line counts stay.

A scanner finds what has a shape of its own; rules of ours cover where it is blind: key blocks
of which a hunk holds the body without its first line, values that only the name in front of
them gives away, values whose parts a language puts together. Nothing here claims that all was
found.

What is replaced is hidden from the reviewer too. So of a key block only what looks like key
material goes, whatever the scanner took; and the time it takes grows with a text's length
alone, since strangers write the text.
"""

from pr_review.snapshot.screen.change import HEADER_RULE, Screened, screen
from pr_review.snapshot.screen.free import (
    screen_branches,
    screen_brief,
    screen_findings,
    screen_paths,
    screen_texts,
)
from pr_review.snapshot.screen.rules import ASSIGNMENT_RULE, KEY_RULE
from pr_review.snapshot.screen.spans import Span, redact

__all__ = [
    "ASSIGNMENT_RULE",
    "HEADER_RULE",
    "KEY_RULE",
    "Screened",
    "Span",
    "redact",
    "screen",
    "screen_branches",
    "screen_brief",
    "screen_findings",
    "screen_paths",
    "screen_texts",
]
