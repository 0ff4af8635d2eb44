"""Models that fail in every way: no run passes for a clean review, none outlasts its deadline."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from tests.faults.table import MODEL
from tests.standins import models
from tests.standins.github import GitHubServer
from tests.standins.github_sample import NewCommit, bare_repository
from tests.standins.kept_process import kept_process
from tests.standins.models import ModelServer, Script
from tests.standins.runs import Runs

AGENTS = 5
# what a run takes beside its calls, on a machine that does other things as well
BESIDE = 12.0
FINDING = (
    '{"path": "app.py", "severity": "high", "title": "The rate is wrong", "body": "It was 1."}'
)
UNREADABLE = '{"findings": [{"path": 7}], "verdict": "good"}'
DRAFT = '<think>So {"findings": []}</think>Looks good to me.'


@dataclass(frozen=True)
class Failing:
    """What the model server does to every agent. `requests` is how many of each agent's come,
    retries and the one repair included; `partial` that some of the answer can be kept.
    """

    name: str
    script: Script
    requests: int
    deadline: int = 20
    partial: bool = False


FAILING = (
    Failing("prose", models.completion("LGTM! I found no issues."), 2),
    Failing("a web page", models.garbage(), 1),
    Failing("wrong types", models.completion(UNREADABLE), 2),
    Failing("no list", models.completion('{"findings": null}'), 2),
    Failing("a draft alone", models.completion(DRAFT), 2),
    Failing("cut before a finding", models.cut(), 2),
    Failing("cut after a finding", models.cut(f'{{"findings": [{FINDING}, {{'), 1, partial=True),
    Failing("cut in its reasoning", models.cut("<think>Let me see"), 2),
    Failing("all spent on reasoning", models.cut(""), 1),
    Failing("empty", models.empty(), 1),
    Failing("no choice", models.no_choices(), 1),
    Failing("refused", models.refusal(), 1),
    Failing("filtered", models.filtered(), 1),
    Failing("500 always", models.server_error(), 3),
    Failing("429 always", models.rate_limited(), 3),
    Failing("429, wait 90 s", models.rate_limited("90"), 1),
    Failing("401", models.unauthorized(), 1),
    Failing("404", models.failure(404, "no such model"), 1),
    Failing("context too small", models.overflow(), 1),
    Failing("hangs", models.hanging(), 1, deadline=2),
    Failing("drips", models.dripping(0.1), 1, deadline=2),
    Failing("hangs up", models.dropped(), 3),
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    """A model that answers, before one that fails: the first run loads what all need."""
    folder = tmp_path_factory.mktemp("models")
    bare = bare_repository(
        folder / "widgets.git",
        [
            NewCommit("main", "Begin", {"app.py": b"rate = 1\n"}),
            NewCommit("feature", "Change", {"app.py": b"rate = 2\n"}, start="main"),
        ],
    )
    with kept_process(), GitHubServer(bare) as github, ModelServer() as model:
        made = Runs(github, model, folder)
        ended, [review] = made.run(models.answer(), {"run-deadline": "60"})
        assert (ended.code, review.body.split("\n")[0]) == (0, "**No findings.**")
        yield made


@pytest.mark.parametrize("failing", FAILING, ids=lambda failing: failing.name)
def test_a_failing_model_gives_no_clean_review(
    failing: Failing, world: Runs, record_property: Callable[[str, object], None]
) -> None:
    started = time.monotonic()
    ended, reviews = world.run(failing.script, {"run-deadline": str(failing.deadline)})
    seconds = time.monotonic() - started
    first = next(line for line in ended.summary.split("\n") if line.startswith("**"))
    requests = len(world.model.requests)
    told = {
        "exit": ended.code,
        "status": ended.outputs["status"],
        "seconds": f"{seconds:.1f}",
        "requests": requests,
        "first line": first,
    }
    for column, words in told.items():
        record_property(MODEL, (failing.name, column, str(words)))
    verified = ended.report["verify"]
    assert requests == AGENTS * failing.requests + (verified["calls"] if verified else 0), ended.log
    assert not verified or verified["outcome"] == "failed"
    assert seconds < failing.deadline + BESIDE
    assert (ended.outputs["coverage"], ended.outputs["coverage-source"]) == ("partial", "partial")
    if failing.partial:
        assert (ended.code, ended.outputs["status"]) == (0, "reviewed")
        assert "in the source that the model received**; the answer was cut short" in first
    else:
        assert (ended.code, ended.outputs["status"]) == (6, "failed")
        assert reviews == []
        assert "No findings" not in ended.summary
        assert "all 5 agents failed" in ended.log
