"""What the tests of the API on the wire share: who asks, a host, what it posts."""

from __future__ import annotations

import json
from typing import Any

from pr_review.adapters.github import Client, GitHubReviews
from pr_review.domain.diff import Side
from pr_review.domain.pull_request import Repository
from pr_review.domain.review import Comment, Review
from tests.shared import shared
from tests.standins.github import Account, GitHubServer
from tests.standins.github_shapes import Json

REPOSITORY = Repository("acme", "widgets")
PERSON = Account("octocat")
VIEWER = "query { viewer { login } }"
LOCK = "<!-- pr-review:lock run=1 started=1 -->"


def host(
    github: GitHubServer, token: str = "", *, timeout: float = 15, max_wait: float = 0.2
) -> GitHubReviews:
    client = Client(
        github.api_url, token or github.token, REPOSITORY, max_wait=0.1, timeout=timeout
    )
    return GitHubReviews(client, 7, settle=0.05, max_wait=max_wait)


def login(data: Any) -> str:
    return str(data["viewer"]["login"])


def viewer(connection: Client) -> str:
    """Who the token acts for: a read that GraphQL alone answers."""
    return connection.graphql("asking", VIEWER, {}, login)


def review(github: GitHubServer, *comments: Comment, request_changes: bool = False) -> Review:
    head = github.api.pulls[7].head_sha
    return Review(head, "One finding.", comments, request_changes)


def remark(line: int, path: str = "f.txt", **more: Any) -> Comment:
    return Comment(path, line, more.pop("side", Side.RIGHT), "Look here.", **more)


def answers(case: str) -> list[Json]:
    """The responses that a case holds: `status`, `headers` and `body` each."""
    entries = json.loads(shared(f"cases/{case}/http.json").read_text(encoding="utf-8"))
    return [entry["response"] for entry in entries]


def states(github: GitHubServer) -> list[str]:
    return [stored.state for stored in github.reviews(7)]
