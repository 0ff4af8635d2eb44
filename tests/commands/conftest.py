"""Two pull requests on a stand-in of GitHub: a sample for a job without a model, and one that grows
push by push."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import demo_sample
from tests.commands.pushes import Story, opened
from tests.standins.github import GitHubServer
from tests.standins.models import ModelServer
from tests.standins.runner import Runner


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHubServer]:
    with demo_sample.opened(tmp_path) as server:
        yield server


@pytest.fixture
def runner(tmp_path: Path, github: GitHubServer) -> Runner:
    return Runner(tmp_path / "job", github, {"model": "none"})


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def fresh(tmp_path: Path, model: ModelServer) -> Iterator[Story]:
    """The pull request that grows, before any review."""
    with opened(tmp_path, model) as begun:
        yield begun
