"""What earlier reviews of a pull request told, and what a later one may take from them.

Only reviews of our own actor with a signed marker count. Every other workflow of a repository may
be the same bot: what it writes can make a review fuller, never shorter.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from pr_review.domain.ledger import Coverage
from pr_review.domain.money import total
from pr_review.domain.pull_request import PullRequest
from pr_review.domain.review import Run, RunStatus, Told, ToldState
from pr_review.review import comments
from pr_review.review.fingerprint import Places
from pr_review.review.marker import Marker, Mention, read, read_comment
from pr_review.review.policy import ReviewPolicy
from pr_review.review.ports import PostedReview, Standing
from pr_review.review.threads import MayWrite, Threads, Word, asked


@dataclass(frozen=True, slots=True)
class Earlier:
    """What the signed reviews of ours on a pull request say together.

    `head_sha` is the head up to which the latest of them vouches for all source and tests of the
    change from `merge_base`, with the settings of this run; empty if it does not. `told` are the
    findings that stood when it was made, open or closed. `commented` names those on which a
    comment of ours stands. `spent_usd` is what all of them say was spent on the pull request so
    far; None if one of them does not know. `paid_url` leads to the review of this very head and
    settings for which agents were asked; empty if there is none.
    """

    head_sha: str = ""
    merge_base: str = ""
    told: tuple[Told, ...] = ()
    commented: frozenset[str] = frozenset()
    spent_usd: float | None = 0.0
    paid_url: str = ""


def earlier(
    standing: Standing, pull: PullRequest, policy: ReviewPolicy, may_write: MayWrite
) -> Earlier:
    """Reads the reviews that stand on a pull request before it is reviewed at `pull.head_sha`.

    A review of this very head and settings will be edited by this run: it vouches for nothing,
    and of its findings only those count on which a comment stands, since comments stay. Empty
    without a key: an unsigned marker proves nothing. `may_write` is asked about the first
    few users whose word would close a finding, once about each.
    """
    signed = _signed(standing, pull, policy)
    same = (pull.head_sha, policy.settings_digest)
    replaced = [m for _, m in signed if (m.head_sha, m.settings_digest) == same]
    others = [m for _, m in signed if m not in replaced]
    markers = {review.id: marker for review, marker in signed}
    threads = Threads(standing.threads, markers, Word(pull, asked(may_write)))
    mentions = list(others[-1].findings) if others else []
    named = {mention.fingerprint for mention in mentions}
    for mention in (mention for marker in replaced for mention in marker.findings):
        if mention.fingerprint in threads.first and mention.fingerprint not in named:
            mentions.append(mention)
    basis = _basis(others, pull, policy)
    return Earlier(
        basis.head_sha if basis else "",
        basis.merge_base if basis else "",
        tuple(_told(mention, threads, signed) for mention in mentions),
        frozenset(threads.first),
        total(marker.spent_usd for _, marker in signed),
        next((r.url for r, m in reversed(signed) if m in replaced and m.spent_usd != 0), ""),
    )


def since(earlier: Earlier, merge_base: str, commit_ids: Collection[str]) -> str:
    """The commit up to which nothing need be shown again; empty for a whole review.

    `merge_base` and `commit_ids` are the pull request's own now. A head that is not among its
    commits was rewritten. From another merge base the change holds other lines: a merge that
    takes back what happened on the base branch, or a new base branch, would bring in old lines
    that no review has seen as changed.
    """
    same = earlier.merge_base == merge_base and earlier.head_sha in commit_ids
    return earlier.head_sha if same else ""


def mentions(run: Run, key: bytes) -> tuple[Mention, ...]:
    """What the marker of this run's review names: all that it tells, and all that was told
    before and stands."""
    places = Places(run.change, key)
    fresh = [
        Mention(str(places.fingerprint(f)), f.severity, f.voice)
        for f in (f for judged in run.findings for f in (judged.finding, *judged.also))
    ]
    standing = (told for told in run.earlier if told.state is not ToldState.RESOLVED)
    return (*fresh, *(Mention(t.fingerprint, t.severity, t.voice) for t in standing))


def vouched(run: Run) -> Coverage:
    """What the marker of this run's review may claim of source and tests: full only if nothing
    of it went unseen, by this run or by the review that it builds on."""
    seen = run.status is RunStatus.NOT_REVIEWED or (
        run.status is RunStatus.REVIEWED and bool(run.agents)
    )
    full = seen and run.coverage_source is Coverage.FULL
    return Coverage.FULL if full else Coverage.PARTIAL


Signed = tuple[tuple[PostedReview, Marker], ...]


def _signed(standing: Standing, pull: PullRequest, policy: ReviewPolicy) -> Signed:
    """Our reviews with a marker that holds, oldest first; of equal markers the first alone,
    since anybody who is the same bot can post a copy."""
    if policy.marker_key is None:
        return ()
    found: dict[Marker, PostedReview] = {}
    for review in standing.reviews:
        marker = read(review.body, pull.repository, pull.number, policy.marker_key)
        if marker is not None:
            found.setdefault(marker, review)
    return tuple((review, marker) for marker, review in found.items())


def _basis(others: list[Marker], pull: PullRequest, policy: ReviewPolicy) -> Marker | None:
    """The latest review of another head, if it saw all that this run would see."""
    latest = next((m for m in reversed(others) if m.head_sha != pull.head_sha), None)
    if latest is None or latest.coverage is not Coverage.FULL or not latest.merge_base:
        return None
    return latest if latest.settings_digest == policy.settings_digest else None


def _told(mention: Mention, threads: Threads, signed: Signed) -> Told:
    thread = threads.first.get(mention.fingerprint)
    urls = (r.url for r, m in signed if mention.fingerprint in {f.fingerprint for f in m.findings})
    return Told(
        mention.fingerprint,
        mention.severity,
        mention.voice,
        ToldState.CLOSED if threads.closed(mention) else ToldState.OPEN,
        path=thread.path if thread and mention.fingerprint == read_comment(thread.body)[0] else "",
        title=comments.title(thread.body) if thread else "",
        url=next(urls, ""),
    )
