"""What a model or a tool wrote, cut into prose and code: all the Markdown that the page knows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pr_review.domain.text import visible, visible_line

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[^`]*")
# the bound keeps the time near the length of the text, whatever stands in it
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)(.+?)(?<!`)\1(?!`)")


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text: prose, or `code` that stood between backquotes."""

    text: str
    code: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of a text: prose in `spans`, or those of a fence, which have one span of code."""

    spans: tuple[Span, ...]
    fenced: bool = False


def spans(text: str) -> tuple[Span, ...]:
    """One line of text, its hidden characters visible."""
    return tuple(_spans(visible_line(text)))


def blocks(text: str) -> tuple[Block, ...]:
    """A text of many lines, its hidden characters visible. A fence that nobody closed ends with
    the text; no line is lost but those of the fences themselves."""
    return tuple(_blocks(visible(text.strip())))


def _spans(text: str) -> Iterator[Span]:
    at = 0
    for found in _CODE.finditer(text):
        if found.start() > at:
            yield Span(text[at : found.start()])
        yield Span(found[2], code=True)
        at = found.end()
    if text[at:]:
        yield Span(text[at:])


def _blocks(text: str) -> Iterator[Block]:
    fence, lines = "", list[str]()
    for line in text.split("\n"):
        found = _FENCE.fullmatch(line)
        opens, closes = found and not fence, fence and line.strip().startswith(fence)
        if not opens and not (closes and not line.strip().strip(fence[0])):
            lines.append(line)
            continue
        yield from _block(lines, fenced=bool(fence))
        fence, lines = found[1] if opens and found else "", []
    yield from _block(lines, fenced=bool(fence))


def _block(lines: list[str], *, fenced: bool) -> Iterator[Block]:
    text = "\n".join(lines)
    if fenced and lines:
        yield Block((Span(text, code=True),), fenced=True)
    elif text.strip():
        yield Block(tuple(_spans(text.strip("\n"))))
