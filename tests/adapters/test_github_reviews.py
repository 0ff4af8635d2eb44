"""Posting and reading reviews through real PyGithub, on the wire."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pr_review.adapters.github import Client, GitHubReviews
from pr_review.domain.diff import Side
from pr_review.domain.pull_request import Repository
from pr_review.domain.review import Comment, Review
from pr_review.errors import AnchorRefused, GitHubError, PublishError
from pr_review.review.ports import PostedReview
from tests.shared import shared
from tests.standins.github import Account, GitHubServer
from tests.standins.github_sample import sample

REPOSITORY = Repository("acme", "widgets")
PERSON = Account("octocat")


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample(tmp_path_factory.mktemp("github") / "widgets.git")


@pytest.fixture
def github(bare: Path) -> Iterator[GitHubServer]:
    with GitHubServer(bare) as server:
        server.open_pull(7, author="octocat")
        server.grant("person", PERSON)
        yield server


def host(github: GitHubServer, token: str = "", *, timeout: int = 15) -> GitHubReviews:
    client = Client(
        github.api_url, token or github.token, REPOSITORY, max_wait=0.1, timeout=timeout
    )
    return GitHubReviews(client, 7, settle=0.05)


def review(github: GitHubServer, *comments: Comment, request_changes: bool = False) -> Review:
    head = github.api.pulls[7].head_sha
    return Review(head, "One finding.", comments, request_changes)


def remark(line: int, path: str = "f.txt", **more: Any) -> Comment:
    return Comment(path, line, more.pop("side", Side.RIGHT), "Look here.", **more)


# --- posting -------------------------------------------------------------------------------


def test_review_is_one_request_with_commit_event_and_anchors(github: GitHubServer) -> None:
    asked = review(
        github, remark(5, start_line=3), remark(2, "gone.txt", side=Side.LEFT), remark(3, "new.py")
    )

    url = host(github).create(asked)

    (call,) = github.calls("POST")
    assert call.json == {
        "commit_id": asked.head_sha,
        "body": "One finding.",
        "event": "COMMENT",
        "comments": [
            {
                "path": "f.txt",
                "line": 5,
                "side": "RIGHT",
                "start_line": 3,
                "start_side": "RIGHT",
                "body": "Look here.",
            },
            {"path": "gone.txt", "line": 2, "side": "LEFT", "body": "Look here."},
            {"path": "new.py", "line": 3, "side": "RIGHT", "body": "Look here."},
        ],
    }
    (stored,) = github.reviews(7)
    assert stored.state == "COMMENTED"
    assert url == f"{github.url}/acme/widgets/pull/7#pullrequestreview-{stored.id}"


def test_range_of_one_line_is_a_line(github: GitHubServer) -> None:
    host(github).create(review(github, remark(5, start_line=5)))

    assert "start_line" not in github.calls("POST")[0].json["comments"][0]


def test_changes_are_requested_if_asked(github: GitHubServer) -> None:
    host(github).create(review(github, request_changes=True))

    assert [stored.state for stored in github.reviews(7)] == ["CHANGES_REQUESTED"]


def test_changes_requested_on_our_own_pull_request_become_a_comment(github: GitHubServer) -> None:
    host(github, "person").create(review(github, remark(5), request_changes=True))

    (stored,) = github.reviews(7)
    assert (stored.state, len(stored.comments)) == ("COMMENTED", 1)
    assert [call.json["event"] for call in github.calls("POST", "/reviews$")] == [
        "REQUEST_CHANGES",
        "COMMENT",
    ]


def test_anchor_outside_the_diff_is_told_with_githubs_reason(github: GitHubServer) -> None:
    with pytest.raises(AnchorRefused, match="line must be part of the diff"):
        host(github).create(review(github, remark(20)))

    assert len(github.calls("POST")) == 1
    assert github.reviews(7) == []


@pytest.mark.parametrize("number", range(4))
def test_reasons_come_in_every_shape(github: GitHubServer, number: int) -> None:
    case = shared("cases/b03-422-line-outside-diff/http.json")
    answer = json.loads(case.read_text(encoding="utf-8"))[number]["response"]
    github.fault("POST", "/reviews", answer["status"], answer["body"])
    word = ("part of the diff", "part of the diff", "missing_field", "Path could not be resolved")

    with pytest.raises(AnchorRefused, match=word[number]):
        host(github).create(review(github, remark(5)))


@pytest.mark.parametrize("number", range(2))
def test_both_wordings_of_the_own_pull_request_refusal(github: GitHubServer, number: int) -> None:
    case = shared("cases/b04-422-own-pr-and-approve/http.json")
    answer = json.loads(case.read_text(encoding="utf-8"))[number]["response"]
    github.fault("POST", "/reviews", answer["status"], answer["body"])

    host(github).create(review(github, request_changes=True))

    assert [stored.state for stored in github.reviews(7)] == ["COMMENTED"]


# --- refusals that no second try mends -----------------------------------------------------


@pytest.mark.parametrize("number", range(3))
def test_read_only_token(github: GitHubServer, number: int) -> None:
    case = shared("cases/b05-403-read-only-token/http.json")
    answer = json.loads(case.read_text(encoding="utf-8"))[number]["response"]
    github.fault("POST", "/reviews", answer["status"], answer["body"], answer["headers"])

    with pytest.raises(PublishError, match=r"the token may not|permissions"):
        host(github).create(review(github))
    assert len(github.calls("POST")) == 1


def test_missing_right_is_named(github: GitHubServer) -> None:
    github.grant("weak", PERSON, {"pull_requests": "read"}, installation=True)

    with pytest.raises(PublishError) as caught:
        host(github, "weak").create(review(github))

    assert "Resource not accessible by integration" in str(caught.value)
    assert "add `pull-requests: write` to the job's permissions" in str(caught.value)
    assert not isinstance(caught.value, AnchorRefused)


@pytest.mark.parametrize("number", range(6))
def test_rate_limits_are_not_slept_on(github: GitHubServer, number: int) -> None:
    case = shared("cases/b06-rate-limits/http.json")
    answer = json.loads(case.read_text(encoding="utf-8"))[number]["response"]
    github.fault("POST", "/reviews", answer["status"], answer["body"], answer["headers"])

    with pytest.raises(PublishError, match="rate limit is reached"):
        host(github).create(review(github))
    assert len(github.calls("POST")) == 1


# --- doubt ---------------------------------------------------------------------------------


@pytest.mark.parametrize("doubt", [{"status": 502, "body": "<html>"}, {"drop": True}])
def test_review_that_stands_after_a_doubtful_answer(
    github: GitHubServer, doubt: dict[str, Any]
) -> None:
    github.fault("POST", "/reviews", after_effect=True, **doubt)

    url = host(github).create(review(github))

    assert url.endswith(f"#pullrequestreview-{github.reviews(7)[0].id}")
    assert len(github.calls("POST", "/reviews$")) == 1


def test_review_that_stands_after_a_time_out(github: GitHubServer) -> None:
    github.fault("POST", "/reviews", after_effect=True, delay=1.5)

    host(github, timeout=1).create(review(github))

    assert len(github.reviews(7)) == 1


def test_review_is_looked_for_on_all_pages(github: GitHubServer) -> None:
    for number in range(120):
        github.add_review(7, PERSON, f"Remark {number}", "COMMENTED")
    github.fault("POST", "/reviews", 502, "<html>", after_effect=True)

    assert host(github).create(review(github)).endswith(str(github.reviews(7)[-1].id))


@pytest.mark.parametrize("doubt", [{"status": 500, "body": {"message": "no"}}, {"drop": True}])
def test_review_that_does_not_stand_is_not_posted_twice(
    github: GitHubServer, doubt: dict[str, Any]
) -> None:
    github.add_review(7, PERSON, "One finding.", "COMMENTED")
    github.fault("POST", "/reviews", **doubt)

    with pytest.raises(PublishError, match=r"answered 500|cannot be reached"):
        host(github).create(review(github))
    assert len(github.calls("POST", "/reviews$")) == 1


def test_an_equal_review_of_before_is_not_taken_for_the_new_one(github: GitHubServer) -> None:
    github.add_review(7, github.actor, "One finding.", "COMMENTED")
    reviews = host(github)
    reviews.own_reviews()
    github.fault("POST", "/reviews", 502)

    with pytest.raises(PublishError, match="answered 502"):
        reviews.create(review(github))


def test_an_equal_review_of_another_head_is_not_taken_for_the_new_one(
    github: GitHubServer,
) -> None:
    github.add_review(7, github.actor, "One finding.", "COMMENTED")
    github.push(7, "feature~1")
    github.fault("POST", "/reviews", 502)

    with pytest.raises(PublishError, match="answered 502"):
        host(github).create(review(github))


def test_doubt_that_cannot_be_settled_is_told(github: GitHubServer) -> None:
    github.fault("POST", "/reviews", 502, after_effect=True)
    github.fault("GET", "/reviews", 503, times=99)

    with pytest.raises(PublishError, match=r"answered 502.*whether it stands could not be read"):
        host(github).create(review(github))


def test_success_that_cannot_be_read_is_doubt(github: GitHubServer) -> None:
    github.fault("POST", "/reviews", 200, "<html>", after_effect=True)

    assert host(github).create(review(github)).endswith(str(github.reviews(7)[0].id))


# --- reading and editing -------------------------------------------------------------------


def test_own_reviews_are_submitted_ones_of_our_actor(github: GitHubServer) -> None:
    head = github.api.pulls[7].head_sha
    for number in range(110):
        github.add_review(7, PERSON, f"Remark {number}", "COMMENTED")
    first = github.add_review(7, github.actor, "Ours", "COMMENTED")
    github.add_review(7, Account("github-actions"), "Not ours", "COMMENTED")
    second = github.add_review(7, github.actor, "Ours too", "DISMISSED")
    github.add_review(7, github.actor, "Not yet", "PENDING")

    page = f"{github.url}/acme/widgets/pull/7#pullrequestreview-"
    assert host(github).own_reviews() == (
        PostedReview(first.id, "Ours", head, f"{page}{first.id}"),
        PostedReview(second.id, "Ours too", head, f"{page}{second.id}"),
    )
    assert github.calls("GET", "/user$") == []


def test_own_reviews_of_a_person(github: GitHubServer) -> None:
    github.add_review(7, PERSON, "Mine", "COMMENTED")

    assert [posted.body for posted in host(github, "person").own_reviews()] == ["Mine"]


def test_actor_is_asked_for_once(github: GitHubServer) -> None:
    reviews = host(github)
    reviews.own_reviews()
    reviews.own_reviews()

    assert len(github.calls("POST", "/graphql$")) == 1


def test_actor_that_graphql_does_not_tell(github: GitHubServer) -> None:
    errors = [{"message": "Something went wrong"}]
    github.fault("POST", "/graphql$", 200, {"data": None, "errors": errors})

    with pytest.raises(GitHubError, match="reading the token's own login"):
        host(github).own_reviews()


def test_head_is_read_again_each_time(github: GitHubServer) -> None:
    reviews, before = host(github), github.api.pulls[7].head_sha

    assert reviews.head_sha() == before
    moved = github.push(7, "main")
    assert reviews.head_sha() == moved != before


def posted(github: GitHubServer, body: str = "Old") -> PostedReview:
    stored = github.add_review(7, github.actor, body, "COMMENTED")
    return next(p for p in host(github).own_reviews() if p.id == stored.id)


def test_edit_replaces_the_body(github: GitHubServer) -> None:
    old = posted(github)

    assert host(github).edit(old, "New") == old.url
    assert github.reviews(7)[0].body == "New"
    assert [call.json for call in github.calls("PUT")] == [{"body": "New"}]


def test_edit_that_stands_after_a_doubtful_answer(github: GitHubServer) -> None:
    old = posted(github)
    github.fault("PUT", "/reviews/", 502, after_effect=True)

    assert host(github).edit(old, "New") == old.url
    assert len(github.calls("PUT")) == 1


@pytest.mark.parametrize("status", [403, 422, 500])
def test_edit_that_fails(github: GitHubServer, status: int) -> None:
    old = posted(github)
    github.fault("PUT", "/reviews/", status, {"message": "no"})

    with pytest.raises(PublishError, match=f"editing review {old.id}"):
        host(github).edit(old, "New")
    assert github.reviews(7)[0].body == "Old"
    assert len(github.calls("PUT")) == 1
