"""The README leads to every page, no link leads nowhere, and what pages tell to type is taken."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from pr_review.commands import flags
from tests.contract import documents

DOCS = sorted(f"docs/{path.name}" for path in (documents.ROOT / "docs").glob("*.md"))
PAGES = ["README.md", "CHANGELOG.md", "SECURITY.md", *DOCS]
_COMMAND = r"(?<![\w/])pr-review (?:local|snapshot|explain|config|doctor)\b"


def unfenced(text: str) -> str:
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


def anchors(text: str) -> set[str]:
    """Where links can lead, as GitHub makes them of headings."""
    heads = re.findall(r"^#+ (.+)$", unfenced(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def commands() -> list[str]:
    """What the pages print after a prompt, and between backticks with a flag."""
    found = []
    for page in PAGES:
        text = documents.text(page)
        found += re.findall(rf"^\$ .*?({_COMMAND}.*)$", text, re.MULTILINE)
        quoted = re.findall(rf"`({_COMMAND}[^`]*)`", unfenced(text))
        found += [" ".join(words.split()) for words in quoted if " --" in words]
    return found


def test_the_table_lists_the_pages_that_there_are() -> None:
    rows = documents.table("Documents")
    listed = [found[1] for row in rows if (found := re.fullmatch(r"\[.+\]\((.+)\)", row[0]))]
    assert sorted(listed) == DOCS


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = unfenced(documents.text(page))
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", text):
        file = Path(page).parent / target if target else Path(page)
        assert (documents.ROOT / file).exists(), target
        assert not anchor or anchor in anchors(documents.text(str(file))), (target, anchor)


def test_what_the_pages_tell_to_type_is_taken() -> None:
    typed = commands()
    assert len(typed) > 20
    for command in typed:
        words = shlex.split(command, comments=True)[1:]
        assert flags.parse(words).command == words[0]


@pytest.mark.parametrize("page", PAGES)
def test_no_table_loses_a_cell(page: str) -> None:
    """GitHub takes a bar in a cell for the end of it, also in code, and drops what is too much."""
    text = unfenced(documents.text(page))
    for table in re.findall(r"(?:^ *\|.*\n)+", text, re.MULTILINE):
        rows = table.strip().split("\n")
        cells = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
        assert len(cells) == 1, table[:200]
        assert re.fullmatch(r" *\|(?: *:?-+:? *\|)+", rows[1]), table[:200]
