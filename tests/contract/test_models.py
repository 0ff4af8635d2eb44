"""docs/models.md tells what the code does with prefixes and credentials."""

from __future__ import annotations

import pytest

from bench import cache
from pr_review.adapters.llm import providers
from pr_review.agents import run, shorten
from tests.contract import documents

TEXT = documents.text("docs/models.md")


def test_the_documented_variables_are_those_that_are_passed() -> None:
    listed = {
        row[0].strip("`"): tuple(name.strip("`*") for name in row[1].split(", "))
        for row in documents.table("Credentials of a cloud", "docs/models.md")
        if len(row) > 1
    }
    assert listed == providers._CLOUD


def test_the_documented_files_are_those_that_are_copied() -> None:
    for name in providers._FILES:
        assert f"| `{name}` |" in TEXT


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("at least {:,} tokens", run._LEAST_LED_TOKENS),
        ("half is under {:,} tokens", shorten._LEAST_TOKENS),
        ("snapshot of {:,} tokens", cache.SNAPSHOT_TOKENS),
        ("{} times one write and four reads", cache.MOST_BILLED),
        ("{} times the time of all at once", cache.MOST_TIME),
    ],
)
def test_the_figures_are_the_codes(words: str, value: float) -> None:
    assert words.format(value) in TEXT.replace("\n", " ")


def test_a_quarter_of_the_deadline_is_the_most_that_others_wait() -> None:
    assert run._LEAD_SHARE == 0.25
    assert "a quarter of `run-deadline`" in TEXT


def test_marks_are_put_where_the_table_says() -> None:
    rows = documents.table("One prefix", "docs/models.md")
    seconds = providers.cache_mark("gemini/gemini-2.5-pro")
    assert seconds is not None
    assert f"kept for {seconds['ttl'].removesuffix('s')} seconds" in rows[1][1]
    for provider in providers._CLAUDE_ELSEWHERE:
        assert f"`{provider}`" in rows[0][0]
