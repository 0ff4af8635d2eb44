"""Definitions in the outlines at hand."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from pr_review.snapshot.dependencies.effort import Effort
from pr_review.snapshot.dependencies.imports import Imports
from pr_review.snapshot.dependencies.languages import GO, language_of
from pr_review.snapshot.dependencies.shelf import Indexed, Place, Shelf
from pr_review.snapshot.dependencies.steps import Mode, Step, Wanted
from pr_review.snapshot.dependencies.tree import stem_of
from pr_review.snapshot.dependencies.words import squeeze
from pr_review.snapshot.outline import Scope, ScopeKind

_RECEIVER = re.compile(rb"\s*func\s*\(")


class Lookup:
    """Carries out steps on what is on the shelf, each as far as the effort goes."""

    def __init__(self, shelf: Shelf, imports: Imports, effort: Effort) -> None:
        self.shelf = shelf
        self._imports = imports
        self._effort = effort
        self._known: dict[tuple[str, str, str, bool], list[Place]] = {}

    def find(self, step: Step, wanted: Wanted) -> list[Place]:
        """The candidates that a step leads to, in the order of its files. Raises `SpentError`."""
        if step.only is not None:
            own = self.shelf.get(wanted.path)
            return list(_places(wanted.path, own, [step.only])) if own else []
        found: list[Place] = []
        held = self.shelf.holding
        for path in held(wanted.language, step.name) if step.everywhere else step.files:
            self._effort.take()
            if path not in self.shelf or (step.everywhere and path == wanted.path):
                continue
            inside = self._in(path, step, wanted)
            self._effort.take(len(inside))
            found += inside
            if found and step.first:
                break
        return list(dict.fromkeys(found))

    def _in(self, path: str, step: Step, wanted: Wanted) -> Sequence[Place]:
        if step.mode is Mode.EXPORTED:
            return self._exported(path, step.name, wanted.name, flat=step.everywhere)
        if step.mode is Mode.MEMBER:
            return self._members(path, step, wanted)
        indexed = self.shelf.get(path) if self.shelf.may_hold(path, step.name) else None
        if indexed is None:
            return ()
        if step.mode is Mode.VISIBLE:
            self._effort.take(len(wanted.around))
            visible = _visible(path, indexed, wanted)
            return [place for place in visible if not self._is_go_method(place)]
        return self._any(path, indexed, wanted)

    def _exported(self, path: str, name: str, alias: str, *, flat: bool) -> list[Place]:
        """What a file gives to others by a name: its own, or what it has from other files, which
        are not followed if `flat`. `alias` is what the name is called where it is used.
        """
        key = (path, name, alias, flat)
        if key not in self._known:
            self._known[key] = self._followed(path, name, alias, flat=flat)
        return self._known[key]

    def _followed(self, path: str, name: str, alias: str, *, flat: bool) -> list[Place]:
        """The first file that defines the name, each being looked into once."""
        todo = deque([(path, name)])
        seen = {path}
        while todo:
            file, inner = todo.popleft()
            self._effort.take()
            if flat and not self.shelf.may_hold(file, inner):
                continue
            indexed = self.shelf.get(file)
            if indexed is None:
                continue
            own = _top(file, indexed, inner, alias)
            self._effort.take(len(own))
            found = [place for place in own if not self._is_go_method(place)]
            if found or flat:
                return found
            passed = [(f, n) for f, n in self._passed(file, indexed, inner) if f not in seen]
            seen.update(f for f, _ in passed)
            todo += passed
        return []

    def _passed(self, path: str, indexed: Indexed, name: str) -> Iterator[tuple[str, str]]:
        """The files at hand that a file may have a name from, and its name there."""
        bound = [(imported, imported.name or name) for imported in indexed.bound(name)]
        for imported, inner in (*bound, *((star, name) for star in indexed.stars)):
            files = self._imports.target(path, imported).files
            self._effort.take(1 + len(files))
            for file in files:
                if file in self.shelf:
                    yield file, inner

    def _any(self, path: str, indexed: Indexed, wanted: Wanted) -> list[Place]:
        """Members of any type. In Go a package may be called otherwise than its folder, so that
        its functions look like methods: they count where there is no method.
        """
        named = indexed.named(wanted.name)
        self._effort.take(len(named))
        scopes = [s for s in named if s.kind is ScopeKind.FUNCTION]
        places = list(_places(path, indexed, scopes))
        members = [
            place
            for place in places
            if _is_member(indexed, place.scope) or self._is_go_method(place)
        ]
        return members or (places if wanted.language is GO else [])

    def _is_go_method(self, place: Place) -> bool:
        """Methods of Go stand beside functions, not in their type: no plain name means one."""
        if language_of(place.path) is not GO:
            return False
        return _RECEIVER.match(self.shelf.first_line(place.path, place.scope)) is not None

    def _members(self, path: str, step: Step, wanted: Wanted) -> list[Place]:
        """Members of a type, wherever the file has the type from; of a constant that is not
        defined on its own (a variant, a field) the type.
        """
        owners = self._exported(path, step.owner, step.owner, flat=False)
        found: list[Place] = []
        for file in dict.fromkeys(owner.path for owner in owners):
            indexed = self.shelf.get(file)
            if indexed is not None:
                found += _places(file, indexed, indexed.members(step.owner, step.name))
        if found or wanted.call:
            return found
        return [owner for owner in owners if owner.scope.kind is ScopeKind.TYPE]


def _places(path: str, indexed: Indexed, scopes: Iterable[Scope]) -> Iterator[Place]:
    for scope in scopes:
        parent = indexed.parent(scope)
        yield Place(path, scope, parent.name if parent is not None else "")


def _visible(path: str, indexed: Indexed, wanted: Wanted) -> Iterator[Place]:
    """What a plain name can mean at the line: innermost first, the first that there is."""
    for parent in (*reversed(wanted.around), None):
        if parent is None or wanted.language.bare_members or _is_block(parent):
            found = indexed.right_in(parent, wanted.name)
            if found:
                return _places(path, indexed, found)
    return iter(())


def _is_block(scope: Scope) -> bool:
    return scope.kind is ScopeKind.FUNCTION


def _top(path: str, indexed: Indexed, name: str, alias: str) -> Sequence[Place]:
    """Definitions at the top of a file, or in a namespace or module there."""
    language = language_of(path)
    scopes = indexed.right_in(None, name)
    if not scopes and language is not None and language.bare_members:
        scopes = indexed.in_types(name)
    if name == "default":
        scopes = _default(path, indexed, alias) or scopes
    return list(_places(path, indexed, scopes))


def _default(path: str, indexed: Indexed, alias: str) -> Sequence[Scope]:
    """A default export that is defined under a name: the importer's, or that of the file."""
    names = ("default", squeeze(alias), squeeze(stem_of(path)))
    return next((found for name in names if (found := indexed.sounding(name))), ())


def _is_member(indexed: Indexed, scope: Scope) -> bool:
    parent = indexed.parent(scope)
    return parent is not None and parent.kind is not ScopeKind.FUNCTION
