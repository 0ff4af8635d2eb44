"""What is asked, and what is answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pr_review.domain.ledger import Dependency
from pr_review.snapshot.outline import Outline, ScopeKind


@dataclass(frozen=True, slots=True)
class Source:
    """A changed file as it stands in the head commit.

    `changed` holds the new-side numbers of its added lines. `outline` has the scopes and
    imports of the whole file; uses on other lines than the changed ones are passed over. `text`
    is the whole file where it is at hand: it tells Go's methods from its functions.
    """

    path: str
    outline: Outline
    changed: frozenset[int]
    text: bytes = b""


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition of the head commit that changed lines use.

    `kind`, `start`, `line`, `head` and `end` are as in `outline.Scope`. `users` holds (path,
    new-side line) of each changed line that uses it, ascending; none of them lies inside of it.
    """

    name: str
    path: str
    start: int
    line: int
    head: int
    end: int
    kind: ScopeKind
    users: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Resolved:
    """The definitions by path and first line, and the names that led to none.

    `missing` holds at most one entry for a name of a file: `ambiguous`, `unresolved` or
    `outside`. `texts` are the unchanged files in which definitions stand; `looked_at` counts
    the blobs that were asked for, manifests included, and `passed_over` the names that were not
    looked up since the effort was over: they are among the `unresolved`.
    """

    definitions: tuple[Definition, ...]
    missing: tuple[Dependency, ...]
    texts: Mapping[str, bytes]
    looked_at: int
    passed_over: int = 0
