"""The outlines at hand: of the changed files, and of the unchanged ones that were fetched."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pr_review.snapshot.dependencies.languages import Language, language_of
from pr_review.snapshot.dependencies.model import Source
from pr_review.snapshot.dependencies.words import squeeze
from pr_review.snapshot.outline import Import, Outline, Scope, ScopeKind
from pr_review.snapshot.ports import SyntaxReader

# Of the fetched texts together: what a hostile tree of huge files could cost to parse.
MAX_PARSED_BYTES = 4_194_304
# No file that is written by hand has more; each costs something for every name.
_MOST_STARS = 50
_MOST_BOUND = 8

_IDENTIFIERS = re.compile(rb"[A-Za-z0-9_$\x80-\xff]+")


class Indexed:
    """An outline with its scopes by name and its imports by what they bind."""

    def __init__(self, path: str, outline: Outline, text: bytes = b"") -> None:
        self.outline = outline
        self._text = text
        self._language = language_of(path)

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[Scope]]:
        found: dict[str, list[Scope]] = defaultdict(list)
        for scope in self.outline.scopes:
            found[scope.name].append(scope)
        return dict(found)

    @cached_property
    def _by_place(self) -> Mapping[tuple[str, Scope | None], Sequence[Scope]]:
        found: dict[tuple[str, Scope | None], list[Scope]] = defaultdict(list)
        for scope in self.outline.scopes:
            found[scope.name, self.parent(scope)].append(scope)
        return dict(found)

    def right_in(self, parent: Scope | None, name: str) -> Sequence[Scope]:
        """The scopes of a name that stand right in another, None for the top of the file."""
        return self._by_place.get((name, parent), ())

    def in_types(self, name: str) -> Sequence[Scope]:
        """The scopes of a name with nothing but types, modules or namespaces around them."""
        return self._in_types.get(name, ())

    @cached_property
    def _in_types(self) -> Mapping[str, Sequence[Scope]]:
        found: dict[str, list[Scope]] = defaultdict(list)
        inside: list[bool] = []
        for scope in self.outline.scopes:
            at, around = scope.parent, self.parent(scope)
            inside.append(
                at is None or around is None or (inside[at] and around.kind is ScopeKind.TYPE)
            )
            if inside[-1]:
                found[scope.name].append(scope)
        return dict(found)

    def sounding(self, squeezed: str) -> Sequence[Scope]:
        """The functions and types at the top that are called like it, however it is spelled."""
        return self._by_sound.get(squeezed, ())

    @cached_property
    def _by_sound(self) -> Mapping[str, Sequence[Scope]]:
        found: dict[str, list[Scope]] = defaultdict(list)
        for scope in self.outline.scopes:
            if scope.parent is None and scope.kind is not ScopeKind.VALUE:
                found[squeeze(scope.name)].append(scope)
        return dict(found)

    @cached_property
    def _by_owner(self) -> Mapping[tuple[str, str], Sequence[Scope]]:
        found: dict[tuple[str, str], list[Scope]] = defaultdict(list)
        for scope in self.outline.scopes:
            parent = self.parent(scope)
            if parent is not None:
                found[parent.name, scope.name].append(scope)
        return dict(found)

    def members(self, owner: str, name: str) -> Sequence[Scope]:
        """The scopes of a name that stand right in one called `owner`."""
        return self._by_owner.get((owner, name), ())

    def bound(self, name: str) -> Sequence[Import]:
        """The imports that are called by a name here."""
        return self._bindings.get(name, ())

    @cached_property
    def _bindings(self) -> Mapping[str, Sequence[Import]]:
        found: dict[str, list[Import]] = defaultdict(list)
        for imported in self.outline.imports:
            if imported.alias:
                found[imported.alias].append(imported)
        return {alias: imports[:_MOST_BOUND] for alias, imports in found.items()}

    @cached_property
    def stars(self) -> tuple[Import, ...]:
        """The imports that bring every name of a file, the first 50."""
        language = self._language
        whole = language is not None and language.includes
        return tuple(
            imported
            for imported in self.outline.imports
            if not imported.alias and (imported.name == "*" or (whole and not imported.name))
        )[:_MOST_STARS]

    @cached_property
    def used(self) -> frozenset[str]:
        """Every name that stands before or in a use."""
        return frozenset(
            name
            for use in self.outline.uses
            for name in (use.name, use.qualifier, re.split(r"::|\.", use.qualifier, maxsplit=1)[0])
        )

    def parent(self, scope: Scope) -> Scope | None:
        return None if scope.parent is None else self.outline.scopes[scope.parent]

    def named(self, name: str) -> Sequence[Scope]:
        return self.by_name.get(name, ())


@dataclass(frozen=True, slots=True)
class Place:
    """A definition in a file at hand; `owner` is the name of the scope right around it."""

    path: str
    scope: Scope
    owner: str = ""

    def contains(self, path: str, line: int) -> bool:
        return self.path == path and self.scope.start <= line <= self.scope.end


class Shelf:
    """Outlines by path. Fetched files are parsed on first need, at most 4 MiB of them."""

    def __init__(
        self, sources: Sequence[Source], texts: Mapping[str, bytes], reader: SyntaxReader
    ) -> None:
        self._reader = reader
        self._indexed: dict[str, Indexed | None] = {
            s.path: Indexed(s.path, s.outline) for s in sources
        }
        self._changed = {source.path: source.text for source in sources}
        self._lines: dict[str, list[bytes]] = {}
        self._texts = {path: text for path, text in texts.items() if path not in self._indexed}
        self._names: dict[str, frozenset[bytes]] = {}
        self._left = MAX_PARSED_BYTES

    def __contains__(self, path: str) -> bool:
        return path in self._indexed or path in self._texts

    def text(self, path: str) -> bytes | None:
        """The text of an unchanged file; None of a changed one."""
        return self._texts.get(path)

    def first_line(self, path: str, scope: Scope) -> bytes:
        """The line that names a definition; empty where the text is not at hand."""
        if path not in self._lines:
            text = self._texts.get(path) or self._changed.get(path, b"")
            self._lines[path] = text.split(b"\n")
        lines = self._lines[path]
        return lines[scope.line - 1] if scope.line <= len(lines) else b""

    def of(self, language: Language) -> Sequence[str]:
        """The files at hand of a language, in the order of their paths."""
        return self._by_language.get(language.name, ())

    @cached_property
    def _by_language(self) -> Mapping[str, Sequence[str]]:
        groups: dict[str, list[str]] = defaultdict(list)
        for path in sorted({*self._indexed, *self._texts}):
            language = language_of(path)
            if language is not None:
                groups[language.name].append(path)
        return dict(groups)

    def holding(self, language: Language, name: str) -> Sequence[str]:
        """Those of the files at hand of a language that may hold a name, in order."""
        return self._by_name.get((language.name, name.rstrip("?!=")), ())

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str], Sequence[str]]:
        """The files at hand by each name they hold: asking them one by one is quadratic."""
        groups: dict[tuple[str, str], list[str]] = defaultdict(list)
        for language, paths in self._by_language.items():
            for path in paths:
                for name in self._held(path):
                    groups[language, name].append(path)
        return groups

    def _held(self, path: str) -> frozenset[str]:
        indexed = self._indexed.get(path)
        if indexed is not None:
            return frozenset(name.rstrip("?!=") for name in indexed.by_name)
        found = _IDENTIFIERS.findall(self._texts.get(path, b""))
        return frozenset(name.decode("utf-8", "replace") for name in found)

    def may_hold(self, path: str, name: str) -> bool:
        """Whether a file holds a name at all, without parsing it."""
        indexed = self._indexed.get(path)
        if indexed is not None:
            return name in indexed.by_name
        if path not in self._names:
            self._names[path] = frozenset(_IDENTIFIERS.findall(self._texts.get(path, b"")))
        return name.rstrip("?!=").encode("utf-8", "replace") in self._names[path]

    def get(self, path: str) -> Indexed | None:
        """The outline of a file at hand; None if it has none."""
        if path not in self._indexed and path in self._texts:
            self._indexed[path] = self._parsed(path, self._texts[path])
        return self._indexed.get(path)

    def _parsed(self, path: str, text: bytes) -> Indexed | None:
        if len(text) > self._left or not self._reader.knows(path):
            return None
        self._left -= len(text)
        outline = self._reader.outline(path, text)
        return None if isinstance(outline, str) else Indexed(path, outline)
