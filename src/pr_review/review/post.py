"""Puts one review on the pull request, and never two."""

from __future__ import annotations

from dataclasses import dataclass

from pr_review.domain.pull_request import PullRequest
from pr_review.domain.review import Review
from pr_review.errors import AnchorRefused
from pr_review.review.marker import Marker, read
from pr_review.review.policy import ReviewPolicy
from pr_review.review.ports import ReviewHost


@dataclass(frozen=True, slots=True)
class Posted:
    """What became of a review: its `url`, or why it was `skipped` (then nothing was posted).

    `inline` is false if the comments were left out and the body tells all findings.
    """

    url: str = ""
    skipped: str = ""
    inline: bool = False


def post(
    review: Review,
    host: ReviewHost,
    *,
    without_comments: Review,
    pull_request: PullRequest,
    policy: ReviewPolicy,
) -> Posted:
    """Posts a review, or edits the one that an earlier run left on the same head and settings.

    `without_comments` is the same review with every finding in its body: what is posted when
    GitHub refuses an anchor, and what an edit writes, since comments cannot be replaced.
    Nothing is written if the head has moved since it was read. Raises `PublishError` if the
    review does not stand on the pull request, `GitHubError` if it could not be read.
    """
    head = host.head_sha()
    if head != review.head_sha:
        return Posted(skipped=f"head moved from {review.head_sha[:12]} to {head[:12]}")

    def marker(body: str) -> Marker | None:
        return read(body, pull_request.repository, pull_request.number, policy.marker_key)

    wanted = marker(review.body)
    for posted in reversed(host.own_reviews()):
        if wanted is not None and marker(posted.body) == wanted:
            return Posted(url=host.edit(posted, without_comments.body))
    return _create(review, host, without_comments)


def _create(review: Review, host: ReviewHost, without_comments: Review) -> Posted:
    try:
        return Posted(url=host.create(review), inline=bool(review.comments))
    except AnchorRefused:
        if not review.comments:
            raise
        # GitHub does not say which comment it refused, and one loses all of them.
        return Posted(url=host.create(without_comments))
