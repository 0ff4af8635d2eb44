"""The sample's pull request on the stand-in of GitHub, for tests that ask the API."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.standins.github import Account, GitHubServer


@contextmanager
def hosted(bare: Path, person: Account) -> Iterator[GitHubServer]:
    """Number 7, opened by octocat; the token `person` is that of `person`."""
    with GitHubServer(bare) as server:
        server.open_pull(7, author="octocat")
        server.grant("person", person)
        yield server
