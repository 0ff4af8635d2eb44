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


class TreeSitter:
    """Reads source with tree-sitter; a grammar is imported when its first file comes."""

    def knows(self, path: str) -> bool:
        """Whether there is a grammar for a path, by its name."""
        return language_of(path) is not None

    def outline(self, path: str, text: bytes, used: Sequence[range] = ()) -> Outline | str:
        """The outline of a file, or in words why none could be made; never raises.

        `used` are the ranges of 1-based lines of which the uses are wanted, ascending; scopes
        and imports are always those of the whole file. A qualifier and the alias of a Python
        `import a.b` are dotted names as written (`a.b`); a name that is exported on from
        elsewhere is bound to the name it is exported by.
        """
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
