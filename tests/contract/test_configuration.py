"""docs/configuration.md and docs/agents.md tell what the settings and the catalogue take."""

from __future__ import annotations

import re

import pytest

from pr_review import templates
from pr_review.agents import catalogue, prompt
from pr_review.errors import ConfigurationError
from pr_review.settings import GUIDELINES, RuleSetting, file, load
from tests.contract import documents

TEXT = documents.text("docs/configuration.md")
AGENTS = documents.text("docs/agents.md")
[SAMPLE] = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
[AGENT] = re.findall(r"```markdown\n(.*?)```", AGENTS, re.DOTALL)
PATH = ".github/pr-review/agents/migrations.md"


def flat(text: str) -> str:
    return " ".join(text.split())


def test_the_sample_file_is_taken_with_the_sample_agent() -> None:
    settings = load(file(SAMPLE)).complete({PATH: AGENT}.get)
    asked = settings.agent_policy()
    assert [agent.name for agent in asked.agents] == list(settings.agents)
    assert [agent.categories for agent in asked.own] == [("lock", "data-loss", "order")]
    assert len(settings.rules) == 4
    assert PATH in AGENTS


def test_every_key_of_a_rule_stands_in_the_table() -> None:
    rows = [row[0].strip("`") for row in documents.table("Paths", "docs/configuration.md")]
    assert rows == list(RuleSetting.model_fields)


def test_the_bounds_are_those_that_hold() -> None:
    for words in (
        f"`{GUIDELINES[0]}`, `{GUIDELINES[1]}` and `{GUIDELINES[2]}`",
        f"at most {prompt.GUIDANCE_TOKENS:,} tokens",
        f"up to {prompt.MAX_GUIDELINE:,} characters of each",
    ):
        assert words in flat(TEXT)
    for words in (
        ", ".join(f"`{name}`" for name in catalogue.NAMES),
        f"hyphens, up to {catalogue.MAX_OWN_WORD} characters",
        f"Up to {catalogue.MAX_OWN_TITLE} characters",
        f"1 to {catalogue.MAX_OWN_CATEGORIES} lower-case words",
        f"Its task, up to {catalogue.MAX_OWN_TEXT:,} characters",
    ):
        assert words in flat(AGENTS)
    many = "paths:\n" + "- {paths: a, tier: test}\n" * 50
    assert len(load(file(many)).rules) == 50
    with pytest.raises(ConfigurationError, match="51 rules"):
        load(file(many + "- {paths: a, tier: test}\n"))


def test_the_filters_of_a_template_are_those_of_the_table() -> None:
    told = re.findall(
        r"`(\w+)`", " ".join(r[0] for r in documents.table("Templates", "docs/agents.md"))
    )
    for name in told:
        word = "categories" if name in ("join", "first", "last", "length") else "categories | first"
        printed = "{{ " + f"{word} | {name}" + " }}"
        assert templates.render_foreign(printed, origin="x", categories=("lock", "order"))
    assert sorted(told) == sorted(templates.FOREIGN_FILTERS)


def test_the_readme_leads_to_both_pages() -> None:
    readme = documents.text("README.md")
    assert "](docs/configuration.md)" in readme
    assert "](docs/agents.md)" in readme
