"""What posting asks of GitHub."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pr_review.domain.review import Review


@dataclass(frozen=True, slots=True)
class PostedReview:
    """A review of ours that stands on the pull request already."""

    id: int
    body: str
    head_sha: str
    url: str


class ReviewHost(Protocol):
    """Reads and writes the reviews of one pull request."""

    def head_sha(self) -> str:
        """The pull request's head as it stands now. Raises `GitHubError`."""

    def own_reviews(self) -> tuple[PostedReview, ...]:
        """Submitted reviews by our own actor, oldest first, all pages. Raises `GitHubError`."""

    def create(self, review: Review) -> str:
        """Posts a review in one request, never retried; returns its URL.

        Raises `AnchorRefused` if GitHub refuses with 422, `PublishError` otherwise.
        """

    def edit(self, posted: PostedReview, body: str) -> str:
        """Replaces the body of a submitted review; returns its URL. Raises `PublishError`."""
