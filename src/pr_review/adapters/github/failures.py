"""Turns what PyGithub and its HTTP library raise into one line that says what to do.

Their own words never go through: an `InvalidHeader` holds the token, a URL may hold anything.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from typing import Any, TypeVar

from github import BadAttributeException, GithubException
from requests import exceptions as http

from pr_review.domain.text import visible_line
from pr_review.errors import PrReviewError

# a proxy's page or cut JSON shows as one of these while PyGithub takes the answer apart
UNREADABLE = (
    BadAttributeException,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    AssertionError,
)
CAUGHT = (GithubException, http.RequestException, *UNREADABLE)

# without a header: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
SECONDARY_WAIT = 60.0

_STATUS_OF_TYPE = {
    "RATE_LIMITED": 429,
    "RATE_LIMIT": 429,
    "FORBIDDEN": 403,
    "INSUFFICIENT_SCOPES": 403,
    "NOT_FOUND": 404,
}

Failure = TypeVar("Failure", bound=PrReviewError)


def failure(kind: type[Failure], doing: str, error: Exception) -> Failure:
    """An error of ours for one of theirs. `doing` says what was tried, and where."""
    if isinstance(error, GithubException):
        what, remedy = _refused(error)
    elif isinstance(error, http.RequestException):
        what, remedy = _unreachable(error)
    else:
        what = f"GitHub's answer could not be read ({type(error).__name__})"
        remedy = "check that the API address is GitHub's and not a proxy's"
    return kind(f"{doing}: {what}", remedy=remedy)


def _unreachable(error: http.RequestException) -> tuple[str, str]:
    if isinstance(error, http.SSLError):
        return (
            "the server's certificate is not trusted",
            "let REQUESTS_CA_BUNDLE name its authority's PEM file",
        )
    if isinstance(error, http.Timeout):
        return "the server did not answer in time", "try again later"
    if isinstance(error, http.InvalidHeader):
        return "the token holds characters that no header may hold", "check github-token"
    return "the server cannot be reached", "check GITHUB_API_URL and the network"


def _refused(error: GithubException) -> tuple[str, str]:
    if is_rate_limit(error):
        return "GitHub's rate limit is reached", f"try again in {_period(error)}"
    match error.status:
        case 401:
            return "the token is not valid (401)", "check github-token"
        case 403:
            return f"the token may not do this (403){_quoted(error)}", _missing_right(error)
        case 404:
            return (
                f"not found, or the token may not see it (404){_quoted(error)}",
                "check GITHUB_REPOSITORY, the number, and the job's permissions",
            )
        case 422:
            return f"GitHub refused it (422): {reasons(error)}", ""
        case _:
            return f"GitHub answered {error.status}{_quoted(error)}", "try again later"


def _missing_right(error: GithubException) -> str:
    """Names the right that GitHub says is missing.

    https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
    """
    header = str(_headers(error).get("x-accepted-github-permissions", ""))
    rights = re.findall(r"\b([a-z_]{1,40})=(read|write)\b", header)
    if not rights:
        return "give the job the permissions contents: read and pull-requests: write"
    named = " or ".join(f"{name.replace('_', '-')}: {level}" for name, level in rights)
    return f"give the job the permission {named}; runs from forks are read-only"


def reasons(error: GithubException) -> str:
    """What a 422 says: `errors` is a list of strings, a list of objects, or one string."""
    data = error.data if isinstance(error.data, dict) else {}
    errors = data.get("errors") or data.get("message") or "no reason given"
    found = [_reason(item) for item in (errors if isinstance(errors, list) else [errors])]
    return _short("; ".join(found))


def _reason(item: Any) -> str:
    if not isinstance(item, dict):
        return str(item)
    if item.get("message"):
        return str(item["message"])
    parts = (item.get(key) for key in ("resource", "field", "code"))
    return " ".join(str(part) for part in parts if part) or json.dumps(item)


def _quoted(error: GithubException) -> str:
    data = error.data if isinstance(error.data, dict) else {}
    if data.get("message"):
        return f": {_short(str(data['message']))}"
    return f": {reasons(error)}" if data.get("errors") else ""


def _short(text: str) -> str:
    line = visible_line(text)
    return line if len(line) <= 500 else line[:499] + "…"


def is_rate_limit(error: GithubException) -> bool:
    """Primary and secondary limits, which come as 403 or 429 in several wordings."""
    headers = _headers(error)
    if error.status == 429:
        return True
    if error.status != 403:
        return False
    spent = headers.get("x-ratelimit-remaining") == "0"
    words = _quoted(error).lower()
    return (
        spent
        or "retry-after" in headers
        or "rate limit" in words
        or "submitted too quickly" in words
    )


def rate_limit_wait(error: GithubException) -> float:
    """Seconds that GitHub asks to wait before another request."""
    headers = _headers(error)
    after = str(headers.get("retry-after", ""))
    if after.isdecimal():
        return float(after)
    reset = str(headers.get("x-ratelimit-reset", ""))
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(0.0, int(reset) - time.time()) + 1
    return SECONDARY_WAIT


def _period(error: GithubException) -> str:
    seconds = rate_limit_wait(error)
    return f"{seconds:.0f} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"


def graphql_status(answer: Any) -> int:
    """The status that REST gives for what stands in the `errors` of a GraphQL answer.

    https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
    """
    errors = answer["errors"]
    first = errors[0] if isinstance(errors, list) and errors else {}
    kind, message = (str(first.get(key, "")) for key in ("type", "message"))
    if message.startswith("Something went wrong while executing your query"):
        return 502  # a time-out of theirs, which comes with 200
    return _STATUS_OF_TYPE.get(kind, 422)


def _headers(error: GithubException) -> Mapping[str, Any]:
    return error.headers or {}


def is_passing(error: Exception) -> bool:
    """Whether the same read may do better a little later."""
    if isinstance(error, GithubException):
        return error.status >= 500
    lasting = (http.SSLError, http.InvalidHeader, http.InvalidURL)
    return isinstance(error, http.RequestException) and not isinstance(error, lasting)


def is_doubtful(error: Exception) -> bool:
    """Whether a write may have taken effect all the same."""
    if isinstance(error, GithubException):
        return error.status >= 500
    return not isinstance(error, http.InvalidHeader)
