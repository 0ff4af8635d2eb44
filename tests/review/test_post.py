"""One review on the pull request, whatever happened before and whatever GitHub refuses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from pr_review.domain.review import Review
from pr_review.errors import AnchorRefused, PublishError
from pr_review.review import Posted, ReviewPolicy, compose, derive_key, post
from pr_review.review.ports import PostedReview
from tests.review.scenarios import FINDINGS, HEAD, PULL

POLICY = ReviewPolicy(settings_digest="5e77", marker_key=derive_key("not a real key"))
REVIEW = compose(FINDINGS, POLICY)
TOLD = compose(FINDINGS, POLICY, inline=False)


@dataclass
class Host:
    """A pull request in memory; it refuses any comment if `refuses_anchors` is set."""

    head: str = HEAD
    refuses_anchors: bool = False
    refuses_all: bool = False
    reviews: list[PostedReview] = field(default_factory=list)
    posts: list[Review] = field(default_factory=list)

    def head_sha(self) -> str:
        return self.head

    def own_reviews(self) -> tuple[PostedReview, ...]:
        return tuple(self.reviews)

    def create(self, review: Review) -> str:
        self.posts.append(review)
        if self.refuses_all or (self.refuses_anchors and review.comments):
            raise AnchorRefused("GitHub refused the review")
        number = len(self.reviews) + 1
        posted = PostedReview(number, review.body, review.head_sha, f"https://host/{number}")
        self.reviews.append(posted)
        return posted.url

    def edit(self, posted: PostedReview, body: str) -> str:
        self.reviews[posted.id - 1] = replace(posted, body=body)
        return posted.url


def send(host: Host, review: Review = REVIEW, policy: ReviewPolicy = POLICY) -> Posted:
    return post(review, host, without_comments=TOLD, pull_request=PULL, policy=policy)


def test_a_review_is_posted_once_with_its_comments() -> None:
    host = Host()
    assert send(host) == Posted(url="https://host/1", inline=True)
    assert host.posts == [REVIEW]
    assert len(REVIEW.comments) == 2


def test_nothing_is_posted_on_a_head_that_moved() -> None:
    host = Host(head="f" * 40)
    assert send(host) == Posted(skipped=f"head moved from {HEAD[:12]} to {'f' * 12}")
    assert host.posts == []


def test_a_run_on_the_same_head_and_settings_edits_its_review() -> None:
    host = Host()
    send(host)
    assert send(host) == Posted(url="https://host/1")
    assert [review.body for review in host.reviews] == [TOLD.body]
    assert send(host) == Posted(url="https://host/1"), "the edited body keeps its marker"
    assert len(host.posts) == 1


def test_other_settings_or_another_head_get_a_review_of_their_own() -> None:
    host = Host()
    send(host)
    other = replace(POLICY, settings_digest="0")
    send(host, compose(FINDINGS, other), other)
    assert len(host.posts) == 2


def test_a_review_that_is_not_ours_is_never_edited() -> None:
    forged = compose(FINDINGS, replace(POLICY, marker_key=derive_key("another"))).body
    host = Host(reviews=[PostedReview(1, forged, HEAD, "u"), PostedReview(2, "hello", HEAD, "u")])
    send(host)
    assert [review.body for review in host.reviews[:2]] == [forged, "hello"]
    assert len(host.reviews) == 3


def test_a_refused_anchor_still_lands_the_body_with_every_finding() -> None:
    host = Host(refuses_anchors=True)
    assert send(host) == Posted(url="https://host/1", inline=False)
    assert [len(review.comments) for review in host.posts] == [2, 0]
    for judged in FINDINGS.findings:
        assert f"<sub>{judged.finding.category} · said by" in host.reviews[0].body
    assert "round the sum once" in host.reviews[0].body
    assert "return round(total, 2)" in host.reviews[0].body
    assert "```suggestion" not in host.reviews[0].body


def test_a_refusal_of_the_body_is_an_error() -> None:
    host = Host(refuses_all=True)
    with pytest.raises(PublishError):
        send(host)
    assert len(host.posts) == 2
    with pytest.raises(PublishError):
        send(host, TOLD)
    assert len(host.posts) == 3


def test_changes_are_requested_only_if_asked_for_and_found() -> None:
    asks = replace(POLICY, request_changes=True)
    assert compose(FINDINGS, asks).request_changes
    assert not compose(FINDINGS, POLICY).request_changes
    assert not compose(replace(FINDINGS, judged=()), asks).request_changes
