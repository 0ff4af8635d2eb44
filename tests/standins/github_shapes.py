"""JSON that the GitHub stand-in answers with. Required keys it does not know are filled."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.standins.github_git import Commit, DiffFile, TreeNode
from tests.standins.openapi import filled

Json = dict[str, Any]
NOW = "2026-01-02T03:04:05Z"


@dataclass(frozen=True)
class Account:
    login: str
    type: str = "User"

    @property
    def id(self) -> int:
        return sum(self.login.encode()) + 1000


@dataclass
class StoredReview:
    id: int
    user: Account
    body: str
    state: str
    commit_id: str
    comments: list[Json] = field(default_factory=list)
    minimized: bool = False


@dataclass
class Pull:
    """A pull request as the stand-in keeps it. `head_repository` is None for a deleted fork.

    `resolved` are threads by the ids of their first comments, `resolved_by` who resolved them.
    """

    number: int
    title: str
    body: str | None
    author: Account | None
    base_ref: str
    base_sha: str
    head_ref: str
    head_sha: str
    head_repository: str | None
    draft: bool
    labels: tuple[str, ...]
    state: str = "open"
    association: str = "CONTRIBUTOR"
    reviews: list[StoredReview] = field(default_factory=list)
    issue_comments: list[Json] = field(default_factory=list)
    locked: bool = False
    resolved: set[int] = field(default_factory=set)
    resolved_by: str = "maintainer"

    def visible(self, actor: Account) -> list[StoredReview]:
        """A pending review is seen by its author alone."""
        return [r for r in self.reviews if r.state != "PENDING" or r.user == actor]


@dataclass(frozen=True)
class Shapes:
    """Renders for one repository at one address."""

    api: str
    web: str
    repository: str

    @property
    def base(self) -> str:
        return f"{self.api}/repos/{self.repository}"

    def user(self, account: Account | None) -> Json | None:
        if account is None:
            return None
        return filled(
            "simple-user",
            login=account.login,
            id=account.id,
            type=account.type,
            url=f"{self.api}/users/{account.login}",
            html_url=f"{self.web}/{account.login}",
        )

    def viewer(self, account: Account) -> Json:
        shape = self.user(account)
        assert shape is not None
        return filled("private-user", **shape, user_view_type="private")

    def repo(self, full_name: str, schema: str = "repository") -> Json:
        owner, name = full_name.split("/")
        return filled(
            schema,
            id=sum(full_name.encode()),
            name=name,
            full_name=full_name,
            owner=self.user(Account(owner, "Organization")),
            fork=full_name != self.repository,
            default_branch="main",
            url=f"{self.api}/repos/{full_name}",
            html_url=f"{self.web}/{full_name}",
            clone_url=f"{self.web}/{full_name}.git",
        )

    def pull(self, pull: Pull, files: tuple[DiffFile, ...], commits: int) -> Json:
        url = f"{self.base}/pulls/{pull.number}"
        return filled(
            "pull-request",
            id=pull.number,
            number=pull.number,
            state=pull.state,
            title=pull.title,
            body=pull.body,
            user=self.user(pull.author),
            draft=pull.draft,
            locked=pull.locked,
            labels=[self._label(name) for name in pull.labels],
            base=self._branch(pull.base_ref, pull.base_sha, self.repository),
            head=self._branch(pull.head_ref, pull.head_sha, pull.head_repository),
            url=url,
            html_url=self.pull_page(pull),
            diff_url=f"{self.pull_page(pull)}.diff",
            author_association=pull.association,
            changed_files=len(files),
            additions=sum(file.additions for file in files),
            deletions=sum(file.deletions for file in files),
            commits=commits,
            created_at=NOW,
            updated_at=NOW,
        )

    def pull_page(self, pull: Pull) -> str:
        return f"{self.web}/{self.repository}/pull/{pull.number}"

    def _label(self, name: str) -> Json:
        return {
            "id": 1,
            "node_id": "",
            "url": f"{self.base}/labels/{name}",
            "name": name,
            "description": None,
            "color": "ededed",
            "default": False,
        }

    def _branch(self, ref: str, sha: str, repository: str | None) -> Json:
        if repository is None:
            return {"label": ref, "ref": ref, "sha": sha, "repo": None, "user": None}
        owner = repository.split("/")[0]
        return {
            "label": f"{owner}:{ref}",
            "ref": ref,
            "sha": sha,
            "repo": self.repo(repository),
            "user": self.user(Account(owner, "Organization")),
        }

    def commit(self, commit: Commit) -> Json:
        person = {"name": commit.name, "email": commit.email, "date": commit.date}
        tree = {"sha": commit.tree, "url": f"{self.base}/git/trees/{commit.tree}"}
        return filled(
            "commit",
            sha=commit.sha,
            url=f"{self.base}/commits/{commit.sha}",
            html_url=f"{self.web}/{self.repository}/commit/{commit.sha}",
            commit={
                "author": person,
                "committer": person,
                "message": commit.message,
                "comment_count": 0,
                "tree": tree,
                "url": f"{self.base}/git/commits/{commit.sha}",
            },
            author=None,
            committer=None,
            parents=[{"sha": sha, "url": f"{self.base}/commits/{sha}"} for sha in commit.parents],
        )

    def file(self, file: DiffFile, *, patch_limit: int) -> Json:
        """One entry of a file list; GitHub leaves `patch` out where it is large."""
        entry = filled(
            "diff-entry",
            sha=file.oid,
            filename=file.path,
            status=file.status,
            additions=file.additions,
            deletions=file.deletions,
            changes=file.additions + file.deletions,
        )
        if file.old_path:
            entry["previous_filename"] = file.old_path
        if file.patch and len(file.patch) <= patch_limit:
            entry["patch"] = file.patch
        return entry

    def review(self, pull: Pull, review: StoredReview) -> Json:
        page = f"{self.pull_page(pull)}#pullrequestreview-{review.id}"
        shape = filled(
            "pull-request-review",
            id=review.id,
            node_id=f"PRR_{review.id}",
            user=self.user(review.user),
            body=review.body,
            state=review.state,
            html_url=page,
            pull_request_url=f"{self.base}/pulls/{pull.number}",
            _links={
                "html": {"href": page},
                "pull_request": {"href": f"{self.base}/pulls/{pull.number}"},
            },
            commit_id=review.commit_id,
        )
        return shape if review.state == "PENDING" else {**shape, "submitted_at": NOW}

    def review_comment(self, pull: Pull, review: StoredReview, index: int, sent: Json) -> Json:
        number = review.id * 1000 + index
        shape = filled(
            "review-comment",
            id=number,
            url=f"{self.base}/pulls/comments/{number}",
            body=sent["body"],
            path=sent["path"],
            user=self.user(review.user),
            pull_request_review_id=review.id,
            commit_id=review.commit_id,
            original_commit_id=review.commit_id,
            html_url=f"{self.pull_page(pull)}#discussion_r{number}",
            pull_request_url=f"{self.base}/pulls/{pull.number}",
            author_association=sent.get("author_association", "NONE"),
        )
        anchor = ("line", "side", "start_line", "start_side", "in_reply_to_id")
        return {**shape, **{key: sent[key] for key in anchor if key in sent}}

    def issue_comment(self, number: int, user: Account, body: str, issue: int) -> Json:
        return filled(
            "issue-comment",
            id=number,
            url=f"{self.base}/issues/comments/{number}",
            body=body,
            html_url=f"{self.web}/{self.repository}/pull/{issue}#issuecomment-{number}",
            issue_url=f"{self.base}/issues/{issue}",
            user=self.user(user),
            created_at=NOW,
            updated_at=NOW,
            author_association="MEMBER",
        )

    def tree(self, sha: str, nodes: Sequence[TreeNode], *, truncated: bool) -> Json:
        """A recursive tree; a submodule has no address, a folder and a submodule no size."""
        return {
            "sha": sha,
            "url": f"{self.base}/git/trees/{sha}",
            "tree": [self._node(node) for node in nodes],
            "truncated": truncated,
        }

    def _node(self, node: TreeNode) -> Json:
        entry: Json = {"path": node.path, "mode": node.mode, "type": node.kind, "sha": node.oid}
        if node.kind != "commit":
            entry["url"] = f"{self.base}/git/{node.kind}s/{node.oid}"
        return entry if node.size is None else {**entry, "size": node.size}

    def blob(self, oid: str, data: bytes) -> Json:
        return filled(
            "blob",
            sha=oid,
            size=len(data),
            encoding="base64",
            content=base64.encodebytes(data).decode(),
            url=f"{self.base}/git/blobs/{oid}",
        )

    def content(self, path: str, oid: str, data: bytes) -> Json:
        small = len(data) <= 1_000_000
        url = f"{self.base}/contents/{path}"
        return filled(
            "content-file",
            type="file",
            name=path.rpartition("/")[2],
            path=path,
            sha=oid,
            size=len(data),
            encoding="base64" if small else "none",
            content=base64.encodebytes(data).decode() if small else "",
            url=url,
            _links={"self": url, "git": None, "html": None},
        )
