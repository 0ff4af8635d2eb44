"""What a Markdown parser makes of text, judged by what GitHub would make live."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])

#: What GitHub makes live in rendered text.
LIVE = re.compile(
    r"(?<![A-Za-z0-9])@\w|#\d|(?<![A-Za-z0-9])GH-\d|://|(?<![A-Za-z0-9])www\.",
    re.IGNORECASE,
)
BLOCKS = {"html_block", "table_open", "heading_open"}
INLINES = {"html_inline", "image", "link_open"}
RENDERED = {"suggestion", "mermaid", "math", "geojson", "topojson", "stl"}


def inlines(markdown: str) -> Iterator[Token]:
    for token in MARKDOWN.parse(markdown):
        yield from token.children or ()


def shown(markdown: str) -> str:
    """The words that a reader sees, code included."""
    tokens = MARKDOWN.parse(markdown)
    parts = [t.content for t in tokens if t.type in ("fence", "code_block")]
    parts += [
        child.content or "\n"
        for token in tokens
        for child in token.children or ()
        if child.type in ("text", "code_inline", "softbreak", "hardbreak")
    ]
    return "".join(parts)


def assert_harmless(markdown: str) -> None:
    tokens = MARKDOWN.parse(markdown)
    assert not BLOCKS & {token.type for token in tokens}
    assert not INLINES & {token.type for token in inlines(markdown)}
    fences = [token for token in tokens if token.type == "fence"]
    assert not RENDERED & {token.info.split(" ")[0].lower() for token in fences}
    for token in inlines(markdown):
        if token.type == "text":
            assert not LIVE.search(token.content), token.content
    assert not re.search(r"pr-review:\w", markdown, re.IGNORECASE)
    after = MARKDOWN.parse(markdown + "\n\nAFTER")[-2]
    assert (after.content, after.level) == ("AFTER", 1), "the text leaves a block open"
