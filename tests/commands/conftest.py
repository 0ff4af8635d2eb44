"""The sample pull request on a stand-in of GitHub, and a job that reviews it without a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

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
