"""A model that refuses a prompt for its length: whole runs, and what their readers are told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pr_review import app
from tests.snapshot.repository import ENVIRON
from tests.standins import models
from tests.standins.github import GitHubServer
from tests.standins.github_sample import NewCommit, bare_repository
from tests.standins.kept_process import kept_process
from tests.standins.models import ModelServer, Reply, Request
from tests.standins.runs import Runs

AGENTS = 5
LINES = 500
# as many lines in one file of a lower tier and one of source: half of both is the source alone
SOURCE = b"".join(b"total_%d = compute(%d, rate)\n" % (n, n) for n in range(LINES))
TEST = b"".join(b"assert total_%d == result(%d, 2)\n" % (n, n) for n in range(LINES))
FORMS = {
    "a text": models.overflow(30_000, 40_000),
    "a rate limit": models.failure(
        429, "Request too large for model on tokens per minute (TPM): Limit 6000, Requested 9000"
    ),
    "a status": models.failure(413, "Request Entity Too Large"),
}


class World(Runs):
    @property
    def prefixes(self) -> list[str]:
        """All that each request held before the agent's task."""
        sent = [json.dumps(request.messages) for request in self.model.requests]
        return [text.partition("# Your task: ")[0] for text in sent]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("long")
    files = {"app.py": SOURCE, "tests/test_app.py": TEST}
    bare = bare_repository(
        folder / "widgets.git",
        [
            NewCommit("main", "Begin", {"README.md": b"Widgets.\n"}),
            NewCommit("feature", "Change", files, start="main"),
        ],
    )
    with kept_process(), GitHubServer(bare) as github, ModelServer() as model:
        yield World(github, model, folder)


def holds(characters: int, refused: Reply) -> Callable[[Request], Reply]:
    """A model whose context ends there."""

    def script(request: Request) -> Reply:
        long = len(json.dumps(request.messages)) > characters
        return refused if long else models.answer()

    return script


@pytest.mark.parametrize("refused", FORMS.values(), ids=FORMS.keys())
def test_all_agents_are_asked_once_more_and_the_review_tells_of_what_they_read(
    refused: Reply, world: World, tmp_path: Path
) -> None:
    ended, [review] = world.run(holds(40_000, refused), {"report-html": "true"})
    assert (ended.code, ended.outputs["status"]) == (0, "reviewed"), ended.log
    assert len(world.model.requests) == 2 * AGENTS
    long, short = set(world.prefixes[:AGENTS]), set(world.prefixes[AGENTS:])
    assert (len(long), len(short)) == (1, 1)
    assert "total_499" in next(iter(short))
    assert "result(250" in next(iter(long))
    assert "result(250" not in next(iter(short))

    assert (ended.outputs["coverage"], ended.outputs["coverage-source"]) == ("partial", "partial")
    assert "in the source that the model received" in review.body.split("\n")[0]
    assert "as too long" in review.body
    assert "tests/test_app.py" in review.body
    snapshot = ended.report["snapshot"]
    source = ["--repo", str(world.github.bare), "--base", "main", "--head", "feature"]
    budget = ["--diff-token-budget", str(snapshot["budget"])]
    out = ["--format", "json", "--out", str(tmp_path / "out.json")]
    assert app.main(["snapshot", *source, *budget, *out], ENVIRON) == 0
    again = json.loads((tmp_path / "out.json").read_text())
    assert again["digest"] == ended.outputs["digest"] == snapshot["digest"]
    assert json.dumps(again["text"])[1:-1] in next(iter(short))
    page = Path(ended.outputs["html"]).read_text("utf-8")
    unseen = [file for file in again["files"] if file["path"] == "tests/test_app.py"]
    seen = len(unseen[0]["shown_added_lines"])
    assert f"{LINES - seen:,} omitted: over the token budget" in page, "the lines of the second try"


def test_what_was_refused_is_neither_billed_nor_over_the_quote(world: World) -> None:
    ended, _ = world.run(holds(40_000, FORMS["a text"]))
    # 100 tokens in at $1 and 20 out at $10 a million, for each agent
    assert float(ended.outputs["cost-usd"]) == pytest.approx(AGENTS * 300e-6)
    assert [agent["calls"] for agent in ended.report["agents"]] == [2] * AGENTS
    assert "bug of pr-review" not in ended.log


def test_a_model_that_refuses_half_too_is_not_asked_a_third_time(world: World) -> None:
    ended, reviews = world.run(FORMS["a text"])
    assert (ended.code, ended.outputs["status"], reviews) == (6, "failed", [])
    assert len(world.model.requests) == 2 * AGENTS
    assert "Prompt contains 40000 tokens, too large for model with 30000" in ended.log
    assert "No findings" not in ended.summary


def test_where_one_agent_was_answered_nobody_is_shown_another_snapshot(world: World) -> None:
    """All agents read the same: one review cannot tell of two snapshots."""

    def script(request: Request) -> Reply:
        bugs = "# Your task: Bugs" in json.dumps(request.messages)
        return models.answer() if bugs else FORMS["a text"]

    ended, [review] = world.run(script)
    assert (ended.code, ended.outputs["agents-failed"].count(",")) == (0, AGENTS - 2), ended.log
    assert len(world.model.requests) == AGENTS
    assert len(set(world.prefixes)) == 1
    assert "does not fit the model's context" in review.body


def test_a_repeated_request_may_have_been_billed_so_half_is_not_asked(world: World) -> None:
    busy = models.failure(429, "Rate limit reached", headers={"retry-after-ms": "10"})
    seen: set[str] = set()

    def script(request: Request) -> Reply:
        task = json.dumps(request.messages)
        again = task in seen
        seen.add(task)
        return FORMS["a text"] if again else busy

    ended, _ = world.run(script)
    assert (ended.code, ended.outputs["status"]) == (6, "failed"), ended.log
    assert len(world.model.requests) == 2 * AGENTS
    assert len(set(world.prefixes)) == 1


def test_a_fallback_with_more_room_reads_the_whole(world: World) -> None:
    def script(request: Request) -> Reply:
        return models.answer() if request.json["model"] == "wide" else FORMS["a text"]

    ended, [review] = world.run(script, {"fallback-models": "openai/wide"})
    assert (ended.code, ended.outputs["coverage"]) == (0, "full"), ended.log
    assert len(set(world.prefixes)) == 1
    assert "openai/wide answered in place of" in review.body


def test_where_no_fallback_has_room_all_are_asked_for_half(world: World) -> None:
    inputs = {"fallback-models": "openai/wide"}
    ended, [review] = world.run(holds(40_000, FORMS["a text"]), inputs)
    assert ended.code == 0, ended.log
    assert len(world.model.requests) == 3 * AGENTS
    assert "as too long" in review.body
