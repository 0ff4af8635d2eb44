"""Posts and reads the reviews of one pull request. No write is ever sent twice in doubt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pr_review.adapters.github import standing
from pr_review.adapters.github.client import Client, Missing
from pr_review.adapters.github.failures import CAUGHT, failure, is_rate_limit, reasons
from pr_review.adapters.github.library import GithubException
from pr_review.adapters.github.writing import write
from pr_review.domain.review import Comment, Review
from pr_review.errors import AnchorRefused, GitHubError, PublishError
from pr_review.review.ports import PendingStands, PostedReview, Proposed, ReviewGone, Standing

Result = TypeVar("Result")

_MINIMIZE = """
mutation Minimize($id: ID!) {
  minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) {
    minimizedComment { isMinimized }
  }
}
"""


class GitHubReviews:
    """Implements `review.ports.ReviewHost` for one pull request.

    Once GraphQL has failed, REST serves for the rest of the run; it knows our own reviews by
    `login`, which the first answer to a write tells at the latest. `settle` is how many seconds
    GitHub gets to show what a write in doubt did, `max_wait` how long a rate limit on a write may
    last.
    """

    def __init__(
        self, client: Client, number: int, *, settle: float = 2.0, max_wait: float = 10.0
    ) -> None:
        self._client = client
        self._number = number
        self._settle = settle
        self._max_wait = max_wait
        self._graphql = True
        self.login = ""

    def standing(self) -> Standing:
        if self._graphql:
            try:
                return standing.by_graphql(self._client, self._number)
            except GitHubError:
                self._graphql = False
        return standing.by_rest(self._client, self._number, self.login)

    def propose(self, review: Review, lock: str) -> Proposed:
        body: dict[str, Any] = {"body": lock}
        if review.head_sha:
            body["commit_id"] = review.head_sha
        if review.comments:
            body["comments"] = [_comment(comment) for comment in review.comments]

        tries = 0

        def send() -> int:
            nonlocal tries
            tries += 1
            made = self._client.send("POST", self._path(), body=body)
            self.login = str(made["user"]["login"])
            return int(made["id"])

        def look() -> int | None:
            pending = self.standing().pending
            return pending.id if pending and pending.body.strip() == lock else None

        number = self._write("posting the review", send, look, _refused_proposal)
        return Proposed(number, sure=tries == 1)

    def submit(self, review_id: int, body: str, *, request_changes: bool) -> str:
        # what GitHub does not let us request, as on our own pull request, may be said all the same
        events = ("REQUEST_CHANGES", "COMMENT") if request_changes else ("COMMENT",)
        for event in events:
            try:
                return self._submit(review_id, body, event)
            except AnchorRefused:
                # it refuses a second submission too: the first may have taken effect late
                if url := self._submitted(review_id):
                    return url
                if event == "COMMENT":
                    raise
        raise AssertionError("the last event returns or raises")

    def _submit(self, review_id: int, body: str, event: str) -> str:
        path = f"{self._path(review_id)}/events"
        return self._write(
            f"submitting review {review_id}",
            lambda: _url(self._client.send("POST", path, body={"body": body, "event": event})),
            lambda: self._submitted(review_id),
            _refused_submission,
        )

    def _submitted(self, review_id: int) -> str | None:
        """URL of a review that was submitted; None while it is pending. Raises `ReviewGone`."""
        found = self._read(review_id, lambda data: "" if _pending(data) else _url(data))
        if isinstance(found, Missing):
            raise ReviewGone(
                f"{self._place(f'submitting review {review_id}')}: "
                "it was taken away before it could be submitted",
                remedy="run again; let the workflow run once at a time for a pull request",
            )
        return found or None

    def withdraw(self, review_id: int) -> None:
        def send() -> bool:
            try:
                gone = self._client.send("DELETE", self._path(review_id))
            except GithubException as error:
                if error.status != 404:
                    raise
                return True
            return bool(gone["id"])  # a proxy's page has none, and deleted nothing

        def look() -> bool | None:
            return isinstance(self._read(review_id, bool), Missing) or None

        self._write(f"deleting pending review {review_id}", send, look, _refused_change)

    def edit(self, posted: PostedReview, body: str) -> str:
        path = self._path(posted.id)

        def look() -> str | None:
            found = self._read(posted.id, lambda data: (str(data["body"] or ""), _url(data)))
            if isinstance(found, Missing):
                raise ReviewGone(f"{self._place(f'editing review {posted.id}')}: it is gone")
            return found[1] if _plain(found[0]) == _plain(body) else None

        return self._write(
            f"editing review {posted.id}",
            lambda: _url(self._client.send("PUT", path, body={"body": body})),
            look,
            _refused_change,
        )

    def outdate(self, posted: PostedReview) -> bool:
        if not self._graphql:
            return False
        try:
            answer = self._client.mutate(_MINIMIZE, {"id": posted.node_id})
            return bool(answer["minimizeComment"]["minimizedComment"]["isMinimized"])
        except CAUGHT:
            return False

    # --- what they share -------------------------------------------------------------------

    def _write(
        self,
        doing: str,
        send: Callable[[], Result],
        look: Callable[[], Result | None],
        kind: Callable[[Exception], type[PublishError]],
    ) -> Result:
        def refused(error: Exception) -> PublishError:
            failed = failure(kind(error), self._place(doing), error)
            if not failed.remedy and "lock prevents review" in failed.message:
                failed.remedy = "unlock the conversation; in an archived repository all are locked"
            return failed

        return write(send, look, refused, settle=self._settle, max_wait=self._max_wait)

    def _read(self, review_id: int, take: Callable[[Any], Result]) -> Result | Missing:
        return self._client.find(f"reading review {review_id}", self._path(review_id), take)

    def _path(self, review_id: int | None = None) -> str:
        path = f"/pulls/{self._number}/reviews"
        return path if review_id is None else f"{path}/{review_id}"

    def _place(self, doing: str) -> str:
        return self._client.place(f"{doing} on pull request {self._number}")


def _refused_proposal(error: Exception) -> type[PublishError]:
    if not isinstance(error, GithubException) or error.status != 422 or is_rate_limit(error):
        return PublishError
    words = reasons(error).lower()
    if "one pending review" in words:
        return PendingStands
    # without push access: of a locked conversation, and of everything that is archived
    return PublishError if "lock prevents review" in words else AnchorRefused


def _refused_submission(error: Exception) -> type[PublishError]:
    return _by_status(error, {404: ReviewGone, 422: AnchorRefused})


def _refused_change(error: Exception) -> type[PublishError]:
    return _by_status(error, {404: ReviewGone, 422: ReviewGone})


def _by_status(error: Exception, kinds: Mapping[int, type[PublishError]]) -> type[PublishError]:
    if not isinstance(error, GithubException) or is_rate_limit(error):
        return PublishError
    return kinds.get(error.status, PublishError)


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


def _url(data: Any) -> str:
    return str(data["html_url"])


def _pending(data: Any) -> bool:
    return bool(data["state"] == "PENDING")


def _plain(text: str) -> str:
    """A body without what a server may change of it: line ends, and white space around."""
    return text.replace("\r\n", "\n").strip()
