"""A file's outline from its syntax tree, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence

import tree_sitter

from pr_review.adapters.syntax.grammar import (
    TooManyMatches,
    definition_patterns,
    grammar_of,
    use_patterns,
)
from pr_review.adapters.syntax.imports import imports_of
from pr_review.adapters.syntax.languages import Language, language_of
from pr_review.adapters.syntax.parse import OutOfBounds, parse
from pr_review.adapters.syntax.scopes import scopes_of
from pr_review.adapters.syntax.uses import uses_of
from pr_review.snapshot.outline import Outline, Use


def read(path: str, text: bytes, used: Sequence[range]) -> Outline | str:
    """What `TreeSitter.outline` promises, but for input that breaks the parser itself."""
    language = language_of(path)
    if language is None:
        return "no grammar"
    try:
        return _outline(language, text, used)
    except (OutOfBounds, TooManyMatches) as reason:
        return str(reason)
    except ImportError:
        return f"the grammar of {language.name} is not installed"


def _outline(language: Language, text: bytes, used: Sequence[range]) -> Outline:
    root = parse(grammar_of(language), text).root_node
    patterns = definition_patterns(language)
    matches = patterns.matches(root)
    return Outline(
        language=language.name,
        scopes=scopes_of(text, patterns, matches),
        uses=_uses(language, text, root, used),
        imports=imports_of(text, patterns, matches, language.separator),
    )


def _uses(
    language: Language, text: bytes, root: tree_sitter.Node, used: Sequence[range]
) -> tuple[Use, ...]:
    if not used:
        return ()
    found = uses_of(text, use_patterns(language), root, used)
    return tuple(use for use in found if use.qualifier or use.name not in language.ignored)
