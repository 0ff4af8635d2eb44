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
# How Python sets a name on a line, and how the parameters of a function stand in its header.
_ASSIGNED = re.compile(rb"[ \t]*(\w+(?:[ \t]*,[ \t]*\w+)*)[ \t]*(?::[^=]*)?=(?!=)")
_ITERATED = re.compile(rb"[ \t]*(?:async[ \t]+)?for[ \t]++\(?+([\w, \t]{1,200}?)\)?+[ \t]++in\b")
_NAMED_AS = re.compile(rb"[ \t]*(?:async[ \t]+)?(?:with|except)\b.*\bas[ \t]+\(?(\w+)")
_PARAMETER = re.compile(rb"[(,][ \t]*\*{0,2}(\w+)[ \t]*(?=[:=,)])")
_ACCESSOR = re.compile(rb"[ \t]*@\w+\.(?:setter|getter|deleter)\b")
_MOST_HEADER = 4_096
# Type parameters of a header, the names that are left in it, and the words between them.
_BRACKETS = re.compile(r"\[[^\[\]]*\]|(?<=\w)<[^<>]*>")
_TYPE_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:(?:\.|::)\w+)*(?![\w.]|\s*=)")
_NO_BASES = frozenset(
    "extends implements with where public private protected virtual final sealed".split()
)
_MOST_BASES = 4
_ENDS = (b"}", b"};", b"},", b")", b");")
_SETTER = re.compile(rb"[ \t]*(?:static[ \t]+)?set[ \t]+\w+[ \t]*\(")


class Indexed:
    """An outline with its scopes by name and its imports by what they bind."""

    def __init__(self, path: str, outline: Outline, text: bytes = b"") -> None:
        self.outline = outline
        self._text = text
        self._indents: dict[Scope, int] = {}
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

    @cached_property
    def _lines(self) -> Sequence[bytes]:
        return self._text.split(b"\n")

    def line(self, number: int) -> bytes:
        """The text of a line; empty where the file's text is not at hand."""
        return self._lines[number - 1] if 0 < number <= len(self._lines) else b""

    def place(self, line: int) -> Scope | None:
        """The function or type that a line stands in."""
        around = self.outline.around(line)
        return around[-1] if around else None

    def indent(self, level: Scope | None) -> int:
        """How far the body of a scope is indented, by its first line of code."""
        if level is None:
            return 0
        if level not in self._indents:
            body = (self.line(number) for number in range(level.head + 1, level.end + 1))
            code = (text for text in body if text.strip() and not text.lstrip().startswith(b"#"))
            first = next(code, b"")
            self._indents[level] = len(first) - len(first.lstrip())
        return self._indents[level]

    def bases(self, scope: Scope) -> Sequence[str]:
        """The types that the header of a type names after its own name, as far as its text is at
        hand: what it extends, implements or is made of.
        """
        header = b" ".join(self._lines[scope.line - 1 : scope.head])[:_MOST_HEADER]
        text = header.decode("utf-8", "replace").partition(scope.name)[2]
        for closed in (_BRACKETS, _BRACKETS):
            text = closed.sub(" ", text)
        found = (name for name in _TYPE_NAME.findall(text) if name not in _NO_BASES)
        return tuple(dict.fromkeys(found))[:_MOST_BASES]

    def local(self, function: Scope, name: str) -> Sequence[int]:
        """The lines on which a Python function sets a value of that name, or is given it."""
        return self._locals.get((function, name), ())

    @cached_property
    def _locals(self) -> Mapping[tuple[Scope, str], Sequence[int]]:
        found: dict[tuple[Scope, str], list[int]] = defaultdict(list)
        for number, text in enumerate(self._lines, 1):
            names = _set_by(text)
            place = self.place(number) if names else None
            if place is not None and place.kind is ScopeKind.FUNCTION:
                for name in names:
                    found[place, name].append(number)
        for scope in self.outline.scopes:
            if scope.kind is ScopeKind.FUNCTION:
                header = b" ".join(self._lines[scope.line - 1 : scope.head])[:_MOST_HEADER]
                for given in _PARAMETER.findall(header):
                    found[scope, given.decode("ascii", "replace")].append(scope.line)
        return dict(found)

    def is_accessor(self, scope: Scope) -> bool:
        """Whether a Python definition adds to the property of its name (`@x.setter`)."""
        led = self._lines[scope.start - 1 : scope.line - 1]
        return any(_ACCESSOR.match(line) for line in led)

    def has_body(self, scope: Scope) -> bool:
        """Whether a function is more than a signature (of TypeScript), and not the half of a
        property that sets it; true where the text is not at hand.
        """
        last = self.line(scope.end).rstrip()
        return not _SETTER.match(self.line(scope.line)) and (not last or last.endswith(_ENDS))

    def times(self, name: str) -> int:
        """How often the file binds a name, as far as it can be told without its scopes."""
        return len(self.named(name)) + len(self.taken(name)) + len(self._set.get(name, ()))

    @cached_property
    def _set(self) -> Mapping[str, Sequence[Scope]]:
        found: dict[str, list[Scope]] = defaultdict(list)
        for scope, name in self._locals:
            found[name].append(scope)
        return dict(found)

    def taken(self, root: str) -> Sequence[Import]:
        """The imports that bind a name: by itself, or as the start of a dotted one."""
        return self._taken.get(root, ())

    @cached_property
    def _taken(self) -> Mapping[str, Sequence[Import]]:
        found: dict[str, list[Import]] = defaultdict(list)
        for imported in self.outline.imports:
            if imported.alias:
                found[imported.alias.split(".", 1)[0]].append(imported)
        return dict(found)

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


def _set_by(text: bytes) -> list[str]:
    """The names that a line of Python sets, but for those of definitions and imports."""
    match = _ASSIGNED.match(text) or _ITERATED.match(text) or _NAMED_AS.match(text)
    return re.findall(r"\w+", match[1].decode("ascii", "replace")) if match else []


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
            s.path: Indexed(s.path, s.outline, s.text) for s in sources
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
        return None if isinstance(outline, str) else Indexed(path, outline, text)
