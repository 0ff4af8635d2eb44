"""Reads pull requests: what the trigger and the change source ask of GitHub."""

from __future__ import annotations

import base64
from functools import partial
from typing import Any
from urllib.parse import quote

from pr_review.adapters.github.client import Client, Missing
from pr_review.adapters.github.failures import CAUGHT, failure
from pr_review.domain.pull_request import Brief, PullRequest, Repository
from pr_review.errors import GitHubError, PublishError, SnapshotError, UnreadableFile

_WRITERS = ("admin", "maintain", "write")


class GitHubPullRequests:
    """Implements `event.ports.PullRequests`, and names merge bases."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def pull_request(self, number: int) -> PullRequest:
        take = partial(pull_request, self._client.repository)
        return self._client.get(f"reading pull request {number}", f"/pulls/{number}", take)

    def brief(self, pull_request: PullRequest) -> Brief:
        """Title and body as given, and up to 250 commits, oldest first: GitHub lists no more."""
        number = pull_request.number
        doing = f"reading the commits of pull request {number}"
        commits = self._client.pages(doing, f"/pulls/{number}/commits", _commit)
        messages = tuple(message for _, message in commits)
        ids = tuple(sha for sha, _ in commits)
        return Brief(pull_request.title, pull_request.body, messages, ids)

    def may_write(self, login: str) -> bool:
        """False for somebody whom GitHub does not know."""
        if not login:
            return False
        path = f"/collaborators/{quote(login, safe='')}/permission"
        role = self._client.find("reading a user's permission", path, _role)
        return role in _WRITERS

    def acknowledge(self, comment_id: int) -> str:
        """Returns the login of our own actor, as GitHub's answer tells it."""
        path = f"/issues/comments/{comment_id}/reactions"
        try:
            made = self._client.send("POST", path, body={"content": "eyes"})
            return str((made["user"] or {}).get("login") or "")
        except CAUGHT as error:
            doing = self._client.place(f"reacting to comment {comment_id}")
            raise failure(PublishError, doing, error) from None

    def reply(self, number: int, text: str) -> None:
        try:
            self._client.send("POST", f"/issues/{number}/comments", body={"body": text})
        except CAUGHT as error:
            doing = self._client.place(f"answering below pull request {number}")
            raise failure(PublishError, doing, error) from None

    def base_file(self, branch: str, path: str) -> str | None:
        """A file at the present tip of a branch; None if the branch has no such file.

        Raises `UnreadableFile`, and another `GitHubError` also where the branch is gone.
        """
        # the full name of the branch: a short one also finds a tag
        doing, ref = f"reading {path} of branch {branch}", f"refs/heads/{branch}"
        found = self._client.find(
            doing, f"/contents/{quote(path)}", partial(_bytes, path, branch), ref=ref
        )
        if isinstance(found, Missing):
            # no other words tell a missing branch from a missing file
            if "no commit found" in found.words.lower():
                raise GitHubError(
                    f"{self._client.place(doing)}: there is no such branch any more",
                    remedy="choose a base branch that exists, and run again",
                )
            return None
        try:
            return found.decode("utf-8")
        except UnicodeDecodeError:
            raise UnreadableFile(f"{path} of branch {branch} is not UTF-8 text") from None

    def merge_base(self, base_sha: str, head_sha: str) -> str:
        """Id of the commit where the head left the base.

        Raises `GitHubError`, and `SnapshotError` if there is no such commit.
        """
        # the second page of one leaves the file list out, which the first always has:
        # https://docs.github.com/en/rest/commits/commits#compare-two-commits
        doing = f"finding the merge base of {base_sha[:12]} and {head_sha[:12]}"
        path = f"/compare/{base_sha}...{head_sha}"
        found = self._client.find(doing, path, _merge_base, per_page=1, page=2)
        if isinstance(found, str) and found:
            return found
        said = f" ({found.words})" if isinstance(found, Missing) else ""
        raise SnapshotError(
            f"{self._client.place(doing)}: GitHub finds none{said}",
            remedy="rebase the branch on its base, or merge the base into it; "
            "if it was force-pushed just now, run again",
        )


def pull_request(repository: Repository, data: Any) -> PullRequest:
    """A pull request from GitHub's JSON; null stands for deleted accounts and forks there."""
    user, head, base = data["user"] or {}, data["head"], data["base"]
    return PullRequest(
        repository=repository,
        number=int(data["number"]),
        title=data["title"] or "",
        body=data["body"] or "",
        author=user.get("login") or "",
        author_is_bot=user.get("type") == "Bot",
        base_ref=base["ref"],
        base_sha=base["sha"],
        head_ref=head["ref"],
        head_sha=head["sha"],
        head_repository=_repository(head["repo"]),
        draft=bool(data.get("draft")),
        closed=data["state"] != "open",
        labels=tuple(label["name"] for label in data.get("labels") or ()),
        author_association=data.get("author_association") or "",
        locked=bool(data.get("locked")),
    )


def _repository(data: Any) -> Repository | None:
    if not data:
        return None
    owner, _, name = str(data["full_name"]).partition("/")
    return Repository(owner, name)


def _commit(data: Any) -> tuple[str, str]:
    return str(data["sha"]), str(data["commit"]["message"])


def _role(data: Any) -> str:
    # `permission` knows the old words alone, in which to maintain is to write
    return str(data["permission"])


def _merge_base(data: Any) -> str:
    """Empty where the answer is a comparison, but names no common commit."""
    assert data["base_commit"]
    return str((data.get("merge_base_commit") or {}).get("sha") or "")


def _bytes(path: str, branch: str, data: Any) -> bytes:
    if isinstance(data, list) or data["type"] != "file":
        raise UnreadableFile(f"{path} is not a file on branch {branch}")
    if data["encoding"] != "base64":
        raise UnreadableFile(f"{path} of branch {branch} is over the 1 MB that GitHub's API gives")
    return base64.b64decode(data["content"])
