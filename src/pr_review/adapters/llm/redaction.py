"""Words of a provider made fit to show: no secret, one line, bounded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote, urlsplit

from pr_review.adapters.llm.wire import Job
from pr_review.domain.text import visible_line

MAX_CHARACTERS = 300
_SHORTEST_SECRET = 4
_SECRET_NAME = re.compile(r"KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL")
# Where a file stands may be told, unless what should stand in the file was put here by mistake.
_PLACE = re.compile(r"(?:\w+_FILE|GOOGLE_APPLICATION_CREDENTIALS)=/[^{\n]*")
# In JSON and in the files of Amazon's tools: a value behind a telling name, unless the name tells
# of something else (`token_uri`, `subject_token_type`).
_ASSIGNED = re.compile(
    r"(?i)(?:key|secret|token|password|authorization)(?!\w*_(?:uri|url|type|name)\b)"
    r"""\w*"?\s*[:=]\s*(?:"([^"]+)"|([^\s",]+))"""
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}")
# What a cloud was given, or gave, in an exchange that only its library saw: signed tokens, and
# Google's own.
_EXCHANGED = re.compile(r"\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?|\bya29\.[\w.-]+")
# LiteLLM puts its own class, and often the SDK's, before what the provider said, and appends
# tracebacks to errors that it did not foresee.
_CLASSES = re.compile(r"^(?:(?:litellm\.)?\w+(?:Error|Exception|Timeout)(?:: | - ))+")
_ADVICE = re.compile(r"\s*Handle with `litellm\.\w+`\.")  # for who writes Python
_TRACEBACK = re.compile(r"\s*Traceback \(most recent call last\).*", re.DOTALL)


def secrets_of(job: Job) -> tuple[str, ...]:
    """Every value of a job that must not be repeated, longest first."""
    values = {job.api_key or "", *_header_secrets(job.headers)}
    values |= _address_secrets(job.api_base or "")
    named = [value for name, value in job.environment.items() if _is_secret(name, value)]
    values |= {secret for text in (*named, *job.files.values()) for secret in _text_secrets(text)}
    written = {form for value in values for form in (value, quote(value), _as_json(value))}
    return tuple(sorted((v for v in written if len(v) >= _SHORTEST_SECRET), key=len, reverse=True))


def clean(text: str, secrets: Iterable[str]) -> str:
    """The text on one line of at most 300 characters; secrets become `[REDACTED]`, control
    characters are written out.
    """
    for secret in secrets:
        text = text.replace(secret, "[REDACTED]")
    text = _EXCHANGED.sub("[REDACTED]", _BEARER.sub(r"\1 [REDACTED]", text))
    text = _ADVICE.sub("", _TRACEBACK.sub("", text))
    line = visible_line(" ".join(_CLASSES.sub("", text).split()))
    return line if len(line) <= MAX_CHARACTERS else line[: MAX_CHARACTERS - 1] + "…"


def _is_secret(name: str, value: str) -> bool:
    return bool(_SECRET_NAME.search(name)) and not _PLACE.fullmatch(f"{name}={value}")


def _header_secrets(headers: Mapping[str, str]) -> set[str]:
    """Header values, and their last word: `Bearer abc` is repeated as `abc`."""
    return {part for value in headers.values() for part in (value, value.rsplit(" ", 1)[-1])}


def _address_secrets(address: str) -> set[str]:
    parts = urlsplit(address)
    return {parts.password or "", *(pair.partition("=")[2] for pair in parts.query.split("&"))}


def _text_secrets(text: str) -> set[str]:
    """A text that is one token, or what stands in it behind telling names, as it is read there."""
    found = {quoted or plain for quoted, plain in _ASSIGNED.findall(text)}
    last = {value.rsplit(" ", 1)[-1] for value in found}
    return {text.strip(), *found, *last, *(value.replace("\\n", "\n") for value in found)}


def _as_json(value: str) -> str:
    return json.dumps(value)[1:-1]
