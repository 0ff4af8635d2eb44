"""How many REST calls a whole run makes: at most 8, however many files the change has."""

from __future__ import annotations

import subprocess
from collections import Counter

from tests.demo_sample import NUMBER
from tests.standins.github import GitHubServer
from tests.standins.github_git import clean_environment
from tests.standins.runner import Runner

MOST = 8
GIT = ("git", "-c", "user.name=Test", "-c", "user.email=test@example.invalid")


def rest_calls(github: GitHubServer) -> list[str]:
    """What went over REST since this was asked last; GraphQL and git are no REST."""
    seen = [f"{r.method} {r.path}" for r in github.requests if r.path.startswith("/repos/")]
    github.requests.clear()
    return seen


def few(calls: list[str]) -> bool:
    """At most 8, and nothing is read twice."""
    reads = Counter(call for call in calls if call.startswith("GET "))
    return 0 < len(calls) <= MOST and set(reads.values()) == {1}


def test_new_review_and_every_run_again(runner: Runner, github: GitHubServer) -> None:
    for _ in range(2):
        ended = runner.run(github.event(NUMBER))
        assert ended.code == 0, ended.log
        assert few(calls := rest_calls(github)), calls
    assert [stored.state for stored in github.reviews(NUMBER)] == ["COMMENTED"]


def test_review_that_a_comment_asks_for(runner: Runner, github: GitHubServer) -> None:
    github.permit("octocat", "write")
    comment = github.comment(NUMBER, "/review")
    payload = {
        "action": "created",
        "comment": comment,
        "issue": {"number": NUMBER, "state": "open", "pull_request": {"url": "x"}},
        "repository": github.event(NUMBER)["repository"],
        "sender": comment["user"],
    }

    ended = runner.run(payload, "issue_comment")

    assert ended.code == 0, ended.log
    assert len(github.reviews(NUMBER)) == 1
    assert few(calls := rest_calls(github)), calls


def commit_on(github: GitHubServer, branch: str) -> str:
    """A further commit, which changes nothing."""
    done = subprocess.run(
        [*GIT, "--git-dir", str(github.bare), "commit-tree", f"{branch}^{{tree}}", "-p", branch],
        input=b"More",
        capture_output=True,
        check=True,
        env=clean_environment(),
    )
    return done.stdout.decode().strip()


def test_review_after_a_push(runner: Runner, github: GitHubServer) -> None:
    assert runner.run(github.event(NUMBER)).code == 0
    github.push(NUMBER, commit_on(github, "feature"))
    rest_calls(github)

    assert runner.run(github.event(NUMBER, "synchronize")).code == 0

    assert few(calls := rest_calls(github)), calls
    assert [stored.state for stored in github.reviews(NUMBER)] == ["COMMENTED", "COMMENTED"]
