"""The shipped agents, and what a front matter must be."""

from __future__ import annotations

import re

import pytest

from pr_review.agents.catalogue import NAMES, Agent, catalogue, own_agents, parse, select
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


FOLDER = ".github/pr-review/agents/"
OWN_LOOP = """{% for word in categories %}
- {{ word | upper }}{% if word == "one" %} first{% endif %}

{% endfor %}
All of {{ categories | join(" and ") }}.
"""


def own(text: str, file: str = "own.md.j2", name: str = "own") -> Agent:
    """The agent of one file at the base branch."""
    [agent] = own_agents((name,), {f"{FOLDER}{file}": text}.get, where=" of main")
    return agent


def test_an_own_agent_is_rendered_once_and_stands_behind_the_shipped_ones() -> None:
    agent = own(GOOD.replace("Look.\n", OWN_LOOP).replace("\n", "\r\n"))
    assert agent.body == "- ONE first\n- TWO-THREE\nAll of one and two-three."
    chosen = select(("own", "security"), [agent])
    assert [one.name for one in chosen] == ["security", "own"]
    text = task(chosen[1], Ledger(()))
    assert text.startswith("# Your task: Own\n")
    assert "- ONE first" in text
    assert "Categories: one, two-three." in text


def test_plain_markdown_is_no_template_and_hides_nothing() -> None:
    agent = own(GOOD.replace("Look.", "Say {{ this }} {% as %} it\u200b is."), "own.md")
    assert agent.body == "Say {{ this }} {% as %} it\\u{200b} is.\n"
    assert "{{ this }}" in task(agent, Ledger(()))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("{{ secret }}", "'secret' is undefined"),
        ("{{ categories | join('aa') | join('bb') }}", "a join of something else than categories"),
        ("{% for a in 'aaaaaa' %}x{% endfor %}", "a loop over something else than categories"),
        (
            "\n{% for a in categories %}{% for b in categories %}x{% endfor %}{% endfor %}",
            "has a loop in the loop of line 2",
        ),
        ("{{ 'a' * 999999999 }}", "has mul"),
        ("{{ categories.__class__ }}", "has getattr"),
        ("{{ categories['x'] }}", "has getitem"),
        ("{{ range(9) }}", "has call"),
        ("{% include '_shared/brief.md.j2' %}", "has include"),
        ("{% set a = 1 %}", "has assign"),
        ("{% macro a() %}x{% endmacro %}", "has macro"),
        ("{{ categories | pprint }}", "the filter pprint"),
        ("{% if %}", "Expected an expression"),
        ("{{ 5 | length }}", "does not render: TypeError"),
        ("{{ " + "(" * 5_000 + "}}", "does not render: RecursionError"),
        ("{{ " + "9" * 5_000 + "}}", "does not render: ValueError"),
        ("x" * 12_001, "at most 12,000 are taken"),
        ("{% for a in categories %}" + "x" * 11_000 + "{% endfor %}", "once rendered"),
        ("{% if categories == 1 %}x{% endif %}", "renders to nothing"),
    ],
)
def test_a_template_of_a_repository_can_neither_reach_nor_compute_anything(
    body: str, words: str
) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(words)) as caught:
        own(GOOD.replace("Look.", body))
    assert str(caught.value).startswith(f"{FOLDER}own.md.j2 of main: ")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("two-three", ", ".join(f"c{n}" for n in range(20)), "holds 21 categories; at most 20"),
        ("two-three", "t" * 41, "a category 40"),
        ("title: Own", f"title: {'O' * 81}", "at most 80 characters"),
        ("name: own", "name: bugs", "another agent than the file"),
        ("categories", "kinds", "takes each of name, title, categories once"),
    ],
)
def test_the_front_matter_of_an_own_agent_is_checked_and_bounded(
    before: str, after: str, words: str
) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(words)):
        own(GOOD.replace(before, after, 1))


@pytest.mark.parametrize("name", ["../x", "Own", "a" * 41, "verify", "all", ""])
def test_what_can_be_no_name_is_never_looked_up(name: str) -> None:
    def read(path: str) -> str:
        raise AssertionError(path)

    with pytest.raises(ConfigurationError, match="there is no agent"):
        own_agents((name,), read)


def test_the_files_of_shipped_agents_are_not_looked_up() -> None:
    asked: list[str] = []

    def read(path: str) -> str | None:
        asked.append(path)
        return GOOD.replace("own", "migrations") if path.endswith("migrations.md") else None

    with pytest.raises(ConfigurationError, match="nearest is 'migrations'") as caught:
        own_agents(("bugs", "migrations", "migratons"), read)
    assert f"{FOLDER}<name>.md to the base branch" in str(caught.value)
    names = ("migrations.md.j2", "migrations.md", "migratons.md.j2", "migratons.md")
    assert asked == [FOLDER + name for name in names]


def test_no_agent_at_all_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="empty"):
        select(())
