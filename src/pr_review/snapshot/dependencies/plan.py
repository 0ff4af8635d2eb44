"""Where to look for a name, in which order: worked out from paths and imports alone.

The same steps say which files are worth fetching and then, when those are at hand, decide.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pr_review.snapshot.dependencies.bindings import in_force
from pr_review.snapshot.dependencies.effort import Effort
from pr_review.snapshot.dependencies.imports import Imports, Target
from pr_review.snapshot.dependencies.languages import (
    COMMON_MEMBERS,
    PYTHON,
    RUBY,
    RUST,
    SHELL,
)
from pr_review.snapshot.dependencies.nearby import (
    MOST_SUGGESTED,
    Nearby,
    count_likely,
    nearer,
    sound,
)
from pr_review.snapshot.dependencies.shelf import Indexed
from pr_review.snapshot.dependencies.steps import Mode, Plan, Step, Wanted, Worth
from pr_review.snapshot.dependencies.tree import Tree, is_test
from pr_review.snapshot.outline import Import, Scope, ScopeKind

_MOST_NAMED = 6
_MOST_IMPORTS = 300


class Planner:
    """Makes plans for the names that one set of changed files uses."""

    def __init__(self, tree: Tree, imports: Imports, effort: Effort) -> None:
        self._tree = tree
        self._effort = effort
        self._nearby = Nearby(tree, effort)
        self._imports = imports
        self._reach: dict[str, list[tuple[tuple[str, ...], bool]]] = {}

    def plan(self, wanted: Wanted, own: Indexed) -> Plan:
        """Where to look for a name of a file whose outline is `own`. Raises `SpentError`."""
        parts = wanted.parts
        if parts and parts[0] in wanted.language.selves:
            return self._of_self(wanted, own)
        if wanted.language is PYTHON and (parts or not wanted.qualifier):
            return self._python(wanted, own)
        if not wanted.qualifier:
            return self._plain(wanted, own, _own(wanted, Mode.VISIBLE), own.bound(wanted.name))
        bound = _bound(wanted, own)
        if bound is not None:
            return self._through(wanted, *bound, own)
        return self._by_qualifier(wanted, own)

    def _python(self, wanted: Wanted, own: Indexed) -> Plan:
        """By what is in force at the line; where that depends on what ran, by nothing."""
        parts = wanted.parts
        self._effort.take(len(wanted.around))
        root = parts[0] if parts else wanted.name
        bound = in_force(root, wanted.around, wanted.lines[0], own) or ()
        imports = [one for one in bound if isinstance(one, Import)]
        if not parts and bound and not any(getattr(one, "name", "") for one in bound):
            return Plan()  # a module or a value of a function: nothing that is defined
        if len(bound) > 1 and (imports or not parts):
            targets = [self._imports.target(wanted.path, one) for one in imports]
            outside = len(imports) == len(bound) and not any(t.inside for t in targets)
            return Plan(outside=outside, ambiguous=not outside)
        if imports:
            if not parts:
                return self._plain(wanted, own, None, imports)
            dotted = _bound(wanted, own) if "." in imports[0].alias else None
            return self._through(wanted, *(dotted or (imports, parts[1:])), own)
        if parts:
            return self._by_qualifier(wanted, own)
        if bound:
            scope = bound[0] if isinstance(bound[0], Scope) else None
            return Plan(
                (Step(Mode.VISIBLE, wanted.name, (wanted.path,), only=scope),) if scope else ()
            )
        return self._plain(wanted, own, None, ())

    def _by_qualifier(self, wanted: Wanted, own: Indexed) -> Plan:
        """By a qualifier that no import binds."""
        parts = wanted.parts
        if wanted.language is RUST and parts:
            named = Import(0, wanted.qualifier, wanted.name)
            target = self._imports.target(wanted.path, named)
            if target.inside:
                return self._spelled_out(wanted, target)
        if parts and (parts[-1][:1].isupper() or parts[-1] in own.by_name):
            return self._of_type(wanted, parts[-1], own)
        return self._unknown(wanted, own)

    def _plain(
        self, wanted: Wanted, own: Indexed, visible: Step | None, bound: Sequence[Import]
    ) -> Plan:
        steps = [visible] if visible else []
        if bound:
            return self._imported(wanted, steps, bound)
        if wanted.name in wanted.language.builtins:
            return Plan(tuple(steps))
        for star in own.stars:
            steps += self._import_steps(wanted, star)
        if not wanted.language.lexical:
            steps.append(self._package(wanted, Mode.EXPORTED))
            steps.append(self._suggested(wanted, Mode.EXPORTED))
            steps.append(Step(Mode.EXPORTED, wanted.name, everywhere=True))
        # Most of what a shell script calls are programs.
        return Plan(tuple(steps), expected=wanted.call and wanted.language is not SHELL)

    def _imported(self, wanted: Wanted, visible: Sequence[Step], bound: Sequence[Import]) -> Plan:
        """A plain name that an import binds; one that stands for a module is not a definition."""
        steps = list(visible)
        inside = module = False
        for imported in bound:
            target = self._imports.target(wanted.path, imported)
            inside |= target.inside
            if not imported.name:
                module = True
            else:
                module |= bool(target.modules) and target.modules != target.files
                steps += self._import_steps(wanted, imported)
        if inside and not module:
            steps.append(self._suggested(wanted, Mode.EXPORTED))
        return Plan(tuple(steps), outside=not inside and not module, expected=not module)

    def _of_self(self, wanted: Wanted, own: Indexed) -> Plan:
        """A member of the enclosing type, which may have inherited it; or one of a field."""
        if len(wanted.parts) > 1:
            return self._unknown(wanted, own)
        types = [scope for scope in wanted.around if scope.kind is ScopeKind.TYPE]
        steps = [_own(wanted, Mode.MEMBER, owner=scope.name) for scope in types[-1:]]
        for base in own.bases(types[-1]) if types else ():
            steps += self._inherited(wanted, base, own)
        if wanted.call and wanted.name not in COMMON_MEMBERS:
            steps += self._anywhere(wanted, own)
        return Plan(tuple(steps))

    def _inherited(self, wanted: Wanted, base: str, own: Indexed) -> Iterator[Step]:
        """A member of a type that the enclosing one names as its base."""
        spelled = replace(wanted, qualifier=base)
        found = _bound(spelled, own)
        for imported in found[0] if found else ():
            owner = found[1][-1] if found and found[1] else imported.name
            if owner:
                yield from self._import_steps(wanted, imported, owner)
        owner = spelled.parts[-1]
        if not found:
            yield _own(wanted, Mode.MEMBER, owner=owner)
            if not wanted.language.lexical:
                yield self._package(wanted, Mode.MEMBER, owner)
                yield self._suggested(wanted, Mode.MEMBER, owner)

    def _through(
        self, wanted: Wanted, bound: Sequence[Import], rest: tuple[str, ...], own: Indexed
    ) -> Plan:
        """By a qualifier that an import binds: a module, or a thing that a module holds."""
        steps: list[Step] = []
        inside = module = False
        for imported in bound:
            target = self._imports.target(wanted.path, imported)
            inside |= target.inside
            if not rest and target.modules:
                module = True
                steps += self._in_modules(wanted, target.modules)
            owner = rest[-1] if rest else imported.name
            if owner and target.files:
                steps += self._import_steps(wanted, imported, owner)
        if not inside:
            return Plan(outside=True)
        if module:
            steps.append(self._suggested(wanted, Mode.EXPORTED))
        elif wanted.call and wanted.name not in COMMON_MEMBERS:
            steps += self._anywhere(wanted, own)
        return Plan(tuple(steps), expected=module)

    def _spelled_out(self, wanted: Wanted, target: Target) -> Plan:
        """By a path that is written out in full: to a module, or to a type in one."""
        owner, name = wanted.parts[-1], wanted.name
        files = self._nearby.ranked(wanted, target.files, (name, owner))
        files = (*files, *self._nearby.siblings(wanted, files, (name, owner)))
        likely = min(len(files), _MOST_NAMED)
        exported = Step(Mode.EXPORTED, name, files, likely=likely, first=True)
        return Plan((exported, Step(Mode.MEMBER, name, files, owner, likely=likely, first=True)))

    def _of_type(self, wanted: Wanted, owner: str, own: Indexed) -> Plan:
        """By a qualifier that is spelled like a type."""
        steps = [_own(wanted, Mode.MEMBER, owner=owner)]
        for star in own.stars:
            steps += self._import_steps(wanted, star, owner)
        if wanted.language is RUBY and wanted.name[:1].isupper():
            steps.append(self._suggested(wanted, Mode.EXPORTED))
        if not wanted.language.lexical:
            steps.append(self._package(wanted, Mode.MEMBER, owner))
            steps.append(self._suggested(wanted, Mode.MEMBER, owner))
        if (
            wanted.call
            and wanted.name not in COMMON_MEMBERS
            and owner not in wanted.language.builtins
        ):
            steps += self._anywhere(wanted, own)
        return Plan(tuple(steps))

    def _unknown(self, wanted: Wanted, own: Indexed) -> Plan:
        """A method of a value of unknown type; what is no call is most likely a field."""
        if not wanted.call or wanted.name in COMMON_MEMBERS:
            return Plan()
        return Plan(tuple(self._anywhere(wanted, own)))

    def _anywhere(self, wanted: Wanted, own: Indexed) -> Iterator[Step]:
        yield _own(wanted, Mode.ANY)
        yield self._reached(wanted, own)
        yield self._package(wanted, Mode.ANY)
        yield self._suggested(wanted, Mode.ANY)
        yield Step(Mode.ANY, wanted.name, everywhere=True)

    def _import_steps(self, wanted: Wanted, imported: Import, owner: str = "") -> Iterator[Step]:
        """The files an import may mean, then the siblings that these may export it from.

        With an owner the name is looked up among its members.
        """
        target = self._imports.target(wanted.path, imported)
        taken = "" if imported.name in ("", "*") else imported.name
        name = wanted.name if owner else taken or wanted.name
        mode = Mode.MEMBER if owner else Mode.EXPORTED
        hints = tuple(filter(None, (taken, imported.alias, owner or name)))
        files = self._nearby.ranked(wanted, target.files, hints)
        likely = count_likely(files, hints) if len(files) > _MOST_NAMED else len(files)
        yield Step(mode, name, files, owner, likely=likely, first=True)
        siblings = self._nearby.siblings(wanted, target.files, hints)
        if siblings:
            likely = count_likely(siblings, hints)
            yield Step(mode, name, siblings, owner, Worth.SIBLING, likely, first=True)

    def _in_modules(self, wanted: Wanted, modules: tuple[str, ...]) -> Iterator[Step]:
        """A name at the top of a module; of a package of many files all are looked at."""
        name = wanted.name
        files = self._nearby.ranked(wanted, modules, (name,))
        likely = count_likely(files, (name,)) if len(files) > MOST_SUGGESTED else len(files)
        yield Step(Mode.EXPORTED, name, files, likely=likely)
        siblings = self._nearby.siblings(wanted, modules, (name,))
        if siblings:
            likely = count_likely(siblings, (name,))
            yield Step(Mode.EXPORTED, name, siblings, "", Worth.SIBLING, likely, first=True)

    def _reached(self, wanted: Wanted, own: Indexed) -> Step:
        """The files that a file imports, those first of which changed lines use something: a
        value's type often comes from one of them.
        """
        near: list[str] = []
        far: list[str] = []
        for files, used in self._imported_files(wanted, own):
            self._effort.take(1 + len(files))
            many = len(files) > MOST_SUGGESTED
            likely = [file for file in files if not many or sound(file, (wanted.name,))]
            (near if used else far).extend(likely)
        reached = tuple(dict.fromkeys((*near, *far)))
        return Step(Mode.ANY, wanted.name, reached, worth=Worth.REACHED, likely=len(set(near)))

    def _imported_files(self, wanted: Wanted, own: Indexed) -> list[tuple[tuple[str, ...], bool]]:
        """Of each import of a file: what it may mean, and whether changed lines use it."""
        if wanted.path not in self._reach:
            found = []
            for imported in own.outline.imports[:_MOST_IMPORTS]:
                hints = (imported.name,)
                target = self._imports.target(wanted.path, imported)
                files = self._nearby.ranked(wanted, target.files, hints)
                siblings = self._nearby.siblings(wanted, files, hints)
                sounding = siblings[: count_likely(siblings, hints)]
                if imported.name not in ("", "*") and len(files) > MOST_SUGGESTED:
                    files = files[: count_likely(files, hints)]
                found.append(((*files, *sounding), imported.alias in own.used))
            self._reach[wanted.path] = found
        return self._reach[wanted.path]

    def _package(self, wanted: Wanted, mode: Mode, owner: str = "") -> Step:
        """The files of the same folder, those first that sound like it."""
        beside = self._tree.folder(posixpath.dirname(wanted.path))
        hints = _hints(wanted, owner)
        ranked = self._nearby.ranked(wanted, beside, hints)
        tests = is_test(wanted.path)
        files = tuple(file for file in ranked if tests or not is_test(file))
        return Step(mode, wanted.name, files, owner, Worth.NEIGHBOUR, count_likely(files, hints))

    def _suggested(self, wanted: Wanted, mode: Mode, owner: str = "") -> Step:
        """Files anywhere that are called like it, nearest first."""
        path, hints = wanted.path, _hints(wanted, owner)
        found = {file for hint in hints for file in self._nearby.nearest(wanted, hint)}
        files = tuple(sorted(found, key=nearer(path))[:MOST_SUGGESTED])
        return Step(mode, wanted.name, files, owner, Worth.SUGGESTED, len(files))


def _own(wanted: Wanted, mode: Mode, owner: str = "") -> Step:
    return Step(mode, wanted.name, (wanted.path,), owner)


def _hints(wanted: Wanted, owner: str) -> tuple[str, ...]:
    """What a file that holds the name may be called for."""
    return (owner,) if owner else (wanted.name, *wanted.parts[-1:])


def _bound(wanted: Wanted, own: Indexed) -> tuple[Sequence[Import], tuple[str, ...]] | None:
    """The imports that bind the longest start of a qualifier, and the names behind it."""
    parts = wanted.parts
    for size in range(len(parts), 0, -1):
        for separator in (".", "::"):
            found = own.bound(separator.join(parts[:size]))
            if found:
                return found, parts[size:]
    return None
