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
# In JSON and in the files of Amazon's tools: a value behind a telling name.
_ASSIGNED = re.compile(r'(?i)(?:key|secret|token|password)\w*"?\s*[:=]\s*(?:"([^"]+)"|([^\s",]+))')
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}")
# LiteLLM puts its own class, and often the SDK's, before what the provider said, and appends
# tracebacks to errors that it did not foresee.
_CLASSES = re.compile(r"^(?:(?:litellm\.)?\w+(?:Error|Exception|Timeout)(?:: | - ))+")
_TRACEBACK = re.compile(r"\s*Traceback \(most recent call last\).*", re.DOTALL)


def secrets_of(job: Job) -> tuple[str, ...]:
    """Every value of a job that must not be repeated, longest first."""
    values = {job.api_key or "", *_header_secrets(job.headers)}
    values |= {value for name, value in job.environment.items() if _SECRET_NAME.search(name)}
    values |= _address_secrets(job.api_base or "")
    values |= {secret for text in job.files.values() for secret in _file_secrets(text)}
    written = {form for value in values for form in (value, quote(value), _as_json(value))}
    return tuple(sorted((v for v in written if len(v) >= _SHORTEST_SECRET), key=len, reverse=True))


def clean(text: str, secrets: Iterable[str]) -> str:
    """The text on one line of at most 300 characters; secrets become `[REDACTED]`, control
    characters are written out.
    """
    for secret in secrets:
        text = text.replace(secret, "[REDACTED]")
    text = _BEARER.sub(r"\1 [REDACTED]", text)
    line = visible_line(" ".join(_CLASSES.sub("", _TRACEBACK.sub("", text)).split()))
    return line if len(line) <= MAX_CHARACTERS else line[: MAX_CHARACTERS - 1] + "…"


def _header_secrets(headers: Mapping[str, str]) -> set[str]:
    """Header values, and their last word: `Bearer abc` is repeated as `abc`."""
    return {part for value in headers.values() for part in (value, value.rsplit(" ", 1)[-1])}


def _address_secrets(address: str) -> set[str]:
    parts = urlsplit(address)
    return {parts.password or "", *(pair.partition("=")[2] for pair in parts.query.split("&"))}


def _file_secrets(text: str) -> set[str]:
    """A file that is one token, or what stands in it behind telling names, as it is read there."""
    found = {quoted or plain for quoted, plain in _ASSIGNED.findall(text)}
    return {text.strip(), *found, *(value.replace("\\n", "\n") for value in found)}


def _as_json(value: str) -> str:
    return json.dumps(value)[1:-1]
