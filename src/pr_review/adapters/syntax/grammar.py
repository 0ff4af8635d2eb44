"""Grammars with their compiled queries, each loaded once and only when a file needs it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TypeAlias

import tree_sitter

from pr_review.adapters.syntax.languages import Language

Captures: TypeAlias = dict[str, list[tree_sitter.Node]]
Match: TypeAlias = tuple[int, Captures]

# A query file has two parts; the second runs on the wanted lines alone.
_USES = "\n; uses\n"
_MATCHES_AT_ONCE = 20_000


class TooManyMatches(Exception):  # noqa: N818 - a reason, not an error
    """A query held more unfinished matches than its limit: its answer would be incomplete."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """One compiled query; `settings` are what `#set!` says, by the number of the pattern."""

    query: tree_sitter.Query
    settings: tuple[Mapping[str, str | None], ...]

    def matches(self, root: tree_sitter.Node, rows: tuple[int, int] | None = None) -> list[Match]:
        """All matches, or those that touch the rows (0-based, the end excluded).

        Raises `TooManyMatches`. Cost follows the rows: what lies outside is not descended into.
        """
        cursor = tree_sitter.QueryCursor(self.query, match_limit=_MATCHES_AT_ONCE)
        if rows is not None:
            cursor.set_point_range((rows[0], 0), (rows[1], 0))
        found = cursor.matches(root)
        if cursor.did_exceed_match_limit:
            raise TooManyMatches(f"over {_MATCHES_AT_ONCE:,} open matches")
        return found


@cache
def grammar_of(language: Language) -> tree_sitter.Language:
    """Raises `ImportError` where the grammar is not installed."""
    module = importlib.import_module(language.package)
    return tree_sitter.Language(getattr(module, language.factory)())


@cache
def definition_patterns(language: Language) -> Patterns:
    """What finds definitions and imports."""
    return _compiled(language, 0)


@cache
def use_patterns(language: Language) -> Patterns:
    """What finds uses; apart, since many files are read for their definitions alone."""
    return _compiled(language, 1)


def _compiled(language: Language, part: int) -> Patterns:
    text = "\n".join(_query(name)[part] for name in language.queries)
    query = tree_sitter.Query(grammar_of(language), text)
    count = range(query.pattern_count)
    return Patterns(query, tuple(query.pattern_settings(index) for index in count))


def _query(name: str) -> list[str]:
    file = resources.files("pr_review.adapters.syntax") / "queries" / f"{name}.scm"
    return file.read_text(encoding="utf-8").split(_USES)
