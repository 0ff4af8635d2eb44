"""The workflows that a job summary shows: whole, without a checkout, with nothing odd in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import yaml

from pr_review.domain.pull_request import PullRequest, Repository
from pr_review.event.advice import Use, advice, gets_nothing

OWN = PullRequest(
    repository=Repository("o", "r"), number=7, title="", body="", author="octo",
    author_is_bot=False, base_ref="main", base_sha="b" * 40, head_ref="topic",
    head_sha="a" * 40, head_repository=Repository("o", "r"),
)  # fmt: skip
FORK = replace(OWN, head_repository=Repository("stranger", "r"))
DELETED = replace(OWN, head_repository=None)
DEPENDABOT = replace(OWN, author="dependabot[bot]", author_is_bot=True)
USE = Use("acme/pr-review@v1", "openai/gpt-5-mini", "OPENAI_API_KEY")


def workflow(text: str) -> dict[Any, Any]:
    """The one YAML block of an advice, read as a runner does; `on` is true in YAML 1.1."""
    _, block, _ = text.replace("```yaml\n", "```").split("```")
    loaded: dict[Any, Any] = yaml.safe_load(block)
    return loaded


def step(text: str) -> dict[str, Any]:
    """Its only step: there is no checkout."""
    [job] = workflow(text)["jobs"].values()
    [only] = job["steps"]
    assert isinstance(only, dict)
    return only


@pytest.mark.parametrize("pull", [FORK, DELETED])
def test_forks_get_pull_request_target_gated_by_a_label(pull: PullRequest) -> None:
    text = advice(pull, USE)
    shown = workflow(text)
    assert shown[True] == {"pull_request_target": {"types": ["labeled"]}}
    assert shown["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert step(text) == {
        "uses": "acme/pr-review@v1",
        "with": {
            "model": "openai/gpt-5-mini",
            "api-key": "${{ secrets.OPENAI_API_KEY }}",
            "require-label": "review",
        },
    }
    assert "Never add a checkout" in text
    assert "`/review`" in text


def test_dependabot_gets_its_secret_its_permissions_and_its_name() -> None:
    text = advice(DEPENDABOT, USE)
    assert workflow(text)[True] == {"pull_request": None}
    assert workflow(text)["permissions"]["pull-requests"] == "write"
    assert step(text)["with"]["bots"] == "dependabot[bot]"
    assert step(text)["with"]["api-key"] == "${{ secrets.OPENAI_API_KEY }}"
    assert "Dependabot secret named `OPENAI_API_KEY`" in text


def test_checks_alone_need_no_key() -> None:
    for pull in (FORK, DEPENDABOT):
        text = advice(pull, Use("acme/pr-review@v1", "none", ""))
        assert step(text)["with"]["model"] == "none"
        assert "{{ secrets." not in text
        assert "secret named" not in text


@pytest.mark.parametrize(
    "odd", ["", "x\n      - run: curl evil", "a: b", "'", "m #", "```", "é", "x" * 300, "{y}", "-m"]
)
def test_what_a_fork_wrote_is_not_repeated_unless_it_is_plain(odd: str) -> None:
    shown = step(advice(FORK, Use(odd, odd, "")))
    assert shown["uses"] == "OWNER/pr-review@COMMIT"
    assert shown["with"]["model"] == "anthropic/claude-sonnet-4-5"
    assert shown["with"]["api-key"] == "${{ secrets.ANTHROPIC_API_KEY }}"


def test_others_get_none() -> None:
    assert advice(OWN, USE) == ""
    assert advice(replace(OWN, author="renovate[bot]", author_is_bot=True), USE) == ""


@pytest.mark.parametrize(
    ("pull", "event", "nothing"),
    [
        (FORK, "pull_request", True),
        (DELETED, "pull_request", True),
        (DEPENDABOT, "pull_request", True),
        (FORK, "pull_request_target", False),
        (FORK, "issue_comment", False),
        (OWN, "pull_request", False),
    ],
)
def test_what_github_keeps_from_a_run(pull: PullRequest, event: str, nothing: bool) -> None:
    assert gets_nothing(pull, event) is nothing
