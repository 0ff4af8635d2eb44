"""Which binding of a name is in force at a line of Python: names rebind, in the order of lines."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from pr_review.snapshot.dependencies.shelf import Indexed
from pr_review.snapshot.outline import Import, Scope, ScopeKind

# Of more branches than these nobody can tell which one was taken.
_MOST_BRANCHES = 8
_COMPOUND = re.compile(rb"\s*(?:if|elif|else|try|except|finally|for|while|with|async|match|case)\b")


@dataclass(frozen=True, slots=True)
class Local:
    """A value that a function sets or is given: nothing that is defined anywhere."""


Bound: TypeAlias = Scope | Import | Local


@dataclass(frozen=True, slots=True)
class _Binding:
    """What a line binds; `certain` unless it stands in a branch that may not run."""

    line: int
    bound: Bound
    certain: bool


def in_force(
    name: str, around: Sequence[Scope], line: int, own: Indexed
) -> tuple[Bound, ...] | None:
    """What a name may stand for at a line inside of some scopes, by the innermost one that binds
    it; None if the file does not. Several: it depends on what ran.
    """
    inside = [scope for scope in around if line >= scope.line]
    lazy = False
    for depth in range(len(inside), -1, -1):
        level = inside[depth - 1] if depth else None
        runs = level is not None and level.kind is ScopeKind.FUNCTION
        if level is None or runs or depth == len(inside):
            bindings = _bindings(name, level, own)
            if bindings:
                return _at(bindings, None if lazy else line)
        lazy |= runs
    return None


def last_of(scopes: Sequence[Scope], own: Indexed) -> tuple[Scope, ...]:
    """Of definitions of one name in one place those that others may find there."""
    made = [_Binding(scope.line, scope, _certain(scope.line, own.parent(scope), own))
            for scope in scopes if not own.is_accessor(scope)]  # fmt: skip
    found = _at(sorted(made, key=lambda binding: binding.line), None) if made else ()
    return tuple(bound for bound in found if isinstance(bound, Scope)) or tuple(scopes)


def _bindings(name: str, level: Scope | None, own: Indexed) -> list[_Binding]:
    """The bindings of a name right in a function, a class or the file, by line."""
    bound: list[tuple[int, Bound]] = [(s.line, s) for s in own.right_in(level, name)]
    lines = {line for line, _ in bound}
    bound += [(i.line, i) for i in own.taken(name) if own.place(i.line) == level]
    if level is not None and level.kind is ScopeKind.FUNCTION:
        bound += [(line, Local()) for line in own.local(level, name) if line not in lines]
    bound.sort(key=lambda pair: pair[0])
    shared = {a[0] for a, b in pairwise(bound) if a[0] == b[0]}
    return [
        _Binding(line, what, line not in shared and _certain(line, level, own))
        for line, what in bound
    ]


def _at(bindings: Sequence[_Binding], line: int | None) -> tuple[Bound, ...]:
    """Those in force before a line, at the end of the scope for None: the last certain one and
    what may have replaced it.
    """
    end = len(bindings) if line is None else bisect_left(bindings, line, key=lambda b: b.line)
    found: dict[object, Bound] = {}
    # What is bound only further down is for a reader of annotations, which are not run.
    for binding in reversed(bindings[: end or len(bindings)]):
        found.setdefault(_identity(binding.bound), binding.bound)
        if binding.certain or len(found) > _MOST_BRANCHES:
            break
    return tuple(found.values())


def _identity(bound: Bound) -> object:
    if not isinstance(bound, Import):
        return bound
    # `import a.b` and `import a.c` both bind the same `a`.
    return bound.alias.split(".", 1)[0] if "." in bound.alias else (bound.module, bound.name)


def _certain(line: int, level: Scope | None, own: Indexed) -> bool:
    """Whether a line is no part of a branch: it stands as far left as its scope's body."""
    text = own.line(line)
    if not text or (level is not None and line <= level.head):
        return True
    indent = len(text) - len(text.lstrip())
    return indent <= own.indent(level) and not _COMPOUND.match(text)
