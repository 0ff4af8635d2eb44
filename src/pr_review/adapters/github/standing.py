"""Reads what stands on a pull request: by one GraphQL query a page, or by REST without it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pr_review.adapters.github.client import Client
from pr_review.errors import GitHubError
from pr_review.review.ports import Answer, Pending, PostedReview, Standing, Thread

_MOST_PAGES = 100
_PERSON = "User"

# `databaseId` is no longer given for reviews, whose ids outgrew GraphQL's Int:
# https://docs.github.com/en/graphql/reference/objects#pullrequestreview
_QUERY = """
query Standing(
  $owner: String!, $name: String!, $number: Int!,
  $reviews: Boolean!, $reviewsAfter: String, $threads: Boolean!, $threadsAfter: String
) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      headRefOid
      reviews(first: 100, after: $reviewsAfter) @include(if: $reviews) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id fullDatabaseId viewerDidAuthor state body url isMinimized commit { oid }
        }
      }
      reviewThreads(first: 100, after: $threadsAfter) @include(if: $threads) {
        pageInfo { hasNextPage endCursor }
        nodes {
          isResolved path resolvedBy { login }
          comments(first: 50) {
            nodes {
              viewerDidAuthor body
              author { login __typename } pullRequestReview { fullDatabaseId }
            }
          }
        }
      }
    }
  }
}
"""


def by_graphql(client: Client, number: int) -> Standing:
    """All that the token's own actor left on a pull request. Raises `GitHubError`."""
    doing = f"reading what stands on pull request {number}"
    repository = client.repository
    variables = {"owner": repository.owner, "name": repository.name, "number": number}
    asked: dict[str, object] = {"reviews": True, "threads": True}
    reviews: list[_Review] = []
    threads: list[Thread] = []
    for _ in range(_MOST_PAGES):
        page = client.graphql(doing, _QUERY, {**variables, **asked}, _page)
        reviews += page.reviews
        threads += page.threads
        asked = page.next
        if not asked["reviews"] and not asked["threads"]:
            return _standing(page.head_sha, reviews, threads)
    raise GitHubError(f"{client.place(doing)}: there are more than {_MOST_PAGES} pages")


def by_rest(client: Client, number: int, login: str) -> Standing:
    """The same for the actor of this login, who may be unknown: then no submitted review is
    taken for ours, unless a pending one tells who we are, since only its author sees it. Whether
    threads are resolved is not known here. Raises `GitHubError`.
    """
    path = f"/pulls/{number}"
    doing = f"pull request {number}"
    head = client.get(f"reading the head of {doing}", path, lambda pull: str(pull["head"]["sha"]))
    reviews = client.pages(f"reading the reviews of {doing}", f"{path}/reviews", _of_rest)
    login = login or next((author for author, review in reviews if review.pending), "")
    ours = [review for author, review in reviews if review.pending or (login and author == login)]
    comments = client.pages(
        f"reading the comments on {doing}", f"{path}/comments", _Comment.of_rest
    )
    return _standing(head, ours, _threads(comments, login))


@dataclass(frozen=True, slots=True)
class _Review:
    """A review of ours; only its author sees a pending one, so those are always ours."""

    posted: PostedReview
    pending: bool


@dataclass(frozen=True, slots=True)
class _Page:
    head_sha: str
    reviews: tuple[_Review, ...]
    threads: tuple[Thread, ...]
    next: dict[str, object]


def _standing(head: str, reviews: Iterable[_Review], threads: Iterable[Thread]) -> Standing:
    submitted = {review.posted.id: review.posted for review in reviews if not review.pending}
    pending = [review.posted for review in reviews if review.pending]
    return Standing(
        head,
        tuple(submitted.values()),
        tuple(thread for thread in threads if thread.review_id in submitted),
        Pending(pending[0].id, pending[0].body) if pending else None,
    )


# --- GraphQL -------------------------------------------------------------------------------


def _page(data: Any) -> _Page:
    pull = data["repository"]["pullRequest"]
    reviews, threads = pull.get("reviews"), pull.get("reviewThreads")
    more_reviews, reviews_after = _more(reviews)
    more_threads, threads_after = _more(threads)
    return _Page(
        str(pull["headRefOid"]),
        tuple(_of_graphql(node) for node in _nodes(reviews) if node["viewerDidAuthor"]),
        tuple(thread for node in _nodes(threads) for thread in _thread(node)),
        {
            "reviews": more_reviews,
            "reviewsAfter": reviews_after,
            "threads": more_threads,
            "threadsAfter": threads_after,
        },
    )


def _more(connection: Any) -> tuple[bool, str | None]:
    if connection is None:
        return False, None
    info = connection["pageInfo"]
    return bool(info["hasNextPage"]), info["endCursor"]


def _nodes(connection: Any) -> list[Any]:
    return [node for node in connection["nodes"] if node] if connection else []


def _of_graphql(node: Any) -> _Review:
    posted = PostedReview(
        id=int(node["fullDatabaseId"]),
        node_id=str(node["id"]),
        body=node["body"] or "",
        head_sha=(node["commit"] or {}).get("oid", ""),
        url=str(node["url"]),
        minimized=bool(node["isMinimized"]),
    )
    return _Review(posted, node["state"] == "PENDING")


def _thread(node: Any) -> list[Thread]:
    """The thread, if a comment of ours began it."""
    comments = _nodes(node["comments"])
    if not comments or not comments[0]["viewerDidAuthor"] or not comments[0]["pullRequestReview"]:
        return []
    first, *answers = comments
    review = int(first["pullRequestReview"]["fullDatabaseId"])
    thread = Thread(
        review,
        node["path"],
        first["body"],
        resolved=bool(node["isResolved"]),
        answers=tuple(map(_answer, answers)),
        resolved_by=(node["resolvedBy"] or {}).get("login", ""),
    )
    return [thread]


def _answer(node: Any) -> Answer:
    author = node["author"] or {}
    person = author.get("__typename") == _PERSON
    return Answer(author.get("login", ""), person, str(node["body"]))


# --- REST ----------------------------------------------------------------------------------


def _of_rest(data: Any) -> tuple[str, _Review]:
    posted = PostedReview(
        id=int(data["id"]),
        node_id=str(data["node_id"]),
        body=data["body"] or "",
        head_sha=data["commit_id"] or "",
        url=str(data["html_url"]),
    )
    return _login(data), _Review(posted, data["state"] == "PENDING")


def _login(data: Any) -> str:
    return str((data["user"] or {}).get("login") or "")


def _said(data: Any) -> Answer:
    person = (data["user"] or {}).get("type") == _PERSON
    return Answer(_login(data), person, str(data["body"]))


@dataclass(frozen=True, slots=True)
class _Comment:
    """An inline comment; `below` is the id of the comment it answers, 0 for the first one."""

    id: int
    below: int
    review_id: int
    path: str
    said: Answer

    @classmethod
    def of_rest(cls, data: Any) -> _Comment:
        return cls(
            id=int(data["id"]),
            below=int(data.get("in_reply_to_id") or 0),
            review_id=int(data["pull_request_review_id"] or 0),
            path=str(data["path"]),
            said=_said(data),
        )


def _threads(comments: Iterable[_Comment], login: str) -> list[Thread]:
    answers: dict[int, list[Answer]] = {}
    for comment in comments:
        answers.setdefault(comment.below, []).append(comment.said)
    return [
        Thread(
            first.review_id,
            first.path,
            first.said.body,
            resolved=False,
            answers=tuple(answers.get(first.id, ())),
        )
        for first in comments
        if not first.below and first.said.author == login
    ]
