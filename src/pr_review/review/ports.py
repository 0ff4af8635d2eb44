"""What posting asks of GitHub, and the refusals that it tells apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pr_review.domain.review import Review
from pr_review.errors import PublishError


class PendingStands(PublishError):  # noqa: N818 - what stands there, not what we got wrong
    """Our actor has a pending review on the pull request already; GitHub allows one."""


class ReviewGone(PublishError):  # noqa: N818 - what became of it, not what we got wrong
    """A review is not there any more, or may not be changed any more."""


class InDoubt(PublishError):  # noqa: N818 - what we know, not what we got wrong
    """A write of which we do not know whether it takes effect, even later."""


@dataclass(frozen=True, slots=True)
class PostedReview:
    """A submitted review of ours that stands on the pull request.

    `head_sha` is the commit it was submitted on, empty where GitHub no longer knows it.
    """

    id: int
    node_id: str
    body: str
    head_sha: str
    url: str
    minimized: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What was said below a comment of ours, also by our own actor: it may be a person's.

    `author` is empty for a deleted account, `person` is false for one and for bots.
    """

    author: str
    person: bool
    body: str


@dataclass(frozen=True, slots=True)
class Thread:
    """One of our inline comments and what was said below it.

    `review_id` names the submitted review of ours that it came with. `resolved` is false also
    where it could not be read; `resolved_by` is empty for a deleted account.
    """

    review_id: int
    path: str
    body: str
    resolved: bool
    answers: tuple[Answer, ...] = ()
    resolved_by: str = ""


@dataclass(frozen=True, slots=True)
class Pending:
    """A pending review of our own actor: of this run, another run, a person or another tool."""

    id: int
    body: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """A pending review that was made; `sure` is false if a request for another one was lost,
    which may still take effect once this one is no longer pending.
    """

    id: int
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands on the pull request at one moment: its head, and what our own actor left.

    `reviews` are submitted ones, oldest first.
    """

    head_sha: str
    reviews: tuple[PostedReview, ...] = ()
    threads: tuple[Thread, ...] = ()
    pending: Pending | None = None

    def moved(self, read_at: str) -> str:
        """That the head is not the commit that was read, in words; empty if it is."""
        if self.head_sha == read_at:
            return ""
        return f"head moved from {read_at[:12]} to {self.head_sha[:12]}"


class ReviewHost(Protocol):
    """Reads and writes the reviews of one pull request.

    No write is sent again before a look at what the first try did, and none more than twice.
    """

    def standing(self) -> Standing:
        """What stands on the pull request now, all pages of it. Raises `GitHubError`."""

    def propose(self, review: Review, lock: str) -> Proposed:
        """Makes a pending review with the comments of `review` and `lock` as its body. With an
        empty `head_sha` it stands on the pull request's head.

        Raises `PendingStands`, `AnchorRefused` if GitHub refuses it with another 422 that may be
        due to a comment, `InDoubt` or `PublishError` otherwise.
        """

    def submit(self, review_id: int, body: str, *, request_changes: bool) -> str:
        """Makes a pending review visible with this body; returns its URL. Changes that GitHub
        does not let us request become a comment.

        Raises `ReviewGone` if the pending review is not there, `PublishError` otherwise.
        """

    def withdraw(self, review_id: int) -> None:
        """Deletes a pending review, which may be gone already; never a submitted one.

        Raises `PublishError`.
        """

    def edit(self, posted: PostedReview, body: str) -> str:
        """Replaces the body of a submitted review; returns its URL.

        Raises `ReviewGone` if it cannot be edited any more, `PublishError` otherwise.
        """

    def outdate(self, posted: PostedReview) -> bool:
        """Folds a submitted review as outdated; false if that was not possible."""
