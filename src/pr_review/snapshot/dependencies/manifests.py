"""Manifests: tsconfig.json, package.json, go.mod, Cargo.toml. Their text is data: what is broken
is as good as absent.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

_MOST_BYTES = 262_144
# The library's time grows with the square of a dotted key: 32 KB take seconds.
_MOST_TOML_BYTES = 16_384

_STRING = r'"(?:\\.|[^"\\])*(?:"|\Z)'
_COMMENTS = re.compile(rf"({_STRING})|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_COMMAS = re.compile(rf"({_STRING})|,(?=\s*[}}\]])", re.DOTALL)
_GO_MODULE = re.compile(r'^[ \t]*module[ \t]+"?([^\s"]+)', re.MULTILINE)


class Manifests:
    """The manifests that were read, by path; each is parsed once."""

    def __init__(self, texts: Mapping[str, bytes]) -> None:
        self._texts = texts
        self._parsed: dict[str, Mapping[str, Any]] = {}

    def named(self, *names: str) -> Iterator[str]:
        """The paths of those with one of these base names, in the order of the paths."""
        return (path for path in sorted(self._texts) if path.rpartition("/")[2] in names)

    def table(self, path: str) -> Mapping[str, Any]:
        """A JSON (with comments) or TOML manifest; empty if it is absent or broken."""
        if path not in self._parsed:
            self._parsed[path] = _table(path, self._text(path))
        return self._parsed[path]

    def go_module(self, path: str) -> str:
        """The module path that a go.mod declares; empty if it declares none."""
        match = _GO_MODULE.search(self._text(path))
        return match[1] if match else ""

    def _text(self, path: str) -> str:
        return self._texts.get(path, b"")[:_MOST_BYTES].decode("utf-8", "replace")


def _table(path: str, text: str) -> Mapping[str, Any]:
    if path.endswith(".toml") and len(text) > _MOST_TOML_BYTES:
        return {}
    try:
        found = tomllib.loads(text) if path.endswith(".toml") else json.loads(_plain(text))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _plain(text: str) -> str:
    """JSON without comments and trailing commas, which tsconfig.json may hold."""
    bare = _COMMENTS.sub(lambda match: match[1] or " ", text.removeprefix("\ufeff"))
    return _COMMAS.sub(lambda match: match[1] or "", bare)


def table_of(value: Any) -> Mapping[str, Any]:
    """The value if it is a table, else an empty one."""
    return value if isinstance(value, dict) else {}


def text_of(value: Any) -> str:
    """The value if it is text, else an empty text."""
    return value if isinstance(value, str) else ""
