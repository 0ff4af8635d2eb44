"""What a file is made of: definitions that enclose lines, names they use, modules they import.

Made from a syntax tree where there is a grammar, else from indentation. Lines are 1-based and
inclusive, and end at LF alone, as in a diff.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property


class ScopeKind(StrEnum):
    """Kinds of definition that matter to a reader: what runs, what holds others, what is set."""

    FUNCTION = "function"
    TYPE = "type"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Scope:
    """A definition: function, method, class, interface, module or named constant.

    `start` is its first line with decorators and attributes, `line` the one that holds its
    name, `head` the last line of its signature (the line of the opening brace or colon), `end`
    its last line: start <= line <= head <= end. `parent` is the index of the scope around it
    in the outline, None at the top; a parent stands before its children.
    """

    name: str
    kind: ScopeKind
    start: int
    line: int
    head: int
    end: int
    parent: int | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """A name that a line calls or refers to. `qualifier` is the name before the last dot, such
    as `template` in `template.Generate()`; empty if there is none, `?` for an expression.
    """

    line: int
    name: str
    qualifier: str = ""
    call: bool = False


@dataclass(frozen=True, slots=True)
class Import:
    """One name that a file takes from elsewhere.

    `module` is written as in the file (`a.b`, `..pkg`, `./x`, `github.com/o/r/pkg`,
    `crate::a::b`, `java.util`). `name` is what is taken from it: empty for the module itself,
    `*` for everything. `alias` is what it is called here; empty where nothing is bound.
    """

    line: int
    module: str
    name: str = ""
    alias: str = ""


@dataclass(frozen=True)
class Outline:
    """Scopes by first line (a parent before its children), uses and imports by line.

    `source` says what it was made from: `syntax`, or `indentation` with the reason behind a
    colon where a grammar exists but was not used.
    """

    language: str
    scopes: tuple[Scope, ...] = ()
    uses: tuple[Use, ...] = ()
    imports: tuple[Import, ...] = ()
    source: str = "syntax"

    @cached_property
    def _starts(self) -> list[int]:
        return [scope.start for scope in self.scopes]

    def around(self, line: int) -> tuple[Scope, ...]:
        """The functions and types that enclose a line, outermost first."""
        found = []
        # Scopes nest, so all that enclose a line are above the last one that starts before it.
        index: int | None = bisect_right(self._starts, line) - 1
        while index is not None and index >= 0:
            scope = self.scopes[index]
            if scope.end >= line and scope.kind is not ScopeKind.VALUE:
                found.append(scope)
            index = scope.parent
        return tuple(reversed(found))
