"""From a finished run to the one review that is posted."""

from __future__ import annotations

from pr_review.domain.finding import Place
from pr_review.domain.review import Review, Run, RunStatus
from pr_review.review.body import body
from pr_review.review.comments import comment
from pr_review.review.policy import ReviewPolicy


def compose(run: Run, policy: ReviewPolicy, *, inline: bool = True) -> Review:
    """The review of a run, on the head commit that was read.

    Without `inline` it has no comments, and its body tells every finding in full. The run
    must have a pull request.
    """
    assert run.pull_request is not None
    placed = [j for j in run.findings if j.place is Place.INLINE] if inline else []
    reviewed = run.status is RunStatus.REVIEWED
    return Review(
        head_sha=(run.change.head if run.change else "") or run.pull_request.head_sha,
        body=body(run, policy, inline=inline),
        comments=tuple(comment(judged) for judged in placed),
        request_changes=policy.request_changes and reviewed and bool(run.findings),
    )
