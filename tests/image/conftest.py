"""The image that PR_REVIEW_IMAGE names, in a job on the sample pull request."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.demo_sample import opened
from tests.image.container import Container
from tests.standins.github import GitHubServer


@pytest.fixture
def image() -> str:
    name = os.environ.get("PR_REVIEW_IMAGE")
    assert name, "PR_REVIEW_IMAGE must name the image to run"
    return name


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHubServer]:
    with opened(tmp_path) as server:
        yield server


@pytest.fixture
def container(tmp_path: Path, github: GitHubServer, image: str) -> Container:
    return Container(image, github, tmp_path)
