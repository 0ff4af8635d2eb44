"""Posts and reads the reviews of one pull request. No write is ever sent twice in doubt."""

from __future__ import annotations

import time
from typing import Any

from github import GithubException

from pr_review.adapters.github.client import Client
from pr_review.adapters.github.failures import CAUGHT, failure, is_doubtful
from pr_review.domain.review import Comment, Review
from pr_review.errors import AnchorRefused, GitHubError, PublishError
from pr_review.review.ports import PostedReview

_OWN_PULL_REQUEST = "request changes on your own pull request"


class GitHubReviews:
    """Implements `review.ports.ReviewHost` for one pull request.

    `settle` is how many seconds GitHub gets to show a review whose post ended in doubt.
    """

    def __init__(self, client: Client, number: int, *, settle: float = 2.0) -> None:
        self._client = client
        self._number = number
        self._settle = settle
        self._actor = ""
        self._seen: frozenset[int] = frozenset()

    def head_sha(self) -> str:
        doing = f"reading the head of pull request {self._number}"
        path = f"/pulls/{self._number}"
        return self._client.get(doing, path, lambda pull: str(pull["head"]["sha"]))

    def own_reviews(self) -> tuple[PostedReview, ...]:
        own = self._own_reviews()
        self._seen = frozenset(review.id for review in own)
        return own

    def _own_reviews(self) -> tuple[PostedReview, ...]:
        self._actor = self._actor or self._client.viewer()
        doing = f"reading the reviews of pull request {self._number}"
        found = self._client.pages(doing, f"/pulls/{self._number}/reviews", self._own)
        return tuple(posted for posted in found if posted is not None)

    def _own(self, data: Any) -> PostedReview | None:
        login = (data["user"] or {}).get("login")
        return _posted(data) if login == self._actor and data["state"] != "PENDING" else None

    def create(self, review: Review) -> str:
        """A request for changes on our own pull request, which GitHub refuses, is posted as a
        comment. After an answer that leaves doubt, a review of ours that was not there at the
        last `own_reviews` and has this text and commit is the one that was posted.
        """
        event = "REQUEST_CHANGES" if review.request_changes else "COMMENT"
        try:
            return self._post(review, event)
        except AnchorRefused as refusal:
            if not review.request_changes or _OWN_PULL_REQUEST not in refusal.message:
                raise
        return self._post(review, "COMMENT")

    def _post(self, review: Review, event: str) -> str:
        body: dict[str, Any] = {
            "commit_id": review.head_sha,
            "body": review.body,
            "event": event,
            "comments": [_comment(comment) for comment in review.comments],
        }
        path = f"/pulls/{self._number}/reviews"
        try:
            return str(self._client.send("POST", path, body=body)["html_url"])
        except CAUGHT as error:
            failed = self._failed("posting the review", error)
            if not is_doubtful(error):
                raise failed from None
        return self._standing(review, failed)

    def _standing(self, review: Review, failed: PublishError) -> str:
        """URL of a review whose post ended in doubt. Raises `failed` if it does not stand."""
        for wait in (0.0, self._settle):
            time.sleep(wait)
            try:
                own = self._own_reviews()
            except GitHubError as unknown:
                message = f"{failed.message}; whether it stands could not be read"
                raise PublishError(message, remedy=failed.remedy) from unknown
            for posted in own:
                if posted.id not in self._seen and _same(posted, review):
                    return posted.url
        raise failed

    def edit(self, posted: PostedReview, body: str) -> str:
        path = f"/pulls/{self._number}/reviews/{posted.id}"
        doing = f"editing review {posted.id}"
        try:
            return str(self._client.send("PUT", path, body={"body": body})["html_url"])
        except CAUGHT as error:
            failed = self._failed(doing, error)
            if not is_doubtful(error):
                raise failed from None
        try:
            standing = self._client.get(doing, path, _posted)
        except GitHubError:
            raise failed from None
        if _plain(standing.body) != _plain(body):
            raise failed
        return standing.url

    def _failed(self, doing: str, error: Exception) -> PublishError:
        refused = isinstance(error, GithubException) and error.status == 422
        place = self._client.place(f"{doing} on pull request {self._number}")
        return failure(AnchorRefused if refused else PublishError, place, error)


def _comment(comment: Comment) -> dict[str, Any]:
    anchor: dict[str, Any] = {
        "path": comment.path,
        "line": comment.line,
        "side": comment.side.value,
        "body": comment.body,
    }
    if comment.start_line is not None and comment.start_line < comment.line:
        anchor |= {"start_line": comment.start_line, "start_side": comment.side.value}
    return anchor


def _posted(data: Any) -> PostedReview:
    return PostedReview(
        id=int(data["id"]),
        body=data["body"] or "",
        head_sha=data["commit_id"] or "",
        url=str(data["html_url"]),
    )


def _same(posted: PostedReview, review: Review) -> bool:
    return posted.head_sha == review.head_sha and _plain(posted.body) == _plain(review.body)


def _plain(text: str) -> str:
    """A body without what a server may change of it: line ends, and white space around."""
    return text.replace("\r\n", "\n").strip()
