"""A pull request in memory that does what GitHub does with reviews, and what a test plans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from pr_review.domain.review import Review
from pr_review.errors import AnchorRefused, PublishError
from pr_review.review.ports import (
    Pending,
    PendingStands,
    PostedReview,
    Proposed,
    ReviewGone,
    Standing,
)
from tests.review.scenarios import HEAD


@dataclass
class Host:
    """Implements `ReviewHost`. `plans` hold, by the name of a call, what happens before it does
    its work, in turn: a plan may change the host, or raise.
    """

    head: str = HEAD
    refuses_anchors: bool = False
    folds: bool = True
    sure: bool = True
    reviews: list[PostedReview] = field(default_factory=list)
    pending: Pending | None = None
    drafts: dict[int, Review] = field(default_factory=dict)
    plans: dict[str, list[Callable[[], object]]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)

    def plan(self, call: str, *steps: Callable[[], object]) -> None:
        self.plans.setdefault(call, []).extend(steps)

    def _begin(self, call: str) -> None:
        self.calls.append(call)
        if self.plans.get(call):
            self.plans[call].pop(0)()

    def standing(self) -> Standing:
        self._begin("standing")
        return Standing(self.head, tuple(self.reviews), pending=self.pending)

    def propose(self, review: Review, lock: str) -> Proposed:
        self._begin("propose")
        if self.pending:
            raise PendingStands("User can only have one pending review per pull request")
        if self.refuses_anchors and review.comments:
            raise AnchorRefused("line must be part of the diff")
        self.add_pending(lock, review)
        assert self.pending is not None
        return Proposed(self.pending.id, self.sure)

    def add_pending(self, body: str, review: Review | None = None) -> None:
        number = 100 + len(self.calls)
        self.pending = Pending(number, body)
        self.drafts[number] = review or Review(self.head, body)

    def submit(self, review_id: int, body: str, *, request_changes: bool) -> str:
        self._begin("submit")
        if self.pending is None or self.pending.id != review_id:
            raise ReviewGone("the review is not there")
        self.events.append("REQUEST_CHANGES" if request_changes else "COMMENT")
        self.pending = None
        return self.add_posted(body, self.drafts[review_id].head_sha).url

    def add_posted(self, body: str, head_sha: str = HEAD) -> PostedReview:
        number = len(self.reviews) + 1
        posted = PostedReview(number, f"N{number}", body, head_sha, f"https://host/{number}")
        self.reviews.append(posted)
        return posted

    def withdraw(self, review_id: int) -> None:
        self._begin("withdraw")
        if any(review.id == review_id for review in self.reviews):
            raise PublishError("a submitted review was to be deleted")
        if self.pending and self.pending.id == review_id:
            self.pending = None

    def edit(self, posted: PostedReview, body: str) -> str:
        self._begin("edit")
        self.reviews[posted.id - 1] = replace(self.reviews[posted.id - 1], body=body)
        return posted.url

    def outdate(self, posted: PostedReview) -> bool:
        self._begin("outdate")
        if self.folds:
            self.reviews[posted.id - 1] = replace(self.reviews[posted.id - 1], minimized=True)
        return self.folds
