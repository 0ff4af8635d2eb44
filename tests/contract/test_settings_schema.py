"""The JSON schema of `.github/pr-review.yml` that is shipped, and the loader, say the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from pr_review.commands.schema import schema
from pr_review.errors import ConfigurationError
from pr_review.settings import NAMES, NOT_IN_FILE, choices, default, file, load
from tests.contract import documents

SHIPPED = "src/pr_review/settings.schema.json"

TAKEN = [
    "",
    "drafts: true",
    "model: anthropic/claude-sonnet-4-5\nmax-cost-usd: 0.5\nfail-on: high",
    "agents: [bugs, security]",
    "agents: bugs, security",
    "include:\n  - 'src/**'\n  - '*.{ts,tsx}'\nexclude: |\n  a\n  b",
    "skip-labels: [1.0, wip]",
    "screening: off",
    "screening: 'off'",
    "guidelines: off",
    "paths: [{paths: 'docs/**', instructions: Mind the words.}]",
    "paths:\n  - paths: [a, 2024]\n    tier: test\n  - {paths: b, agents: [bugs]}",
    "temperature: 0",
    "run-deadline: 90",
    "max-cost-usd: null\nmodel:\nagents:",
]
REFUSED = [
    "drafts: 2",
    "drafts: sometimes",
    "draft: true",
    "model: 5",
    "model: [a, b]",
    "agents: 5",
    "agents: {bugs: true}",
    "exclude: [[a]]",
    "fail-on: severe",
    "fail-on-partial: 1",
    "screening: on",
    "review: off",
    "max-comments: 51",
    "max-comments: -1",
    "max-comments: 1.5",
    "max-passes: 0",
    "temperature: 3",
    "max-cost-usd: -1",
    "run-deadline: 0",
    "run-deadline: 3601",
    "language: ''",
    "max-file-bytes: many",
    "guidelines: on",
    "paths: [docs]",
    "paths: {docs: test}",
    "paths: [{paths: a}]",
    "paths: [{paths: a, instructions: ''}]",
    "paths: [{tier: test}]",
    "paths: [{paths: [], tier: test}]",
    "paths: [{paths: a, tier: tset}]",
    "paths: [{paths: a, teir: test}]",
    "- drafts",
    *(f"{name}: x" for name in sorted(NOT_IN_FILE)),
]


def follows(text: str) -> bool:
    """Whether an editor that knows the schema would find nothing to say."""
    loaded: Any = yaml.safe_load(text)
    return Draft202012Validator(schema()).is_valid({} if loaded is None else loaded)


def loads(text: str) -> bool:
    try:
        load(file(text))
    except ConfigurationError:
        return False
    return True


def test_the_shipped_schema_is_the_settings() -> None:
    """`make schema` renews it."""
    assert json.loads(documents.text(SHIPPED)) == schema()


def test_it_is_a_schema_that_knows_every_key_of_the_file() -> None:
    Draft202012Validator.check_schema(schema())
    assert list(schema()["properties"]) == [name for name in NAMES if name not in NOT_IN_FILE]


@pytest.mark.parametrize("text", TAKEN)
def test_what_it_takes_is_loaded(text: str) -> None:
    assert follows(text)
    assert loads(text)


@pytest.mark.parametrize("text", REFUSED)
def test_what_it_refuses_is_not(text: str) -> None:
    assert not follows(text)
    assert not loads(text)


@pytest.mark.parametrize("name", sorted(set(NAMES) - NOT_IN_FILE))
def test_every_default_and_every_choice_is_taken(name: str) -> None:
    for value in filter(None, (default(name), *choices(name))):
        assert follows(f"{name}: {value}")
        assert loads(f"{name}: {value}")


def test_an_empty_key_is_unset_everywhere() -> None:
    for name in set(NAMES) - NOT_IN_FILE:
        assert follows(f"{name}:")
        assert loads(f"{name}:")
