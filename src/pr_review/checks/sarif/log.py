"""A SARIF log as JSON that anything may have written: every look at it expects surprises.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

Node = Mapping[str, object]

_VERSION = re.compile(r"2\.1\.\d+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def runs(data: bytes) -> tuple[Node, ...]:
    """The runs of a log. Raises `ValueError`, in words, for anything but SARIF 2.1."""
    try:
        log = json.loads(data)
    except (ValueError, RecursionError):  # the second is what deep nesting raises
        raise ValueError("it is not JSON") from None
    if "runs" not in node(log):
        raise ValueError("it is no SARIF log, which has a list of runs")
    if not _VERSION.fullmatch(text(log.get("version"))):
        raise ValueError("its version of SARIF is not 2.1.0, the one that is read")
    return nodes(log["runs"])


def dig(value: object, *keys: str | int) -> object:
    """What stands at a path of names and indexes; None if there is nothing of that kind."""
    for key in keys:
        if isinstance(value, dict) and isinstance(key, str):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value):
            value = value[key]
        else:
            return None
    return value


def node(value: object) -> Node:
    """The object itself; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def nodes(value: object) -> tuple[Node, ...]:
    """The objects in a list; none if it is no list."""
    return tuple(item for item in listed(value) if isinstance(item, dict))


def listed(value: object) -> list[object]:
    """The list itself; an empty one for anything else."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """Text that can be encoded; empty for anything else."""
    return _SURROGATE.sub("\ufffd", value) if isinstance(value, str) else ""


def number(value: object) -> int | None:
    """A whole number; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
