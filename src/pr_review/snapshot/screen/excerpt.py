"""Excerpts: consecutive whole lines of an unchanged file that would be sent with a change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pr_review.snapshot.ports import SecretScanner
from pr_review.snapshot.screen.contents import AROUND, Contents
from pr_review.snapshot.screen.rules import KEY_RULE, find
from pr_review.snapshot.screen.spans import Lines, Span


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines `start`, `start + 1`, … (1-based) of a file that holds `blob`.

    A line's text is without its line feed, bytes that are not UTF-8 as surrogate escapes.
    """

    lines: Sequence[str]
    start: int
    blob: bytes


def screen_excerpts(
    excerpts: Sequence[Excerpt], scanner: SecretScanner
) -> list[tuple[tuple[Span, ...], ...]]:
    """What has to be replaced in some excerpts, by one scan for all of them.

    One result an excerpt, in order, with one tuple of spans for each of its lines, as `redact`
    takes them; a line without a credential has none. Key blocks are looked for in the whole
    file, and the few lines around an excerpt are searched with it: a value may reach over its
    edge. Excerpts of one file share the work if they share its `blob`.
    """
    contents = {excerpt.blob: Contents(excerpt.blob) for excerpt in excerpts}
    texts = [_surrounded(excerpt, contents[excerpt.blob]) for excerpt in excerpts]
    spans = find([text.joined for text in texts], scanner)
    out = []
    for excerpt, text, found in zip(excerpts, texts, spans, strict=True):
        own: list[list[Span]] = [[] for _ in excerpt.lines]
        for start, end, rule in found:
            for index, low, high in text.parts(start, end):
                if index is not None:
                    own[index].append((low, high, rule))
        keys = contents[excerpt.blob].keys
        for index in range(len(excerpt.lines) if keys else 0):
            extents = keys.get(excerpt.start + index, ())
            own[index] += [(low, high, KEY_RULE) for low, high in extents]
        out.append(tuple(tuple(sorted(row)) for row in own))
    return out


def _surrounded(excerpt: Excerpt, contents: Contents) -> Lines[int | None]:
    """The excerpt's lines by index, between the few lines around it, which have none."""
    end = excerpt.start + len(excerpt.lines)
    above = contents.between(excerpt.start - AROUND, excerpt.start - 1)
    below = contents.between(end, end + AROUND - 1)
    rows: list[tuple[int | None, str]] = [(None, line) for line in above]
    rows += enumerate(excerpt.lines)
    rows += [(None, line) for line in below]
    return Lines(rows)
