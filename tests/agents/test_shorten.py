"""Half of a snapshot is asked about once, if all agents were refused for its length."""

from __future__ import annotations

import time
from dataclasses import replace

from pr_review.agents.shorten import Outcomes, Refit, answers, shortened
from pr_review.domain.diff import SourceKind, Status
from pr_review.domain.finding import AgentOutcome
from pr_review.domain.ledger import Entry, Ledger, Reason, Tier
from pr_review.domain.snapshot import Part, Snapshot

LONG = AgentOutcome("bugs", failure="too long", calls=1, too_long=True)
FAILED = AgentOutcome("security", failure="no access", calls=1)
READ = AgentOutcome("security", calls=1, cost_usd=0.5)


def snapshot(tokens: int, *, shown: bool = True) -> Snapshot:
    lines, reason = ((1,), None) if shown else ((), Reason.BUDGET)
    entry = Entry(
        "a.py", None, Status.ADDED, Tier.SOURCE, 1, 0,
        added_lines=(1,), shown_added=lines, reason=reason,
    )  # fmt: skip
    return Snapshot("text", "digest", tokens, "o200k", SourceKind.GIT, Ledger((entry,)), ())


class Asked:
    """Agents that answer in turn, and what they were asked."""

    def __init__(self, *rounds: Outcomes, takes: float = 0.0) -> None:
        self._rounds, self._takes = list(rounds), takes
        self.sent: list[tuple[Snapshot, float]] = []

    def __call__(self, shown: Snapshot, seconds: float) -> Outcomes:
        self.sent.append((shown, seconds))
        time.sleep(self._takes)
        return self._rounds.pop(0)


def halved(*, shown: bool = True) -> Refit:
    return lambda tokens, _: snapshot(tokens, shown=shown)


def in_passes(*tokens: int) -> Snapshot:
    whole = snapshot(sum(tokens))
    return replace(whole, parts=tuple(Part("text", size, whole.ledger) for size in tokens))


def test_of_several_passes_each_is_halved_and_there_are_no_more_of_them() -> None:
    asked, limits = Asked((LONG,), (READ,)), list[tuple[int, int]]()

    def refit(tokens: int, passes: int) -> Snapshot:
        limits.append((tokens, passes))
        return in_passes(4_000, 3_000)

    planned = in_passes(9_000, 8_000)
    sent, _ = answers(planned, asked, refit, seconds=10)
    assert limits == [(4_500, 2)]
    assert "refused 9,000 tokens" in shortened(planned, sent)
    assert "with 7,000 in 2 passes (" in shortened(planned, sent)


def test_all_are_asked_about_half_within_what_is_left_and_all_requests_count() -> None:
    asked = Asked((LONG, LONG), (READ, FAILED), takes=0.05)
    sent, outcomes = answers(snapshot(9_000), asked, halved(), seconds=10)
    assert [shown.tokens for shown, _ in asked.sent] == [9_000, 4_500]
    assert asked.sent[1][1] <= asked.sent[0][1] - 0.05
    assert sent is asked.sent[1][0]
    assert [(o.failure, o.calls, o.cost_usd) for o in outcomes] == [
        ("", 2, 0.5),
        ("no access", 2, None),
    ]
    assert "9,000" in shortened(snapshot(9_000), sent)
    assert "4,500" in shortened(snapshot(9_000), sent)


def once(asked: Asked, planned: Snapshot, *, shown: bool = True, seconds: float = 10) -> None:
    sent, outcomes = answers(planned, asked, halved(shown=shown), seconds=seconds)
    assert sent is planned
    assert len(asked.sent) == 1
    assert outcomes[0] == LONG
    assert shortened(planned, sent) == ""


def test_one_that_was_answered_or_failed_otherwise_leaves_all_with_what_they_read() -> None:
    once(Asked((LONG, READ)), snapshot(9_000))
    once(Asked((LONG, FAILED)), snapshot(9_000))


def test_half_must_be_worth_asking_about() -> None:
    once(Asked((LONG, LONG)), snapshot(1_999))
    once(Asked((LONG, LONG)), snapshot(9_000), shown=False)


def test_nobody_is_asked_after_the_deadline() -> None:
    once(Asked((LONG, LONG), takes=0.02), snapshot(9_000), seconds=0.01)


def test_half_that_is_refused_too_is_the_end() -> None:
    asked = Asked((LONG,), (LONG,))
    _, outcomes = answers(snapshot(9_000), asked, halved(), seconds=10)
    assert (outcomes[0].failure, outcomes[0].calls) == ("too long", 2)
