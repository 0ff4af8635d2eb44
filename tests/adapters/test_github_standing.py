"""What stands on a pull request, by GraphQL and by REST: the same, as far as REST tells it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pr_review.domain.review import Review
from pr_review.errors import GitHubError
from pr_review.review.ports import Answer, Pending, PostedReview, Standing, Thread
from tests.adapters.github_reviews import LOCK, PERSON, host, remark, review
from tests.standins.github import Account, GitHubServer
from tests.standins.github_shapes import Json


def both(github: GitHubServer, token: str = "") -> tuple[Standing, Standing]:
    """By GraphQL, and by REST of a host that knows who it is since its first write."""
    first = host(github, token).standing()
    other = host(github, token)
    other.withdraw(other.propose(Review("", ""), LOCK).id)
    github.graphql = False
    second = other.standing()
    github.graphql = True
    return first, second


def say(github: GitHubServer, body: str, *lines: int) -> tuple[int, list[Json]]:
    """A submitted review of ours with comments on these lines."""
    reviews = host(github)
    number = reviews.propose(review(github, *(remark(line) for line in lines)), LOCK).id
    reviews.submit(number, body, request_changes=False)
    return number, github.reviews(7)[-1].comments


def test_reviews_are_submitted_ones_of_our_actor(github: GitHubServer) -> None:
    head = github.api.pulls[7].head_sha
    first = github.add_review(7, github.actor, "Ours", "COMMENTED")
    github.add_review(7, PERSON, "A person's", "COMMENTED")
    github.add_review(7, Account("github-actions"), "Of a similar name", "COMMENTED")
    second = github.add_review(7, github.actor, "Ours too", "DISMISSED")
    github.add_review(7, PERSON, "A person's draft", "PENDING")

    page = f"{github.url}/acme/widgets/pull/7#pullrequestreview-"
    ours = (
        PostedReview(first.id, f"PRR_{first.id}", "Ours", head, f"{page}{first.id}"),
        PostedReview(second.id, f"PRR_{second.id}", "Ours too", head, f"{page}{second.id}"),
    )
    assert both(github) == (Standing(head, ours), Standing(head, ours))
    assert github.calls("GET", "/user$") == []


def test_reviews_of_a_person(github: GitHubServer) -> None:
    github.add_review(7, PERSON, "Mine", "COMMENTED")
    github.add_review(7, github.actor, "A bot's", "COMMENTED")

    for standing in both(github, "person"):
        assert [posted.body for posted in standing.reviews] == ["Mine"]


def test_pending_review_is_found_without_knowing_who_we_are(github: GitHubServer) -> None:
    stored = github.add_review(7, github.actor, "A draft", "PENDING")

    assert host(github).standing().pending == Pending(stored.id, "A draft")
    assert host(github, "person").standing().pending is None
    github.graphql = False
    assert host(github).standing().pending == Pending(stored.id, "A draft")
    assert host(github, "person").standing().pending is None


def test_without_graphql_nothing_is_ours_before_the_first_write(github: GitHubServer) -> None:
    say(github, "Ours", 5)
    github.graphql = False

    standing = host(github).standing()

    assert (standing.reviews, standing.threads) == ((), ())
    assert standing.head_sha == github.api.pulls[7].head_sha


def test_threads_are_our_comments_and_what_was_said_below(github: GitHubServer) -> None:
    number, (first, second) = say(github, "Ours", 5, 50)
    github.answer_comment(7, first, "/review ignore", "octocat", "MEMBER")
    github.answer_comment(7, first, "Why?", "stranger", "CONTRIBUTOR")
    github.answer_comment(7, second, "/review ignore", github.actor.login, "COLLABORATOR")
    github.api.pulls[7].resolved.add(second["id"])
    theirs = github.add_review(7, PERSON, "", "COMMENTED")
    sent = {"path": "f.txt", "body": "A person's", "line": 5}
    shapes = github.api.shapes
    theirs.comments = [shapes.review_comment(github.api.pulls[7], theirs, 0, sent)]

    by_graphql, by_rest = both(github)

    said = (Answer("octocat", True, "/review ignore"), Answer("stranger", True, "Why?"))
    one = Thread(number, "f.txt", "Look here.", False, said)
    echo = Answer("github-actions", False, "/review ignore")  # of any workflow, on any text
    two = Thread(number, "f.txt", "Look here.", True, (echo,), resolved_by="maintainer")
    assert by_graphql.threads == (one, two)
    echo = replace(echo, author=github.actor.login)
    assert by_rest.threads == (one, replace(two, resolved=False, resolved_by="", answers=(echo,)))


def test_a_person_whose_token_it_is_answers_as_a_person(github: GitHubServer) -> None:
    reviews = host(github, "person")
    number = reviews.propose(review(github, remark(5)), LOCK).id
    reviews.submit(number, "Mine", request_changes=False)
    [comment] = github.reviews(7)[-1].comments
    github.answer_comment(7, comment, "/review ignore", PERSON.login, "OWNER")

    for standing in both(github, "person"):
        assert standing.threads[0].answers == (Answer(PERSON.login, True, "/review ignore"),)


def test_comments_of_a_pending_review_are_no_threads(github: GitHubServer) -> None:
    host(github).propose(review(github, remark(5)), LOCK)

    assert host(github).standing().threads == ()
    github.graphql = False
    assert host(github).standing().threads == ()


def test_all_pages_are_read(github: GitHubServer) -> None:
    for number in range(120):
        github.add_review(7, PERSON, f"Remark {number}", "COMMENTED")
    say(github, "Ours", *[5] * 130)
    before = len(github.calls("POST", "/graphql$"))

    standing = host(github).standing()

    assert [posted.body for posted in standing.reviews] == ["Ours"]
    assert len(standing.threads) == 130
    assert len(github.calls("POST", "/graphql$")) == before + 2
    assert both(github)[1].threads == standing.threads


def test_one_query_asks_for_all(github: GitHubServer) -> None:
    host(github).standing()

    assert [(call.method, call.path) for call in github.requests] == [("POST", "/graphql")]


@pytest.mark.parametrize("status", [403, 404])
def test_where_graphql_is_blocked_rest_serves(github: GitHubServer, status: int) -> None:
    github.fault("POST", "/graphql$", status, {"message": "no"}, times=99)
    reviews = host(github)

    assert reviews.standing() == reviews.standing()

    assert len(github.calls("POST", "/graphql$")) == 1, "it is not asked again"
    assert len(github.calls("GET")) == 6


def test_where_graphql_does_not_know_a_field_rest_serves(github: GitHubServer) -> None:
    error = {"message": "Field 'fullDatabaseId' doesn't exist on type 'PullRequestReview'"}
    github.fault("POST", "/graphql$", 200, {"errors": [error]}, times=9)

    assert host(github).standing().head_sha == github.api.pulls[7].head_sha


def test_outage_of_everything_is_an_error(github: GitHubServer) -> None:
    github.fault("POST", "/graphql$", 503, times=99)
    github.fault("GET", "", 503, times=99)

    with pytest.raises(GitHubError, match="answered 503"):
        host(github).standing()


def test_moved_head_is_seen(github: GitHubServer) -> None:
    reviews, before = host(github), github.api.pulls[7].head_sha

    assert reviews.standing().head_sha == before
    moved = github.push(7, "main")
    assert reviews.standing().head_sha == moved != before
    github.graphql = False
    assert reviews.standing().head_sha == moved


def test_enterprise_addresses(bare: Path) -> None:
    with GitHubServer(bare, prefix="/api/v3") as github:
        github.open_pull(7)
        stored = github.add_review(7, github.actor, "Ours", "COMMENTED")

        assert [posted.id for posted in host(github).standing().reviews] == [stored.id]
        assert [call.path for call in github.requests] == ["/api/graphql"]
