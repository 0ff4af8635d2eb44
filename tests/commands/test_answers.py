"""Odd answers in whole runs: one review that GitHub takes, and nothing lost without a word."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.standins.github import GitHubServer, StoredReview
from tests.standins.github_sample import NewCommit, bare_repository
from tests.standins.kept_process import kept_process
from tests.standins.models import ModelServer, answer, completion
from tests.standins.runner import Ended
from tests.standins.runs import Runs

LINES = 30
CODE = b"".join(b"value_%d = compute(%d)\n" % (n, n) for n in range(1, LINES + 1))


def finding(line: object, **changes: object) -> dict[str, Any]:
    return {
        "path": "app.py",
        "start_line": line,
        "end_line": line,
        "severity": "high",
        "title": f"Value {line} is wrong",
        "body": f"It is {line}, and callers count on another.",
        "quote": f"value_{line} = compute({line})",
        **changes,
    }


class World(Runs):
    def review(self, text: str) -> tuple[Ended, StoredReview]:
        """The review by one agent that answers with this text."""
        ended, reviews = self.run(completion(text), {"agents": "bugs"})
        assert ended.code == 0, ended.log
        [review] = reviews
        return ended, review


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("answers")
    bare = bare_repository(
        folder / "widgets.git",
        [
            NewCommit("main", "Begin", {"app.py": b"", "other.py": b"x = 1\n"}),
            NewCommit("feature", "Change", {"app.py": CODE}, start="main"),
        ],
    )
    with kept_process(), GitHubServer(bare) as github, ModelServer(answer()) as model:
        yield World(github, model, folder)


def test_lines_that_do_not_exist_are_found_by_their_quote_or_told_in_the_body(
    world: World,
) -> None:
    said = [
        finding(7),
        finding(9, start_line=4_000, end_line=4_000),  # its quote stands on line 9
        finding(12, start_line="12-14", end_line=None, title="Values 12 to 14 are wrong"),
        finding(90, quote="", title="There is no line 90"),
        finding("-3", quote="not there at all", title="There is no line -3"),
    ]
    ended, review = world.review(json.dumps({"findings": said}))
    places = {(comment.get("start_line"), comment["line"]) for comment in review.comments}
    assert {(None, 7), (None, 9), (12, 14)} <= places
    told = review.body + "".join(comment["body"] for comment in review.comments)
    assert "There is no line 90" in told
    assert "There is no line -3" in told
    assert ended.outputs["findings"] == str(len(said))


def test_files_that_were_not_sent_are_left_out_and_counted(world: World) -> None:
    said = [finding(7), finding(8, path="other.py"), finding(9, path="src/nowhere.py")]
    ended, review = world.review(json.dumps({"findings": said}))
    assert [comment["path"] for comment in review.comments] == ["app.py"]
    assert ended.outputs["findings"] == "1"
    assert "2 findings left out: " in review.body
    assert sum(ended.report["rejected"].values()) == 2


def test_items_that_could_not_be_read_are_counted(world: World) -> None:
    said = [finding(7), {"path": 7}, "looks good", None, finding(8)]
    _, review = world.review(json.dumps({"findings": said}))
    assert {comment["line"] for comment in review.comments} == {7, 8}
    assert "3 findings left out: could not be read" in review.body


def test_a_thousand_findings_make_one_review_within_the_limits(world: World) -> None:
    said = [
        finding(n % LINES + 1, title=f"Reason {n}", body=f"Because of {n * n}. " * 20)
        for n in range(1_000)
    ]
    ended, review = world.review(json.dumps({"findings": said}))
    assert len(review.comments) <= 10
    assert len(review.body) <= 65_536
    assert ended.outputs["status"] == "reviewed"
    told = int(ended.outputs["findings"])
    assert told == len(ended.report["findings"])
    assert told + sum(ended.report["rejected"].values()) == len(said)
    assert f"**{told:,} finding" in review.body.split("\n")[0]
