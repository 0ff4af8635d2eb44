"""What the trigger asks of GitHub."""

from __future__ import annotations

from typing import Protocol

from pr_review.domain.pull_request import Brief, PullRequest


class PullRequests(Protocol):
    """One repository's pull requests. Reads raise `GitHubError`, writes `PublishError`."""

    def pull_request(self, number: int) -> PullRequest:
        """The pull request as it stands now."""

    def brief(self, pull_request: PullRequest) -> Brief:
        """Title, body and the commit messages (all pages)."""

    def may_write(self, login: str) -> bool:
        """Whether a user has write access to the repository."""

    def acknowledge(self, comment_id: int) -> str:
        """Puts an eyes reaction on an issue comment; returns whose it is."""

    def reply(self, number: int, text: str) -> None:
        """Answers below a pull request with one comment, sent once."""

    def base_file(self, branch: str, path: str) -> str | None:
        """Text of a file at the present tip of a branch; None if there is no such file."""
