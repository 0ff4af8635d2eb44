"""Text of models is shown, never obeyed: checked on what a Markdown parser makes of it."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.review.neutral import block, cell, code, neutral, neutral_line
from tests.review.harmless import INLINES, LIVE, MARKDOWN, assert_harmless, inlines, shown
from tests.shared import shared


def hostile(index: int) -> str:
    texts = json.loads(shared("cases/c17-hostile-markdown/texts.json").read_text("utf-8"))
    text: str = texts[index]["text"]
    return text


NAMES = [
    "mentions", "mail-and-decorators", "closing-keywords", "references", "images", "links",
    "layout-and-marker", "comment", "suggestion-fence", "unclosed-fence", "bidi-and-tags",
    "bot-commands", "maths-and-diagrams", "table", "nul-and-surrogate", "endless",
]  # fmt: skip


@pytest.mark.parametrize("index", range(len(NAMES)), ids=NAMES)
def test_hostile_text(index: int) -> None:
    text = hostile(index)
    for safe in (neutral(text), "High: " + neutral_line(text), "High: " + cell(text)):
        assert_harmless(safe)
        safe.encode("utf-8")
        assert "\x00" not in safe
        assert len(safe) < 40_000
    row = f"| a | b |\n| -- | -- |\n| {cell(text)} | {code(text[:300])} |"
    cells = [t for t in MARKDOWN.parse(row) if t.type == "td_open"]
    assert len(cells) == 2
    assert not INLINES & {token.type for token in inlines(row)}


def test_every_hostile_text_has_a_name() -> None:
    texts = json.loads(shared("cases/c17-hostile-markdown/texts.json").read_text("utf-8"))
    assert len(texts) == len(NAMES)


def test_what_people_need_to_read_stays() -> None:
    safe = neutral("mail a@example.invalid and `@decorator` and @property")
    assert "a@example.invalid" in safe
    assert "`@decorator`" in safe
    assert shown(safe).replace("\u200b", "") == (
        "mail a@example.invalid and @decorator and @property"
    )


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("Fixes #12, see https://example.invalid", None),
        ("[ok](javascript:alert(1)) \\[x](y)", None),
        ("a \\\\[x](y) `b\\` c", "a \\\\[x](y) b\\ c"),
        ("5 < 6 && `a|b` | c", "5 < 6 && a|b | c"),
        ("costs $5, or $$x$$", None),
        ("&#64;octo &lt;b&gt;", None),
        ("a lone ``` and ``two`` and `` ` ``", "a lone ``` and two and `"),
        ("~~gone~~ ~~~ kept", "gone ~~~ kept"),
        ("GH-9 and WWW.example.invalid", None),
    ],
)
def test_the_reader_sees_the_same_words(text: str, reads: str | None) -> None:
    safe = neutral(text)
    assert_harmless(safe)
    assert shown(safe).replace("\u200b", "") == (reads or text)


def test_code_keeps_its_text() -> None:
    text = "Look:\n\n```python\n@app.route('/x')  # Fixes #1 <b> ![x](y)\n```\nand on"
    safe = neutral(text)
    assert_harmless(safe)
    (fence,) = [t for t in MARKDOWN.parse(safe) if t.type == "fence"]
    assert (fence.info, fence.content) == (
        "python",
        "@app.route('/x')  # Fixes #1 <b> ![x](y)\n",
    )


def test_a_fence_in_a_fence_stays_inside() -> None:
    safe = neutral("````md\n```suggestion\nx\n```\n````\nend")
    assert_harmless(safe)
    (fence,) = [t for t in MARKDOWN.parse(safe) if t.type == "fence"]
    assert fence.content == "```suggestion\nx\n```\n"
    assert block("a ````` b", "suggestion").startswith("``````suggestion\n")


def test_a_table_row_in_code_cannot_set_its_text_free() -> None:
    text = "| a | b |\n|:--|--:|\n| `x | @octo` | y |"
    assert_harmless(neutral(text))
    # Some readers make a table of one column of this, without any pipe.
    assert ":-" not in neutral("a\n:-:\nb")


def test_a_pipe_in_code_does_not_end_a_cell() -> None:
    for text in ("`a | @octo`", "`a \\| @octo`", "`` ` | @octo ``", "a \\| b"):
        row = f"| a | b |\n| -- | -- |\n| {cell(text)} | END |"
        inner = [t for t in MARKDOWN.parse(row) if t.type == "inline"]
        assert [t.content for t in inner][3:] == ["END"]
        assert shown(cell(text)).replace("\u200b", "") in text


def test_long_text_is_cut_and_says_so() -> None:
    assert neutral("x" * 90, limit=50) == "x" * 50 + "… (40 more characters)"


def test_deep_indentation_does_not_show_our_escapes() -> None:
    assert shown(neutral("a:\n\n    x[0] < y\n\n\t&z")) == "a:x[0] < y&z"


def test_no_line_is_a_command_of_another_bot() -> None:
    safe = neutral("/close\n  /label bug\n@dependabot merge")
    assert not re.search(r"^\s*(/|@\w)", safe, re.MULTILINE)


def test_headings_are_shown_as_text() -> None:
    assert shown(neutral("# Approved\nx\n===\ny\n---")) == "# Approved\nx\n===\ny\n---"


PIECES = st.sampled_from(
    [
        *("@octo", "`", "``", "```", "~~~", "\n", "\n\n", "    ", "\t", "|", "--", ":", "<b>"),
        *("<!--", "![", "](x)", "[a]", "\\", "#1", "# ", "GH-1", "https://x.invalid", "> ", "- "),
        *("www.x.invalid", "1. ", "/close", "suggestion", "pr-review:v1", "&#64;", "$$", "=", "a"),
        *(" ", "\u202e", "*", "_", "\r\n", "\x00", "\ud800"),
    ]
)


def test_headings_in_a_quotation_or_list_are_text() -> None:
    for text in ("> # x", "> a\n> ===", "- # x", "- a\n  ---", "1. ## x", "> ##"):
        assert_harmless(neutral(text))


@settings(deadline=None)
@given(st.lists(PIECES, max_size=25).map("".join))
def test_no_text_is_live(text: str) -> None:
    assert_harmless(neutral(text))
    assert_harmless("High: " + neutral_line(text))


@settings(deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join), st.lists(PIECES, max_size=8).map("".join))
def test_no_text_leaves_its_cell(text: str, name: str) -> None:
    row = f"| a | b |\n| -- | -- |\n| x {cell(text)} | x {code(name)} |"
    tokens = MARKDOWN.parse(row)
    assert len([t for t in tokens if t.type == "td_open"]) == 2
    assert not INLINES & {token.type for token in inlines(row)}
    for token in inlines(row):
        if token.type == "text":
            assert not LIVE.search(token.content)
