"""Names and the words they are made of: `fooBar`, `foo-bar`, `foo_bar` and `FooBar` are kin."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+|[^\W_A-Za-z0-9]+")
_SEPARATORS = re.compile(r"[-_.\s]+")


def squeeze(name: str) -> str:
    """A name without its spelling: `foo_bar`, `foo-bar` and `FooBar` give `foobar`."""
    return _SEPARATORS.sub("", name).lower()


@lru_cache(maxsize=65_536)
def words(name: str) -> frozenset[str]:
    """The words of a name in lower case; `newEC2Client` gives new, ec2 and client."""
    return frozenset(word.lower() for word in _WORD.findall(name))


@lru_cache(maxsize=65_536)
def affinity(name: str, stem: str) -> int:
    """How much a file called `stem` sounds as if it held `name`: 0 for not at all."""
    if squeeze(name) == squeeze(stem):
        return 1_000
    return sum(len(word) for word in words(name) & words(stem))
