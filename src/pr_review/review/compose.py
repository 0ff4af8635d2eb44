"""From a finished run to the one review that is posted."""

from __future__ import annotations

from pr_review.domain.finding import Place
from pr_review.domain.review import Comment, Review, Run, RunStatus
from pr_review.review.body import body
from pr_review.review.comments import comment
from pr_review.review.fingerprint import Places
from pr_review.review.links import Links
from pr_review.review.policy import ReviewPolicy


def compose(run: Run, policy: ReviewPolicy, *, inline: bool = True) -> Review:
    """The review of a run, on the head commit that was read.

    Without `inline` it has no comments, and its body tells every finding in full. The run
    must have a pull request.
    """
    assert run.pull_request is not None
    reviewed = run.status is RunStatus.REVIEWED
    return Review(
        head_sha=(run.change.head if run.change else "") or run.pull_request.head_sha,
        body=body(run, policy, inline=inline),
        comments=_comments(run, policy.marker_key) if inline else (),
        request_changes=policy.request_changes and reviewed and run.highest_severity is not None,
    )


def _comments(run: Run, key: bytes | None) -> tuple[Comment, ...]:
    """The inline comments; with a key each can be known again by a later run."""
    placed = [judged for judged in run.findings if judged.place is Place.INLINE]
    links = Links(run)
    if key is None:
        return tuple(comment(judged, links=links) for judged in placed)
    places = Places(run.change, key)
    return tuple(
        comment(j, [str(places.fingerprint(f)) for f in (j.finding, *j.also)], links)
        for j in placed
    )
