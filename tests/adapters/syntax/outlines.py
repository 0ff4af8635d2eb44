"""Outlines as text, for cases that are read like a listing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pr_review.snapshot.outline import Outline

CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True, slots=True)
class Case:
    """A file of `cases/`: a path, its source, and the outline that it must have."""

    path: str
    source: str
    expected: str


def case(name: str) -> Case:
    """The path stands on the first line; the outline below the last line of `=`."""
    first, _, rest = (CASES / f"{name}.txt").read_text(encoding="utf-8").partition("\n")
    source, _, expected = rest.rpartition("\n====\n")
    return Case(first, f"{source}\n", expected)


def listing(outline: Outline) -> str:
    """Scopes as `start/line/head/end kind name`, indented below their parent; then imports as
    `line import module [name] as alias`; then uses as `line: qualifier.name()`.
    """
    depths: list[int] = []
    lines = []
    for scope in outline.scopes:
        depths.append(0 if scope.parent is None else depths[scope.parent] + 1)
        numbers = f"{scope.start}/{scope.line}/{scope.head}/{scope.end}"
        lines.append(f"{'  ' * depths[-1]}{numbers} {scope.kind} {scope.name}")
    for item in outline.imports:
        taken = f" [{item.name}]" if item.name else ""
        alias = f" as {item.alias}" if item.alias else ""
        lines.append(f"{item.line} import {item.module}{taken}{alias}")
    by_line: dict[int, list[str]] = {}
    for use in outline.uses:
        name = f"{use.qualifier}.{use.name}" if use.qualifier else use.name
        by_line.setdefault(use.line, []).append(f"{name}()" if use.call else name)
    lines += [f"{line}: {', '.join(names)}" for line, names in by_line.items()]
    return "\n".join(lines) + "\n"
