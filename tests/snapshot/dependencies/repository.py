"""Small repositories written as listings: a line that starts with `+` was added by the change."""

from __future__ import annotations

import hashlib
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pr_review.adapters.syntax import TreeSitter
from pr_review.snapshot.dependencies import Definition, Resolved, Source, resolve
from pr_review.snapshot.outline import Outline

READER = TreeSitter()


@dataclass
class Repository:
    """A head commit. Files with `+` lines are the changed ones; `asked` keeps every round trip."""

    texts: dict[str, bytes]
    changed: dict[str, frozenset[int]]
    lost: frozenset[str] = frozenset()
    asked: list[list[str]] = field(default_factory=list)

    @property
    def tree(self) -> dict[str, str]:
        return {path: _oid(path, text) for path, text in self.texts.items()}

    def blobs(self, oids: Sequence[str]) -> Mapping[str, bytes]:
        """Contents by id, as a store that lacks the lost ones."""
        paths = {oid: path for path, oid in self.tree.items()}
        self.asked.append([paths[oid] for oid in oids])
        return {oid: self.texts[paths[oid]] for oid in oids if paths[oid] not in self.lost}

    def sources(self) -> list[Source]:
        return [
            Source(path, self.outline(path), lines, self.texts[path])
            for path, lines in self.changed.items()
        ]

    def outline(self, path: str) -> Outline:
        used = [range(line, line + 1) for line in sorted(self.changed.get(path, ()))]
        outline = READER.outline(path, self.texts[path], used)
        assert isinstance(outline, Outline), outline
        return outline

    def resolve(self) -> Resolved:
        return resolve(self.sources(), self.tree, self.blobs, READER)


def repository(files: Mapping[str, str], lost: Sequence[str] = ()) -> Repository:
    texts, changed = {}, {}
    for path, listing in files.items():
        lines = textwrap.dedent(listing).strip("\n").split("\n")
        if any(line.startswith("+") for line in lines):
            changed[path] = frozenset(n for n, line in enumerate(lines, 1) if line[:1] == "+")
            lines = [line[1:] for line in lines]
        texts[path] = ("\n".join(lines) + "\n").encode()
    return Repository(texts, changed, frozenset(lost))


def found(resolved: Resolved) -> list[str]:
    """`name path:line < user:line user:line` of each definition."""
    return [_line(definition) for definition in resolved.definitions]


def missed(resolved: Resolved) -> list[str]:
    """`state name path:line` of each name without a definition."""
    return [f"{d.state} {d.name} {d.path}:{d.start}" for d in resolved.missing]


def _line(d: Definition) -> str:
    users = " ".join(f"{path}:{line}" for path, line in d.users)
    return f"{d.name} {d.path}:{d.line} < {users}"


def _oid(path: str, text: bytes) -> str:
    return hashlib.sha1(path.encode() + b"\0" + text, usedforsecurity=False).hexdigest()
