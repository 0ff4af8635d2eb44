"""The sample pull request on a stand-in of GitHub, and a job that reviews it without a model."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.pushes import KeptProcess
from tests.demo_sample import opened
from tests.standins.github import GitHubServer
from tests.standins.runner import Runner


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHubServer]:
    with opened(tmp_path) as server:
        yield server


@pytest.fixture
def runner(tmp_path: Path, github: GitHubServer) -> Runner:
    return Runner(tmp_path / "job", github, {"model": "none"})


@pytest.fixture(scope="session")
def kept_process() -> Iterator[KeptProcess]:
    kept = KeptProcess({"PATH": os.defpath})
    yield kept
    kept.end()


@pytest.fixture(scope="module")
def one_process(kept_process: KeptProcess) -> Iterator[None]:
    """Runs of the action in this process ask one and the same model process."""
    made = "pr_review.adapters.llm.model.ModelProcess"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(made, lambda *_, **__: kept_process)
        yield
