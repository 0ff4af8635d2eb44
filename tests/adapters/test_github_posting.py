"""Posting as a whole, through real PyGithub on the wire: one review, whatever happens."""

from __future__ import annotations

import json
import signal
import threading
import time
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from pr_review.adapters.github import GitHubReviews
from pr_review.domain.diff import Change, Side, SourceKind
from pr_review.domain.finding import Confidence, Finding, Judged, Place, Severity
from pr_review.domain.pull_request import PullRequest
from pr_review.domain.review import Review, Run, RunStatus
from pr_review.errors import PrReviewError, PublishError
from pr_review.review import Posted, ReviewPolicy, compose, derive_key, post
from pr_review.review.fit import units
from pr_review.review.lock import LockLine, Patience
from pr_review.review.ports import Proposed
from pr_review.review.post import check_rights
from tests.adapters.github_reviews import PERSON, REPOSITORY, answers, host, states
from tests.shared import shared
from tests.standins.github import GitHubServer

KEY = derive_key("not a real key")
POLICY = ReviewPolicy(settings_digest="5e77", marker_key=KEY)
PATIENCE = Patience(waiting=5.0, step=0.05, cleaning=3.0, looks=(0.0, 0.1))


def finding(line: int, path: str = "f.txt", title: str = "Look here") -> Judged:
    found = Finding(
        path=path, side=Side.RIGHT, start=line, end=line, title=title, body="It matters.",
        severity=Severity.HIGH, confidence=Confidence.HIGH, category="bug", sources=("bugs",),
    )  # fmt: skip
    return Judged(found, Place.INLINE, "")


@dataclass
class Job:
    """A finished run whose review is to be posted."""

    github: GitHubServer
    judged: tuple[Judged, ...] = (finding(5), finding(3, "new.py"))
    policy: ReviewPolicy = POLICY
    run_id: str = "run-1"
    patience: Patience = field(default_factory=lambda: PATIENCE)

    @property
    def pull(self) -> PullRequest:
        head = self.github.api.pulls[7].head_sha
        return PullRequest(
            REPOSITORY, 7, "Change", "", "octocat", False, "main", "b" * 40, "feature", head,
            REPOSITORY,
        )  # fmt: skip

    def compose(self, *, inline: bool = True) -> Review:
        change = Change(SourceKind.GIT, "b" * 40, self.pull.head_sha, (), raw_bytes=1)
        run = Run(RunStatus.REVIEWED, pull_request=self.pull, change=change, judged=self.judged)
        return compose(run, self.policy, inline=inline)

    def post(self, to: GitHubReviews | None = None) -> Posted:
        return post(
            self.compose(),
            to or host(self.github),
            without_comments=self.compose(inline=False),
            pull_request=self.pull,
            policy=self.policy,
            run_id=self.run_id,
            patience=self.patience,
        )


def comments(github: GitHubServer) -> list[int]:
    """How many inline comments each review has."""
    return [len(stored.comments) for stored in github.reviews(7)]


# --- the course of things ------------------------------------------------------------------


def test_review_is_made_pending_and_submitted(github: GitHubServer) -> None:
    posted = Job(github).post()

    (stored,) = github.reviews(7)
    assert (stored.state, len(stored.comments)) == ("COMMENTED", 2)
    assert posted == Posted(posted.url, inline=True)
    assert posted.url.endswith(str(stored.id))
    rest = [(call.method, call.path.rpartition("/7/")[2]) for call in github.calls("POST", "/7/")]
    assert rest == [("POST", "reviews"), ("POST", f"reviews/{stored.id}/events")]
    assert len(github.requests) == 4, "and one query before, one under the lock"


@pytest.mark.parametrize("graphql", [True, False])
def test_run_again_edits(github: GitHubServer, graphql: bool) -> None:
    github.graphql = graphql
    first = Job(github).post()

    second = Job(github, judged=(finding(5, title="Something else"),), run_id="run-2").post()

    (stored,) = github.reviews(7)
    assert second == Posted(first.url, edited=True)
    assert "Something else" in stored.body
    assert states(github) == ["COMMENTED"]


def test_reviews_of_every_kind_of_actor_are_found_again(github: GitHubServer) -> None:
    for token in ("person", github.token):
        Job(github).post(host(github, token))
        assert Job(github).post(host(github, token)).edited
    assert states(github) == ["COMMENTED", "COMMENTED"]


def test_marker_on_the_second_page_is_found(github: GitHubServer) -> None:
    for number in range(130):
        github.add_review(7, PERSON, f"Remark {number}", "COMMENTED")
        if number == 110:
            Job(github).post()

    assert Job(github).post().edited


def test_new_head_gets_a_new_review_and_the_old_one_is_folded(github: GitHubServer) -> None:
    github.push(7, "feature~1")
    Job(github, judged=()).post()
    by_hand = github.add_review(7, PERSON, "A person's", "COMMENTED")
    github.push(7, "feature")

    Job(github).post()

    old, other, new = github.reviews(7)
    assert (old.minimized, other.minimized, new.minimized) == (True, False, False)
    assert other is by_hand


def test_rights_leave_nothing_behind(github: GitHubServer) -> None:
    check_rights(host(github), run_id="run-1")

    assert github.reviews(7) == []
    assert [call.method for call in github.requests] == ["POST", "DELETE"]


# --- several at once -----------------------------------------------------------------------


@pytest.mark.parametrize("graphql", [True, False])
def test_two_runs_at_once_end_with_one_review(github: GitHubServer, graphql: bool) -> None:
    github.graphql = graphql
    barrier = threading.Barrier(2, timeout=10)
    ended: list[Posted] = []

    def run(name: str) -> None:
        barrier.wait()
        ended.append(Job(github, run_id=name).post())

    runs = [threading.Thread(target=run, args=(name,)) for name in ("one", "two")]
    for thread in runs:
        thread.start()
    for thread in runs:
        thread.join(20)

    assert states(github) == ["COMMENTED"]
    assert sorted(posted.edited for posted in ended) == [False, True]


def test_run_that_found_nothing_edits_what_came_before_its_lock(github: GitHubServer) -> None:
    """Exactly once does not rest on waiting: here the other run has come and gone."""
    late = host(github)
    before = late.standing()
    Job(github, run_id="first").post()
    seen = [before]
    real = late.standing
    late.standing = lambda: seen.pop() if seen else real()  # type: ignore[method-assign]

    assert Job(github, run_id="second").post(late).edited
    assert states(github) == ["COMMENTED"]


def test_lost_answer_without_graphql_still_finds_the_other_run(github: GitHubServer) -> None:
    """Only answers to writes tell REST who we are, and so does what the lost one left."""
    Job(github, run_id="first").post()
    github.graphql = False
    github.fault("POST", "/reviews$", 502, "<html>", after_effect=True)

    assert Job(github, run_id="second").post().edited
    assert states(github) == ["COMMENTED"]


def test_draft_of_a_person_is_left_alone(github: GitHubServer) -> None:
    github.add_review(7, PERSON, "My draft", "PENDING")
    job = Job(github, patience=Patience(waiting=0.05, step=0.02))

    with pytest.raises(PublishError, match=r"pending review by the same user.*token of its own"):
        job.post(host(github, "person"))
    assert states(github) == ["PENDING"]
    job.post()
    assert states(github) == ["PENDING", "COMMENTED"]


def test_stale_lock_of_a_killed_run_is_taken_away(github: GitHubServer) -> None:
    line = LockLine("killed", int(time.time()) - 3600)
    github.add_review(7, github.actor, str(line), "PENDING")

    Job(github).post()

    assert states(github) == ["COMMENTED"]


def test_head_that_moves_under_the_lock(github: GitHubServer) -> None:
    job = Job(github)
    review = job.compose()
    reviews = host(github)
    real = reviews.propose

    def propose(asked: Review, lock: str) -> Proposed:
        made = real(asked, lock)
        github.push(7, "feature~1")
        return made

    reviews.propose = propose  # type: ignore[assignment, method-assign]
    posted = post(
        review, reviews, without_comments=review, pull_request=job.pull, policy=POLICY,
        run_id="run-1",
    )  # fmt: skip

    assert posted.skipped.startswith("head moved from")
    assert github.reviews(7) == []


# --- what GitHub refuses -------------------------------------------------------------------


@pytest.mark.parametrize("number", range(4))
def test_b03_refused_anchor_still_lands_every_finding(github: GitHubServer, number: int) -> None:
    answer = answers("b03-422-line-outside-diff")[number]
    github.fault("POST", "/reviews$", answer["status"], answer["body"])

    posted = Job(github).post()

    (stored,) = github.reviews(7)
    assert not posted.inline
    assert (stored.state, stored.comments) == ("COMMENTED", [])
    assert stored.body.count("It matters.") == 2
    assert len(github.calls("POST", "/reviews$")) == 2


def test_b03_anchor_outside_the_diff(github: GitHubServer) -> None:
    assert not Job(github, judged=(finding(5), finding(20))).post().inline

    assert comments(github) == [0]


@pytest.mark.parametrize("number", range(4))
def test_b04_refused_verdict_lands_as_a_comment(github: GitHubServer, number: int) -> None:
    answer = answers("b04-422-own-pr-and-approve")[number]
    github.fault("POST", "/events$", answer["status"], answer["body"])

    posted = Job(github, policy=replace(POLICY, request_changes=True)).post()

    assert posted.inline
    assert (states(github), comments(github)) == (["COMMENTED"], [2])


def test_b04_own_pull_request(github: GitHubServer) -> None:
    Job(github, policy=replace(POLICY, request_changes=True)).post(host(github, "person"))

    assert (states(github), comments(github)) == (["COMMENTED"], [2])


def b08_findings(github: GitHubServer) -> tuple[Judged, ...]:
    """The case's findings as the judge places them: ten inline, the rest in the body."""
    text = shared("cases/b08-many-comments/findings.json").read_text(encoding="utf-8")
    listed = json.loads(text)["findings"]
    inline = [finding(1 + n % 3, "new.py", item["title"]) for n, item in enumerate(listed[:10])]
    more = [
        replace(finding(5, title=item["title"]), place=Place.BODY, reason="max-comments")
        for item in listed[10:]
    ]
    return (*inline, *more)


def test_b08_502_is_looked_into_before_a_second_post(github: GitHubServer) -> None:
    answer = answers("b08-many-comments")[0]
    github.fault("POST", "/reviews$", answer["status"], answer["body"], after_effect=True)

    Job(github, judged=b08_findings(github)).post()

    assert (states(github), comments(github)) == (["COMMENTED"], [10])
    assert len(github.calls("POST", "/reviews$")) == 1


def test_b08_422_of_too_many_comments_lands_the_body(github: GitHubServer) -> None:
    answer = answers("b08-many-comments")[1]
    github.fault("POST", "/reviews$", answer["status"], answer["body"])
    judged = b08_findings(github)

    assert not Job(github, judged=judged).post().inline

    (stored,) = github.reviews(7)
    assert (states(github), comments(github)) == (["COMMENTED"], [0])
    assert units(stored.body) <= 65_536
    assert sum(f"**: {judged.finding.title}<br>" in stored.body for judged in judged) > 30


@pytest.mark.parametrize("trouble", ["locked", "archived", "read-only"])
def test_trouble_that_nothing_mends_is_one_error(github: GitHubServer, trouble: str) -> None:
    github.api.pulls[7].locked = trouble == "locked"
    github.api.archived = trouble == "archived"
    github.grant("weak", PERSON, {"pull_requests": "read"})
    reviews = host(github, "weak" if trouble == "read-only" else "")

    with pytest.raises(PublishError):
        Job(github).post(reviews)
    assert github.reviews(7) == []
    assert len(github.calls("POST", "/reviews$")) == 1


# --- faults --------------------------------------------------------------------------------

LIMIT = {"message": "You have exceeded a secondary rate limit."}
FAULTS: dict[str, dict[str, Any]] = {
    "500": {"status": 500, "body": {"message": "no"}},
    "502 after effect": {"status": 502, "body": "<html>", "after_effect": True},
    "429": {"status": 429, "body": LIMIT, "headers": {"Retry-After": "0"}},
    "429 bare": {"status": 429, "body": LIMIT},
    "403 secondary": {"status": 403, "body": LIMIT, "headers": {"Retry-After": "0"}},
    "HTML": {"status": 200, "body": "<html>"},
    "HTML after effect": {"status": 200, "body": "<html>", "after_effect": True},
    "cut": {"drop": True},
    "cut after effect": {"drop": True, "after_effect": True},
    "time-out": {"delay": 0.5},
    "time-out after effect": {"delay": 0.5, "after_effect": True},
}
CALLS = {
    "propose": ("POST", "/reviews$"),
    "submit": ("POST", "/events$"),
    "standing": ("POST", "/graphql$"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("times", [1, 9])
def test_any_fault_at_any_call_leaves_at_most_one_review(
    github: GitHubServer, call: str, fault: str, times: int
) -> None:
    github.fault(*CALLS[call], **{"times": times, **FAULTS[fault]})
    job = Job(github, patience=replace(PATIENCE, waiting=0.2))

    try:
        posted = job.post(host(github, timeout=0.25))
    except PrReviewError:
        assert states(github) in ([], ["COMMENTED"])
        assert times == 9 or fault == "429 bare", "one fault is lived through"
    else:
        assert posted.url
        assert states(github) == ["COMMENTED"]
    github.faults.clear()
    assert job.post().url, "and a later run finds the way free"
    assert states(github) == ["COMMENTED"]


def test_cancelled_while_the_answer_is_awaited(github: GitHubServer) -> None:
    """As the runner's signal does it, while GitHub has made the pending review already."""
    github.fault("POST", "/reviews$", after_effect=True, delay=5)

    def cancel(signum: int, frame: object) -> None:
        raise SystemExit(143)

    before = signal.signal(signal.SIGALRM, cancel)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    begun = time.monotonic()
    try:
        with pytest.raises(SystemExit):
            Job(github).post()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - begun < 4
    assert github.reviews(7) == []
