"""How values are written: what people paste into inputs, flags and the file, made one form."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeGuard
from urllib.parse import urlsplit

import yaml
from pydantic import BeforeValidator, Field, SecretStr

from pr_review.adapters.certificates import certificates
from pr_review.errors import EventError
from pr_review.event.payload import read_number

_INVISIBLE = "\ufeff\u200b"
_QUOTES = "\"'"
YAML_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's, which refuses a deep nest at once: PyYAML's own takes seconds to."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def kebab(name: str) -> str:
    """The outward name of a field."""
    return name.replace("_", "-")


def listed(value: object) -> object:
    """A list in an input: one entry a line, or commas (not those inside `{a,b}`)."""
    if not isinstance(value, str):
        return value
    parts = map(tidied, re.findall(r"(?:\{[^{}\n]*\}|[^\n,])+", value))
    return tuple(part for part in parts if part)


def tidied(value: str) -> str:
    """Without white space and marks of encoding at its ends, and without one pair of quotes
    around it: what people paste, and what no value needs."""
    text = value.strip().strip(_INVISIBLE).strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES
    return text[1:-1].strip() if quoted and text[0] not in text[1:-1] else text


def _headers(value: object) -> object:
    """`Name: value`, one a line."""
    if not isinstance(value, str):
        return value
    found = {}
    for line in filter(None, (line.strip() for line in value.split("\n"))):
        name, colon, content = line.partition(":")
        if not colon or not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name.strip()):
            raise ValueError("each line must be `Name: value`")
        found[name.strip()] = content.strip()
    return found


def _number(value: object) -> object:
    """`7`, `#7`, or the address of a pull request; empty is unset."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str) or not text.strip():
        return text
    try:
        read_number(text)
    except EventError as error:
        raise ValueError(error.message) from None
    return text.strip()


def _address(value: object) -> object:
    """An http(s) address with a host; empty is unset."""
    if not isinstance(value, str) or not value.strip():
        return value
    try:
        parts = urlsplit(value.strip())
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise ValueError("should be an address such as https://gateway.example/v1")
    return value.strip()


def _stripped(value: object) -> object:
    """A token with a newline at its end is printed whole by HTTP libraries."""
    if not isinstance(value, str):
        return value
    if _CONTROL.search(text := value.strip()):
        raise ValueError("holds a line end or another control character; paste it again")
    return text


def _certificates(value: object) -> object:
    """PEM text; empty is unset."""
    return certificates(value) if isinstance(value, str) and value.strip() else value


# the second types stand in the JSON schema of the file: a list there, or what an input takes
Words = Annotated[
    tuple[str, ...], BeforeValidator(listed, json_schema_input_type=list[str | float] | str)
]
Secret = Annotated[SecretStr | None, BeforeValidator(_stripped)]
Positive = Annotated[int, Field(gt=0)]
Number = Annotated[str, BeforeValidator(_number)]
Seconds = Annotated[float, Field(gt=0, le=3600)]
Dollars = Annotated[float, Field(ge=0)]
Address = Annotated[str, BeforeValidator(_address)]
Headers = Annotated[dict[str, str], BeforeValidator(_headers)]
Certificates = Annotated[str, BeforeValidator(_certificates)]


def parsed_yaml(text: str) -> object:
    """What a YAML text holds. Raises `ValueError`, which names the line, if it is none."""
    try:
        return yaml.load(text, Loader=YAML_LOADER)  # noqa: S506 - it is a safe one
    except Exception as error:  # noqa: BLE001 - a tag such as `!!int ""` raises anything
        mark = getattr(error, "problem_mark", None)
        line = f": line {mark.line + 1}" if mark else ""
        raise ValueError(f"is not YAML{line}") from None


def is_mapping(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether it is one whose keys are words."""
    return isinstance(value, dict) and all(isinstance(key, str) for key in value)


def plain(value: object) -> object:
    """A value of YAML, which reads `1.0` and `yes` as numbers and booleans: lists become tuples
    of text."""
    if isinstance(value, list):
        return tuple(str(item) if isinstance(item, int | float) else item for item in value)
    return value
