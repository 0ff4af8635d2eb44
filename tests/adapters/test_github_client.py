"""The API client in bad weather: real PyGithub against a server that misbehaves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from github import GithubException

from pr_review.adapters.github import Client
from pr_review.adapters.github.failures import CAUGHT
from pr_review.domain.pull_request import Repository
from pr_review.errors import GitHubError
from tests.standins.github import GitHubServer
from tests.standins.github_sample import sample

REPOSITORY = Repository("acme", "widgets")
VIEWER = "query { viewer { login } }"


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample(tmp_path_factory.mktemp("github") / "widgets.git")


@pytest.fixture
def github(bare: Path) -> Iterator[GitHubServer]:
    with GitHubServer(bare) as server:
        server.open_pull(7)
        yield server


def client(github: GitHubServer, **options: Any) -> Client:
    return Client(github.api_url, github.token, REPOSITORY, **options)


def login(data: Any) -> str:
    return str(data["viewer"]["login"])


# --- GraphQL -------------------------------------------------------------------------------


def test_graphql_takes_from_the_data(github: GitHubServer) -> None:
    assert client(github).graphql("asking", VIEWER, {"a": 1}, login) == "github-actions[bot]"
    (call,) = github.calls("POST")
    assert call.json == {"query": VIEWER, "variables": {"a": 1}}


def errors(kind: str, message: str) -> dict[str, Any]:
    return {"data": None, "errors": [{"type": kind, "message": message}]}


@pytest.mark.parametrize(
    ("kind", "message", "status", "words"),
    [
        ("RATE_LIMITED", "API rate limit exceeded", 429, "rate limit is reached"),
        ("FORBIDDEN", "Resource not accessible by integration", 403, "may not do this"),
        ("NOT_FOUND", "Could not resolve to a Repository", 404, "not found"),
        ("UNPROCESSABLE", "no such thing", 422, r"refused it \(422\): no such thing"),
        ("", "Something went wrong while executing your query.", 502, "answered 502: Something"),
    ],
)
def test_graphql_errors_have_the_status_of_rest(
    github: GitHubServer, kind: str, message: str, status: int, words: str
) -> None:
    github.fault("POST", "/graphql$", 200, errors(kind, message), times=9)

    with pytest.raises(GithubException) as caught:
        client(github).mutate(VIEWER, {})
    assert caught.value.status == status
    assert len(github.calls("POST")) == 1

    with pytest.raises(GitHubError, match=words):
        client(github, max_wait=0).graphql("asking", VIEWER, {}, login)


@pytest.mark.parametrize("status", [500, 502, 503])
def test_graphql_is_tried_again_and_mutate_is_not(github: GitHubServer, status: int) -> None:
    github.fault("POST", "/graphql$", status, {"message": "down"}, times=2)

    with pytest.raises(GithubException):
        client(github).mutate(VIEWER, {})
    assert client(github).graphql("asking", VIEWER, {}, login)
    assert len(github.calls("POST")) == 3


@pytest.mark.parametrize(
    "body", ["<html>Sign in</html>", "", "null", {}, [], 3, {"data": None}, {"errors": None}]
)
def test_graphql_answers_that_are_none(github: GitHubServer, body: object) -> None:
    github.fault("POST", "/graphql$", 200, body, times=9)

    with pytest.raises(GitHubError, match=r"could not be read|no reason given"):
        client(github, max_wait=0).graphql("asking", VIEWER, {}, login)
    with pytest.raises(CAUGHT):
        login(client(github).mutate(VIEWER, {}))
