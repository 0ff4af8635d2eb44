"""Reads pull requests: what the trigger and the change source ask of GitHub."""

from __future__ import annotations

from functools import cache, partial
from typing import Any
from urllib.parse import quote

from github import ContentFile, GithubException, UnknownObjectException

from pr_review.adapters.github.client import Client
from pr_review.adapters.github.failures import CAUGHT, failure
from pr_review.domain.pull_request import Brief, PullRequest, Repository
from pr_review.errors import GitHubError

_WRITERS = ("admin", "maintain", "write")


class GitHubPullRequests:
    """Implements `event.ports.PullRequests`, and names merge bases."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._tip = cache(self._read_tip)

    def pull_request(self, number: int) -> PullRequest:
        take = partial(pull_request, self._client.repository)
        return self._client.get(f"reading pull request {number}", f"/pulls/{number}", take)

    def brief(self, pull_request: PullRequest) -> Brief:
        """Title and body as given, and up to 250 commit messages: GitHub lists no more."""
        number = pull_request.number
        doing = f"reading the commits of pull request {number}"
        messages = self._client.pages(
            doing, f"/pulls/{number}/commits", lambda commit: str(commit["commit"]["message"])
        )
        return Brief(pull_request.title, pull_request.body, tuple(messages))

    def may_write(self, login: str) -> bool:
        """False for somebody whom GitHub does not know."""
        if not login:
            return False
        return self._client.read("reading a user's permission", lambda: self._writes(login))

    def _writes(self, login: str) -> bool:
        try:
            return self._client.repo.get_collaborator_permission(login) in _WRITERS
        except UnknownObjectException:
            return False
        except GithubException as error:
            if error.status == 404:  # "… is not a user"
                return False
            raise

    def acknowledge(self, comment_id: int) -> None:
        path = f"/issues/comments/{comment_id}/reactions"
        try:
            self._client.send("POST", path, body={"content": "eyes"})
        except CAUGHT as error:
            doing = self._client.place(f"reacting to comment {comment_id}")
            raise failure(GitHubError, doing, error) from None

    def reply(self, number: int, text: str) -> None:
        try:
            self._client.send("POST", f"/issues/{number}/comments", body={"body": text})
        except CAUGHT as error:
            doing = self._client.place(f"answering below pull request {number}")
            raise failure(GitHubError, doing, error) from None

    def base_file(self, branch: str, path: str) -> str | None:
        """All files of one run come from one tip: the first call of a branch settles it."""
        tip = self._tip(branch)
        doing = f"reading {path} of branch {branch}"
        data = self._client.read(doing, lambda: self._content(path, tip))
        if data is None:
            return None
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            raise GitHubError(f"{path} of branch {branch} is not UTF-8 text") from None

    def _read_tip(self, branch: str) -> str:
        # by id: `ref=name` would also find a tag of that name
        doing = f"reading the tip of branch {branch}"
        path = f"/branches/{quote(branch, safe='')}"
        return self._client.get(doing, path, lambda answer: str(answer["commit"]["sha"]))

    def _content(self, path: str, commit: str) -> bytes | None:
        try:
            found = self._client.repo.get_contents(path, ref=commit)
        except UnknownObjectException:
            return None
        return _bytes(path, found)

    def merge_base(self, base_sha: str, head_sha: str) -> str:
        """Id of the commit where the head left the base. Raises `GitHubError`."""
        # the second page of one leaves the file list out, which the first always has:
        # https://docs.github.com/en/rest/commits/commits#compare-two-commits
        doing = f"finding the merge base of {base_sha[:12]} and {head_sha[:12]}"
        return self._client.get(
            doing,
            f"/compare/{base_sha}...{head_sha}",
            lambda answer: str(answer["merge_base_commit"]["sha"]),
            per_page=1,
            page=2,
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
    )


def _repository(data: Any) -> Repository | None:
    if not data:
        return None
    owner, _, name = str(data["full_name"]).partition("/")
    return Repository(owner, name)


def _bytes(path: str, found: ContentFile.ContentFile | list[ContentFile.ContentFile]) -> bytes:
    if isinstance(found, list) or found.type != "file":
        raise GitHubError(f"{path} is not a file on the base branch")
    if found.encoding != "base64":
        raise GitHubError(f"{path} is over the 1 MB that GitHub's API gives of a file")
    return found.decoded_content
