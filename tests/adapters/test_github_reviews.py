"""Each write of a review through real PyGithub, on the wire: what is sent, refused, in doubt."""

from __future__ import annotations

import time
from typing import Any

import pytest

from pr_review.domain.diff import Side
from pr_review.domain.review import Review
from pr_review.errors import AnchorRefused, PublishError
from pr_review.review.ports import InDoubt, PendingStands, PostedReview, Proposed, ReviewGone
from tests.adapters.github_reviews import LOCK, PERSON, answers, host, remark, review, states
from tests.standins.github import GitHubServer

DOUBTS: list[dict[str, Any]] = [
    {"status": 502, "body": "<html>"},
    {"status": 500, "body": {"message": "no"}},
    {"status": 200, "body": "<html>"},
    {"status": 200, "body": '{"id": '},
    {"drop": True},
]


# --- proposing -----------------------------------------------------------------------------


def test_pending_review_holds_commit_lock_and_anchors(github: GitHubServer) -> None:
    asked = review(
        github, remark(5, start_line=3), remark(2, "gone.txt", side=Side.LEFT), remark(3, "new.py")
    )

    made = host(github).propose(asked, LOCK)

    (call,) = github.calls("POST")
    assert call.json == {
        "commit_id": asked.head_sha,
        "body": LOCK,
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
    assert stored.state == "PENDING"
    assert made == Proposed(stored.id, sure=True)


def test_range_of_one_line_is_a_line(github: GitHubServer) -> None:
    host(github).propose(review(github, remark(5, start_line=5)), LOCK)

    assert "start_line" not in github.calls("POST")[0].json["comments"][0]


def test_pending_review_without_commit_or_comments(github: GitHubServer) -> None:
    host(github).propose(Review("", ""), LOCK)

    assert [call.json for call in github.calls("POST")] == [{"body": LOCK}]
    assert github.reviews(7)[0].commit_id == github.api.pulls[7].head_sha


def test_anchor_outside_the_diff_is_told_with_githubs_reason(github: GitHubServer) -> None:
    with pytest.raises(AnchorRefused, match="line must be part of the diff"):
        host(github).propose(review(github, remark(20)), LOCK)

    assert len(github.calls("POST")) == 1
    assert github.reviews(7) == []


@pytest.mark.parametrize("number", range(4))
def test_b03_reasons_come_in_every_shape(github: GitHubServer, number: int) -> None:
    answer = answers("b03-422-line-outside-diff")[number]
    github.fault("POST", "/reviews", answer["status"], answer["body"])
    word = ("part of the diff", "part of the diff", "missing_field", "Path could not be resolved")

    with pytest.raises(AnchorRefused, match=word[number]):
        host(github).propose(review(github, remark(5)), LOCK)
    assert len(github.calls("POST")) == 1


def test_second_pending_review_is_refused(github: GitHubServer) -> None:
    github.add_review(7, github.actor, "Another", "PENDING")

    with pytest.raises(PendingStands, match="one pending review"):
        host(github).propose(review(github), LOCK)
    assert len(github.calls("POST")) == 1
    host(github, "person").propose(review(github), LOCK)


# --- submitting ----------------------------------------------------------------------------


def proposed(github: GitHubServer, token: str = "") -> int:
    return host(github, token).propose(review(github, remark(5)), LOCK).id


def test_submission_gives_the_review_its_body(github: GitHubServer) -> None:
    number = proposed(github)

    url = host(github).submit(number, "One finding.", request_changes=False)

    (stored,) = github.reviews(7)
    assert (stored.state, stored.body, len(stored.comments)) == ("COMMENTED", "One finding.", 1)
    assert url == f"{github.url}/acme/widgets/pull/7#pullrequestreview-{number}"
    assert github.calls("POST", "/events$")[0].json == {"body": "One finding.", "event": "COMMENT"}


def test_changes_are_requested_if_asked(github: GitHubServer) -> None:
    host(github).submit(proposed(github), "b", request_changes=True)

    assert states(github) == ["CHANGES_REQUESTED"]


def test_changes_requested_on_our_own_pull_request_become_a_comment(github: GitHubServer) -> None:
    host(github, "person").submit(proposed(github, "person"), "b", request_changes=True)

    (stored,) = github.reviews(7)
    assert (stored.state, len(stored.comments)) == ("COMMENTED", 1)
    events = [call.json["event"] for call in github.calls("POST", "/events$")]
    assert events == ["REQUEST_CHANGES", "COMMENT"]


@pytest.mark.parametrize("number", range(4))
def test_b04_refused_verdicts_become_a_comment(github: GitHubServer, number: int) -> None:
    answer = answers("b04-422-own-pr-and-approve")[number]
    review_id = proposed(github)
    github.fault("POST", "/events$", answer["status"], answer["body"])

    host(github).submit(review_id, "b", request_changes=True)

    (stored,) = github.reviews(7)
    assert (stored.state, len(stored.comments)) == ("COMMENTED", 1)
    assert len(github.calls("POST", "/events$")) == 2


def test_comment_that_is_refused_is_an_error(github: GitHubServer) -> None:
    number = proposed(github)

    with pytest.raises(AnchorRefused, match="Body is too long"):
        host(github).submit(number, "x" * 65_537, request_changes=True)
    assert states(github) == ["PENDING"]
    assert len(github.calls("POST", "/events$")) == 2


def test_review_that_was_taken_away_cannot_be_submitted(github: GitHubServer) -> None:
    number = proposed(github)
    github.reviews(7).clear()

    with pytest.raises(ReviewGone, match=f"submitting review {number}"):
        host(github).submit(number, "b", request_changes=False)
    assert len(github.calls("POST", "/events$")) == 1


# --- refusals that no second try mends -----------------------------------------------------


@pytest.mark.parametrize("number", range(3))
def test_b05_read_only_token(github: GitHubServer, number: int) -> None:
    answer = answers("b05-403-read-only-token")[number]
    github.fault("POST", "/reviews", answer["status"], answer["body"], answer["headers"])

    with pytest.raises(PublishError, match=r"the token may not.*`pull-requests: write`"):
        host(github).propose(review(github), LOCK)
    assert len(github.calls("POST")) == 1


def test_missing_right_is_named(github: GitHubServer) -> None:
    github.grant("weak", PERSON, {"pull_requests": "read"}, installation=True)

    with pytest.raises(PublishError) as caught:
        host(github, "weak").propose(review(github), LOCK)

    assert "Resource not accessible by integration" in str(caught.value)
    assert "`pull-requests: write`" in str(caught.value)
    assert not isinstance(caught.value, AnchorRefused)


def test_locked_conversation(github: GitHubServer) -> None:
    github.api.pulls[7].locked = True

    with pytest.raises(PublishError, match=r"lock prevents review.*unlock the conversation") as e:
        host(github).propose(review(github, remark(5)), LOCK)
    assert not isinstance(e.value, AnchorRefused), "without comments it would be refused too"


def test_archived_repository(github: GitHubServer) -> None:
    github.api.archived = True

    with pytest.raises(PublishError, match=r"archived.*read-only.*unarchive"):
        host(github).propose(review(github), LOCK)


@pytest.mark.parametrize("number", range(6))
def test_b06_long_rate_limits_are_not_slept_on(github: GitHubServer, number: int) -> None:
    answer = answers("b06-rate-limits")[number]
    github.fault("POST", "/reviews", answer["status"], answer["body"], answer["headers"])

    begun = time.monotonic()
    with pytest.raises(PublishError, match="rate limit is reached"):
        host(github).propose(review(github), LOCK)
    assert time.monotonic() - begun < 2
    assert len(github.calls("POST", "/reviews$")) == 1


SECONDARY = (403, {"message": "You have exceeded a secondary rate limit."})
TOO_QUICKLY = (
    422,
    {
        "message": "Validation Failed",
        "errors": [
            {
                "resource": "PullRequestReview",
                "code": "custom",
                "field": "body",
                "message": "was submitted too quickly",
            }
        ],
    },
)


@pytest.mark.parametrize(("status", "limit"), [SECONDARY, TOO_QUICKLY])
def test_short_rate_limit_is_waited_for_once(
    github: GitHubServer, status: int, limit: dict[str, Any]
) -> None:
    github.fault("POST", "/reviews$", status, limit, {"Retry-After": "0"})
    github.fault("POST", "/events$", status, limit, {"Retry-After": "0"})

    reviews = host(github)
    made = reviews.propose(review(github, remark(5)), LOCK)
    reviews.submit(made.id, "Body", request_changes=False)

    assert [call.status for call in github.calls("POST", "/reviews$")] == [status, 200]
    assert [call.status for call in github.calls("POST", "/events$")] == [status, 200]
    assert len(github.reviews(7)[0].comments) == 1


def test_what_comes_too_quickly_twice_is_no_bad_comment(github: GitHubServer) -> None:
    """Without its comments it would be refused too."""
    status, limit = TOO_QUICKLY
    github.fault("POST", "/reviews$", status, limit, {"Retry-After": "0"}, times=2)

    with pytest.raises(PublishError, match="rate limit is reached") as info:
        host(github).propose(review(github, remark(5)), LOCK)
    assert not isinstance(info.value, AnchorRefused)


# --- doubt: a look first, and a second try only if nothing is there ------------------------


@pytest.mark.parametrize("graphql", [True, False])
@pytest.mark.parametrize("doubt", DOUBTS)
def test_pending_review_that_stands_after_a_doubtful_answer(
    github: GitHubServer, doubt: dict[str, Any], graphql: bool
) -> None:
    github.graphql = graphql
    github.fault("POST", "/reviews", after_effect=True, **doubt)

    made = host(github).propose(review(github, remark(5)), LOCK)

    assert [Proposed(stored.id, sure=True) for stored in github.reviews(7)] == [made]
    assert len(github.calls("POST", "/reviews$")) == 1


@pytest.mark.parametrize("doubt", DOUBTS)
def test_pending_review_that_does_not_stand_is_made_by_a_second_try(
    github: GitHubServer, doubt: dict[str, Any]
) -> None:
    github.fault("POST", "/reviews", **doubt)

    made = host(github).propose(review(github, remark(5)), LOCK)

    assert states(github) == ["PENDING"]
    assert not made.sure, "the first may still take effect"
    ends = [call.path.rpartition("/")[2] for call in github.requests]
    assert ends == ["reviews", "graphql", "graphql", "reviews"]


def test_pending_review_that_stands_after_a_time_out(github: GitHubServer) -> None:
    github.fault("POST", "/reviews", after_effect=True, delay=0.6)

    host(github, timeout=0.3).propose(review(github), LOCK)

    assert states(github) == ["PENDING"]


def test_there_is_no_third_try(github: GitHubServer) -> None:
    github.fault("POST", "/reviews", 502, "<html>", times=9)

    with pytest.raises(InDoubt, match="answered 502"):
        host(github).propose(review(github), LOCK)
    assert len(github.calls("POST", "/reviews$")) == 2


def test_doubt_that_cannot_be_settled_is_told_and_not_tried_again(github: GitHubServer) -> None:
    github.fault("POST", "/reviews", 502, after_effect=True)
    github.fault("POST", "/graphql$", 503, times=99)
    github.fault("GET", "", 503, times=99)

    with pytest.raises(InDoubt, match=r"answered 502.*whether it took effect could not be"):
        host(github).propose(review(github), LOCK)
    assert len(github.calls("POST", "/reviews$")) == 1


def test_pending_review_of_another_run_is_not_taken_for_ours(github: GitHubServer) -> None:
    github.fault("POST", "/reviews", 502, "<html>")
    github.add_review(7, github.actor, LOCK.replace("run=1", "run=2"), "PENDING")

    with pytest.raises(PendingStands):
        host(github).propose(review(github), LOCK)


@pytest.mark.parametrize("request_changes", [True, False])
@pytest.mark.parametrize("doubt", DOUBTS)
def test_submission_that_stands_after_a_doubtful_answer(
    github: GitHubServer, doubt: dict[str, Any], request_changes: bool
) -> None:
    number = proposed(github)
    github.fault("POST", "/events$", after_effect=True, **doubt)

    url = host(github).submit(number, "b", request_changes=request_changes)

    assert url.endswith(f"#pullrequestreview-{number}")
    assert states(github) == ["CHANGES_REQUESTED" if request_changes else "COMMENTED"]
    assert len(github.calls("POST", "/events$")) == 1


@pytest.mark.parametrize("doubt", DOUBTS)
def test_submission_that_does_not_stand_is_made_by_a_second_try(
    github: GitHubServer, doubt: dict[str, Any]
) -> None:
    number = proposed(github)
    github.fault("POST", "/events$", **doubt)

    host(github).submit(number, "b", request_changes=False)

    assert states(github) == ["COMMENTED"]
    assert len(github.calls("POST", "/events$")) == 2


@pytest.mark.parametrize("request_changes", [True, False])
def test_submission_that_took_effect_late_is_found(
    github: GitHubServer, request_changes: bool
) -> None:
    """The try before was looked for in vain; GitHub refuses this one, and it is found."""
    number = proposed(github)
    first = host(github).submit(number, "First", request_changes=request_changes)

    assert host(github).submit(number, "Second", request_changes=request_changes) == first
    assert github.reviews(7)[0].body == "First"
    assert len(github.calls("POST", "/events$")) == 2


# --- withdrawing ---------------------------------------------------------------------------


def test_withdrawn_review_is_gone(github: GitHubServer) -> None:
    number = proposed(github)

    host(github).withdraw(number)
    host(github).withdraw(number)

    assert github.reviews(7) == []


@pytest.mark.parametrize("after_effect", [True, False])
@pytest.mark.parametrize("doubt", DOUBTS)
def test_withdrawal_in_doubt(
    github: GitHubServer, doubt: dict[str, Any], after_effect: bool
) -> None:
    number = proposed(github)
    github.fault("DELETE", "/reviews/", after_effect=after_effect, **doubt)

    host(github).withdraw(number)

    assert github.reviews(7) == []
    assert len(github.calls("DELETE")) == (1 if after_effect else 2)


def test_submitted_review_is_not_withdrawn(github: GitHubServer) -> None:
    stored = github.add_review(7, github.actor, "Said", "COMMENTED")

    with pytest.raises(ReviewGone, match="non-pending"):
        host(github).withdraw(stored.id)
    assert states(github) == ["COMMENTED"]


# --- editing and folding -------------------------------------------------------------------


def posted(github: GitHubServer, body: str = "Old") -> PostedReview:
    stored = github.add_review(7, github.actor, body, "COMMENTED")
    return next(p for p in host(github).standing().reviews if p.id == stored.id)


def test_edit_replaces_the_body(github: GitHubServer) -> None:
    old = posted(github)

    assert host(github).edit(old, "New") == old.url
    assert github.reviews(7)[0].body == "New"
    assert [call.json for call in github.calls("PUT")] == [{"body": "New"}]


@pytest.mark.parametrize("after_effect", [True, False])
@pytest.mark.parametrize("doubt", DOUBTS)
def test_edit_in_doubt(github: GitHubServer, doubt: dict[str, Any], after_effect: bool) -> None:
    old = posted(github)
    github.fault("PUT", "/reviews/", after_effect=after_effect, **doubt)

    assert host(github).edit(old, "New") == old.url
    assert github.reviews(7)[0].body == "New"
    assert len(github.calls("PUT")) == (1 if after_effect else 2)


@pytest.mark.parametrize(("status", "tries"), [(403, 1), (500, 2)])
def test_edit_that_fails(github: GitHubServer, status: int, tries: int) -> None:
    old = posted(github)
    github.fault("PUT", "/reviews/", status, {"message": "no"}, times=9)

    with pytest.raises(PublishError, match=f"editing review {old.id}"):
        host(github).edit(old, "New")
    assert github.reviews(7)[0].body == "Old"
    assert len(github.calls("PUT")) == tries


@pytest.mark.parametrize("status", [404, 422])
def test_edit_that_is_not_possible_any_more(github: GitHubServer, status: int) -> None:
    old = posted(github)
    github.fault("PUT", "/reviews/", status, {"message": "no"})

    with pytest.raises(ReviewGone, match=f"editing review {old.id}"):
        host(github).edit(old, "New")


def test_review_is_folded_as_outdated(github: GitHubServer) -> None:
    assert host(github).outdate(posted(github))

    assert github.reviews(7)[0].minimized
    assert host(github).standing().reviews[0].minimized


def test_folding_that_fails_is_no_error(github: GitHubServer) -> None:
    old = posted(github)
    github.grant("weak", PERSON, {"pull_requests": "read"}, installation=True)

    assert not host(github, "weak").outdate(old)
    github.fault("POST", "/graphql$", 502, "<html>")
    assert not host(github).outdate(old)
    github.graphql = False
    assert not host(github).outdate(old)
    assert not github.reviews(7)[0].minimized
    assert len(github.calls("POST", "/graphql$")) == 4, "each was sent once"
