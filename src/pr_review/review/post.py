"""Puts one review on the pull request, and never two.

GitHub gives a user one pending review per pull request: the one that holds our comments is the
lock, from its creation to its submission. What stands on the pull request is read again while
we hold it, so of two runs at once the second one edits the review of the first.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field

from pr_review.domain.pull_request import PullRequest
from pr_review.domain.review import Review
from pr_review.errors import AnchorRefused
from pr_review.review.lock import Lock, Patience
from pr_review.review.marker import Marker, charged, read
from pr_review.review.policy import ReviewPolicy
from pr_review.review.ports import PostedReview, ReviewGone, ReviewHost, Standing


@dataclass(frozen=True, slots=True)
class Posted:
    """What became of a review: its `url`, or why it was `skipped` (then nothing was posted).

    `inline` is true if its comments stand inline; if not, its body tells every finding.
    `edited` is true if the review stood there before and got a new body.
    """

    url: str = ""
    skipped: str = ""
    inline: bool = False
    edited: bool = False


def check_rights(host: ReviewHost, *, run_id: str, patience: Patience | None = None) -> None:
    """Finds out whether a review can be posted: makes a pending one and takes it away.

    Raises `PublishError` or `GitHubError` if not, also where the draft of a person or of
    another tool bars every review by our actor.
    """
    with Lock(host, run_id, patience or Patience()) as lock:
        lock.take(Review(head_sha="", body=""))
        lock.give_back()


def post(
    review: Review,
    host: ReviewHost,
    *,
    without_comments: Review,
    pull_request: PullRequest,
    policy: ReviewPolicy,
    run_id: str,
    patience: Patience | None = None,
) -> Posted:
    """Posts a review, or edits the one that an earlier run left on the same head and settings.

    `without_comments` is the same review with every finding in its body: what is posted when
    GitHub refuses an anchor, and what an edit writes, since comments cannot be replaced. What
    the edited review says was spent is added to what this one says.
    `run_id` (letters, digits, hyphens) tells this run from every other. Nothing is written if
    the head has moved since it was read. Once the review stands, those of ours on other heads
    are folded as outdated, where the token may; what is folded is not edited. Whatever ends this
    early, no pending review of this run is left, as far as GitHub lets us.

    Raises `PublishError` if the review does not stand on the pull request, `GitHubError` if
    what stands there could not be read.
    """

    lock = Lock(host, run_id, patience or Patience())
    book = _Book(pull_request, policy.marker_key)
    return _Posting(review, without_comments, host, lock, book).run()


def charge(
    spent_usd: float | None, host: ReviewHost, *, pull_request: PullRequest, policy: ReviewPolicy
) -> bool:
    """Adds what a run spent that leaves no review of its own to the account of our latest one.

    False if there is none to add it to; None as the amount is added as unknown. Raises
    `PublishError` and `GitHubError`.
    """
    book = _Book(pull_request, policy.marker_key)
    for posted in reversed(host.standing().reviews):
        if book.marker(posted.body) is not None:
            with contextlib.suppress(ReviewGone):
                host.edit(posted, charged(posted.body, spent_usd, book.key))
                return True
    return False


@dataclass(frozen=True, slots=True)
class _Book:
    """Reads the markers of one pull request, and keeps its account in them."""

    pull_request: PullRequest
    key: bytes | None

    def marker(self, body: str) -> Marker | None:
        return read(body, self.pull_request.repository, self.pull_request.number, self.key)

    def carried(self, body: str, posted: PostedReview) -> str:
        """A body that takes the place of a posted one, with what that one says was spent."""
        replaced = self.marker(posted.body)
        assert replaced is not None
        return charged(body, replaced.spent_usd, self.key)


@dataclass
class _Posting:
    """One review on its way; `told` is the same without comments."""

    review: Review
    told: Review
    host: ReviewHost
    lock: Lock
    book: _Book
    _fixed: set[int] = field(default_factory=set)

    def run(self) -> Posted:
        standing = self.host.standing()
        while (done := self._on_what_stands(standing)) is None:
            outcome = self._new()
            if isinstance(outcome, Posted):
                return outcome
            standing = outcome
        return done

    def _on_what_stands(self, standing: Standing) -> Posted | None:
        """What there is to do without a new review; None if one is needed."""
        if moved := standing.moved(self.review.head_sha):
            return Posted(skipped=moved)
        while (equal := self._equal(standing)) is not None:
            try:
                url = self.host.edit(equal, self.book.carried(self.told.body, equal))
            except ReviewGone:
                self._fixed.add(equal.id)
                continue
            self._fold(standing)
            return Posted(url=url, edited=True)
        return None

    def _equal(self, standing: Standing) -> PostedReview | None:
        """The latest review of ours on the same head and settings that may be edited, and that
        people see: a head that was left and pushed again has one that was folded meanwhile."""
        wanted = self.book.marker(self.review.body)
        for posted in reversed(standing.reviews):
            found = self.book.marker(posted.body)
            seen = not posted.minimized and posted.id not in self._fixed
            if seen and wanted and found and _same(wanted, found):
                return posted
        return None

    def _new(self) -> Posted | Standing:
        """Posts under the lock; if something changed before we had it, what stands now."""
        with self.lock:
            try:
                proposed = self._propose()
            except AnchorRefused:
                standing = self.host.standing()
                if standing.moved(
                    self.review.head_sha
                ):  # and our commit may not be part of it any more
                    return standing
                raise
            standing = self.host.standing()
            if standing.moved(self.review.head_sha) or self._equal(standing):
                self.lock.give_back()
                return standing
            url = self.lock.submit(proposed.body, request_changes=proposed.request_changes)
        self._fold(standing)
        return Posted(url=url, inline=bool(proposed.comments))

    def _propose(self) -> Review:
        try:
            self.lock.take(self.review)
        except AnchorRefused:
            if not self.review.comments:
                raise
            # GitHub does not say which comment it refused, and one loses all of them
            self.lock.take(self.told)
            return self.told
        return self.review

    def _fold(self, standing: Standing) -> None:
        """Folds what this review supersedes; the first refusal ends it, it holds for all."""
        for posted in standing.reviews:
            found = self.book.marker(posted.body)
            if found is None or found.head_sha == self.review.head_sha or posted.minimized:
                continue
            if not self.host.outdate(posted):
                return


def _same(one: Marker, other: Marker) -> bool:
    return (one.head_sha, one.settings_digest) == (other.head_sha, other.settings_digest)
