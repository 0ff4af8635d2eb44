"""The GraphQL of the GitHub stand-in: what stands on a pull request, the viewer, one mutation.

A query gets the fields that it selects; one that GitHub's types do not have is an error, as is
a list without a bound. https://docs.github.com/en/graphql/reference/objects
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tests.standins.github_api import Api, Call, visible_comments
from tests.standins.github_rules import Answer, Token
from tests.standins.github_shapes import Json, Pull, StoredReview

_TOKEN = re.compile(r'\$?\w+|"[^"]*"|[{}():@]')


class GraphError(Exception):
    """An error of GraphQL, which comes with status 200."""

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.error = {"message": message, **({"type": kind} if kind else {})}


@dataclass(frozen=True)
class Field:
    """A field that a query asks for, with its arguments and what is wanted of it."""

    arguments: Mapping[str, Any]
    fields: Mapping[str, Field]


def graphql(api: Api, call: Call) -> Answer:
    try:
        fields = _parsed(str(call.sent.get("query")), call.sent.get("variables") or {})
        return Answer(200, {"data": _selected(_root(api, call), fields)})
    except GraphError as refused:
        return Answer(200, {"data": None, "errors": [refused.error]})


# --- reading a query -----------------------------------------------------------------------


def _parsed(query: str, variables: Json) -> Mapping[str, Field]:
    tokens = _TOKEN.findall(query)
    if tokens and tokens[0] in ("query", "mutation"):
        tokens = tokens[tokens.index("{") :]  # the types of variables are GitHub's to check
    return _fields(iter(tokens[1:]), variables)


def _fields(tokens: Iterator[str], variables: Json) -> Mapping[str, Field]:
    fields: dict[str, Field] = {}
    name, arguments, inner, wanted = "", {}, {}, True

    for token in tokens:
        if token == "(":
            arguments = _values(tokens, variables, ")")
        elif token == "{":
            inner = dict(_fields(tokens, variables))
        elif token == "@":
            assert next(tokens) == "include"
            next(tokens)
            wanted = bool(_values(tokens, variables, ")")["if"])
        else:
            if name and wanted:
                fields[name] = Field(arguments, inner)
            name, arguments, inner, wanted = token, {}, {}, True
        if token == "}":
            break
    return fields


def _values(tokens: Iterator[str], variables: Json, end: str) -> Json:
    values: Json = {}
    while (name := next(tokens)) != end:
        assert next(tokens) == ":"
        values[name] = _value(next(tokens), tokens, variables)
    return values


def _value(token: str, tokens: Iterator[str], variables: Json) -> Any:
    if token == "{":
        return _values(tokens, variables, "}")
    if token.startswith("$"):
        return variables.get(token[1:])
    return int(token) if token.isdecimal() else token.strip('"')


# --- answering it --------------------------------------------------------------------------


def _selected(value: Any, fields: Mapping[str, Field], path: str = "") -> Any:
    if isinstance(value, list):
        return [_selected(item, fields, path) for item in value]
    if value is None:
        return None
    if isinstance(value, dict) != bool(fields):
        raise GraphError(f"the selection of {path} does not fit its type")
    if not isinstance(value, dict):
        return value
    found = {}
    for name, field in fields.items():
        if name not in value:
            raise GraphError(f"Field '{name}' doesn't exist on {path}", "undefinedField")
        inner = value[name]
        if callable(inner):
            inner = inner(**field.arguments)
        found[name] = _selected(inner, field.fields, name)
    return found


def _root(api: Api, call: Call) -> Json:
    return {
        "viewer": {"login": call.token.actor.login},
        "repository": partial(_repository, api, call.token),
        "minimizeComment": partial(_minimize, api, call),
    }


def _repository(api: Api, token: Token, owner: str, name: str) -> Json:
    if f"{owner}/{name}" != api.shapes.repository:
        raise GraphError("Could not resolve to a Repository", "NOT_FOUND")
    return {"pullRequest": partial(_pull, api, token)}


def _pull(api: Api, token: Token, number: int) -> Json:
    pull = api.pulls.get(number)
    if pull is None:
        raise GraphError("Could not resolve to a PullRequest", "NOT_FOUND")
    reviews = [_review(api, token, pull, review) for review in pull.visible(token.actor)]
    return {
        "headRefOid": pull.head_sha,
        "reviews": _connection(reviews),
        "reviewThreads": _connection(list(_threads(api, token, pull))),
    }


def _review(api: Api, token: Token, pull: Pull, review: StoredReview) -> Json:
    shape = api.shapes.review(pull, review)
    return {
        "id": shape["node_id"],
        # `databaseId` is gone: ids no longer fit into GraphQL's Int
        "fullDatabaseId": str(review.id),
        "viewerDidAuthor": review.user == token.actor,
        "state": review.state,
        "body": review.body,
        "url": shape["html_url"],
        "isMinimized": review.minimized,
        "commit": {"oid": review.commit_id},
    }


def _threads(api: Api, token: Token, pull: Pull) -> Iterator[Json]:
    comments = visible_comments(pull, token.actor)
    for first in comments:
        if first.get("in_reply_to_id"):
            continue
        answers = [c for c in comments if c.get("in_reply_to_id") == first["id"]]
        nodes = [_comment(token, comment) for comment in (first, *answers)]
        resolved = first["id"] in pull.resolved
        yield {
            "isResolved": resolved,
            "resolvedBy": {"login": pull.resolved_by} if resolved else None,
            "path": first["path"],
            "comments": _connection(nodes),
        }


def _comment(token: Token, comment: Json) -> Json:
    user = comment["user"]
    login = user["login"]
    return {
        "viewerDidAuthor": login == token.actor.login,
        "body": comment["body"],
        "authorAssociation": comment["author_association"],
        # a bot's login has no suffix here, as it has in REST
        "author": {"login": login.removesuffix("[bot]"), "__typename": user["type"]},
        "pullRequestReview": {"fullDatabaseId": str(comment["pull_request_review_id"])},
    }


def _connection(items: Sequence[Json]) -> Callable[..., Json]:
    def page(first: int = 0, after: str | None = None) -> Json:
        if not 1 <= first <= 100:
            raise GraphError("`first` must be between 1 and 100", "EXCESSIVE_PAGINATION")
        begin = int(after or 0)
        end = begin + first
        info = {"hasNextPage": end < len(items), "endCursor": str(end)}
        return {"nodes": list(items[begin:end]), "pageInfo": info}

    return page


def _minimize(api: Api, call: Call, **sent: Any) -> Json:
    refused = api.refused(call, "minimize")
    if refused:
        raise GraphError(refused.body["message"], "FORBIDDEN")
    assert sent["input"]["classifier"] == "OUTDATED"
    for pull in api.pulls.values():
        for review in pull.visible(call.token.actor):
            if api.shapes.review(pull, review)["node_id"] == sent["input"]["subjectId"]:
                review.minimized = True
                return {"minimizedComment": {"isMinimized": True}}
    raise GraphError("Could not resolve to a node", "NOT_FOUND")
