"""A pull request of hundreds of files: what the model did not see is said everywhere."""

from __future__ import annotations

import json
import subprocess

import pytest

from pr_review.domain.ledger import State
from tests.shared import SHARED, shared
from tests.standins.github import GitHubServer
from tests.standins.models import ModelServer, Request, answer
from tests.standins.runner import Ended, Runner

pytestmark = pytest.mark.usefixtures("one_process")

WANTED = "docker__cli-4889"  # 236 files, nearly all vendored


@pytest.fixture(scope="module", params=["100000", "8000"])
def run(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Ended, list[Request], str]:
    """The run, the prompts that the model got, and the body of the review, at two budgets."""
    shared("corpus/prs.json")
    folder = tmp_path_factory.mktemp("real")
    rows = json.loads((SHARED / "corpus" / "prs.json").read_text(encoding="utf-8"))
    most = max(rows, key=lambda row: int(row["n_files"]))
    row = next((row for row in rows if row["id"] == WANTED), most)
    repository, number = row["repo"], int(row["pr"])
    bare = folder / "real.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(bare)], check=True)
    bundle = str(SHARED / "corpus" / row["bundle"])
    refs = [f"{row['base']}:refs/heads/main", f"{row['head']}:refs/heads/feature"]
    fetch = ["git", "-C", str(bare), "fetch", "-q", bundle, *refs]
    subprocess.run(fetch, check=True, capture_output=True)
    with GitHubServer(bare, repository=repository) as github, ModelServer(answer()) as model:
        github.open_pull(number, title=row["title"])
        runner = Runner(folder / "job", github, {"model": "openai/stand-in", "api-key": "sk-x"})
        runner.inputs |= {"api-base": model.url, "checks": "none"}
        runner.inputs["diff-token-budget"] = request.param
        ended = runner.run(github.event(number))
        assert ended.code == 0, ended.log
        return ended, list(model.requests), github.reviews(number)[0].body


def _unseen(ended: Ended) -> list[str]:
    files = ended.report["snapshot"]["files"]
    return [f["path"] for f in files if f["state"] == State.OMITTED]


def _named(path: str, text: str) -> bool:
    """The path, or a folder of it with a count of files, stands in the text."""
    folders = [path[:i] for i, char in enumerate(path) if char == "/"]
    lines = text.split("\n")
    return path in text or any(
        f"{folder}/" in line and " file" in line.split(f"{folder}/", 1)[1]
        for line in lines
        for folder in folders
    )


# one test: at each budget the run takes seconds, and workers do not share it
def test_what_is_unseen_is_named_everywhere(run: tuple[Ended, list[Request], str]) -> None:
    ended, requests, body = run
    unseen = _unseen(ended)
    assert len(unseen) > 2
    assert ended.outputs["coverage"] == "partial"
    prompts = [str(request.messages[-1]["content"]) for request in requests]
    assert len(prompts) == 5
    for text in (*prompts, body, ended.summary):
        assert [path for path in unseen if not _named(path, text)] == []
    files = ended.report["snapshot"]["files"]
    source = [f for f in files if f["tier"] in ("source", "test")]
    full = all(f["state"] in ("shown", "folded") for f in source)
    assert ended.report["coverage_source"] == ("full" if full else "partial")
    assert body.startswith("**No findings.**" if full else "**No findings in the source that")
    assert "Not shown to a model" in body
