"""One review on the pull request, whatever happened before and whatever GitHub refuses."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from pr_review.domain.review import Review
from pr_review.errors import AnchorRefused, GitHubError, PublishError
from pr_review.review import Posted, ReviewPolicy, compose, derive_key, post
from pr_review.review.lock import STALE_SECONDS, LockLine, Patience
from pr_review.review.marker import read
from pr_review.review.ports import (
    InDoubt,
    Pending,
    PendingStands,
    PostedReview,
    Proposed,
    ReviewGone,
)
from pr_review.review.post import charge, check_rights
from tests.review.hosting import Host
from tests.review.scenarios import FINDINGS, HEAD, PULL

POLICY = ReviewPolicy(settings_digest="5e77", marker_key=derive_key("not a real key"))
REVIEW = compose(FINDINGS, POLICY)
TOLD = compose(FINDINGS, POLICY, inline=False)
RUN = "run-1"
QUICK = Patience(waiting=0.05, step=0.01, cleaning=2.0, looks=(0.0, 0.2))
MOVED = "f" * 40
COST = 0.0084


def send(
    host: Host, review: Review = REVIEW, policy: ReviewPolicy = POLICY, patience: Patience = QUICK
) -> Posted:
    return post(
        review,
        host,
        without_comments=TOLD,
        pull_request=PULL,
        policy=policy,
        run_id=RUN,
        patience=patience,
    )


def line(run: str, age: float = 0.0) -> str:
    return str(LockLine(run, int(time.time() - age)))


def raising(error: BaseException) -> Callable[[], None]:
    def step() -> None:
        raise error

    return step


def earlier(host: Host, head: str, policy: ReviewPolicy = POLICY) -> PostedReview:
    """A review of ours on another head, as an earlier run left it."""
    assert FINDINGS.change is not None
    run = replace(FINDINGS, change=replace(FINDINGS.change, head=head))
    return host.add_posted(compose(run, policy).body, head)


def text(body: str) -> str:
    """A body without its marker."""
    return body.rpartition("\n")[0]


def texts(host: Host) -> list[str]:
    return [text(review.body) for review in host.reviews]


def account(host: Host) -> list[float | None]:
    """What each review says was spent."""
    markers = (read(r.body, PULL.repository, PULL.number, POLICY.marker_key) for r in host.reviews)
    return [marker.spent_usd for marker in markers if marker]


# --- posting and editing -------------------------------------------------------------------


def test_a_review_is_posted_once_with_its_comments() -> None:
    host = Host()
    assert send(host) == Posted(url="https://host/1", inline=True)
    assert host.calls == ["standing", "propose", "standing", "submit"]
    assert [review.body for review in host.reviews] == [REVIEW.body]
    assert list(host.drafts.values()) == [REVIEW]
    assert len(REVIEW.comments) == 2
    assert host.pending is None


def test_the_pending_review_says_whose_lock_it_is() -> None:
    host = Host()
    seen: list[Pending | None] = []
    host.plan("standing", lambda: None, lambda: seen.append(host.pending))
    send(host)
    [pending] = seen
    assert pending is not None
    held = LockLine.read(pending.body)
    assert held is not None
    assert held.run == RUN
    assert abs(held.started - time.time()) < 60


def test_nothing_is_written_on_a_head_that_moved() -> None:
    host = Host(head=MOVED)
    assert send(host) == Posted(skipped=f"head moved from {HEAD[:12]} to {'f' * 12}")
    assert host.calls == ["standing"]


def test_a_run_on_the_same_head_and_settings_edits_its_review() -> None:
    host = Host()
    send(host)
    assert send(host) == Posted(url="https://host/1", edited=True)
    assert texts(host) == [text(TOLD.body)]
    assert send(host) == Posted(url="https://host/1", edited=True), "the edit keeps its marker"
    assert host.calls.count("propose") == 1
    assert account(host) == [pytest.approx(3 * COST)], "what each of the three runs cost"


def test_other_settings_get_a_review_of_their_own() -> None:
    host = Host()
    send(host)
    other = replace(POLICY, settings_digest="0")
    send(host, compose(FINDINGS, other), other)
    assert len(host.reviews) == 2


def test_a_review_that_is_not_ours_is_never_edited() -> None:
    forged = compose(FINDINGS, replace(POLICY, marker_key=derive_key("another"))).body
    host = Host()
    host.add_posted(forged)
    host.add_posted("hello")
    send(host)
    assert [review.body for review in host.reviews[:2]] == [forged, "hello"]
    assert len(host.reviews) == 3
    assert not any(review.minimized for review in host.reviews)


def test_a_review_that_cannot_be_edited_any_more_is_followed_by_a_new_one() -> None:
    host = Host()
    send(host)
    host.plan("edit", raising(ReviewGone("it is gone")))
    assert send(host) == Posted(url="https://host/2", inline=True)
    assert host.pending is None


def test_changes_are_requested_only_if_asked_for_and_found() -> None:
    asks = replace(POLICY, request_changes=True)
    assert compose(FINDINGS, asks).request_changes
    assert not compose(FINDINGS, POLICY).request_changes
    assert not compose(replace(FINDINGS, judged=()), asks).request_changes
    host = Host()
    send(host, compose(FINDINGS, asks), asks)
    send(Host(), REVIEW)
    assert host.events == ["REQUEST_CHANGES"]


# --- what GitHub refuses -------------------------------------------------------------------


def test_a_refused_anchor_still_lands_the_body_with_every_finding() -> None:
    host = Host(refuses_anchors=True)
    assert send(host) == Posted(url="https://host/1", inline=False)
    assert host.calls.count("propose") == 2
    for judged in FINDINGS.findings:
        assert f"<sub>{judged.finding.category} · said by" in host.reviews[0].body
    assert "round the sum once" in host.reviews[0].body
    assert "return round(total, 2)" in host.reviews[0].body
    assert "```suggestion" not in host.reviews[0].body


def test_a_refusal_of_the_body_too_is_an_error() -> None:
    host = Host()
    host.plan("propose", *[raising(AnchorRefused("no"))] * 3)
    with pytest.raises(PublishError):
        send(host)
    assert host.calls.count("propose") == 2
    with pytest.raises(PublishError):
        send(host, TOLD)
    assert host.calls.count("propose") == 3


def test_a_commit_that_left_the_pull_request_is_a_head_that_moved() -> None:
    host = Host()

    def pushed() -> None:
        host.head = MOVED
        raise AnchorRefused("The commit is not part of the pull request")

    host.plan("propose", lambda: None, pushed)
    host.refuses_anchors = True
    assert send(host).skipped.startswith("head moved")
    assert (host.reviews, host.pending) == ([], None)


# --- what changes while the lock is taken --------------------------------------------------


def test_a_head_that_moves_under_the_lock_gets_no_review() -> None:
    host = Host()
    host.plan("standing", lambda: None, lambda: setattr(host, "head", MOVED))
    assert send(host) == Posted(skipped=f"head moved from {HEAD[:12]} to {'f' * 12}")
    assert (host.reviews, host.pending) == ([], None)


def test_a_review_that_another_run_posted_meanwhile_is_edited() -> None:
    host = Host()
    host.plan("standing", lambda: None, lambda: host.add_posted(REVIEW.body))
    assert send(host) == Posted(url="https://host/1", edited=True)
    assert texts(host) == [text(TOLD.body)]
    assert account(host) == [pytest.approx(2 * COST)], "also what the run cost that was first"
    assert host.pending is None
    assert host.calls == ["standing", "propose", "standing", "withdraw", "edit"]


def test_a_pending_review_that_somebody_took_away_is_an_error() -> None:
    host = Host()
    host.plan("submit", lambda: setattr(host, "pending", None))
    with pytest.raises(ReviewGone):
        send(host)
    assert host.reviews == []


def test_two_runs_at_once_end_with_one_review() -> None:
    """Both find nothing; one takes the lock, the other waits and edits."""
    host = Host()
    meet = threading.Barrier(2, timeout=5)
    host.plan("standing", meet.wait, meet.wait)
    ended: list[Posted] = []

    def run(name: str) -> None:
        ended.append(
            post(
                REVIEW, host, without_comments=TOLD, pull_request=PULL, policy=POLICY,
                run_id=name, patience=Patience(waiting=5.0, step=0.01),
            )
        )  # fmt: skip

    runs = [threading.Thread(target=run, args=(name,)) for name in ("one", "two")]
    for thread in runs:
        thread.start()
    for thread in runs:
        thread.join(10)
    assert sorted(posted.edited for posted in ended) == [False, True]
    assert (len(host.reviews), host.pending) == (1, None)


# --- another pending review ----------------------------------------------------------------


def test_our_own_review_of_a_lost_answer_is_used() -> None:
    host = Host()
    bodies: list[str] = []

    def late() -> None:
        host.add_pending(bodies[0], REVIEW)
        raise PendingStands("one pending")

    real = host.propose

    def propose(review: Review, lock: str) -> Proposed:
        bodies.append(lock)
        return real(review, lock)

    host.propose = propose  # type: ignore[method-assign]
    host.plan("propose", late)
    assert send(host) == Posted(url="https://host/1", inline=True)
    assert host.calls.count("propose") == 1
    assert host.calls.count("withdraw") == 0


def test_what_this_run_left_behind_is_taken_away() -> None:
    host = Host()
    host.add_pending(line(RUN, age=30))
    assert send(host).url == "https://host/1"
    assert host.calls.count("withdraw") == 1
    assert list(host.drafts.values())[-1] == REVIEW


@pytest.mark.parametrize("age", [STALE_SECONDS + 60, -STALE_SECONDS - 60])
def test_a_stale_lock_is_taken_away(age: float) -> None:
    host = Host()
    host.add_pending(line("another", age))
    assert send(host).url == "https://host/1"
    assert host.calls.count("withdraw") == 1


def test_the_lock_of_another_run_is_waited_for() -> None:
    host = Host()
    host.add_pending(line("another", age=3))
    host.plan("standing", lambda: None, lambda: None, lambda: setattr(host, "pending", None))
    assert send(host, patience=Patience(waiting=5.0, step=0.01)).url == "https://host/1"
    assert "withdraw" not in host.calls


def test_the_lock_of_another_run_is_not_waited_for_without_end() -> None:
    host = Host()
    host.add_pending(line("another", age=STALE_SECONDS - 60))
    with pytest.raises(PublishError, match=r"another run \(another\).*concurrency.*15 minutes"):
        send(host)
    assert host.pending is not None
    assert "withdraw" not in host.calls


# numbers as ids: a line holds the time, and every worker has to name the tests alike
@pytest.mark.parametrize(
    "body", ["", "My draft.", f"Quoting {line('x')}", line("x" * 65, 1e6)], ids=range(4)
)
def test_a_draft_of_somebody_else_is_never_taken_away(body: str) -> None:
    host = Host()
    host.add_pending(body)
    with pytest.raises(PublishError, match="a pending review by the same user stands"):
        send(host)
    assert host.pending is not None
    assert host.pending.body == body
    assert "withdraw" not in host.calls


def test_a_refusal_that_cannot_be_seen_is_not_repeated_without_end() -> None:
    host = Host()
    host.plan("propose", *[raising(PendingStands("one pending"))] * 99)
    with pytest.raises(PublishError, match="a pending review"):
        send(host)
    assert host.calls.count("propose") < 10


# --- an early end --------------------------------------------------------------------------

ENDS: list[BaseException] = [SystemExit(143), KeyboardInterrupt(), GitHubError("down")]


@pytest.mark.parametrize("end", ENDS, ids=lambda end: type(end).__name__)
def test_no_pending_review_is_left_when_the_run_ends_under_the_lock(end: BaseException) -> None:
    host = Host()
    host.plan("standing", lambda: None, raising(end))
    with pytest.raises(type(end)):
        send(host)
    assert host.pending is None
    assert host.calls == ["standing", "propose", "standing", "withdraw"], "and no look more"


def test_no_pending_review_is_left_when_its_answer_was_cut_off() -> None:
    host = Host()

    late = threading.Timer(0.1, host.add_pending, [line(RUN)])

    def cut() -> None:
        late.start()
        raise SystemExit(143)

    host.plan("propose", cut)
    with pytest.raises(SystemExit):
        send(host)
    late.join()
    assert host.drafts, "it took effect after all"
    assert host.pending is None


@pytest.mark.parametrize("ends_well", [True, False])
def test_no_pending_review_is_left_when_a_lost_request_takes_effect_late(ends_well: bool) -> None:
    host = Host(sure=False)
    late = threading.Timer(0.1, host.add_pending, [line(RUN)])

    def lose() -> None:
        late.start()
        raise InDoubt("lost")

    if ends_well:
        host.plan("submit", late.start)
        assert send(host) == Posted(url="https://host/1", inline=True)
    else:
        host.plan("propose", lose)
        with pytest.raises(InDoubt):
            send(host)
    late.join()
    assert host.calls[-1] == "withdraw"
    assert host.pending is None


def test_another_runs_lock_survives_our_early_end() -> None:
    host = Host()
    host.add_pending(line("another"))
    host.plan("propose", raising(GitHubError("down")))
    with pytest.raises(GitHubError):
        send(host)
    assert host.pending is not None


def test_cleaning_up_is_bounded_and_keeps_the_first_error() -> None:
    host = Host()
    host.plan("submit", raising(PublishError("refused")))
    host.plan("withdraw", lambda: time.sleep(3))
    begun = time.monotonic()
    with pytest.raises(PublishError, match="refused"):
        send(host, patience=Patience(cleaning=0.1))
    assert time.monotonic() - begun < 1


def test_a_failing_clean_up_keeps_the_first_error() -> None:
    host = Host()
    host.plan("submit", raising(PublishError("refused")))
    host.plan("withdraw", raising(PublishError("and this too")))
    with pytest.raises(PublishError, match="refused"):
        send(host)


# --- what is superseded --------------------------------------------------------------------


def test_reviews_of_earlier_heads_are_folded() -> None:
    host = Host()
    old, folded = earlier(host, "1" * 40), earlier(host, "2" * 40)
    host.reviews[folded.id - 1] = replace(folded, minimized=True)
    other = earlier(host, "3" * 40, replace(POLICY, settings_digest="0"))
    same_head = earlier(host, HEAD, replace(POLICY, settings_digest="0"))
    forged = earlier(host, "4" * 40, replace(POLICY, marker_key=b"another"))
    by_hand = host.add_posted("hello", "5" * 40)

    assert send(host).url == "https://host/7"
    minimized = [review.id for review in host.reviews if review.minimized]
    assert minimized == [old.id, folded.id, other.id]
    assert host.calls.count("outdate") == 2
    assert {same_head.id, forged.id, by_hand.id}.isdisjoint(minimized)


def test_a_head_that_was_left_and_pushed_again_gets_a_review_that_people_see() -> None:
    """Else they would see what was said of the other head, and nothing of this one."""
    host = Host()
    send(host)
    other = earlier(host, "1" * 40)
    host.outdate(host.reviews[0])

    assert send(host).url == "https://host/3"
    assert [review.minimized for review in host.reviews] == [True, True, False]
    assert host.reviews[1].id == other.id
    assert send(host) == Posted(url="https://host/3", edited=True)


def test_an_edited_review_is_the_one_that_people_see() -> None:
    host = Host()
    send(host)
    earlier(host, "1" * 40)
    assert send(host) == Posted(url="https://host/1", edited=True)
    assert [review.minimized for review in host.reviews] == [False, True]


def test_a_token_that_may_not_fold_is_asked_once() -> None:
    host = Host(folds=False)
    for digit in "123":
        earlier(host, digit * 40)
    assert send(host).url == "https://host/4"
    assert host.calls.count("outdate") == 1


# --- rights --------------------------------------------------------------------------------


def test_rights_are_tried_and_nothing_is_left() -> None:
    host = Host()
    check_rights(host, run_id=RUN, patience=QUICK)
    assert host.calls == ["propose", "withdraw"]
    assert (host.reviews, host.pending) == ([], None)
    assert list(host.drafts.values()) == [Review(head_sha="", body="")]


def test_missing_rights_are_told() -> None:
    host = Host()
    host.plan("propose", raising(PublishError("the token may not do this (403)")))
    with pytest.raises(PublishError, match="403"):
        check_rights(host, run_id=RUN, patience=QUICK)


def test_a_draft_that_bars_the_way_is_told_before_anything_is_paid() -> None:
    host = Host()
    host.add_pending("My draft.")
    with pytest.raises(PublishError, match="submit or discard it"):
        check_rights(host, run_id=RUN, patience=QUICK)
    assert host.pending is not None


def test_an_early_end_of_the_check_leaves_nothing() -> None:
    host = Host()
    host.plan("withdraw", raising(SystemExit(143)))
    with pytest.raises(SystemExit):
        check_rights(host, run_id=RUN, patience=QUICK)
    assert host.pending is None


# --- the account of what was spent ---------------------------------------------------------


def charged_to(host: Host, usd: float | None, policy: ReviewPolicy = POLICY) -> bool:
    return charge(usd, host, pull_request=PULL, policy=policy)


def test_what_a_run_without_a_review_cost_is_added_to_our_latest_one() -> None:
    host = Host()
    for head in ("1" * 40, "2" * 40):
        earlier(host, head)
    host.add_posted("a review by another workflow of the same bot")
    before = texts(host)
    assert charged_to(host, 0.5)
    assert account(host) == [pytest.approx(COST), pytest.approx(COST + 0.5)]
    assert texts(host) == before
    assert charged_to(host, None)
    assert account(host) == [pytest.approx(COST), None]


def test_an_account_that_may_not_be_written_any_more_is_kept_on_the_one_before() -> None:
    host = Host()
    for head in ("1" * 40, "2" * 40):
        earlier(host, head)
    host.plan("edit", raising(ReviewGone("the conversation is locked")))
    assert charged_to(host, 0.5)
    assert account(host) == [pytest.approx(COST + 0.5), pytest.approx(COST)]


def test_nothing_is_charged_to_a_review_that_no_key_proves_ours() -> None:
    host = Host()
    earlier(host, "1" * 40, replace(POLICY, marker_key=derive_key("another")))
    assert not charged_to(host, 0.5)
    assert "edit" not in host.calls
