"""The REST calls of the GitHub stand-in, on the state of one repository."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.standins.github_git import DiffFile, Repository
from tests.standins.github_rules import Answer, Attempt, Token, refusal
from tests.standins.github_shapes import Account, Json, Pull, Shapes, StoredReview

NOT_FOUND = Answer(404, {"message": "Not Found", "documentation_url": "d", "status": "404"})
DIFF_MEDIA_TYPE = re.compile(r"application/vnd\.github\.(v3\.)?diff")
STATES = {"COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED"}


@dataclass(frozen=True)
class Limits:
    """GitHub's limits, smaller in tests that reach them."""

    patch: int = 200_000
    listed_files: int = 3000
    compared_files: int = 300
    diff_lines: int = 20_000
    diff_files: int = 300
    tree_entries: int = 100_000


@dataclass(frozen=True)
class Call:
    """One request, as the endpoints see it. `names` fill the gaps of its route."""

    method: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    sent: Json
    token: Token
    names: Mapping[str, str]
    url: str

    def page(self, items: Sequence[Any]) -> tuple[Sequence[Any], dict[str, str]]:
        """One page of the items, and the `Link` header if there are more."""
        size = max(1, min(100, int(self.query.get("per_page", "30"))))
        number = max(1, int(self.query.get("page", "1")))
        links = {}
        if number * size < len(items):
            links["Link"] = f'<{self.url}?per_page={size}&page={number + 1}>; rel="next"'
        return items[(number - 1) * size : number * size], links


Endpoint = Callable[["Api", Call], Answer]
ROUTES: list[tuple[str, str, re.Pattern[str], Endpoint]] = []


def route(method: str, template: str) -> Callable[[Endpoint], Endpoint]:
    """Enters an endpoint for a path of GitHub's description."""
    gaps = re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", template)
    pattern = re.compile(gaps.replace("(?P<path>[^/]+)", "(?P<path>.+)"))

    def enter(endpoint: Endpoint) -> Endpoint:
        ROUTES.append((method, template, pattern, endpoint))
        return endpoint

    return enter


@dataclass
class Api:
    """The state of one repository on the stand-in, and its endpoints."""

    repository: Repository
    shapes: Shapes
    limits: Limits
    pulls: dict[int, Pull] = field(default_factory=dict)
    permissions: dict[str, str] = field(default_factory=dict)
    comments: dict[int, Json] = field(default_factory=dict)
    reactions: list[tuple[int, str]] = field(default_factory=list)
    disabled: set[str] = field(default_factory=set)
    archived: bool = False
    ids: Any = field(default_factory=lambda: count(101))

    def merge_base(self, pull: Pull) -> str:
        base = self.repository.merge_base(pull.base_sha, pull.head_sha)
        assert base is not None, f"pull request {pull.number} has no merge base"
        return base

    def files(self, pull: Pull) -> tuple[DiffFile, ...]:
        return self.repository.diff(self.merge_base(pull), pull.head_sha)

    def pull_json(self, pull: Pull) -> Json:
        commits = self.repository.count(self.merge_base(pull), pull.head_sha)
        return self.shapes.pull(pull, self.files(pull), commits)

    def find(self, call: Call) -> tuple[Pull, StoredReview | None] | None:
        """The pull request and the review that a path names; None if either is not there."""
        pull = self.pulls.get(int(call.names["pull_number"]))
        if pull is None:
            return None
        if "review_id" not in call.names:
            return pull, None
        wanted = int(call.names["review_id"])
        review = next((r for r in pull.reviews if r.id == wanted), None)
        hidden = review and review.state == "PENDING" and review.user != call.token.actor
        return (pull, review) if review and not hidden else None

    def refused(
        self,
        call: Call,
        operation: str,
        allowed: Sequence[str] = (),
        *,
        permission: str = "pull_requests",
        pull: Pull | None = None,
        review: StoredReview | None = None,
    ) -> Answer | None:
        files: tuple[DiffFile, ...] = ()
        commits: frozenset[str] = frozenset()
        if pull is not None:
            files = self.files(pull)
            log = self.repository.commits(self.merge_base(pull), pull.head_sha)
            commits = frozenset(commit.sha for commit in log)
        attempt = Attempt(
            operation,
            call.token,
            permission,
            call.sent,
            frozenset(allowed),
            pull,
            review,
            files,
            commits,
            self.archived,
        )
        return refusal(attempt, self.disabled)


@route("GET", "/user")
def _user(api: Api, call: Call) -> Answer:
    if call.token.installation and "user-by-installation" not in api.disabled:
        message = "Resource not accessible by integration"
        return Answer(403, {"message": message, "documentation_url": "d", "status": "403"})
    return Answer(200, api.shapes.viewer(call.token.actor))


@route("GET", "/repos/{owner}/{repo}")
def _repo(api: Api, call: Call) -> Answer:
    return Answer(200, api.shapes.repo(api.shapes.repository, "full-repository"))


@route("GET", "/repos/{owner}/{repo}/branches/{branch}")
def _branch(api: Api, call: Call) -> Answer:
    sha = api.repository.resolve(f"refs/heads/{call.names['branch']}")
    if sha is None:
        body = {"message": "Branch not found", "documentation_url": "d", "status": "404"}
        return Answer(404, body)
    name = call.names["branch"]
    url = f"{api.shapes.base}/branches/{name}"
    return Answer(
        200,
        {
            "name": name,
            "commit": api.shapes.commit(api.repository.commit(sha)),
            "_links": {"html": f"{api.shapes.web}/tree/{name}", "self": url},
            "protected": False,
            "protection": {"enabled": False},
            "protection_url": f"{url}/protection",
        },
    )


@route("GET", "/repos/{owner}/{repo}/contents/{path}")
def _contents(api: Api, call: Call) -> Answer:
    ref = call.query.get("ref", "main")
    sha = api.repository.resolve(ref)
    if sha is None:
        message = f"No commit found for the ref {ref}"
        return Answer(404, {"message": message, "documentation_url": "d", "status": "404"})
    found = api.repository.blob(sha, call.names["path"])
    return Answer(200, api.shapes.content(call.names["path"], *found)) if found else NOT_FOUND


@route("GET", "/repos/{owner}/{repo}/collaborators/{username}/permission")
def _permission(api: Api, call: Call) -> Answer:
    login = call.names["username"]
    if login not in api.permissions:
        return Answer(404, {"message": f"{login} is not a user", "status": "404"})
    permission = api.permissions[login]
    user = api.shapes.user(Account(login))
    assert user is not None
    return Answer(
        200,
        {
            # roles are folded into the three old words here, the role itself stands beside
            "permission": {"maintain": "write", "triage": "read"}.get(permission, permission),
            "role_name": permission,
            "user": {**user, "role_name": permission},
        },
    )


@route("GET", "/repos/{owner}/{repo}/compare/{basehead}")
def _compare(api: Api, call: Call) -> Answer:
    base, _, head = (api.repository.resolve(n) for n in call.names["basehead"].partition("..."))
    merge_base = api.repository.merge_base(base, head) if base and head else None
    if not (base and head and merge_base):
        return NOT_FOUND
    ahead = api.repository.commits(base, head)
    behind = api.repository.count(head, base)
    files = api.repository.diff(merge_base, head)[: api.limits.compared_files]
    commits, links = call.page([api.shapes.commit(commit) for commit in ahead])
    status = {(True, True): "diverged", (True, False): "ahead", (False, True): "behind"}
    url = f"{api.shapes.base}/compare/{call.names['basehead']}"
    answer = {
        **dict.fromkeys(("url", "html_url", "permalink_url", "diff_url", "patch_url"), url),
        "base_commit": api.shapes.commit(api.repository.commit(base)),
        "merge_base_commit": api.shapes.commit(api.repository.commit(merge_base)),
        "status": status.get((bool(ahead), bool(behind)), "identical"),
        "ahead_by": len(ahead),
        "behind_by": behind,
        "total_commits": len(ahead),
        "commits": commits,
    }
    # the file list comes with the first page alone:
    # https://docs.github.com/en/rest/commits/commits#compare-two-commits
    if call.query.get("page", "1") == "1":
        limit = api.limits.patch
        answer["files"] = [api.shapes.file(file, patch_limit=limit) for file in files]
    return Answer(200, answer, links)


@route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}")
def _pull(api: Api, call: Call) -> Answer:
    found = api.find(call)
    if found is None:
        return NOT_FOUND
    if DIFF_MEDIA_TYPE.search(call.headers.get("accept", "")):
        return _diff(api, found[0])
    return Answer(200, api.pull_json(found[0]))


def _diff(api: Api, pull: Pull) -> Answer:
    text = api.repository.text(api.merge_base(pull), pull.head_sha)
    limits, files = api.limits, len(api.files(pull))
    reason = ""
    if text.count("\n") > limits.diff_lines and "diff-too-many-lines" not in api.disabled:
        reason = f"lines ({limits.diff_lines})."
    elif files > limits.diff_files and "diff-too-many-files" not in api.disabled:
        reason = (
            f"files ({limits.diff_files}). Consider using 'List pull requests files' API "
            "or locally cloning the repository instead."
        )
    if not reason:
        return Answer(200, text, {"Content-Type": "application/vnd.github.v3.diff; charset=utf-8"})
    error = {"resource": "PullRequest", "field": "diff", "code": "too_large"}
    message = f"Sorry, the diff exceeded the maximum number of {reason}"
    return Answer(406, {"message": message, "errors": [error], "status": "406"})


@route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/commits")
def _commits(api: Api, call: Call) -> Answer:
    found = api.find(call)
    if found is None:
        return NOT_FOUND
    pull = found[0]
    # at most 250: https://docs.github.com/en/rest/pulls/pulls#list-commits-on-a-pull-request
    log = api.repository.commits(api.merge_base(pull), pull.head_sha)[:250]
    page, links = call.page(log)
    return Answer(200, [api.shapes.commit(commit) for commit in page], links)


@route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/files")
def _files(api: Api, call: Call) -> Answer:
    found = api.find(call)
    if found is None:
        return NOT_FOUND
    page, links = call.page(api.files(found[0])[: api.limits.listed_files])
    return Answer(200, [api.shapes.file(f, patch_limit=api.limits.patch) for f in page], links)


@route("GET", "/repos/{owner}/{repo}/git/trees/{tree_sha}")
def _tree(api: Api, call: Call) -> Answer:
    sha = api.repository.resolve(call.names["tree_sha"])
    if sha is None:
        return NOT_FOUND
    nodes = api.repository.tree(sha)
    limit = api.limits.tree_entries
    return Answer(200, api.shapes.tree(sha, nodes[:limit], truncated=len(nodes) > limit))


@route("GET", "/repos/{owner}/{repo}/git/blobs/{file_sha}")
def _blob(api: Api, call: Call) -> Answer:
    data = api.repository.content(call.names["file_sha"])
    return NOT_FOUND if data is None else Answer(200, api.shapes.blob(call.names["file_sha"], data))


@route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews")
def _reviews(api: Api, call: Call) -> Answer:
    found = api.find(call)
    if found is None:
        return NOT_FOUND
    pull = found[0]
    page, links = call.page(pull.visible(call.token.actor))
    return Answer(200, [api.shapes.review(pull, review) for review in page], links)


@route("POST", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews")
def _create_review(api: Api, call: Call) -> Answer:
    found = api.find(call)
    if found is None:
        return NOT_FOUND
    pull = found[0]
    allowed = ("commit_id", "body", "event", "comments")
    refused = api.refused(call, "review", allowed, pull=pull)
    if refused:
        return refused
    review = StoredReview(
        next(api.ids),
        call.token.actor,
        call.sent.get("body") or "",
        STATES.get(call.sent.get("event") or "", "PENDING"),
        call.sent.get("commit_id") or pull.head_sha,
    )
    review.comments = [
        api.shapes.review_comment(pull, review, index, sent)
        for index, sent in enumerate(call.sent.get("comments") or ())
    ]
    pull.reviews.append(review)
    return Answer(200, api.shapes.review(pull, review))


@route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}")
def _review(api: Api, call: Call) -> Answer:
    match api.find(call):
        case (pull, StoredReview() as review):
            return Answer(200, api.shapes.review(pull, review))
        case _:
            return NOT_FOUND


@route("PUT", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}")
def _update_review(api: Api, call: Call) -> Answer:
    match api.find(call):
        case (pull, StoredReview() as review):
            refused = api.refused(call, "update", ("body",))
            if refused:
                return refused
            review.body = call.sent.get("body") or ""
            return Answer(200, api.shapes.review(pull, review))
        case _:
            return NOT_FOUND


@route("DELETE", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}")
def _delete_review(api: Api, call: Call) -> Answer:
    match api.find(call):
        case (pull, StoredReview() as review):
            refused = api.refused(call, "delete", review=review)
            if refused:
                return refused
            pull.reviews.remove(review)
            return Answer(200, api.shapes.review(pull, review))
        case _:
            return NOT_FOUND


@route("POST", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/events")
def _submit_review(api: Api, call: Call) -> Answer:
    match api.find(call):
        case (pull, StoredReview() as review):
            refused = api.refused(call, "submit", ("body", "event"), pull=pull, review=review)
            if refused:
                return refused
            review.body = call.sent.get("body") or review.body
            review.state = STATES.get(call.sent.get("event") or "", review.state)
            return Answer(200, api.shapes.review(pull, review))
        case _:
            return NOT_FOUND


@route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments")
def _review_comments(api: Api, call: Call) -> Answer:
    match api.find(call):
        case (_, StoredReview() as review):
            page, links = call.page(review.comments)
            return Answer(200, list(page), links)
        case _:
            return NOT_FOUND


def visible_comments(pull: Pull, actor: Account) -> list[Json]:
    """Inline comments and answers to them; those of a pending review are its author's alone."""
    return [comment for review in pull.visible(actor) for comment in review.comments]


@route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/comments")
def _pull_comments(api: Api, call: Call) -> Answer:
    found = api.find(call)
    if found is None:
        return NOT_FOUND
    pending = {review.id for review in found[0].reviews if review.state == "PENDING"}
    seen = visible_comments(found[0], call.token.actor)
    page, links = call.page([c for c in seen if c["pull_request_review_id"] not in pending])
    # this list leaves out what is null in that of one review
    stated = [{key: value for key, value in c.items() if value is not None} for c in page]
    return Answer(200, stated, links)


@route("GET", "/repos/{owner}/{repo}/issues/{issue_number}/comments")
def _issue_comments(api: Api, call: Call) -> Answer:
    pull = api.pulls.get(int(call.names["issue_number"]))
    if pull is None:
        return NOT_FOUND
    page, links = call.page(pull.issue_comments)
    return Answer(200, list(page), links)


@route("POST", "/repos/{owner}/{repo}/issues/{issue_number}/comments")
def _create_issue_comment(api: Api, call: Call) -> Answer:
    pull = api.pulls.get(int(call.names["issue_number"]))
    if pull is None:
        return NOT_FOUND
    refused = api.refused(call, "comment", ("body",))
    if refused:
        return refused
    return Answer(201, add_issue_comment(api, pull, call.token.actor, call.sent.get("body") or ""))


def add_issue_comment(api: Api, pull: Pull, author: Account, body: str) -> Json:
    comment = api.shapes.issue_comment(next(api.ids), author, body, pull.number)
    pull.issue_comments.append(comment)
    api.comments[comment["id"]] = comment
    return comment


@route("POST", "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions")
def _react(api: Api, call: Call) -> Answer:
    number = int(call.names["comment_id"])
    if number not in api.comments:
        return NOT_FOUND
    # a comment on a pull request is open to either right
    permission = "issues" if call.token.rights.get("issues") == "write" else "pull_requests"
    refused = api.refused(call, "reaction", ("content",), permission=permission)
    if refused:
        return refused
    content = call.sent.get("content")
    api.reactions.append((number, str(content)))
    return Answer(
        201,
        {
            "id": next(api.ids),
            "node_id": "",
            "user": api.shapes.user(call.token.actor),
            "content": content,
            "created_at": "2026-01-02T03:04:05Z",
        },
    )
