"""A model that says all it can think of, twice and out of place, and a review one can read."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.commands import noise
from tests.standins.github import GitHubServer
from tests.standins.github_sample import NewCommit, bare_repository
from tests.standins.models import ModelServer, Reply, Request, answer
from tests.standins.runs import Runs

TRUTH = noise.problems()
SAID = noise.findings(TRUTH)
FILES = noise.files(TRUTH)


def says(request: Request) -> Reply:
    """All that the agent says whose task it is."""
    task = str(request.messages[-1]["content"]).partition("# Your task: ")[2]
    return answer(SAID[task.partition("\n")[0].casefold()])


@pytest.mark.usefixtures("one_process")
def test_two_hundred_findings_end_in_ten_comments_none_of_them_twice_or_on_a_wrong_line(
    tmp_path: Path, model: ModelServer
) -> None:
    assert len(TRUTH) == noise.PROBLEMS
    assert sum(map(len, SAID.values())) == 200
    bare = bare_repository(
        tmp_path / "shop.git",
        [NewCommit("main", "Begin", {}), NewCommit("feature", "Change", FILES, start="main")],
    )
    with GitHubServer(bare) as github:
        inputs = {"verify": "off", "checks": "none", "min-severity": "medium"}
        ended, [review] = Runs(github, model, tmp_path).run(says, inputs)
    assert ended.code == 0, ended.log

    assert len(review.comments) == 10
    for comment in review.comments:
        [problem] = [p for p in TRUTH if (p.path, p.line) == (comment["path"], comment["line"])]
        assert FILES[problem.path].decode().split("\n")[problem.line - 1] == problem.pair.quote
        title = comment["body"].partition("**: ")[2].partition("\n")[0]
        assert _plain(title) in map(_plain, problem.titles), comment

    report = ended.report
    told = Counter(problem for f in report["findings"] for problem in _problems(f))
    assert set(told.values()) == {1}, "no problem is told twice, here or in the body"
    dropped = sum(agent["dropped"] for agent in report["agents"])
    assert len(report["findings"]) + len(report["left_out"]) + dropped == 200
    assert all(finding["reason"] for finding in report["left_out"])
    left_out = Counter(finding["place"] for finding in report["left_out"])
    assert left_out.keys() == {"merged", "rejected", "minor"}
    assert left_out["rejected"] == 22, "each that names a file that is not there"
    listed = sum(len(finding["also"]) for finding in report["findings"])
    assert listed > 0
    assert report["rejected"] == Counter(finding["reason"] for finding in report["left_out"])


def _plain(text: str) -> str:
    """The letters of a title, which Markdown leaves as they are."""
    return "".join(letter for letter in text if letter.isalnum())


def _problems(finding: dict[str, Any]) -> list[tuple[str, int]]:
    """The problem that a finding speaks of, by its words, and those at its other places."""
    also = [(other["path"], other["start"]) for other in finding["also"]]
    return [*((p.path, p.line) for p in TRUTH if finding["title"] in p.titles), *also]
