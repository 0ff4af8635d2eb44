"""One item of a model's answer becomes a `Finding`, or nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from pr_review.agents.catalogue import Agent
from pr_review.domain.diff import Side
from pr_review.domain.finding import Confidence, Finding, Severity

SCHEMA: dict[str, object] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["findings"],
    "properties": {
        "findings": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                # strict modes ask that every property is required; null stands for none
                "required": [
                    "path", "start_line", "end_line", "side", "severity", "confidence",
                    "category", "title", "body", "quote", "suggestion",
                ],
                "properties": {
                    "path": {"type": "string"},
                    "start_line": {"type": ["integer", "null"]},
                    "end_line": {"type": ["integer", "null"]},
                    "side": {"type": "string", "enum": ["RIGHT", "LEFT"]},
                    "severity": {"type": "string", "enum": ["critical", "high", "medium", "low"]},
                    "confidence": {"type": "string", "enum": ["high", "medium", "low"]},
                    "category": {"type": "string"},
                    "title": {"type": "string"},
                    "body": {"type": "string"},
                    "quote": {"type": "string"},
                    "suggestion": {"type": ["string", "null"]},
                },
            },
        }
    },
}  # fmt: skip
"""JSON schema of an answer: the same for every agent, since providers cache it as a prefix."""

PATH_KEYS = ("path", "file", "filename", "file_path")
"""Keys under which models name the file, spelt as `spelt` does."""

_SEVERITIES = {
    "critical": Severity.CRITICAL, "blocker": Severity.CRITICAL, "fatal": Severity.CRITICAL,
    "blocking": Severity.CRITICAL, "p0": Severity.CRITICAL,
    "high": Severity.HIGH, "major": Severity.HIGH, "error": Severity.HIGH, "severe": Severity.HIGH,
    "p1": Severity.HIGH,
    "medium": Severity.MEDIUM, "moderate": Severity.MEDIUM, "warning": Severity.MEDIUM,
    "p2": Severity.MEDIUM,
    "low": Severity.LOW, "minor": Severity.LOW, "info": Severity.LOW, "trivial": Severity.LOW,
    "note": Severity.LOW, "nit": Severity.LOW, "suggestion": Severity.LOW, "p3": Severity.LOW,
    "informational": Severity.LOW, "nitpick": Severity.LOW, "p4": Severity.LOW,
}  # fmt: skip
_PLACES = ("location", "position", "range", "lines")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORDS = re.compile(r"[a-z]+\d?")
_CONFIDENCES = {"high": Confidence.HIGH, "medium": Confidence.MEDIUM, "low": Confidence.LOW}
_LEFT = ("left", "old", "base", "removed", "deleted", "-")
_NOTHING = ("", "null", "none", "n/a")
_LINES = re.compile(
    r"\s*(?:lines?\s*|L)?(\d{1,9})(?:\.0+)?(?:\s*(?:-|–|—|\.\.+|to|,)\s*(?:L)?(\d{1,9})(?:\.0+)?)?\s*",
    re.IGNORECASE,
)
# Longer than any path of git's, and than any short quote: the judge compares both with much.
_MOST_PATH, _MOST_QUOTE = 4_096, 2_000
_MAX_LINE = 999_999_999
_FENCED = re.compile(r"\A\s*```[^\n]*\n(.*?)\n?```\s*\Z", re.DOTALL)


def finding(item: object, agent: Agent) -> Finding | None:
    """The finding that an item of an answer states, or None if it states none.

    It needs a path, and a title or body. A severity that is missing or not understood is
    medium: the word is worth less than the finding. Lines that are none are left out: the
    finding is then about the file. The path stays as it was written; the judge knows which
    paths were sent.
    """
    if not isinstance(item, dict):
        return None
    item = _flat(item)
    path = _first(item, *PATH_KEYS)
    title, body = _title(item), _text(_first(item, "body", "description", "message", "detail"))
    if not isinstance(path, str) or not 0 < len(path.strip()) <= _MOST_PATH or not (title or body):
        return None
    start, end = _range(item)
    return Finding(
        path=path,
        start=start,
        end=end,
        side=Side.LEFT if _word(item.get("side")) in _LEFT else Side.RIGHT,
        severity=_severity(item.get("severity")),
        confidence=_confidence(item.get("confidence")),
        category=_category(item.get("category"), agent),
        title=title or _shortened(body),
        body=body,
        quote=_quote(_first(item, "quote", "code", "snippet")),
        suggestion=None if start is None else _suggestion(item.get("suggestion")),
        sources=(agent.name,),
    )


def spelt(key: str) -> str:
    """A key as we spell it: `StartLine`, `startLine` and `START-LINE` are `start_line`."""
    return re.sub(r"[\s-]+", "_", _HUMP.sub("_", key.strip())).lower()


def _flat(item: Mapping[str, object]) -> dict[str, object]:
    """The item by our spelling of keys; what stands in an object for the place is among them."""
    flat: dict[str, object] = {}
    inner: dict[str, object] = {}
    for key, value in item.items():
        if spelt(key) in _PLACES and isinstance(value, dict):
            inner |= {spelt(name): part for name, part in value.items()}
        else:
            flat.setdefault(spelt(key), value)
    return inner | flat


def _first(item: Mapping[str, object], *keys: str) -> object:
    return next((item[key] for key in keys if item.get(key) is not None), None)


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _word(value: object) -> str:
    return value.strip().lower() if isinstance(value, str) else ""


def _title(item: Mapping[str, object]) -> str:
    return " ".join(_text(_first(item, "title", "summary")).split())


def _shortened(body: str) -> str:
    line = " ".join(body.split("\n", 1)[0].split())
    return line if len(line) <= 80 else f"{line[:79]}…"


def _severity(value: object) -> Severity:
    """By the first word that is one, whatever decorates it."""
    known = (_SEVERITIES.get(word) for word in _WORDS.findall(_word(value)))
    return next((severity for severity in known if severity), Severity.MEDIUM)


def _confidence(value: object) -> Confidence:
    """In words, or as a probability; what is neither says nothing: medium."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return _share(value)
    return _CONFIDENCES.get(_word(value), Confidence.MEDIUM)


def _share(value: float) -> Confidence:
    if value >= 0.8:
        return Confidence.HIGH
    return Confidence.MEDIUM if value >= 0.4 else Confidence.LOW


def _category(value: object, agent: Agent) -> str:
    """One of the agent's categories, else the agent's own name."""
    word = _word(value).replace("_", "-").replace(" ", "-")
    return word if word in agent.categories else agent.name


def _quote(value: object) -> str:
    """The first line that is not blank: one line was asked for."""
    lines = value.split("\n") if isinstance(value, str) else []
    return next((line for line in lines if line.strip()), "")[:_MOST_QUOTE]


def _suggestion(value: object) -> str | None:
    if not isinstance(value, str) or value.strip().lower() in _NOTHING:
        return None
    fenced = _FENCED.match(value)
    return (fenced[1] if fenced else value).rstrip("\n")


def _range(item: Mapping[str, object]) -> tuple[int | None, int | None]:
    """Start and end as ordered line numbers, both None if there is no usable one."""
    first = _lines(_first(item, "start_line", "start", "line_start"))
    last = _lines(_first(item, "end_line", "line", "end", "line_end", "lines"))
    numbers = (*first, *last)
    return (min(numbers), max(numbers)) if numbers else (None, None)


def _lines(value: object) -> tuple[int, ...]:
    """Line numbers as models write them: 6, 6.0, "6", "L6", "5-7", [5, 7]; a bool is none."""
    if isinstance(value, str):
        found = _LINES.fullmatch(value)
        numbers = [int(group) for group in found.groups() if group] if found else []
    elif isinstance(value, list) and len(value) == 2:
        numbers = [number for part in value for number in _lines(part)]
    elif isinstance(value, int | float) and not isinstance(value, bool):
        numbers = [int(value)] if math.isfinite(value) and value == int(value) else []
    else:
        numbers = []
    return tuple(number for number in numbers if 0 < number <= _MAX_LINE)
