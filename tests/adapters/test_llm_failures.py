"""Exceptions are told apart by class, status and text."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from pr_review.adapters.llm.failures import Kind, diagnose, retry_after


class ProviderError(Exception):
    """An exception as LiteLLM shapes them."""

    def __init__(self, text: str, status: int, body: object = None) -> None:
        super().__init__(text)
        self.status_code = status
        self.body = body
        self.response = None


def kind(text: str, status: int, body: object = None, *, system: bool = True) -> Kind:
    sent = frozenset({"temperature", "max_tokens"})
    return diagnose(ProviderError(text, status, body), parameters=sent, system=system).kind


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        ("maximum context length is 8192 tokens, reduce max_tokens", 400, Kind.OVERFLOW),
        ("Request too large for gpt-4o on tokens per min (TPM): Limit 30000", 429, Kind.OVERFLOW),
        ("Rate limit reached on tokens per min (TPM): Limit 30000", 429, Kind.TRANSIENT),
        ("You exceeded your current quota", 429, Kind.QUOTA),
        ("Missing credentials. Please pass an `api_key`", 500, Kind.CREDENTIALS),
        ("Missing Gemini API key. Set the GEMINI_API_KEY", 500, Kind.CREDENTIALS),
        ("Could not resolve project_id", 500, Kind.CREDENTIALS),
        ("no", 403, Kind.CREDENTIALS),
        ("'temperature' does not support 0.2 with this model", 400, Kind.PARAMETER),
        ("use max_completion_tokens", 400, Kind.PARAMETER),
        ("'top_p' is not supported", 400, Kind.FINAL),
        ("System role not supported", 400, Kind.SYSTEM_ROLE),
        ("Developer instruction is not enabled", 400, Kind.SYSTEM_ROLE),
        ("Request timed out", 408, Kind.TIMEOUT),
        ("bad gateway", 502, Kind.TRANSIENT),
        ("no such model", 404, Kind.FINAL),
    ],
)
def test_the_kind_of_a_failure(text: str, status: int, expected: Kind) -> None:
    assert kind(text, status) is expected


def test_a_status_that_no_server_gave_is_none() -> None:
    """LiteLLM gives 500 to a connection that came to nothing."""
    connection = type("ConnectError", (Exception,), {"__module__": "httpx"})
    made_up = type("InternalServerError", (ProviderError,), {"__module__": "litellm.exceptions"})
    for cause, status in ((connection("refused"), 0), (ProviderError("busy", 503), 500)):
        error = made_up("Connection error.", 500)
        error.__cause__ = cause
        told = diagnose(error, parameters=frozenset(), system=True)
        assert (told.kind, told.status) == (Kind.TRANSIENT, status)


def test_a_parameter_that_was_not_sent_cannot_be_dropped() -> None:
    failure = diagnose(ProviderError("temperature", 400), parameters=frozenset(), system=True)
    assert failure.kind is Kind.FINAL


def test_a_request_without_a_system_message_cannot_be_folded() -> None:
    assert kind("System role not supported", 400, system=False) is Kind.FINAL


def test_the_body_is_read_where_the_text_is_silent() -> None:
    assert kind("Rate limit reached", 429, {"code": "insufficient_quota"}) is Kind.QUOTA
    assert kind("invalid", 400, {"param": "temperature"}) is Kind.PARAMETER


def test_what_the_library_could_not_do_is_not_repeated() -> None:
    own = type("InternalServerError", (ProviderError,), {"__module__": "litellm.exceptions"})
    error = own("Invalid response object", 500)
    error.__cause__ = ValueError("not a string")
    assert diagnose(error, parameters=frozenset(), system=True).kind is Kind.FINAL


def test_the_wait_is_read_from_seconds_milliseconds_and_dates() -> None:
    assert retry_after({"Retry-After": "2"}) == 2.0
    assert retry_after({"retry-after-ms": "1500", "retry-after": "9"}) == 1.5
    in_a_minute = retry_after({"Retry-After": formatdate(time.time() + 60, usegmt=True)})
    assert in_a_minute is not None
    assert 55 < in_a_minute <= 60
    assert retry_after({"Retry-After": "-5"}) == 0.0
    assert retry_after({"Retry-After": "soon"}) is None
    assert retry_after({}) is None
