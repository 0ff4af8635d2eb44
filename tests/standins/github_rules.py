"""What GitHub refuses: one named rule each, in the order in which GitHub looks.

A rule gets the attempt and answers with the refusal, or with None to let it pass. Each has a
test that it refuses, and that the same request is accepted without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.standins.github_git import DiffFile
from tests.standins.github_shapes import Account, Json, Pull, StoredReview

BODY_LIMIT = 65_536
EVENTS = ("APPROVE", "REQUEST_CHANGES", "COMMENT")
REACTIONS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")
THREAD = "Pull request review thread"


@dataclass(frozen=True)
class Answer:
    """What goes back: a status and JSON (or text, with its own content type)."""

    status: int
    body: Any = None
    headers: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Token:
    """Who a token acts for, and what it may do: permission name to `read` or `write`."""

    actor: Account
    installation: bool
    rights: Mapping[str, str]


@dataclass(frozen=True)
class Attempt:
    """A write as the rules see it. `allowed` holds the keys the endpoint knows."""

    operation: str
    token: Token
    permission: str
    sent: Json
    allowed: frozenset[str]
    pull: Pull | None = None
    review: StoredReview | None = None
    files: tuple[DiffFile, ...] = ()
    commits: frozenset[str] = frozenset()
    archived: bool = False

    @property
    def event(self) -> str | None:
        return self.sent.get("event")

    @property
    def comments(self) -> list[Json]:
        return list(self.sent.get("comments") or ())

    @property
    def body(self) -> str:
        """The body that would stand: a pending review has one already."""
        return str(self.sent.get("body") or (self.review.body if self.review else ""))

    @property
    def own_pull(self) -> bool:
        return self.pull is not None and self.pull.author == self.token.actor

    def file(self, comment: Json) -> DiffFile | None:
        return next((f for f in self.files if f.path == comment.get("path")), None)

    def anchored(self) -> Iterator[tuple[DiffFile, Json]]:
        """Comments on files that are in the diff, each with its file."""
        for comment in self.comments:
            if (file := self.file(comment)) is not None:
                yield file, comment


Rule = Callable[[Attempt], Answer | None]
RULES: dict[str, tuple[frozenset[str], Rule]] = {}


def rule(name: str, *operations: str) -> Callable[[Rule], Rule]:
    def enter(check: Rule) -> Rule:
        RULES[name] = (frozenset(operations), check)
        return check

    return enter


def refusal(attempt: Attempt, disabled: set[str]) -> Answer | None:
    """The first rule's answer that refuses the attempt."""
    for name, (operations, check) in RULES.items():
        if attempt.operation in operations and name not in disabled:
            answer = check(attempt)
            if answer is not None:
                return answer
    return None


def unprocessable(errors: Any, message: str = "Unprocessable Entity") -> Answer:
    body = {"message": message, "errors": errors, "documentation_url": "d", "status": "422"}
    return Answer(422, body)


ALL = ("review", "submit", "update", "delete", "comment", "reaction", "minimize")
REST = ALL[:-1]


@rule("write-permission", *ALL)
def _write_permission(attempt: Attempt) -> Answer | None:
    if attempt.token.rights.get(attempt.permission) == "write":
        return None
    holder = "integration" if attempt.token.installation else "personal access token"
    return Answer(
        403,
        {
            "message": f"Resource not accessible by {holder}",
            "documentation_url": "d",
            "status": "403",
        },
        {"X-Accepted-GitHub-Permissions": f"{attempt.permission}=write"},
    )


@rule("archived", *ALL)
def _archived(attempt: Attempt) -> Answer | None:
    if not attempt.archived:
        return None
    message = "Repository was archived so is read-only."
    return Answer(403, {"message": message, "documentation_url": "d", "status": "403"})


@rule("locked", "review")
def _locked(attempt: Attempt) -> Answer | None:
    """A locked conversation is open to those who may push."""
    may_push = attempt.token.rights.get("contents") == "write"
    if attempt.pull is None or not attempt.pull.locked or may_push:
        return None
    return unprocessable(["lock prevents review"])


@rule("unknown-key", *REST)
def _unknown_key(attempt: Attempt) -> Answer | None:
    known = {"path", "position", "body", "line", "side", "start_line", "start_side"}
    strange = [*(attempt.sent.keys() - attempt.allowed)]
    strange += [key for comment in attempt.comments for key in comment.keys() - known]
    if not strange:
        return None
    return unprocessable([f'"{strange[0]}" is not a permitted key.'], "Invalid request.")


@rule("unknown-event", "review", "submit")
def _unknown_event(attempt: Attempt) -> Answer | None:
    if attempt.event in EVENTS or (attempt.event is None and attempt.operation == "review"):
        return None
    return unprocessable([f"Variable $event of type PullRequestReviewEvent: {attempt.event}"])


@rule("unknown-reaction", "reaction")
def _unknown_reaction(attempt: Attempt) -> Answer | None:
    if attempt.sent.get("content") in REACTIONS:
        return None
    error = {"resource": "Reaction", "code": "invalid", "field": "content"}
    return unprocessable([error], "Validation Failed")


@rule("comment-incomplete", "review")
def _comment_incomplete(attempt: Attempt) -> Answer | None:
    for comment in attempt.comments:
        for key in ("path", "body"):
            if not comment.get(key):
                field = f"pull_request_review_thread.{key}"
                error = {"resource": "PullRequestReviewComment", "code": "missing_field"}
                return unprocessable([{**error, "field": field}], "Validation Failed")
    return None


@rule("body-too-long", "review", "submit", "update", "comment")
def _body_too_long(attempt: Attempt) -> Answer | None:
    if len(attempt.body) <= BODY_LIMIT:
        return None
    return unprocessable([f"Body is too long (maximum is {BODY_LIMIT} characters)"])


@rule("comment-body-too-long", "review")
def _comment_body_too_long(attempt: Attempt) -> Answer | None:
    if all(len(str(comment.get("body"))) <= BODY_LIMIT for comment in attempt.comments):
        return None
    return unprocessable([f"{THREAD} body is too long (maximum is {BODY_LIMIT} characters)"])


@rule("body-missing", "review", "submit", "comment")
def _body_missing(attempt: Attempt) -> Answer | None:
    needs = attempt.operation == "comment" or attempt.event in ("COMMENT", "REQUEST_CHANGES")
    return unprocessable(["Body can't be blank"]) if needs and not attempt.body.strip() else None


@rule("update-body-missing", "update")
def _update_body_missing(attempt: Attempt) -> Answer | None:
    if str(attempt.sent.get("body") or "").strip():
        return None
    return unprocessable(["Body can't be blank"])


@rule("unknown-commit", "review")
def _unknown_commit(attempt: Attempt) -> Answer | None:
    commit = attempt.sent.get("commit_id")
    if commit is None or commit in attempt.commits:
        return None
    return unprocessable(["The commit is not part of the pull request"])


@rule("unknown-path", "review")
def _unknown_path(attempt: Attempt) -> Answer | None:
    if all(attempt.file(comment) for comment in attempt.comments):
        return None
    return unprocessable("Path could not be resolved")


@rule("line-in-hunk", "review")
def _line_in_hunk(attempt: Attempt) -> Answer | None:
    for file, comment in attempt.anchored():
        side = comment.get("side") or "RIGHT"
        if "line" in comment and file.hunk_of(side, comment["line"]) is None:
            return unprocessable(
                [f"{THREAD} line must be part of the diff and {THREAD} diff hunk can't be blank"]
            )
    return None


@rule("no-anchor", "review")
def _no_anchor(attempt: Attempt) -> Answer | None:
    if all("line" in comment or "position" in comment for comment in attempt.comments):
        return None
    error = {"resource": "PullRequestReviewComment", "code": "missing_field"}
    field = "pull_request_review_thread.line"
    return unprocessable([{**error, "field": field}], "Validation Failed")


@rule("start-before-line", "review")
def _start_before_line(attempt: Attempt) -> Answer | None:
    for comment in attempt.comments:
        start, line = comment.get("start_line"), comment.get("line")
        if start is not None and line is not None and start >= line:
            return unprocessable([f"{THREAD} start line must precede the end line."])
    return None


@rule("start-in-same-hunk", "review")
def _start_in_same_hunk(attempt: Attempt) -> Answer | None:
    for file, comment in attempt.anchored():
        start, line = comment.get("start_line"), comment.get("line")
        side = comment.get("side") or "RIGHT"
        hunk = file.hunk_of(side, line) if line is not None else None
        if start is None or hunk is None:
            continue
        if not hunk.holds(comment.get("start_side") or side, start):
            return unprocessable(
                [f"{THREAD} start line must be part of the same hunk as the line."]
            )
    return None


@rule("start-on-same-side", "review")
def _start_on_same_side(attempt: Attempt) -> Answer | None:
    for comment in attempt.comments:
        side = comment.get("side") or "RIGHT"
        if "start_line" in comment and (comment.get("start_side") or side) != side:
            return unprocessable([f"{THREAD} start side must be the side of the line."])
    return None


@rule("approve-by-installation", "review", "submit")
def _approve_by_installation(attempt: Attempt) -> Answer | None:
    if attempt.event == "APPROVE" and attempt.token.installation:
        return unprocessable(["GitHub Actions is not permitted to approve pull requests."])
    return None


@rule("approve-own", "review", "submit")
def _approve_own(attempt: Attempt) -> Answer | None:
    if attempt.event == "APPROVE" and attempt.own_pull:
        return unprocessable(["Can not approve your own pull request"])
    return None


@rule("request-changes-own", "review", "submit")
def _request_changes_own(attempt: Attempt) -> Answer | None:
    if attempt.event == "REQUEST_CHANGES" and attempt.own_pull:
        return unprocessable(["Can not request changes on your own pull request"])
    return None


@rule("one-pending", "review")
def _one_pending(attempt: Attempt) -> Answer | None:
    reviews = attempt.pull.reviews if attempt.pull else []
    if any(r.state == "PENDING" and r.user == attempt.token.actor for r in reviews):
        return unprocessable(["User can only have one pending review per pull request"])
    return None


@rule("submit-pending-only", "submit")
def _submit_pending_only(attempt: Attempt) -> Answer | None:
    if attempt.review and attempt.review.state == "PENDING":
        return None
    return unprocessable(["Can not submit a review that was submitted already"])


@rule("delete-pending-only", "delete")
def _delete_pending_only(attempt: Attempt) -> Answer | None:
    if attempt.review and attempt.review.state == "PENDING":
        return None
    return unprocessable(["Can not delete a non-pending pull request review"])
