"""Whole runs over several passes: every agent reads each of them, and nothing is lost between."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pr_review import app
from pr_review.report.json_report import schema
from tests.snapshot.repository import ENVIRON
from tests.standins.github import GitHubServer
from tests.standins.github_sample import NewCommit, bare_repository
from tests.standins.kept_process import kept_process
from tests.standins.models import ModelServer, Reply, Request, answer
from tests.standins.runs import Runs

BUDGET = {"diff-token-budget": "1700"}
TWO = {**BUDGET, "max-passes": "2"}
FOLDERS = ("cart", "mail")
WIDE = {
    f"{folder}/part.py": "".join(f"{folder}_{n} = compute({n})\n" for n in range(90)).encode()
    for folder in FOLDERS
}
REFUSED = Reply({"error": {"message": "no"}}, 400)


class World(Runs):
    """One change whose source takes two snapshots."""

    def rebuilt(self, *flags: str) -> dict[str, Any]:
        out = self.root / "rebuilt.json"
        source = ["--repo", str(self.github.bare), "--base", "main", "--head", "feature"]
        written = ["--format", "json", "--out", str(out)]
        assert app.main(["snapshot", *source, *written, *flags], ENVIRON) == 0
        found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
        return found


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("passes")
    bare = bare_repository(
        folder / "widgets.git",
        [
            NewCommit("main", "Begin", {"app.py": b"rate = 1\n"}),
            NewCommit("feature", "Spread", WIDE, start="main"),
        ],
    )
    with kept_process(), GitHubServer(bare) as github, ModelServer() as model:
        yield World(github, model, folder)


def prompt(request: Request) -> str:
    return str(request.messages[-1]["content"])


def snapshot(request: Request) -> str:
    text = prompt(request).partition("\n# Snapshot\n\n")[2]
    return text.rpartition("\n\n# Your task: ")[0]


def holds(request: Request, folder: str) -> bool:
    return f"\n## {folder}/part.py (added" in prompt(request)


def is_for(request: Request, agent: str) -> bool:
    return f"# Your task: {agent}" in prompt(request)


def finds(request: Request) -> Reply:
    """The bugs agent finds the first line of each file that it is shown."""
    if not is_for(request, "Bugs"):
        return answer()
    return answer([_finding(folder) for folder in FOLDERS if holds(request, folder)])


def _finding(folder: str) -> dict[str, object]:
    return {
        "path": f"{folder}/part.py", "start_line": 3, "end_line": 3, "side": "RIGHT",
        "severity": "high", "confidence": "high", "category": "logic",
        "title": f"The second {folder} is wrong", "body": f"It has to be another {folder}.",
        "quote": f"{folder}_2 = compute(2)", "suggestion": None,
    }  # fmt: skip


def test_every_agent_reads_each_pass_and_all_findings_are_anchored(world: World) -> None:
    ended, [review] = world.run(finds, TWO)
    assert ended.code == 0, ended.log
    again = world.rebuilt("--diff-token-budget", "1700", "--max-passes", "2")
    *agents, verify = world.model.requests
    assert Counter(map(snapshot, agents)) == {part["text"]: 5 for part in again["parts"]}
    assert len(set(map(prompt, agents))) == 10
    assert all(f"{folder}_2 = compute(2)" in prompt(verify) for folder in FOLDERS)
    assert {comment["path"] for comment in review.comments} == {"cart/part.py", "mail/part.py"}
    assert review.body.startswith("**2 findings (2 high).**")
    assert (ended.outputs["coverage-source"], ended.outputs["agents-failed"]) == ("full", "")
    assert ended.outputs["digest"] == again["digest"]


def test_the_report_tells_the_passes_and_keeps_to_its_schema(world: World) -> None:
    ended, [review] = world.run(finds, TWO)
    Draft202012Validator(schema()).validate(ended.report)
    told = ended.report["snapshot"]
    assert (told["passes"], told["max_passes"]) == (2, 2)
    assert told["text"] == "".join(part["text"] for part in told["parts"])
    assert sorted(file["passes"] for file in told["files"]) == [[1], [2]]
    [bugs] = [agent for agent in ended.report["agents"] if agent["name"] == "bugs"]
    assert (bugs["calls"], bugs["findings"]) == (2, 2)
    size = f"{told['tokens']:,} tokens in 2 passes of up to 1,700"
    assert size in review.body
    assert size in ended.log


def test_without_passes_nothing_is_said_of_them(world: World) -> None:
    ended, [review] = world.run(finds, BUDGET)
    assert len(world.model.requests) == 6, "five agents, and one that verifies what they found"
    assert "pass 1" not in prompt(world.model.requests[0])
    assert ended.outputs["coverage-source"] == "partial"
    told = ended.report["snapshot"]
    assert told["passes"] == 1
    assert not {"parts", "max_passes"} & set(told)
    assert not any("passes" in file for file in told["files"])
    assert "passes" not in review.body


def test_what_an_agent_found_in_one_pass_is_kept_if_it_fails_in_the_other(world: World) -> None:
    def script(request: Request) -> Reply:
        return REFUSED if is_for(request, "Bugs") and holds(request, "mail") else finds(request)

    ended, [review] = world.run(script, TWO)
    assert ended.code == 0
    assert [comment["path"] for comment in review.comments] == ["cart/part.py"]
    assert review.body.split("\n")[0] == (
        "**1 finding (1 high) in the source that the model received**; "
        "not every part of it was answered by `bugs`."
    )
    assert ended.outputs["agents-failed"] == "bugs"
    assert ended.outputs["coverage-source"] == "partial"
    [bugs] = [agent for agent in ended.report["agents"] if agent["name"] == "bugs"]
    assert bugs["failure"].startswith("in pass ")
    assert " of 2: " in bugs["failure"]


def test_a_pass_that_nobody_answers_leaves_what_was_found_before(world: World) -> None:
    first = world.rebuilt("--diff-token-budget", "1700", "--max-passes", "2")["parts"][0]["text"]
    ended, [review] = world.run(lambda r: finds(r) if snapshot(r) == first else REFUSED, TWO)
    assert ended.code == 0
    assert ended.outputs["status"] == "reviewed"
    assert len(review.comments) == 1
    assert "No findings" not in review.body
    assert "not every part of it was answered by `bugs`" in review.body


def test_after_a_pass_that_nobody_answers_no_other_is_asked(world: World) -> None:
    ended, reviews = world.run(REFUSED, TWO)
    assert (ended.code, ended.outputs["status"], reviews) == (6, "failed", [])
    assert len({snapshot(request) for request in world.model.requests}) == 1


def test_all_passes_are_quoted_and_refused_before_any_call(world: World) -> None:
    one, _ = world.run(answer(), BUDGET)
    two, [review] = world.run(answer(), TWO)
    (*once_each, verify), (*twice_each, same) = (
        run.report["quote"]["agents"] for run in (one, two)
    )
    assert [2 * agent["calls"] for agent in once_each] == [agent["calls"] for agent in twice_each]
    assert verify == same, "what is found in all passes is verified together"
    assert "requests in 2 passes to" in review.body
    assert two.report["cost_usd"] <= two.report["quote"]["usd"]
    once = float(one.report["quote"]["once_usd"])
    less = {"max-cost-usd": f"{once * 1.2:.6f}"}
    allowed, _ = world.run(answer(), {**BUDGET, **less})
    assert allowed.outputs["status"] == "reviewed"
    ended, _ = world.run(answer(), {**TWO, **less})
    assert ended.outputs["status"] == "refused"
    assert not world.model.requests


@pytest.mark.parametrize("value", ["0", "5", "many"])
def test_other_numbers_of_passes_are_refused(world: World, value: str) -> None:
    ended, _ = world.run(answer(), {"max-passes": value})
    assert ended.code == 2
    assert "max-passes" in ended.log
