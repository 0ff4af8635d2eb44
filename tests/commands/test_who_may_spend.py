"""Whose pull requests are reviewed, and what a comment can ask for: whole runs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.demo_sample import NUMBER
from tests.standins.github import GitHubServer
from tests.standins.models import ModelServer, answer
from tests.standins.runner import Ended, Runner, model_inputs


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
