"""What an exception of LiteLLM means for the next step, told from its class, status and text.

Classes alone do not tell: a context overflow arrives as a bad request or as a rate limit, a
missing key as a server error. So the text is read too.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import StrEnum, auto


class Kind(StrEnum):
    """What to do about a failure."""

    OVERFLOW = auto()
    CREDENTIALS = auto()
    FILTERED = auto()
    QUOTA = auto()
    TIMEOUT = auto()
    PARAMETER = auto()
    SYSTEM_ROLE = auto()
    UNTRUSTED = auto()
    NO_PROVIDER = auto()
    TRANSIENT = auto()
    FINAL = auto()


@dataclass(frozen=True, slots=True)
class Failure:
    """`text` is the provider's own and holds anything; `status` is 0 where there was none.

    `parameter` names what was refused, for PARAMETER. `retry_after` is in seconds, None if
    the provider did not say.
    """

    kind: Kind
    text: str
    status: int = 0
    parameter: str = ""
    retry_after: float | None = None


_OVERFLOW = re.compile(
    r"context[ _](?:length|window|size)|(?:prompt|messages) is too long|maximum prompt length"
    r"|request (?:entity )?too large|input tokens? (?:count )?exceeds?|too many (?:input )?tokens"
    r"|length of all messages is too long|exceed_context",
    re.IGNORECASE,
)
_MISSING_KEY = re.compile(
    r"missing (?:\w+ )?(?:credentials|api.?key)|api_key client option must be set|no api.?key"
    r"|could not resolve project_id",
    re.IGNORECASE,
)
_NO_PROVIDER = re.compile(r"LLM Provider NOT provided")
_FILTER = re.compile(
    r"content_filter|content management policy|invalid_prompt|usage policy",
    re.IGNORECASE,
)
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|credit balance", re.IGNORECASE)
_SYSTEM_ROLE = re.compile(
    r"\bsystem\b.*\b(?:role|messages?|prompts?|instructions?)\b|\brole\b.*\bsystem\b"
    r"|developer instruction",
    re.IGNORECASE | re.DOTALL,
)
_PARAMETER_WORDS = {
    "response_format": r"response_format|json_schema|response_schema|structured outputs?",
    "max_tokens": r"max_tokens|max_completion_tokens|max_output_tokens",
    "max_completion_tokens": r"max_tokens|max_completion_tokens|max_output_tokens",
}
CACHE_MARK = "cache_control"
"""The parameter whose refusal means: send the prefix without a mark."""
# Where marks become an object of their own, its making can fail with any status: rights, quota.
_CACHE = re.compile(r"cache_control|cache_?point|cached_?content", re.IGNORECASE)
_REFUSED = (400, 422)
_GOOGLE = "google.auth.exceptions"


def diagnose(error: BaseException, *, parameters: frozenset[str], system: bool) -> Failure:
    """Reads an exception; `parameters` and `system` say what the request held, of what a
    provider may refuse.
    """
    if refusal := next((e for e in _causes(error) if type(e).__module__ == _GOOGLE), None):
        return _no_token(refusal)
    status = _status(error)
    said = f"{error} {getattr(error, 'body', None) or ''}"
    kind, parameter = Kind.FINAL, ""
    if CACHE_MARK in parameters and _CACHE.search(said):
        kind, parameter = Kind.PARAMETER, CACHE_MARK
    elif "ContextWindow" in type(error).__name__ or status == 413 or _OVERFLOW.search(said):
        kind = Kind.OVERFLOW
    elif status == 400 and _NO_PROVIDER.search(said):
        kind = Kind.NO_PROVIDER
    elif status in (401, 403) or _MISSING_KEY.search(said):
        kind = Kind.CREDENTIALS
    elif "ContentPolicy" in type(error).__name__ or (status == 400 and _FILTER.search(said)):
        kind = Kind.FILTERED
    elif status == 429 and _QUOTA.search(said):
        kind = Kind.QUOTA
    elif status == 408:
        kind = Kind.TIMEOUT
    elif status in _REFUSED and (parameter := _refused(said, parameters)):
        kind = Kind.PARAMETER
    elif status in _REFUSED and system and _SYSTEM_ROLE.search(said):
        kind = Kind.SYSTEM_ROLE
    elif any("CERTIFICATE_VERIFY_FAILED" in str(link) for link in _causes(error)):
        kind = Kind.UNTRUSTED
    elif _worth_repeating(error, status):
        kind = Kind.TRANSIENT
        if status >= 500 and not any(map(_served, _causes(error))):
            status = 0  # LiteLLM's word for a connection that came to nothing
    return Failure(kind, str(error), status, parameter, retry_after(_headers(error)))


def _no_token(error: BaseException) -> Failure:
    """Google's library got no token: nothing was sent to the model."""
    passing = getattr(error, "retryable", False) or type(error).__name__ == "TransportError"
    kind = Kind.TRANSIENT if passing else Kind.CREDENTIALS
    return Failure(kind, f"no access token from Google: {error.args[0] if error.args else error}")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from `retry-after-ms` or `Retry-After` (seconds or a date)."""
    named = {str(name).lower(): str(value) for name, value in headers.items()}
    try:
        if "retry-after-ms" in named:
            return max(0.0, float(named["retry-after-ms"]) / 1000)
        return max(0.0, float(named["retry-after"]))
    except KeyError:
        return None
    except ValueError:
        return _until(named.get("retry-after", ""))


def _until(date: str) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time.time())
    except ValueError:
        return None


def _refused(said: str, parameters: frozenset[str]) -> str:
    for name in sorted(parameters):
        if re.search(
            rf"\b(?:{_PARAMETER_WORDS.get(name, re.escape(name))})\b", said, re.IGNORECASE
        ):
            return name
    return ""


def _status(error: BaseException) -> int:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else 0


def _headers(error: BaseException) -> Mapping[str, str]:
    """Response headers; LiteLLM keeps them aside, and `response` may be None."""
    kept = getattr(error, "litellm_response_headers", None)
    found = kept or getattr(getattr(error, "response", None), "headers", None)
    return found if isinstance(found, Mapping) else {}


def _worth_repeating(error: BaseException, status: int) -> bool:
    """A rate limit, or a server or connection error that truly came from outside.

    LiteLLM gives status 500 to what it could not do itself (a reply it cannot read was billed
    all the same), so the cause must be the network's or carry the server's own status.
    """
    if status == 429:
        return True
    return status >= 500 and any(_from_outside(link) for link in _causes(error))


def _from_outside(error: BaseException) -> bool:
    return _package(error) in ("httpx", "httpcore") or _served(error)


def _served(error: BaseException) -> bool:
    """Whether a server answered with an error of its own."""
    answered = getattr(getattr(error, "response", None), "status_code", 0) or _status(error)
    return _package(error) != "litellm" and answered >= 500


def _package(error: BaseException) -> str:
    return type(error).__module__.partition(".")[0]


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception and what led to it, nearest first."""
    link: BaseException | None = error
    seen: set[int] = set()
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__
