"""Turns what PyGithub and its HTTP library raise into one line that says what to do.

Their own words never go through: an `InvalidHeader` holds the token, a URL may hold anything.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from typing import Any, TypeVar

from requests import exceptions as http

from pr_review.adapters.certificates import TRUST_IT
from pr_review.adapters.github.library import BadAttributeException, GithubException
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
    OverflowError,
    RecursionError,
)
CAUGHT = (GithubException, OSError, *UNREADABLE)  # what requests raises is an OSError

_LASTING = (http.SSLError, http.InvalidHeader, http.InvalidURL)
_TOO_QUICKLY = "submitted too quickly"
_LIMIT_WORDS = (
    "rate limit",
    _TOO_QUICKLY,
    "abuse detection",
    "please retry your request again later",
    "please wait a few minutes before you try again",
)
# without a header: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
SECONDARY_WAIT = 60.0

# 403s that no permission of the job cures, by words of GitHub's message
_REMEDIES = {
    "archived": "unarchive the repository, or leave it alone",
    "locked": "unlock the conversation",
    "saml": "authorize the token for the organization's single sign-on",
    "ip allow list": "use a runner whose address the organization allows",
}
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
    elif isinstance(error, OSError):
        what, remedy = _unreachable(error)
    else:
        what = f"GitHub's answer could not be read ({type(error).__name__})"
        remedy = "check that the API address is GitHub's and not a proxy's"
    failed = kind(f"{doing}: {what}", remedy=remedy)
    failed.denied = isinstance(error, GithubException) and _is_denied(error)
    return failed


def _is_denied(error: GithubException) -> bool:
    """Whether another token might: not for limits, nor for what no permission cures."""
    if error.status not in (403, 404) or is_rate_limit(error):
        return False
    words = _quoted(error).lower()
    return not any(sign in words for sign in _REMEDIES)


def _unreachable(error: OSError) -> tuple[str, str]:
    match error:
        case http.SSLError():
            return (
                "the server's certificate is not trusted",
                TRUST_IT,
            )
        case http.Timeout():
            return "the server did not answer in time", "try again later"
        case http.InvalidHeader():
            return "the token holds characters that no header may hold", "check github-token"
        case http.ProxyError():
            return "the proxy cannot be reached or refuses", "check HTTPS_PROXY and NO_PROXY"
        case http.ChunkedEncodingError() | http.ContentDecodingError():
            return "the answer was cut off or damaged on its way", "try again later"
        case http.RequestException():
            return "the server cannot be reached", "check GITHUB_API_URL and the network"
        case _:
            return "no file of trusted certificates could be read", "check REQUESTS_CA_BUNDLE"


def _refused(error: GithubException) -> tuple[str, str]:
    if is_rate_limit(error):
        return "GitHub's rate limit is reached", f"try again in {_period(error)}"
    said = _quoted(error)
    match error.status:
        case 301 | 302 | 303 | 307 | 308:
            return (
                f"GitHub redirects the request ({error.status}){said}",
                "check GITHUB_API_URL, and run again under the repository's present name",
            )
        case 401:
            return "the token is not valid (401)", "check github-token"
        case 403:
            return f"the token may not do this (403){said}", _remedy_of_403(error)
        case 404:
            return (
                f"not found, or the token may not see it (404){said}",
                f"check the repository and the number, and {_missing_right(error)}",
            )
        case 407:
            return "the proxy wants to know who asks (407)", "check HTTPS_PROXY"
        case 422:
            return f"GitHub refused it (422): {reasons(error)}", ""
        case _:
            return f"GitHub answered {error.status}{said}", "try again later"


def _remedy_of_403(error: GithubException) -> str:
    words = _quoted(error).lower()
    for sign, remedy in _REMEDIES.items():
        if sign in words:
            return remedy
    return f"{_missing_right(error)}; runs from forks are read-only"


def _missing_right(error: GithubException) -> str:
    """Names the line of the workflow that is missing, as far as GitHub says which it is.

    Commas stand between rights that belong together, semicolons between ways to be let in:
    https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
    """
    header = str(_headers(error).get("x-accepted-github-permissions", ""))
    ways = [re.findall(r"\b([a-z_]{1,40})=(read|write)\b", way) for way in header.split(";")]
    named = [" and ".join(map(_line, way)) for way in ways if way]
    lines = " or ".join(named) or "`contents: read` and `pull-requests: write`"
    if "personal access token" in _quoted(error):
        return f"give the token the permission {lines}"
    return f"add {lines} to the job's permissions"


def _line(right: tuple[str, str]) -> str:
    name, level = right
    return f"`{name.replace('_', '-')}: {level}`"


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


def parsed(text: str) -> Any:
    """The JSON of an answer; `{"data": text}` for a page or a diff, None for nothing. Raises
    one of `UNREADABLE` for what begins as JSON and is none.
    """
    if not text:
        return None
    try:
        return json.loads(text)
    except ValueError:
        if text.startswith(("{", "[")):
            raise
        return {"data": text}


def _quoted(error: GithubException) -> str:
    data = error.data if isinstance(error.data, dict) else {}
    if data.get("message"):
        return f": {_short(str(data['message']))}"
    return f": {reasons(error)}" if data.get("errors") else ""


def _short(text: str) -> str:
    line = visible_line(text)
    return line if len(line) <= 500 else line[:499] + "…"


def is_rate_limit(error: GithubException) -> bool:
    """Primary and secondary limits, which come as 403 or 429 in several wordings, and as 422 of
    what would be right a minute later: https://github.com/octokit/plugin-rest-endpoint-methods.js/issues/595
    """
    if error.status == 429:
        return True
    if error.status == 422:
        return _TOO_QUICKLY in reasons(error).lower()
    if error.status != 403:
        return False
    headers, words = _headers(error), _quoted(error).lower()
    spent = headers.get("x-ratelimit-remaining") == "0"
    return spent or "retry-after" in headers or any(sign in words for sign in _LIMIT_WORDS)


def rate_limit_wait(error: GithubException) -> float:
    """Seconds that GitHub asks to wait before another request."""
    asked = _retry_after(error)
    if asked is not None:
        return asked
    headers = _headers(error)
    reset = str(headers.get("x-ratelimit-reset", ""))
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(0.0, float(reset) - time.time()) + 1
    return SECONDARY_WAIT


def _retry_after(error: GithubException) -> float | None:
    after = str(_headers(error).get("retry-after", ""))
    return float(after) if after.isdecimal() else None


def wanted_wait(error: Exception, backoff: float) -> float | None:
    """Seconds after which the same read may do better, however long; None if it never will."""
    if not isinstance(error, GithubException):
        return None if isinstance(error, _LASTING) else backoff
    if is_rate_limit(error):
        return rate_limit_wait(error)
    if error.status == 202 or error.status >= 500:
        return max(backoff, _retry_after(error) or 0.0)
    return None


def _period(error: GithubException) -> str:
    seconds = rate_limit_wait(error)
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    minutes = seconds / 60
    return f"{minutes:.0f} minutes" if minutes < 600 else "some hours"


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


def is_doubtful(error: Exception) -> bool:
    """Whether a write may have taken effect all the same."""
    if isinstance(error, GithubException):
        return error.status >= 500
    return not isinstance(error, http.InvalidHeader)
