"""Whose pull requests are reviewed, and what a comment can ask for: whole runs."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.demo_sample import NUMBER
from tests.standins.github import GitHubServer
from tests.standins.models import ModelServer, answer
from tests.standins.runner import Ended, Runner, model_inputs

pytestmark = pytest.mark.usefixtures("one_process")


def comment(github: GitHubServer, body: str, author: str = "octocat") -> dict[str, Any]:
    """The event of a new comment on the pull request."""
    said = github.comment(NUMBER, body, author)
    issue = {"number": NUMBER, "state": "open", "pull_request": {"url": "x"}}
    repository = github.event(NUMBER)["repository"]
    return {"action": "created", "issue": issue, "comment": said, "repository": repository}


def said(runner: Runner, body: str, author: str = "octocat") -> Ended:
    return runner.run(comment(runner.github, body, author), "issue_comment")


def test_help_is_answered_with_one_comment_and_no_review(
    runner: Runner, github: GitHubServer
) -> None:
    github.permit("octocat", "write")
    with ModelServer(answer()) as server:
        runner.inputs |= model_inputs(server.url)
        ended = said(runner, "/review help")
        assert server.requests == []
    assert (ended.code, ended.outputs["status"]) == (0, "skipped"), ended.log
    _, reply = github.api.pulls[NUMBER].issue_comments
    for name in ("`/review`", "`/review full`", "`/review help`", "`/review ignore`"):
        assert name in reply["body"]
    assert len(github.calls("POST")) == 1
    assert github.reviews(NUMBER) == []


def test_a_stranger_gets_no_help(runner: Runner, github: GitHubServer) -> None:
    github.permit("stranger", "read")
    ended = said(runner, "/review help", "stranger")
    assert ended.outputs["status"] == "skipped"
    assert "write access" in ended.summary
    assert github.calls("POST") == []


def test_an_unknown_command_costs_nothing(runner: Runner, github: GitHubServer) -> None:
    event = comment(github, "/review everything")
    github.requests.clear()
    ended = runner.run(event, "issue_comment")
    assert (ended.code, ended.outputs["status"]) == (0, "skipped")
    assert "/review full" in ended.summary
    assert github.requests == []


def test_strangers_are_left_alone_until_a_writer_asks(runner: Runner, github: GitHubServer) -> None:
    github.open_pull(NUMBER, fork="stranger/shop", draft=True).association = "NONE"
    runner.inputs |= {"author-associations": "member, Owner", "drafts": "true"}
    alone = runner.run(github.event(NUMBER))
    assert (alone.code, alone.outputs["status"]) == (0, "skipped")
    assert "author-associations" in alone.summary
    assert github.calls("GET", r"\.git/") == []
    github.permit("octocat", "write")
    del runner.inputs["drafts"]
    asked = said(runner, "/review full")
    assert asked.outputs["status"] == "reviewed", asked.log


@pytest.mark.parametrize("filters", [{"exclude": "**"}, {"include": "docs/**, *.rst"}])
def test_a_change_that_the_path_filters_leave_nothing_of_is_skipped(
    filters: dict[str, str], runner: Runner, github: GitHubServer
) -> None:
    with ModelServer(answer()) as server:
        runner.inputs |= {**model_inputs(server.url), **filters, "fail-on-partial": "any"}
        ended = runner.run(github.event(NUMBER))
        assert server.requests == []
    assert (ended.code, ended.outputs["status"]) == (0, "skipped"), ended.log
    assert "include and exclude leave none of the changed files" in ended.summary
    assert github.reviews(NUMBER) == []
    files = ended.report["snapshot"]["files"]
    assert {file["reason"] for file in files} == {"excluded"}


def read_only(github: GitHubServer) -> None:
    rights = {"contents": "read", "pull_requests": "read"}
    github.grant(github.token, github.actor, rights, installation=True)


def shown_step(summary: str) -> dict[str, Any]:
    """The step of the workflow that a job summary shows; it is its job's only one."""
    workflow = yaml.safe_load(summary.partition("```yaml\n")[2].partition("```")[0])
    [job] = workflow["jobs"].values()
    [step] = job["steps"]
    assert isinstance(step, dict)
    return step


def test_a_fork_without_secrets_is_shown_a_workflow_that_works(
    runner: Runner, github: GitHubServer
) -> None:
    github.open_pull(NUMBER, fork="stranger/shop")
    with ModelServer(answer()) as server:
        runner.inputs |= {**model_inputs(server.url), "api-key": "", "api-base": ""}
        runner.env |= {"GITHUB_ACTION_REPOSITORY": "acme/pr-review", "GITHUB_ACTION_REF": "v1"}
        ended = runner.run(github.event(NUMBER))
        assert (ended.code, ended.outputs["status"]) == (0, "skipped"), ended.log
        assert github.calls("GET", r"\.git/") == []
        step = shown_step(ended.summary)
        assert step["uses"] == "acme/pr-review@v1"
        # with the label, and with the secret that it names, it reviews
        runner.inputs |= {**model_inputs(server.url), **step["with"], "api-key": "sk-of-the-base"}
        event = github.event(NUMBER, "labeled") | {"label": {"name": "review"}}
        assert runner.run(event, "pull_request_target").outputs["status"] == "skipped"
        github.open_pull(NUMBER, fork="stranger/shop", labels=("review",))
        event = github.event(NUMBER, "labeled") | {"label": {"name": "review"}}
        assert runner.run(event, "pull_request_target").outputs["status"] == "reviewed"
    assert len(github.reviews(NUMBER)) == 1


@pytest.mark.parametrize("author", ["octocat", "dependabot[bot]"])
def test_b05_where_github_keeps_the_right_to_write_the_summary_holds_the_review(
    author: str, runner: Runner, github: GitHubServer
) -> None:
    mine = "stranger/shop" if author == "octocat" else None
    github.open_pull(NUMBER, author=author, fork=mine)
    runner.inputs |= {"bots": "dependabot", "fail-on": "high"}
    read_only(github)
    ended = runner.run(github.event(NUMBER))
    assert (ended.code, ended.outputs["status"]) == (0, "skipped"), ended.log
    assert "Traceback" not in ended.log
    [notice] = [line for line in ended.log.split("\n") if line.startswith("::notice")]
    assert "pull-requests: write" in notice
    assert "A credential is added" in ended.summary
    assert [f["title"] for f in ended.report["findings"]] == ["A credential is added"]
    assert shown_step(ended.summary)["with"]["model"] == "none"
    assert github.reviews(NUMBER) == []


def test_b05_a_workflow_that_could_have_the_right_fails_and_names_it(
    runner: Runner, github: GitHubServer
) -> None:
    github.open_pull(NUMBER, fork="stranger/shop")
    read_only(github)
    ended = runner.run(github.event(NUMBER), "pull_request_target")
    assert (ended.code, ended.outputs["status"]) == (7, "failed")
    assert "pull-requests: write" in ended.log
