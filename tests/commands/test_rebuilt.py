"""What a model was sent can be rebuilt from the commits, and proved by the digest in the review."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pr_review import app
from tests.demo_sample import BODY, NUMBER, TITLE, build
from tests.snapshot.repository import ENVIRON
from tests.standins.github import GitHubServer
from tests.standins.github_sample import NewCommit, add_commits
from tests.standins.kept_process import kept_process
from tests.standins.models import ModelServer, Request, answer
from tests.standins.runner import Ended, Runner, model_inputs

NEW = b"def half(amount):\n    return amount / 2\n"


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with kept_process(), ModelServer(answer()) as server:
        yield server


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHubServer]:
    """The sample with a lockfile that is left out, a rename, a credential: all that is rendered."""
    with GitHubServer(build(tmp_path / "shop.git"), repository="acme/shop") as server:
        server.open_pull(NUMBER, title=TITLE, body=BODY)
        yield server


def reviewed(
    root: Path, github: GitHubServer, model: ModelServer, **inputs: str
) -> tuple[Ended, set[str]]:
    """One run, and all that followed the heading of the snapshot in what the model was sent, up
    to the agent's task."""
    model.play(answer())
    runner = Runner(root, github, {**model_inputs(model.url), **inputs})
    ended = runner.run(github.event(NUMBER))
    assert ended.code == 0, ended.log
    assert len(model.requests) == 5
    return ended, {snapshot(request) for request in model.requests}


def snapshot(request: Request) -> str:
    text = str(request.messages[-1]["content"]).partition("\n# Snapshot\n\n")[2]
    return text.rpartition("\n\n# Your task: ")[0]


def rebuilt(github: GitHubServer, out: Path, *flags: str) -> dict[str, Any]:
    """What the command prints for the commits of the pull request, on a clone of its own."""
    source = ["--repo", str(github.bare), "--base", "main", "--head", f"refs/pull/{NUMBER}/head"]
    written = ["--format", "json", "--out", str(out)]
    assert app.main(["snapshot", *source, *written, *flags], ENVIRON) == 0
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found


def same(ended: Ended, sent: set[str], again: dict[str, Any], body: str) -> None:
    """One text for every agent, byte for byte the rebuilt one; one digest wherever it is told."""
    [text] = sent
    assert text.encode() == again["text"].encode()
    assert again["reproducible"] is True
    assert again["digest"] == ended.outputs["digest"] == ended.report["snapshot"]["digest"]
    assert f"sha256 `{again['digest']}`" in body
    assert again["digest"] in ended.summary
    assert again["digest"] in ended.log


def test_the_commits_give_the_bytes_that_the_model_was_sent(
    tmp_path: Path, github: GitHubServer, model: ModelServer
) -> None:
    ended, sent = reviewed(tmp_path / "job", github, model)
    [review] = github.reviews(NUMBER)
    again = rebuilt(github, tmp_path / "out.json")
    same(ended, sent, again, review.body)
    assert "[REDACTED:" in again["text"]
    other = rebuilt(github, tmp_path / "out.json", "--diff-token-budget", "1000")
    assert other["digest"] != again["digest"]


def test_an_incremental_review_is_rebuilt_with_since(
    tmp_path: Path, github: GitHubServer, model: ModelServer
) -> None:
    first = github.api.pulls[NUMBER].head_sha
    reviewed(tmp_path / "first", github, model)
    add_commits(
        github.bare, [NewCommit("feature", "Halve", {"shop/half.py": NEW}, start="feature^0")]
    )
    github.push(NUMBER, "feature")
    ended, sent = reviewed(tmp_path / "second", github, model)
    last = github.reviews(NUMBER)[-1]
    assert f"what is new since `{first[:12]}`" in last.body
    again = rebuilt(github, tmp_path / "out.json", "--since", first)
    same(ended, sent, again, last.body)
    assert "return amount / 2" in again["text"]
    assert "rates = _cache.get(base)" not in again["text"]
    assert rebuilt(github, tmp_path / "out.json")["digest"] != again["digest"]
