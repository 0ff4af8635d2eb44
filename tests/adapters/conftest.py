"""A sample repository, and a pull request of it on the stand-in of GitHub."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.github_reviews import PERSON
from tests.standins.github import GitHubServer
from tests.standins.github_hosted import hosted
from tests.standins.github_sample import sample


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample(tmp_path_factory.mktemp("github") / "widgets.git")


@pytest.fixture
def github(bare: Path) -> Iterator[GitHubServer]:
    with hosted(bare, PERSON) as server:
        yield server
