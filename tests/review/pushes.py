"""A pull request over several pushes, as GitHub would show it to the next run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pr_review.domain.diff import Change, FileChange, Hunk, Line, SourceKind, Status
from pr_review.domain.finding import Judged, Place
from pr_review.domain.pull_request import PullRequest
from pr_review.domain.review import Run
from pr_review.review import ReviewPolicy, compose, derive_key
from pr_review.review.earlier import Earlier, earlier, since
from pr_review.review.ports import Answer, PostedReview, Standing, Thread
from pr_review.review.settle import settle
from tests.review.scenarios import CLEAN, PULL, finding

POLICY = ReviewPolicy(settings_digest="5e77", marker_key=derive_key("not a real key"))
BASE = "c" * 40
COMMITS = tuple(f"{n}" * 40 for n in range(1, 6))


def added(path: str, texts: Sequence[str], *, start: int = 1) -> FileChange:
    """A file of which `texts` are added lines, from line `start` on."""
    lines = tuple(Line(None, n, text) for n, text in enumerate(texts, start))
    hunk = Hunk(start - 1, 0, start, len(lines), "", lines)
    return FileChange(
        path, None, Status.MODIFIED, "100644", "100644", "1" * 40, "2" * 40,
        binary=False, additions=len(lines), deletions=0, hunks=(hunk,),
    )  # fmt: skip


def removed(path: str, texts: Sequence[str]) -> FileChange:
    lines = tuple(Line(n, None, text) for n, text in enumerate(texts, 1))
    hunk = Hunk(1, len(lines), 0, 0, "", lines)
    return FileChange(
        path, None, Status.DELETED, "100644", "000000", "1" * 40, "0" * 40,
        binary=False, additions=0, deletions=len(lines), hunks=(hunk,),
    )  # fmt: skip


def change(head: str, *files: FileChange, oversize: bool = False) -> Change:
    return Change(SourceKind.GIT, BASE, head, files, 100, oversize=oversize)


def inline(**changes: object) -> Judged:
    return Judged(finding(**changes), Place.INLINE)


def in_body(**changes: object) -> Judged:
    return Judged(finding(**changes), Place.BODY, "over max-comments")


@dataclass
class PullRequestPage:
    """The reviews and threads that our runs leave behind, push by push."""

    policy: ReviewPolicy = POLICY
    pull: PullRequest = PULL
    writers: frozenset[str] = frozenset({"ada", "maintainer"})
    reviews: list[PostedReview] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)

    def before(self, head: str, policy: ReviewPolicy | None = None) -> Earlier:
        standing = Standing(head, tuple(self.reviews), tuple(self.threads))
        pull = replace(self.pull, head_sha=head)
        return earlier(standing, pull, policy or self.policy, self.writers.__contains__)

    def push(self, files: Sequence[FileChange], found: Sequence[Judged], **changes: object) -> Run:
        """The next commit, reviewed and posted as the action does it."""
        head = COMMITS[len(self.reviews)]
        run = self.reviewed(head, files, found, **changes)
        review = compose(run, self.policy)
        number = len(self.reviews) + 1
        url = f"https://host.invalid/octo/shop/pull/7#pullrequestreview-{number}"
        self.reviews.append(PostedReview(number, f"R{number}", review.body, head, url))
        self.threads += [
            Thread(number, comment.path, comment.body, resolved=False)
            for comment in review.comments
        ]
        return run

    def reviewed(
        self, head: str, files: Sequence[FileChange], found: Sequence[Judged], **changes: object
    ) -> Run:
        """A run at a commit, not posted; it builds on the reviews that stand."""
        before = self.before(head)
        assert CLEAN.snapshot is not None
        snapshot = replace(CLEAN.snapshot, since=since(before, BASE, COMMITS))
        plain = replace(
            CLEAN,
            pull_request=replace(PULL, head_sha=head),
            change=change(head, *files),
            snapshot=snapshot,
            judged=tuple(found),
        )
        return settle(replace(plain, **changes), before, self.policy)  # type: ignore[arg-type]

    def resolve(self, index: int = -1, *, by: str = "maintainer") -> None:
        self.threads[index] = replace(self.threads[index], resolved=True, resolved_by=by)

    def answer(self, body: str, *, by: str = "ada", person: bool = True, index: int = -1) -> None:
        thread = self.threads[index]
        answers = (*thread.answers, Answer(by, person, body))
        self.threads[index] = replace(thread, answers=answers)
