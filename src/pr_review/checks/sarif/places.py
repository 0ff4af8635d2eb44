"""Which file of the repository an address in a SARIF log means."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from urllib.parse import unquote

from pr_review.checks.sarif.log import Node, dig, node, nodes, number, text

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")
_FILE = re.compile(r"file:(?://[^/]*)?", re.IGNORECASE)
_ABSOLUTE = re.compile(r"/|[A-Za-z]:/")
_DEEPEST = 64
_LONGEST_CHAIN = 8


class Places:
    """The addresses of one run. `exists` tells whether the head holds a file at a path.

    An absolute address was written on another machine than ours, or outside of our container:
    the top of its checkout is where most of the run's addresses become files of the head.
    """

    def __init__(self, run: Node, exists: Callable[[str], bool]) -> None:
        self._run = run
        self._exists = exists
        self._known: dict[str, str | None] = {}
        self._addresses: dict[str, str] = {}

    def path(self, location: object) -> str | None:
        """The path that an artifact location means; None if the head has no such file."""
        address = self._address(node(location))
        if address not in self._known:
            self._known[address] = self._file(address)
        return self._known[address]

    def _file(self, address: str) -> str | None:
        if _ABSOLUTE.match(address):
            if self._top is None or not address.startswith(f"{self._top}/"):
                return None
            address = address[len(self._top) + 1 :]
        return address if address and self._exists(address) else None

    @cached_property
    def _top(self) -> str | None:
        """The folder that stands for the top of the repository; None if none does."""
        votes = Counter(top for address in self._absolute() for top in self._tops(address))
        return min(votes, key=lambda top: (-votes[top], len(top), top), default=None)

    def _absolute(self) -> frozenset[str]:
        return frozenset(
            address
            for result in nodes(self._run.get("results"))
            for location in nodes(result.get("locations"))
            if _ABSOLUTE.match(address := self._address(node(artifact(location))))
        )

    def _tops(self, address: str) -> Iterator[str]:
        """The folders below which the rest of an address is a file of the head."""
        parts = address.split("/")
        for count in range(1, min(len(parts), _DEEPEST)):
            if self._exists("/".join(parts[count:])):
                yield "/".join(parts[:count])

    def _address(self, location: Node) -> str:
        """The address of a location, decoded, with slashes, without dots; may be absolute."""
        key = repr([location.get(name) for name in ("uri", "uriBaseId", "index")])
        if key not in self._addresses:
            self._addresses[key] = self._resolved(location)
        return self._addresses[key]

    def _resolved(self, location: Node) -> str:
        if not text(location.get("uri")):
            index = number(location.get("index"))
            place = () if index is None else ("artifacts", index, "location")
            location = node(dig(self._run, *place)) if place else {}
        base = self._base(text(location.get("uriBaseId")))
        joined = posixpath.join(base, _decoded(text(location.get("uri"))))
        return posixpath.normpath(joined) if joined else ""

    def _base(self, name: str) -> str:
        """What a base stands for; empty, for the top of the repository, if the log does not say."""
        base = ""
        for _ in range(_LONGEST_CHAIN):
            if not name or _ABSOLUTE.match(base):
                break
            location = node(dig(self._run, "originalUriBaseIds", name))
            base = posixpath.join(_decoded(text(location.get("uri"))), base)
            name = text(location.get("uriBaseId"))
        return base


def artifact(location: Node) -> object:
    """What a location says of its file; None if it says nothing."""
    return dig(location, "physicalLocation", "artifactLocation")


def _decoded(uri: str) -> str:
    """The path in an address of a file; of another kind the address as it is, which no file is."""
    scheme = _SCHEME.match(uri)
    if scheme and scheme[1].lower() != "file":
        return uri
    plain = unquote(_FILE.sub("", uri, count=1) if scheme else uri, errors="surrogateescape")
    return plain.replace("\\", "/")
