"""The shipped agents, and what a front matter must be."""

from __future__ import annotations

import pytest

from pr_review.agents.catalogue import NAMES, Agent, catalogue, parse, select
from pr_review.agents.prompt import task
from pr_review.domain.ledger import Ledger
from pr_review.errors import ConfigurationError
from pr_review.templates import prompt_root

GOOD = "---\nname: own\ntitle: Own\ncategories: one, two-three\n---\nLook.\n"


def test_every_file_of_the_folder_is_an_agent_and_the_reverse() -> None:
    files = {path.name.removesuffix(".md.j2") for path in (prompt_root() / "agents").iterdir()}
    assert tuple(agent.name for agent in catalogue()) == NAMES
    assert files == set(NAMES)


@pytest.mark.parametrize("agent", catalogue(), ids=lambda agent: agent.name)
def test_each_agent_says_what_to_look_for_what_not_and_how_grave(agent: Agent) -> None:
    text = task(agent, Ledger(()))
    assert agent.title in text.split("\n")[0]
    assert "Look for:" in text
    assert "Do not report:" in text
    severities = text[text.index("Severity here") :]
    assert all(f"`{word}`" in severities for word in ("high", "medium", "low", "critical"))
    assert ", ".join(agent.categories) in text
    assert len(set(agent.categories)) == len(agent.categories)


def test_a_file_is_read_into_its_parts() -> None:
    assert parse(GOOD, name="own", origin="x") == Agent(
        "own", "Own", ("one", "two-three"), "Look.\n"
    )


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("---\nname", "name", "must begin with front matter"),
        ("two-three\n---", "two-three\n", "must begin with front matter"),
        ("title: Own\n", "", "lacks title"),
        ("title: Own", "title:", "lacks title"),
        ("title: Own", "title Own", "once"),
        ("title: Own", "title: Own\ntitle: Two", "once"),
        ("title: Own", "title: Own\nmodle: x", "once"),
        ("name: own", "name: other", "another agent"),
        ("two-three", "Two Three", "lower-case"),
        ("one, two-three", "one,, two", "lower-case"),
        ("Look.\n", " \n", "no prompt"),
    ],
)
def test_a_broken_file_is_refused_with_its_name(before: str, after: str, words: str) -> None:
    assert before in GOOD
    with pytest.raises(ConfigurationError, match=words) as caught:
        parse(GOOD.replace(before, after, 1), name="own", origin="prompts/agents/own.md.j2")
    assert "prompts/agents/own.md.j2" in str(caught.value)


def test_selection_keeps_the_order_of_the_catalogue_and_takes_each_once() -> None:
    chosen = select(("security", "bugs", "security"))
    assert [agent.name for agent in chosen] == ["bugs", "security"]


def test_an_unknown_name_is_told_its_nearest() -> None:
    with pytest.raises(ConfigurationError, match="nearest is 'security'"):
        select(("bugs", "secuirty"))


def test_no_agent_at_all_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="empty"):
        select(())
