"""docs/comparison.md says of every figure whose it is and when it was, and claims no more of us
than other pages, which tests hold.
"""

from __future__ import annotations

import re

import pytest

from pr_review import errors
from pr_review.event.commands import MEANINGS
from tests.contract import documents

PAGE = "docs/comparison.md"
TEXT = " ".join(documents.text(PAGE).split())
MEASURED = ["lgtmaybe", "Gito", "PR-Agent", "ai-code-review-cli"]


def head(heading: str) -> list[str]:
    """The first row of the table below a heading."""
    found = re.search(
        rf"^## {heading}\n(?:(?!#|\|).*\n)*(\|.*)\n", documents.text(PAGE), re.MULTILINE
    )
    assert found, heading
    return [cell.strip() for cell in found[1].strip("|").split("|")][1:]


def test_every_tool_has_its_version_and_the_day_is_told() -> None:
    rows = documents.table("How it was measured", PAGE)
    named = [re.sub(r"\[([^]]+)\]\(.*|( \(.*)", r"\1", row[0]) for row in rows]
    assert named == MEASURED
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", row[1]) for row in rows)
    assert "On 2026-11-30, on a machine with two cores" in TEXT


@pytest.mark.parametrize(
    "heading", ["What the model was sent", "Credentials", "When a model fails", "Time and size"]
)
def test_the_tables_are_about_those_tools(heading: str) -> None:
    assert head(heading) == MEASURED
    assert all(len(row) == 5 and all(row[1:]) for row in documents.table(heading, PAGE))


def test_what_was_read_names_a_commit_or_a_release_of_each() -> None:
    words = TEXT.partition("## What was read")[2].partition("| |")[0]
    for tool in head("What was read"):
        assert re.search(
            rf"{tool}\b[^,;]*?(?:`[0-9a-f]{{7,8}}` \(\d{{4}}-\d\d-\d\d\)|v\d[\d.]+)", words
        ), tool


def test_of_ourselves_it_says_what_holds() -> None:
    assert f"ends with exit code {errors.ModelError.exit_code} where all agents failed" in TEXT
    numbers = {4: "four"}
    assert f"knows [{numbers[len(MEANINGS)]} commands]" in TEXT
