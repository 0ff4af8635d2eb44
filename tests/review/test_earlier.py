"""Findings over several pushes: told once, followed while they stand, ended by their lines or by
people, and never silenced by anybody else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pr_review.domain.diff import FileChange, Side
from pr_review.domain.finding import Judged, Place, Severity
from pr_review.domain.ledger import Tier
from pr_review.domain.pull_request import Repository
from pr_review.domain.review import Run, RunStatus, ToldState
from pr_review.judge.judge import rejudge
from pr_review.judge.policy import JudgePolicy
from pr_review.judge.rank import BELOW_MIN_SEVERITY, rank
from pr_review.report import outputs
from pr_review.report.gates import Gates, exit_code
from pr_review.review import compose, derive_key
from pr_review.review.comments import title
from pr_review.review.earlier import Earlier, earlier, since
from pr_review.review.marker import read, read_comment
from pr_review.review.ports import PostedReview, Standing, Thread
from pr_review.review.settle import GONE, GREW, NOT_CHECKED, NOT_FOUND, REFUTED, TOLD
from pr_review.review.verdict import verdict
from tests.review.pushes import (
    BASE,
    COMMITS,
    POLICY,
    PullRequestPage,
    added,
    change,
    in_body,
    inline,
    removed,
)
from tests.review.scenarios import CLEAN, PULL, agent, finding, omitted, snapshot

TOTAL = "src/total.py"
LINES = ["def total(items):", "    cents = 0", "    return round(item.price)", "# end"]
OTHER = "src/tax.py"
FOUND = inline(start=3, end=3)
GATES = Gates(fail_on=Severity.HIGH)
HIGH, LOW = Severity.HIGH, Severity.LOW


def files(*lines: str) -> list[FileChange]:
    return [added(TOTAL, lines or LINES)]


def moved() -> list[FileChange]:
    """The same file after a push above its finding: every number is another."""
    return [added(TOTAL, ["import math", "", *LINES])]


@pytest.fixture
def page() -> PullRequestPage:
    """A pull request on which one review told one finding inline."""
    page = PullRequestPage()
    run = page.push(files(), [FOUND])
    assert (run.since, run.earlier, len(page.threads)) == ("", (), 1)
    assert exit_code(run, GATES) == 10
    return page


# --- what stands and was told is not told again


def test_what_stands_and_is_found_again_is_listed_and_not_repeated(page: PullRequestPage) -> None:
    run = page.push(moved(), [inline(start=5, end=5, title="Said in other words")])
    assert [judged.place for judged in run.judged] == [Place.TOLD]
    assert run.findings == ()
    (told,) = run.still_open
    assert (told.path, told.start, told.title) == (TOTAL, 5, "Said in other words")
    review = compose(run, POLICY)
    assert review.comments == ()
    assert "**Still open from earlier reviews** (1):\n\n- **High** `src/total.py:5`" in review.body
    assert f"[told earlier]({page.reviews[0].url})" in review.body


def test_what_was_folded_as_known_and_not_met_again_is_still_open(page: PullRequestPage) -> None:
    run = page.push(moved(), [])
    assert run.since == COMMITS[0]
    (told,) = run.still_open
    assert (told.path, told.start, told.title) == (TOTAL, 5, FOUND.finding.title)
    assert verdict(run) == (
        f"**No new findings in what is new since `{COMMITS[0][:12]}`**; "
        "**1 earlier finding is still open** (1 high)."
    )


def test_it_stays_open_over_many_pushes_and_leads_to_the_review_that_told_it(
    page: PullRequestPage,
) -> None:
    for _ in range(3):
        run = page.push(moved(), [])
        assert [told.url for told in run.still_open] == [page.reviews[0].url]


def test_what_was_left_out_stays_left_out(page: PullRequestPage) -> None:
    left_out = Judged(FOUND.finding, Place.MERGED, "merged with another finding")
    run = page.push(files(), [left_out, FOUND])
    assert [judged.place for judged in run.judged] == [Place.MERGED, Place.TOLD]


def test_another_range_over_the_same_lines_is_the_same_finding(page: PullRequestPage) -> None:
    run = page.push(files(), [inline(start=2, end=4)])
    assert [judged.place for judged in run.judged] == [Place.TOLD]


@pytest.mark.parametrize(
    "other",
    [
        inline(start=3, end=3, category="security"),
        inline(start=1, end=2),
        inline(start=3, end=3, severity=Severity.CRITICAL),
        inline(start=3, end=3, side=Side.LEFT),
    ],
    ids=["category", "lines", "worse", "side"],
)
def test_what_is_not_the_same_is_told(page: PullRequestPage, other: Judged) -> None:
    page.answer("/review ignore")
    run = page.push(files(), [other])
    assert run.findings == (other,)
    assert len(compose(run, POLICY).comments) == 1


def test_of_two_findings_on_one_line_only_one_was_told(page: PullRequestPage) -> None:
    run = page.push(files(), [FOUND, inline(start=3, end=3, title="Another")])
    assert [judged.place for judged in run.judged] == [Place.TOLD, Place.INLINE]
    both = page.push(files(), [FOUND, inline(start=3, end=3, title="Another")])
    assert [judged.place for judged in both.judged] == [Place.TOLD, Place.TOLD]


def test_of_overlapping_ones_the_equal_one_is_met_first_then_an_open_one() -> None:
    page = PullRequestPage()
    wide, narrow = inline(start=2, end=3), inline(start=3, end=3)
    page.push(files(), [wide, narrow])
    for index, closed in ((0, wide), (1, narrow)):
        page.threads = [replace(thread, resolved=False) for thread in page.threads]
        page.resolve(index)
        met = page.reviewed(COMMITS[1], files(), [closed])
        assert [judged.place for judged in met.judged] == [Place.WITHHELD]
        either = page.reviewed(COMMITS[1], files(), [inline(start=2, end=4)])
        assert [judged.place for judged in either.judged] == [Place.TOLD]


def test_a_finding_on_the_old_side_is_followed_too() -> None:
    page = PullRequestPage()
    gone = inline(path=OTHER, start=2, end=2, side=Side.LEFT)
    page.push([removed(OTHER, ["a = 1", "check(a)"])], [gone])
    run = page.push([removed(OTHER, ["import a", "a = 1", "check(a)"])], [])
    assert [(told.side, told.start) for told in run.still_open] == [(Side.LEFT, 3)]


def test_what_was_told_before_takes_no_room_of_new_comments(page: PullRequestPage) -> None:
    new = inline(start=1, end=1, severity=LOW)
    run = page.push(files(), [FOUND, new])
    ranked = rank(run.judged, JudgePolicy(max_comments=1))
    assert [(judged.place, judged.finding) for judged in ranked] == [
        (Place.INLINE, new.finding),
        (Place.TOLD, FOUND.finding),
    ]


# --- what ends a finding


def test_a_finding_whose_lines_are_gone_is_resolved_once(page: PullRequestPage) -> None:
    run = page.push(files("def total(items):", "    return sum(items)"), [])
    assert run.still_open == ()
    assert [(told.reason, told.path) for told in run.resolved] == [(GONE, TOTAL)]
    assert "**Resolved since the last review** (1):\n\n- **High** `src/total.py`: Rounding" in (
        compose(run, POLICY).body
    )
    assert verdict(run) == f"**No findings in what is new since `{COMMITS[0][:12]}`.**"
    assert exit_code(run, GATES) == 0
    assert page.push(files("def total(items):"), []).earlier == ()


def test_a_line_that_comes_back_with_its_finding_is_told_anew(page: PullRequestPage) -> None:
    page.push(files("pass"), [])
    run = page.push(files(), [FOUND])
    assert run.findings == (FOUND,)


@pytest.mark.parametrize("again", [True, False], ids=["found again", "not found again"])
def test_what_a_person_resolved_is_not_repeated(page: PullRequestPage, *, again: bool) -> None:
    page.resolve()
    run = page.push(files(), [FOUND] if again else [])
    assert (run.findings, run.still_open, run.resolved) == ((), (), ())
    assert len(run.withheld) == again
    body = compose(run, POLICY).body
    assert ("1 finding not repeated: resolved or ignored by people." in body) == again
    assert "**No findings.**" not in body
    assert exit_code(run, GATES) == 0


FORK = Repository("ada", "shop")


@pytest.mark.parametrize(
    ("head", "author", "by", "closes"),
    [
        (FORK, "stranger", "stranger", False),
        (None, "stranger", "stranger", False),
        (FORK, "", "", False),
        (FORK, "stranger", "maintainer", True),
        (FORK, "stranger", "", True),
        (FORK, "ada", "ada", True),
        (PULL.repository, "stranger", "stranger", True),
    ],
)
def test_an_author_who_may_not_write_closes_nothing(
    page: PullRequestPage, head: Repository | None, author: str, by: str, *, closes: bool
) -> None:
    page.pull = replace(PULL, author=author, head_repository=head)
    page.resolve(by=by)
    run = page.push(files(), [FOUND])
    assert [told.state for told in run.earlier] == [ToldState.CLOSED if closes else ToldState.OPEN]
    assert exit_code(run, GATES) == (0 if closes else 10)


@pytest.mark.parametrize(("start", "end"), [(2, 3), (3, 4), (1, 4)])
def test_what_people_closed_silences_nothing_that_is_said_of_other_lines_too(
    page: PullRequestPage, start: int, end: int
) -> None:
    page.resolve()
    wider = inline(start=start, end=end, title="Another")
    run = page.push(files(), [wider])
    assert (run.findings, run.withheld) == ((wider,), ())
    assert exit_code(run, GATES) == 10
    assert [told.state for told in run.earlier] == [ToldState.CLOSED]


def test_what_people_closed_is_not_told_of_a_part_of_its_lines() -> None:
    page = PullRequestPage()
    page.push(files(), [inline(start=2, end=4)])
    page.resolve()
    assert len(page.push(files(), [FOUND]).withheld) == 1


def test_with_something_withheld_no_findings_does_not_stand_alone(page: PullRequestPage) -> None:
    page.resolve()
    run = page.push(files(), [FOUND])
    assert run.snapshot is not None
    whole = replace(run, snapshot=replace(run.snapshot, since=""))
    assert verdict(whole) == "**No new findings.**"


@pytest.mark.parametrize(
    ("answer", "person", "closes"),
    [
        ("/review ignore", True, True),
        ("  /review  IGNORE\r\nwe round on purpose", True, True),
        ("/review ignore", False, False),
        ("> /review ignore", True, False),
        ("please /review ignore this", True, False),
        ("/review ignored", True, False),
        ("/review", True, False),
        ("", True, False),
    ],
)
def test_an_answer_closes_only_as_the_word_of_one_who_may_write(
    page: PullRequestPage, answer: str, *, person: bool, closes: bool
) -> None:
    page.answer(answer, person=person)
    run = page.push(files(), [])
    assert [told.state for told in run.earlier] == [ToldState.CLOSED if closes else ToldState.OPEN]
    assert exit_code(run, GATES) == (0 if closes else 10)


def test_who_may_only_read_closes_nothing(page: PullRequestPage) -> None:
    page.answer("/review ignore", by="reader")
    run = page.push(files(), [FOUND])
    assert len(run.still_open) == 1
    assert exit_code(run, GATES) == 10


def test_a_crowd_is_not_asked_for_without_end(page: PullRequestPage) -> None:
    asked: list[str] = []

    def may_write(login: str) -> bool:
        asked.append(login)
        return False

    for number in range(50):
        page.answer("/review ignore", by=f"reader{number % 40}")
    standing = Standing(COMMITS[1], tuple(page.reviews), tuple(page.threads))
    earlier(standing, replace(PULL, head_sha=COMMITS[1]), POLICY, may_write)
    assert asked == [f"reader{number}" for number in range(20)]


def test_a_thread_that_is_opened_again_counts_again(page: PullRequestPage) -> None:
    page.resolve()
    page.push(files(), [])
    page.threads[0] = replace(page.threads[0], resolved=False)
    assert len(page.push(files(), []).still_open) == 1


def test_what_was_told_again_as_worse_is_not_closed_by_the_old_thread(
    page: PullRequestPage,
) -> None:
    page.resolve()
    page.push(files(), [inline(start=3, end=3, severity=Severity.CRITICAL)])
    run = page.push(files(), [])
    assert [told.severity for told in run.still_open] == [Severity.CRITICAL]


def test_what_people_closed_and_whose_lines_went_is_told_of_no_more(page: PullRequestPage) -> None:
    page.resolve()
    assert page.push(files("pass"), []).earlier == ()


def test_what_was_told_as_worse_in_the_body_alone_is_open_too(page: PullRequestPage) -> None:
    page.resolve()
    page.push(files(), [in_body(start=3, end=3, severity=Severity.CRITICAL)])
    run = page.push(files(), [])
    assert [told.severity for told in run.still_open] == [Severity.CRITICAL]


def test_what_came_back_and_was_told_anew_is_open_whatever_became_of_its_first_thread(
    page: PullRequestPage,
) -> None:
    page.push(files("pass"), [])
    page.push(files(), [FOUND])
    page.resolve(0)
    assert len(page.push(files(), []).still_open) == 1
    page.resolve(1)
    assert page.push(files(), []).still_open == ()


def test_a_finding_without_a_comment_is_ended_by_a_whole_review_alone() -> None:
    page = PullRequestPage()
    page.push(files(), [in_body(start=3, end=3)])
    assert len(page.push(files(), []).still_open) == 1
    assert page.reviewed(COMMITS[3], files(), []).since == COMMITS[1]
    other = replace(page.policy, settings_digest="0")
    page.policy = other
    whole = page.push(files(), [])
    assert whole.since == ""
    assert [told.reason for told in whole.resolved] == [NOT_FOUND]


def test_a_whole_review_does_not_end_what_people_can_resolve(page: PullRequestPage) -> None:
    page.policy = replace(page.policy, settings_digest="0")
    whole = page.push(files(), [])
    assert (whole.since, len(whole.still_open)) == ("", 1)
    assert verdict(whole) == "**No new findings**; **1 earlier finding is still open** (1 high)."


def test_what_a_whole_review_refutes_is_ended_by_that() -> None:
    page = PullRequestPage()
    page.push(files(), [in_body(start=3, end=3)])
    assert CLEAN.snapshot
    refuted = replace(in_body(start=3, end=3), place=Place.REFUTED, reason="line 3 rounds once")
    whole = replace(CLEAN.snapshot, since="")
    (told,) = page.push(files(), [refuted], snapshot=whole).earlier
    assert (told.state, told.reason) == (ToldState.RESOLVED, REFUTED)


def united(*found: Judged) -> tuple[Judged, ...]:
    """Findings that the verifying model takes for one."""
    return rejudge(found, [(found[0], other) for other in found[1:]], JudgePolicy())


CURRENCY = finding(start=3, end=3, title="The currency is lost", category="contract")


@pytest.mark.parametrize("voice", ["bugs", "check:rounding"])
def test_what_was_merged_into_another_was_found_again(voice: str) -> None:
    page, over = PullRequestPage(), "over max-comments"
    said = replace(CURRENCY, sources=(voice,), deterministic=voice != "bugs")
    first = Judged(said, Place.BODY, over)
    page.push(files(), [first, in_body(start=3, end=3)])
    assert CLEAN.snapshot
    whole = replace(CLEAN.snapshot, since="")
    run = page.push(files(), united(in_body(start=3, end=3), first), snapshot=whole)
    assert [told.state for told in run.earlier] == [ToldState.OPEN] * 2
    run = page.push(files(), [in_body(start=3, end=3)], snapshot=whole)
    assert sorted(told.state for told in run.earlier) == [ToldState.OPEN, ToldState.RESOLVED]


@pytest.mark.parametrize("closed", [False, True])
def test_nothing_goes_unread_with_what_was_told_before(
    page: PullRequestPage, *, closed: bool
) -> None:
    """It may be new, and another problem than the one that a model takes it for."""
    if closed:
        page.resolve()
    other = replace(CURRENCY, severity=Severity.MEDIUM)
    run = page.push(files(), united(FOUND, Judged(other, Place.INLINE)))
    assert run.findings == ()
    words = "No new findings in what is new since `111111111111`**; "
    assert words + "1 taken for what an earlier review told" in verdict(run)
    body = page.reviews[-1].body
    said = f"The currency is lost ({other.said_by}), taken for: {FOUND.finding.title}"
    assert f"what an earlier review told</summary>\n\n- `src/total.py:3`: {said}\n" in body


def test_a_whole_review_that_did_not_see_all_ends_nothing() -> None:
    page = PullRequestPage()
    page.push(files(), [in_body(start=3, end=3)])
    page.policy = replace(page.policy, settings_digest="0")
    failed = (agent("bugs"), agent("security", failure="no answer"))
    assert len(page.push(files(), [], agents=failed).still_open) == 1


def test_what_a_check_said_stands_until_the_check_does_not_find_it() -> None:
    page = PullRequestPage()
    check = in_body(
        path="uv.lock", start=None, end=None, deterministic=True, sources=("check:lock",)
    )
    lock = added("uv.lock", ["a==1"])
    page.push([lock], [check])
    assert [told.title for told in page.push([lock], [check]).still_open] == [check.finding.title]
    unread = replace(added(OTHER, ["x"]), withheld=True)
    assert len(page.push([lock, unread], []).still_open) == 1, "no check could see all"
    run = page.push([lock, *files()], [])
    assert [told.reason for told in run.resolved] == [NOT_CHECKED]


def test_what_a_check_said_first_and_a_model_repeats_is_followed_by_its_lines() -> None:
    page = PullRequestPage()
    page.push(files(), [inline(start=3, end=3, deterministic=True)])
    page.push(files(), [FOUND])
    assert len(page.push(files(), []).still_open) == 1


BY_TOOL: dict[str, object] = {"start": 3, "end": 3, "deterministic": True, "sources": ("lint:R1",)}


def test_a_tool_that_falls_silent_ends_nothing_that_an_agent_says() -> None:
    """Whoever can write the tool's report can make it silent."""
    page = PullRequestPage()
    both = inline(**{**BY_TOOL, "sources": ("bugs", "lint:R1")})
    page.push(files(), [both])
    assert len(page.push(files(), []).still_open) == 1
    assert len(page.push(files(), [inline(**BY_TOOL)]).still_open) == 1
    assert len(page.push(files(), []).still_open) == 1, "the tool said it once in between"
    alone = PullRequestPage()
    alone.push(files(), [inline(**BY_TOOL)])
    assert len(alone.push(files(), []).still_open) == 1, "no tool was heard"
    heard = alone.push(files(), [], tools=("lint: 0 of 0 results on changed lines",))
    assert [told.reason for told in heard.resolved] == [NOT_CHECKED]


@pytest.mark.parametrize("closed", [False, True])
def test_what_a_tool_told_silences_no_agent(closed: bool) -> None:
    """A forged result may stand, worse than anything, wherever a finding is to be hidden."""
    page = PullRequestPage()
    page.push(files(), [inline(**BY_TOOL, severity=Severity.CRITICAL)])
    if closed:
        page.resolve()
    assert not page.push(files(), [inline(**BY_TOOL)]).findings
    both = inline(**{**BY_TOOL, "sources": ("bugs", "lint:R1")})
    assert page.push(files(), [both]).findings == (both,)


def test_a_finding_about_a_whole_file_is_followed_while_the_file_is_in_the_change() -> None:
    page = PullRequestPage()
    whole = in_body(path=OTHER, start=None, end=None, quote="")
    page.push([added(OTHER, ["x"])], [whole])
    run = page.push([added(OTHER, ["y"])], [])
    assert [(told.path, told.start) for told in run.still_open] == [(OTHER, None)]
    assert [told.reason for told in page.push(files(), []).resolved] == [GONE]


def test_where_lines_could_not_be_read_nothing_is_called_resolved(page: PullRequestPage) -> None:
    unread = replace(added(OTHER, ["x"]), additions=9)
    run = page.push([unread], [])
    assert [told.path for told in run.still_open] == [TOTAL]
    defect = replace(added(OTHER, ["x"]), defect="no such hunk")
    assert len(page.push([defect], []).still_open) == 1


# --- equal lines


def test_one_more_equal_line_is_not_silenced_by_the_first(page: PullRequestPage) -> None:
    page.answer("/review ignore")
    twice = files(*LINES, "    return round(item.price)")
    new = inline(start=5, end=5)
    assert page.push(twice, [new]).findings == (new,)


def test_equal_lines_are_told_apart_while_none_comes_or_goes() -> None:
    page = PullRequestPage()
    twice = files("return None", "x = 1", "return None")
    first, second = inline(start=1, end=1), inline(start=3, end=3)
    page.push(twice, [second])
    assert page.push(twice, [first, second]).findings == (first,)


# --- whose word counts


def test_a_forged_comment_silences_nothing(page: PullRequestPage) -> None:
    body = page.threads[0].body
    page.threads = [Thread(99, TOTAL, body, resolved=True)]
    page.reviews.append(PostedReview(99, "R99", "another tool of the same bot", COMMITS[0], "u"))
    assert page.reviewed(COMMITS[2], files(), [FOUND]).withheld == ()


def test_a_copy_of_our_marker_silences_nothing(page: PullRequestPage) -> None:
    page.push(files(*LINES, "print(total)"), [inline(start=5, end=5)])
    copy = replace(page.reviews[0], id=99)
    page.reviews.append(copy)
    page.threads.append(Thread(99, TOTAL, page.threads[0].body, resolved=True))
    run = page.push(files(*LINES, "print(total)"), [])
    assert run.since == COMMITS[1]
    assert [told.start for told in run.still_open] == [3, 5]


def test_a_comment_that_its_review_does_not_name_silences_nothing(page: PullRequestPage) -> None:
    page.push(files(), [])
    (stranger,) = read_comment(page.threads[0].body)
    page.threads = [
        Thread(1, TOTAL, f"x\n\n<!-- pr-review:finding={stranger[::-1]} -->", resolved=True)
    ]
    assert len(page.push(files(), []).still_open) == 1


@pytest.mark.parametrize("key", [None, derive_key("another key")])
def test_without_the_key_nothing_is_shortened(page: PullRequestPage, key: bytes | None) -> None:
    assert page.before(COMMITS[1], replace(POLICY, marker_key=key)) == Earlier()
    unsigned = PullRequestPage(replace(POLICY, marker_key=None))
    unsigned.push(files(), [FOUND])
    assert "pr-review:finding" not in unsigned.threads[0].body
    assert " findings= spent=8400 signature=none" in unsigned.reviews[0].body
    assert unsigned.before(COMMITS[1]) == Earlier()


def test_the_review_of_another_pull_request_is_nothing_to_us(page: PullRequestPage) -> None:
    page.reviews[0] = replace(
        page.reviews[0], body=page.reviews[0].body.replace("number=7", "number=8")
    )
    assert page.before(COMMITS[1]) == Earlier()


def test_the_hash_of_a_line_cannot_be_guessed_without_the_key() -> None:
    prints = set()
    for secret in ("one key", "another key"):
        page = PullRequestPage(replace(POLICY, marker_key=derive_key(secret)))
        page.push(files(), [FOUND])
        prints.add(read_comment(page.threads[0].body))
    assert len(prints) == 2


# --- what a later review builds on


def test_a_rewritten_history_is_reviewed_in_full(page: PullRequestPage) -> None:
    before = page.before(COMMITS[1])
    assert before.head_sha == COMMITS[0]
    assert since(before, BASE, COMMITS) == COMMITS[0]
    assert since(before, BASE, COMMITS[1:]) == ""
    assert since(Earlier(), BASE, ("",)) == ""


def test_from_another_merge_base_the_change_is_reviewed_in_full(page: PullRequestPage) -> None:
    assert since(page.before(COMMITS[1]), "d" * 40, COMMITS) == ""


@pytest.mark.parametrize(
    "changes",
    [
        {"agents": (agent("bugs", failure="no"), agent("security"))},
        {"agents": (agent("bugs", cut_short=True),)},
        {"agents": ()},
        {"status": RunStatus.REFUSED},
        {"snapshot": snapshot(omitted("src/a.py", Tier.SOURCE))},
    ],
    ids=["agent failed", "cut short", "no agent", "refused", "source omitted"],
)
def test_a_review_that_did_not_see_all_source_shortens_none(changes: dict[str, object]) -> None:
    page = PullRequestPage()
    page.push(files(), [FOUND], **changes)
    before = page.before(COMMITS[1])
    assert before.head_sha == ""
    assert len(before.told) == 1


def test_a_review_without_a_merge_base_shortens_none() -> None:
    page = PullRequestPage()
    page.push(files(), [], change=replace(change(COMMITS[0], *files()), merge_base=""))
    assert page.before(COMMITS[1]).head_sha == ""


def test_a_review_of_the_same_head_with_other_settings_vouches_for_nothing_new(
    page: PullRequestPage,
) -> None:
    page.policy = replace(POLICY, settings_digest="0")
    page.push(files(), [])
    page.policy = POLICY
    assert page.before(COMMITS[1]).head_sha == COMMITS[0]


def test_a_push_with_nothing_to_show_does_not_end_the_chain(page: PullRequestPage) -> None:
    run = page.push(files(), [], status=RunStatus.NOT_REVIEWED, reason="nothing", agents=())
    assert verdict(run).endswith("; **1 earlier finding is still open** (1 high).")
    assert page.before(COMMITS[2]).head_sha == COMMITS[1]


def test_a_push_that_is_skipped_opens_no_gate(page: PullRequestPage) -> None:
    run = page.reviewed(COMMITS[1], files(), [], status=RunStatus.SKIPPED, reason="nothing new")
    assert exit_code(run, GATES) == 10
    assert verdict(run) == (
        "**Skipped**: nothing new; **1 earlier finding is still open** (1 high)."
    )
    page.resolve()
    run = page.reviewed(COMMITS[1], files(), [FOUND], status=RunStatus.SKIPPED, reason="moved")
    assert exit_code(run, GATES) == 0
    fresh = inline(start=1, end=1)
    run = page.reviewed(COMMITS[1], files(), [fresh], status=RunStatus.SKIPPED, reason="moved")
    assert exit_code(run, GATES) == 0, "what was found and not told is for the next run to tell"


def test_other_settings_vouch_for_nothing(page: PullRequestPage) -> None:
    other = page.before(COMMITS[1], replace(POLICY, settings_digest="0"))
    assert (other.head_sha, len(other.told)) == ("", 1)


# --- a run that edits its own review


def test_a_run_on_the_same_head_builds_on_the_review_before_it(page: PullRequestPage) -> None:
    new = [added(OTHER, ["y = 2", "z = 3"]), *files()]
    page.push(new, [inline(path=OTHER, start=1, end=1), in_body(path=OTHER, start=2, end=2)])
    again = page.reviewed(COMMITS[1], new, [in_body(path=OTHER, start=2, end=2)])
    assert again.since == COMMITS[0]
    assert [(told.path, told.start) for told in again.still_open] == [(OTHER, 1), (TOTAL, 3)]
    assert len(again.findings) == 1, "what the body alone told is told again, in the new body"


# --- the marker, the comment, what machines read


def test_a_title_is_read_back_as_it_was_said(page: PullRequestPage) -> None:
    said = "`None` | an [empty] list \\ <b>, @ada #12 $x$ costs"
    page.push(files(), [inline(start=1, end=1, title=said)])
    assert title(page.threads[-1].body) == said
    assert title("somebody wrote here") == ""
    assert title("") == ""


def test_a_hostile_title_in_a_comment_stays_harmless(page: PullRequestPage) -> None:
    body = page.threads[0].body
    hostile = body.replace(FOUND.finding.title, "@octo ![x](https://x.invalid) <!-- pr-review:v3")
    page.threads[0] = replace(page.threads[0], body=hostile)
    text = compose(page.push(files(), []), POLICY).body
    assert "@octo" not in text
    assert "](https://x.invalid" not in text
    assert "<!-- pr-review:v3" not in text.rpartition("\n")[0]


def test_outputs_count_what_stands(page: PullRequestPage) -> None:
    run = page.push([*files(), added(OTHER, ["y"])], [inline(path=OTHER, start=1, severity=LOW)])
    found = outputs(run)
    assert (found["findings"], found["highest-severity"]) == ("2", "high")


def test_changes_are_requested_while_an_earlier_finding_is_open(page: PullRequestPage) -> None:
    asks = replace(POLICY, request_changes=True)
    assert compose(page.reviewed(COMMITS[1], files(), []), asks).request_changes
    page.resolve()
    assert not compose(page.reviewed(COMMITS[1], files(), []), asks).request_changes


def test_the_marker_names_what_stands(page: PullRequestPage) -> None:
    page.push([*files(), added(OTHER, ["y"])], [inline(path=OTHER, start=1, end=1, severity=LOW)])
    found = read(page.reviews[-1].body, PULL.repository, 7, POLICY.marker_key)
    assert found is not None
    assert [mention.severity for mention in found.findings] == [HIGH, LOW]


# --- what was spent ------------------------------------------------------------------------


def test_what_all_our_reviews_cost_is_added_up(page: PullRequestPage) -> None:
    """Each of the two runs had two agents at $0.0042."""
    page.push(files(), [])
    assert page.before(COMMITS[2]).spent_usd == pytest.approx(2 * 0.0084)
    same = page.before(COMMITS[1])
    assert same.spent_usd == pytest.approx(2 * 0.0084), "also of the review that will be edited"
    assert same.paid_url == page.reviews[1].url
    assert page.before(COMMITS[2]).paid_url == ""


def test_where_a_cost_is_not_known_the_quote_counts(page: PullRequestPage) -> None:
    page.push(files(), [], agents=(agent("bugs"), agent("security", cost_usd=None)))
    assert page.before(COMMITS[2]).spent_usd == pytest.approx(0.0084 + 0.0042 + 0.025)


def test_where_neither_is_known_the_sum_is_unknown(page: PullRequestPage) -> None:
    page.push(files(), [], quote=None, agents=(agent("bugs", cost_usd=None),))
    assert page.before(COMMITS[2]).spent_usd is None


def test_a_copy_of_a_review_by_the_same_bot_does_not_count_twice(page: PullRequestPage) -> None:
    page.reviews.append(replace(page.reviews[0], id=99))
    assert page.before(COMMITS[1]).spent_usd == pytest.approx(0.0084)


def test_a_run_that_asked_nobody_spent_nothing() -> None:
    refused = PullRequestPage()
    refused.push(files(), [], status=RunStatus.REFUSED, agents=())
    before = refused.before(COMMITS[0])
    assert (before.spent_usd, before.paid_url) == (0.0, "")


# --- patterns ------------------------------------------------------------------------------

CALLS = ["def load(url):", "    get(url)", "def save(url):", "    put(url)", "def drop(url):",
         "    delete(url)"]  # fmt: skip


def pattern(*numbers: int, **changes: object) -> list[Judged]:
    """One cause at some lines: the entry that tells it, and its other places."""
    found = [inline(start=n, end=n, title="No timeout", **changes) for n in numbers]
    also = tuple(judged.finding for judged in found[1:])
    others = [Judged(finding, Place.MERGED, "another place of a pattern") for finding in also]
    return [replace(found[0], also=also), *others]


@pytest.fixture
def spread() -> PullRequestPage:
    """A first review that told one cause at lines 2, 4 and 6."""
    page = PullRequestPage()
    page.push(files(*CALLS), pattern(2, 4, 6))
    return page


def places(run: Run) -> list[tuple[int | None, Place, str]]:
    return [(item.finding.start, item.place, item.reason) for item in run.judged]


def test_all_places_of_a_pattern_that_is_found_again_were_told(spread: PullRequestPage) -> None:
    run = spread.push(files(*CALLS), pattern(2, 4, 6))
    assert places(run) == [(n, Place.TOLD, TOLD) for n in (2, 4, 6)]
    assert [told.start for told in run.still_open] == [2, 4, 6]


def test_where_one_place_of_a_pattern_is_mended_the_others_are_open(
    spread: PullRequestPage,
) -> None:
    mended = [*CALLS[:1], "    get(url, timeout=9)", *CALLS[2:]]
    run = spread.push(files(*mended), [])
    assert [(told.start, told.title) for told in run.still_open] == [
        (4, "No timeout"),
        (6, "No timeout"),
    ]
    assert [told.reason for told in run.resolved] == [GONE]
    found = [inline(start=n, end=n, title="No timeout") for n in (4, 6)]
    again = spread.push(files(*mended), found)
    assert (again.findings, len(again.still_open), again.resolved) == ((), 2, ())


def test_only_the_new_places_of_a_pattern_are_told(spread: PullRequestPage) -> None:
    more = [*CALLS, "def list(url):", "    head(url)", "def find(url):", "    query(url)"]
    run = spread.push(files(*more), pattern(2, 4, 6, 8))
    assert places(run)[3] == (8, Place.BODY, GREW)
    assert [item.place for item in run.judged[:3]] == [Place.TOLD] * 3
    again = spread.push(files(*more), pattern(10, 2, 4, 6, 8))
    assert [(j.finding.start, j.also) for j in again.findings] == [(10, ())]
    assert len(again.still_open) == 4


def test_who_resolves_the_comment_of_a_pattern_closes_all_its_places(
    spread: PullRequestPage,
) -> None:
    assert len(spread.threads) == 1
    spread.resolve()
    run = spread.push(files(*CALLS), pattern(2, 4, 6))
    assert [item.place for item in run.judged] == [Place.WITHHELD] * 3
    assert run.still_open == ()


def test_what_was_told_and_is_small_to_this_run_is_open_still(page: PullRequestPage) -> None:
    page.push(files(), [FOUND])
    page.policy = replace(page.policy, settings_digest="0")
    small = replace(FOUND, place=Place.MINOR, reason=BELOW_MIN_SEVERITY)
    run = page.push(files(), [small, replace(small, finding=finding(start=1, end=1))])
    assert [item.place for item in run.judged] == [Place.TOLD, Place.MINOR]
    assert (len(run.still_open), run.resolved) == (1, ())
    worse = replace(small, finding=replace(small.finding, severity=Severity.CRITICAL))
    told_again = page.reviewed(COMMITS[2], files(), [worse])
    assert [item.place for item in told_again.judged] == [Place.TOLD], (
        "worse, and small all the same"
    )
    ranked = rank(run.judged, JudgePolicy(min_severity=Severity.CRITICAL))
    assert {item.place for item in ranked} == {Place.TOLD, Place.MINOR}
