"""Whole runs over several pushes: what the model is sent, and what stands on the pull request."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.commands.pushes import (
    FIRST,
    NUMBER,
    SECOND,
    SETTINGS,
    Reviewed,
    Story,
    finds,
    prompt,
)
from tests.standins.github import Account
from tests.standins.github_sample import NewCommit, add_commits
from tests.standins.models import ModelServer, Reply, Request, refusal
from tests.standins.runner import Ended

pytestmark = pytest.mark.usefixtures("one_process")


@pytest.fixture(scope="module")
def reviewed(
    one_process: None, tmp_path_factory: pytest.TempPathFactory, model: ModelServer
) -> Reviewed:
    return Reviewed.first(tmp_path_factory.mktemp("reviewed"), model)


@pytest.fixture
def story(tmp_path: Path, model: ModelServer, reviewed: Reviewed) -> Iterator[Story]:
    """The pull request after its first review."""
    with reviewed.again(tmp_path, model) as begun:
        yield begun


def commented(story: Story) -> list[list[str]]:
    """The files of our inline comments, review by review."""
    return [[comment["path"] for comment in review.comments] for review in story.reviews]


def shown(story: Story, text: str) -> bool:
    """Whether every agent was sent a text in the last run."""
    prompts = [prompt(request) for request in story.model.requests]
    sent = [text in one for one in prompts if "\n# Your task: " in one]
    assert sent
    return all(sent)


# --- what is new, and what was told --------------------------------------------------------


def test_a_push_is_reviewed_by_what_is_new_and_repeats_nothing(story: Story) -> None:
    head = story.push(SECOND.file)
    ended = story.review()
    assert (story.shown(FIRST), story.shown(SECOND)) == (False, True)
    assert ended.code == 10, ended.log  # what is still open holds the gate shut
    assert ended.outputs["highest-severity"] == "high"
    assert ended.outputs["findings"] == "2"
    old, new = story.reviews
    assert commented(story) == [[FIRST.path], [SECOND.path]]
    assert (old.minimized, new.minimized) == (True, False)
    assert new.commit_id == head
    assert "**Still open from earlier reviews** (1)" in new.body
    assert FIRST.title in new.body
    assert "No findings" not in new.body
    assert f"what was reviewed at `{old.commit_id[:12]}`" in new.body
    assert ended.report["coverage_source"] == "full"


def test_each_review_builds_on_the_one_before(story: Story) -> None:
    pushed(story)
    story.push({"shop/third.py": b"THIRD = call()\n"})
    ended = story.review()
    assert (story.shown(FIRST), story.shown(SECOND)) == (False, False)
    assert shown(story, "THIRD = call()")
    assert ended.code == 10, ended.log
    assert commented(story) == [[FIRST.path], [SECOND.path], []]
    assert [review.minimized for review in story.reviews] == [True, True, False]
    assert len(story.mutations) == 2
    last = story.reviews[2].body
    assert last.startswith("**No new findings in what is new since")
    assert "**Still open from earlier reviews** (2)" in last
    assert "No findings" not in last


def test_a_branch_that_is_merged_into_it_is_new(story: Story) -> None:
    add_commits(story.github.bare, [NewCommit("side", "Take notes", SECOND.file, start="main")])
    story.merge("side")
    ended = story.review()
    assert (story.shown(FIRST), story.shown(SECOND)) == (False, True), ended.log


def refused(story: Story) -> None:
    """Its review stands, and vouches for nothing: later ones are whole."""
    story.runner.inputs["max-cost-usd"] = "0.000001"
    ended = story.review()
    assert (ended.code, ended.outputs["status"]) == (10, "refused"), ended.log
    assert story.model.requests == []
    del story.runner.inputs["max-cost-usd"]


def failed(story: Story) -> None:
    """Nothing is posted, and later reviews build on the one before."""
    ended = story.review(script=refusal())
    assert (ended.code, ended.outputs["status"]) == (6, "failed"), ended.log
    assert len(story.reviews) == 1


@pytest.mark.parametrize(("end", "again"), [(refused, True), (failed, False)])
def test_what_a_run_could_not_review_is_reviewed_later(
    end: Callable[[Story], None], again: bool, story: Story
) -> None:
    story.push(SECOND.file)
    end(story)
    story.push({"shop/third.py": b"THIRD = call()\n"})
    ended = story.review()
    assert (story.shown(FIRST), story.shown(SECOND)) == (again, True)
    assert shown(story, "THIRD = call()")
    assert ended.code == 10, ended.log
    assert commented(story) == [[FIRST.path], *([[]] if again else []), [SECOND.path]]
    assert "**Still open from earlier reviews** (1)" in story.reviews[-1].body


def test_a_new_hunk_of_a_file_is_shown_without_the_old_one(fresh: Story) -> None:
    lines = "".join(f"LINE_{n} = {n}\n" for n in range(200))
    bare = fresh.github.bare
    add_commits(bare, [NewCommit("main", "Lines", {"a.py": lines.encode()}, "main^0")])
    fresh.merge("main")
    fresh.github.open_pull(NUMBER)
    early = lines.replace("LINE_9 = 9\n", "EARLY = call()\n")
    fresh.push({"a.py": early.encode()})
    fresh.review("opened")
    assert shown(fresh, "EARLY = call()")
    fresh.push({"a.py": early.replace("LINE_180 = 180\n", "LATE = call()\n").encode()})
    fresh.review()
    assert shown(fresh, "LATE = call()")
    assert not shown(fresh, "EARLY = call()")


def test_what_is_shown_again_is_not_told_again(story: Story) -> None:
    text = FIRST.file[FIRST.path] or b""
    story.push({FIRST.path: b"import sys\n\n\n" + text + b"print(sys.argv)\n", **SECOND.file})
    ended = story.review()
    assert story.shown(FIRST)
    assert ended.code == 10
    assert commented(story) == [[FIRST.path], [SECOND.path]]
    old, new = story.reviews
    assert f"`{FIRST.path}:5`" in new.body  # where it stands now
    [told] = ended.report["earlier"]
    assert (told["state"], told["start"]) == ("open", 5)
    assert told["url"].endswith(f"#pullrequestreview-{old.id}")


def test_a_push_without_anything_to_review_asks_nobody_and_opens_no_gate(story: Story) -> None:
    story.push({}, "Empty")
    ended = story.review()
    assert (ended.code, ended.outputs["status"]) == (10, "skipped"), ended.log
    assert story.model.requests == []
    assert len(story.reviews) == 1
    story.push(SECOND.file)  # what comes later builds on the first review all the same
    story.review()
    assert (story.shown(FIRST), story.shown(SECOND)) == (False, True)


def test_lines_that_are_gone_are_resolved_and_threads_of_people_are_left_alone(
    story: Story,
) -> None:
    github = story.github
    [comment] = story.reviews[0].comments
    github.answer_comment(NUMBER, comment, "Oh no", "octocat", "MEMBER")
    said = github.add_review(NUMBER, Account("octocat"), "I wonder", "COMMENTED")
    sent = {"body": "Why?", "path": FIRST.path, "line": 1, "side": "RIGHT"}
    pull = github.api.pulls[NUMBER]
    said.comments.append(github.api.shapes.review_comment(pull, said, 0, sent))
    before = copy.deepcopy(pull.reviews)
    story.push({FIRST.path: b"def mean(amounts):\n    return fmean(amounts)\n"})
    ended = story.review()
    assert (ended.code, ended.outputs["status"]) == (0, "reviewed"), ended.log
    first, last = story.reviews
    assert "**Resolved since the last review** (1)" in last.body
    assert "its lines are not in the change any more" in last.body
    assert [told["state"] for told in ended.report["earlier"]] == ["resolved"]
    # nothing else was changed but that the first summary is folded
    [mutation] = story.mutations
    assert "minimizeComment(" in mutation["query"]
    assert first.minimized
    first.minimized = False
    assert pull.reviews[:-1] == before
    assert pull.resolved == set()


def test_what_comes_back_is_shown_and_told_again(story: Story) -> None:
    story.push({FIRST.path: b"def mean(amounts):\n    return fmean(amounts)\n"})
    story.review()
    story.push(FIRST.file)
    ended = story.review()
    assert story.shown(FIRST)
    assert ended.code == 10
    assert commented(story) == [[FIRST.path], [], [FIRST.path]]


def test_a_head_that_comes_back_after_another_gets_a_review_that_is_not_folded(
    story: Story,
) -> None:
    first = story.reviews[0].commit_id
    add_commits(story.github.bare, [NewCommit("other", "Take notes", SECOND.file, start="main")])
    story.github.push(NUMBER, "other")
    assert story.review().code == 0
    story.github.push(NUMBER, first)
    ended = story.review()
    assert (story.shown(FIRST), ended.code) == (True, 10), ended.log
    assert [review.commit_id for review in story.reviews if not review.minimized] == [first]
    assert len(story.mutations) == 2
    assert commented(story) == [[FIRST.path], [SECOND.path], []]  # its first comment stands
    assert "**Still open from earlier reviews** (1)" in story.reviews[-1].body
    story.review()  # from then on it is edited, as ever
    assert len(story.reviews) == 3
    pushed(story)  # and built on
    assert short(story)
    assert commented(story)[3:] == [[SECOND.path]]


def test_the_same_head_again_edits_its_review(story: Story) -> None:
    [review] = story.reviews
    comments, body = copy.deepcopy(review.comments), review.body
    ended = story.review()
    assert ended.code == 10, ended.log
    assert ended.outputs["review-url"].endswith(f"#pullrequestreview-{review.id}")
    assert story.reviews == [review]
    assert review.comments == comments
    assert FIRST.title in review.body
    was, now = (text.rpartition("\n")[2].partition(" spent=") for text in (body, review.body))
    assert was[0] == now[0]  # the marker, but for what both runs cost
    assert was[2] != now[2]
    assert [call.path for call in story.github.calls("PUT")] == [
        f"/repos/{story.github.repository}/pulls/{NUMBER}/reviews/{review.id}"
    ]


# --- what people closed --------------------------------------------------------------------


def resolved(story: Story) -> None:
    [comment] = story.reviews[0].comments
    story.github.api.pulls[NUMBER].resolved.add(comment["id"])


def ignored_without_graphql(story: Story) -> None:
    ignored(story)
    story.github.graphql = False


def ignored(story: Story) -> None:
    [comment] = story.reviews[0].comments
    story.github.permit("octocat", "write")
    story.github.answer_comment(NUMBER, comment, "/review ignore", "octocat", "MEMBER")


@pytest.mark.parametrize("close", [resolved, ignored, ignored_without_graphql])
def test_what_a_person_closed_is_counted_and_opens_the_gate(
    close: Callable[[Story], None], story: Story
) -> None:
    close(story)
    story.push(SECOND.file)
    ended = story.review()
    assert (ended.code, ended.outputs["status"]) == (0, "reviewed"), ended.log
    assert "Still open" not in story.reviews[1].body
    again = story.command("/review full")  # the model is shown it, and finds it again
    assert story.shown(FIRST)
    assert (again.code, again.outputs["status"]) == (0, "reviewed"), again.log
    assert commented(story) == [[FIRST.path], [SECOND.path]]
    body = story.reviews[1].body
    assert "1 finding not repeated: resolved or ignored by people." in body
    assert FIRST.title not in body
    assert again.report["withheld"] == 1


@pytest.mark.parametrize(
    ("words", "permission"),
    [("/review ignore", "read"), ("/review ignore", "none"), ("This is wrong.", "admin")],
)
def test_an_answer_without_the_right_or_the_words_closes_nothing(
    words: str, permission: str, story: Story
) -> None:
    [comment] = story.reviews[0].comments
    story.github.permit("somebody", permission)
    story.github.answer_comment(NUMBER, comment, words, "somebody", "MEMBER")
    story.push(SECOND.file)
    ended = story.review()
    assert ended.code == 10, ended.log
    assert "**Still open from earlier reviews** (1)" in story.reviews[1].body
    assert ended.report["withheld"] == 0


# --- what an earlier review shortens, and what not -----------------------------------------


def pushed(story: Story) -> Ended:
    story.push(SECOND.file)
    return story.review()


def short(story: Story) -> bool:
    return (story.shown(FIRST), story.shown(SECOND)) == (False, True)


def whole(story: Story) -> bool:
    return (story.shown(FIRST), story.shown(SECOND)) == (True, True)


def by_command(story: Story) -> Ended:
    story.push(SECOND.file)
    return story.command("/review")


def without_graphql(story: Story) -> Ended:
    story.github.graphql = False
    return pushed(story)


def by_command_without_graphql(story: Story) -> Ended:
    story.github.graphql = False
    return by_command(story)


def with_a_base_that_went_on(story: Story) -> Ended:
    files = {"shop/more.py": b"MORE = 1\n"}
    add_commits(story.github.bare, [NewCommit("main", "Go on", files, start="main^0")])
    _rebased_on(story, "main")
    return pushed(story)


def with_another_gate(story: Story) -> Ended:
    """What decides how the step ends says nothing of what was reviewed."""
    story.runner.inputs["fail-on"] = "low"
    return pushed(story)


@pytest.mark.parametrize(
    "then",
    [
        by_command, without_graphql, by_command_without_graphql, with_a_base_that_went_on,
        with_another_gate,
    ],
)  # fmt: skip
def test_what_is_new_alone_is_reviewed(then: Callable[[Story], Ended], story: Story) -> None:
    ended = then(story)
    assert short(story), ended.log
    assert ended.code == 10
    assert commented(story) == [[FIRST.path], [SECOND.path]]
    assert "new since" in story.reviews[1].body


def amended(story: Story) -> Ended:
    commit = NewCommit("again", "Tell it well", {**FIRST.file, **SECOND.file}, start="main")
    add_commits(story.github.bare, [commit])
    story.github.push(NUMBER, "again")
    return story.review()


def merged(story: Story) -> Ended:
    """The branch is updated with `main`: a new merge base, and no changed line is new but the
    pushed ones."""
    files = {"shop/more.py": b"MORE = 1\n"}
    add_commits(story.github.bare, [NewCommit("main", "Go on", files, start="main^0")])
    story.merge("main")
    _rebased_on(story, "main")
    return pushed(story)


def retargeted(story: Story) -> Ended:
    _rebased_on(story, "release")
    return pushed(story)


def _rebased_on(story: Story, branch: str) -> None:
    pull = story.github.api.pulls[NUMBER]
    pull.base_ref, pull.base_sha = branch, story.github.api.repository.resolve(branch) or ""


def other_input(story: Story) -> Ended:
    story.runner.inputs["language"] = "German"
    return pushed(story)


def other_file(story: Story) -> Ended:
    files = {SETTINGS: b"language: German\n"}
    add_commits(story.github.bare, [NewCommit("main", "Set", files, start="main^0")])
    return pushed(story)


def asked_for_by_input(story: Story) -> Ended:
    story.runner.inputs["review"] = "full"
    return pushed(story)


def asked_for_by_command(story: Story) -> Ended:
    story.push(SECOND.file)
    return story.command("/review full")


def by_rest(story: Story) -> Ended:
    """Without git nothing tells which lines differ from an earlier head."""
    story.github.fault("GET", r"\.git/info/refs", 403, times=9)
    return pushed(story)


@pytest.mark.parametrize(
    "then",
    [
        amended, merged, retargeted, other_input, other_file, asked_for_by_input,
        asked_for_by_command, by_rest,
    ],
)  # fmt: skip
def test_the_whole_change_is_reviewed_again(then: Callable[[Story], Ended], story: Story) -> None:
    ended = then(story)
    assert whole(story), ended.log
    assert ended.code == 10
    # a fuller review, but what stands is not told twice
    assert commented(story) == [[FIRST.path], [SECOND.path]]
    assert "new since" not in story.reviews[1].body


def security_refuses(request: Request) -> Reply:
    return refusal() if "# Your task: Security" in prompt(request) else finds(request)


def test_a_review_in_part_vouches_for_nothing(fresh: Story) -> None:
    fresh.runner.inputs["agents"] = "bugs, security"
    first = fresh.review("opened", security_refuses)
    assert first.outputs["agents-failed"] == "security", first.log
    pushed(fresh)
    assert whole(fresh)
    # nor does one between two that saw all: the latest counts
    third = fresh.push({"shop/third.py": b"THIRD = call()\n"})
    fresh.review(script=security_refuses)
    assert fresh.reviews[-1].commit_id == third
    fresh.push({"shop/fourth.py": b"FOURTH = call()\n"})
    fresh.review()
    assert shown(fresh, "THIRD = call()")


def test_a_run_that_a_push_overtook_vouches_for_nothing(story: Story) -> None:
    def overtaken(request: Request) -> Reply:
        story.push({"shop/third.py": b"THIRD = call()\n"})
        return finds(request)

    story.push(SECOND.file)
    ended = story.review(script=overtaken)
    assert (ended.code, ended.outputs["status"]) == (10, "skipped"), ended.log
    assert "head moved" in ended.summary
    assert len(story.reviews) == 1
    story.review()
    assert short(story)
    assert shown(story, "THIRD = call()")


def test_a_marker_is_believed_by_the_key_that_signed_it(fresh: Story) -> None:
    key = fresh.runner.inputs.pop("api-key")
    fresh.review("opened")
    assert "signature=none" in fresh.reviews[0].body
    ended = pushed(fresh)  # without a key again: what is told may be told twice, but is shown
    assert whole(fresh), ended.log
    fresh.runner.inputs["api-key"] = key
    fresh.push({"shop/third.py": b"THIRD = call()\n"})
    fresh.review()
    assert whole(fresh)
    fresh.runner.inputs["api-key"] = f"{key}-rotated"
    fresh.push({"shop/fourth.py": b"FOURTH = call()\n"})
    fresh.review()
    assert whole(fresh)
    assert shown(fresh, "THIRD = call()")


def test_a_review_that_somebody_edited_vouches_for_nothing(fresh: Story) -> None:
    fresh.runner.inputs["agents"] = "bugs, security"
    fresh.review("opened", security_refuses)
    [review] = fresh.reviews
    assert review.body.count("coverage=partial") == 1
    review.body = review.body.replace("coverage=partial", "coverage=full")
    pushed(fresh)
    assert whole(fresh)


def signed_by_nobody(body: str) -> str:
    """What another workflow of the repository, which is the same bot, can make of a marker."""
    return f"Looks good.\n\n{body.rpartition('signature=')[0]}signature={'0' * 64} -->"


def unsigned(body: str) -> str:
    return f"{body.rpartition('signature=')[0]}signature=none -->"


def of_an_older_line(body: str) -> str:
    return f"{body}\n\nLooks good."


@pytest.mark.parametrize("forge", [signed_by_nobody, unsigned, of_an_older_line])
def test_a_forged_marker_shortens_nothing(forge: Callable[[str], str], story: Story) -> None:
    true = story.reviews[0]
    story.github.api.pulls[NUMBER].reviews.clear()
    planted(story, story.github.actor, forge(true.body))


def test_the_true_marker_in_the_review_of_a_person_shortens_nothing(story: Story) -> None:
    true = story.reviews[0]
    story.github.api.pulls[NUMBER].reviews.clear()
    planted(story, Account("mallory"), true.body)


def renumbered(body: str) -> str:
    return body.replace(f"number={NUMBER + 1}", f"number={NUMBER}")


@pytest.mark.parametrize("forge", [str, renumbered])
def test_the_marker_of_another_pull_request_shortens_nothing(
    forge: Callable[[str], str], fresh: Story
) -> None:
    github = fresh.github
    github.open_pull(NUMBER + 1)
    fresh.model.play(finds)
    fresh.runner.run(github.event(NUMBER + 1))
    [true] = github.reviews(NUMBER + 1)
    planted(fresh, github.actor, forge(true.body))


def planted(story: Story, author: Account, body: str) -> None:
    """A review that is not ours shortens nothing, and is neither edited nor folded."""
    review = story.github.add_review(NUMBER, author, body, "COMMENTED")
    before = copy.deepcopy(review)
    ended = pushed(story)
    assert whole(story), ended.log
    assert ended.code == 10
    [ours] = [posted for posted in story.reviews if posted is not review]
    assert sorted(comment["path"] for comment in ours.comments) == [FIRST.path, SECOND.path]
    assert "Still open" not in ours.body
    assert review == before
