"""docs/github.md and the README tell of GitHub what the runs and the code do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from pr_review import errors
from pr_review.domain.pull_request import PullRequest, Repository
from pr_review.event.advice import Use, advice
from pr_review.event.commands import MEANINGS
from tests.contract import documents
from tests.demo_sample import NUMBER, opened
from tests.standins.github import WORKFLOW_RIGHTS, GitHubServer
from tests.standins.github_api import ROUTES
from tests.standins.runner import Runner

Rows = list[tuple[str, ...]]


def table(heading: str, document: str = "docs/github.md") -> Rows:
    return documents.table(heading, document)


def calls() -> list[tuple[str, str]]:
    """Method and path of the documented calls."""
    found = [re.fullmatch(r"`([A-Z]+) (/\S+)`", row[0]) for row in table("Calls")]
    return [(match[1], match[2]) for match in found if match]


def rights(permissions: dict[str, str]) -> set[str]:
    return {f"{name.replace('_', '-')}: {level}" for name, level in permissions.items()}


def workflows() -> list[dict[Any, Any]]:
    blocks = re.findall(r"```yaml\n(.*?)```", documents.text("README.md"), re.DOTALL)
    return [yaml.safe_load(block) for block in blocks if "\njobs:" in block]


def test_the_permissions_are_those_that_a_run_gets_by_with() -> None:
    documented = {row[0].strip("`") for row in table("Permissions")}
    assert documented == rights(dict(WORKFLOW_RIGHTS))
    [workflow] = workflows()
    assert rights(workflow["permissions"]) == documented


def test_the_workflows_that_a_run_shows_ask_for_no_more() -> None:
    pull = PullRequest(
        repository=Repository("o", "r"), number=1, title="", body="", author="dependabot[bot]",
        author_is_bot=True, base_ref="main", base_sha="", head_ref="x", head_sha="",
        head_repository=Repository("o", "r"),
    )  # fmt: skip
    shown = re.findall(r"permissions:\n((?:  .*\n)+)", advice(pull, Use("a/b@c", "none", "")))
    assert rights(yaml.safe_load(shown[0])) < rights(dict(WORKFLOW_RIGHTS))


def test_every_documented_call_exists() -> None:
    known = {(method, template) for method, template, _, _ in ROUTES}
    assert len(calls()) == len(table("Calls"))
    assert set(calls()) <= known


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHubServer]:
    with opened(tmp_path) as server:
        yield server


def test_a_run_makes_no_call_that_is_not_documented(tmp_path: Path, github: GitHubServer) -> None:
    runner = Runner(tmp_path / "job", github, {"model": "none"})
    github.permit("octocat", "write")
    for body in ("/review help", "/review", "/review full"):
        issue = {"number": NUMBER, "state": "open", "pull_request": {"url": "x"}}
        event = {"action": "created", "issue": issue, "comment": github.comment(NUMBER, body)}
        assert runner.run(event, "issue_comment").code == 0
    made = {(call.method, call.path) for call in github.requests if call.path.startswith("/repos/")}
    patterns = [(m, p) for m, template, p, _ in ROUTES if (m, template) in calls()]
    for method, path in made:
        assert any(m == method and p.fullmatch(path) for m, p in patterns), (method, path)
    assert {method for method, _ in made} >= {"GET", "POST", "PUT"}


def test_the_readme_tells_every_command_as_help_does() -> None:
    rows = [(f"`{name}`", meaning) for name, meaning in MEANINGS.items()]
    assert table("Commands", "README.md") == rows


def test_the_codes_of_failures_are_those_of_the_errors() -> None:
    codes = {int(row[0]) for row in table("When it fails")}
    ours = {kind.exit_code for kind in errors.PrReviewError.__subclasses__()}
    model = errors.ModelError.exit_code
    assert codes == {0, errors.CANCELLED_EXIT_CODE} | ours - {model}


def test_the_readme_leads_here() -> None:
    assert "](docs/github.md)" in documents.text("README.md")
