"""A pull request as GitHub describes it, without its change."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Repository:
    """`owner/name` on one server."""

    owner: str
    name: str

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True, slots=True)
class PullRequest:
    """What the API says of a pull request.

    `author` is empty for a deleted account, `head_repository` None for a deleted fork.
    `base_sha` is the tip of the base branch when GitHub last looked, not the merge base.
    `fork` is true unless the head is known to stand in the same repository.
    `author_association` is what GitHub says of the author and this repository: `MEMBER`, `NONE`.
    `locked`: nobody but those who may push can say anything in its conversation.
    """

    repository: Repository
    number: int
    title: str
    body: str
    author: str
    author_is_bot: bool
    base_ref: str
    base_sha: str
    head_ref: str
    head_sha: str
    head_repository: Repository | None
    draft: bool = False
    closed: bool = False
    labels: tuple[str, ...] = ()
    author_association: str = ""
    locked: bool = False

    @property
    def fork(self) -> bool:
        return self.head_repository != self.repository


@dataclass(frozen=True, slots=True)
class Guideline:
    """Something the maintainers want changes judged by; `origin` says where it comes from.

    `path` is its file on the base branch, empty for what a rule of the settings says. `problem`
    is why a file that is there gives no text, empty if it does.
    """

    origin: str
    text: str
    path: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Brief:
    """What people wrote about a change; untrusted text, screened before it is sent.

    `commit_ids` are the commits that the messages belong to, oldest first, where they are
    known; they are not part of what is sent. `guidelines` are no part of the change.
    """

    title: str = ""
    body: str = ""
    commit_messages: tuple[str, ...] = ()
    commit_ids: tuple[str, ...] = ()
    guidelines: tuple[Guideline, ...] = ()
