"""Each language reads as its case says: definitions, imports, uses."""

from __future__ import annotations

import pytest

from pr_review.adapters.syntax import TreeSitter
from pr_review.adapters.syntax.languages import LANGUAGES
from pr_review.snapshot.outline import Outline
from tests.adapters.syntax.outlines import CASES, case, listing

NAMES = [language.name for language in LANGUAGES]

READER = TreeSitter()


def outline(path: str, source: str) -> Outline:
    found = READER.outline(path, source.encode(), [range(1, source.count("\n") + 2)])
    assert isinstance(found, Outline), found
    return found


def test_every_language_has_a_case_and_every_case_a_language() -> None:
    assert {path.stem for path in CASES.glob("*.txt")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_language_reads_as_its_case_says(name: str) -> None:
    wanted = case(name)
    found = outline(wanted.path, wanted.source)
    assert found.language == name
    assert found.source == "syntax"
    assert listing(found) == wanted.expected


@pytest.mark.parametrize("name", NAMES)
def test_scopes_are_in_order_and_lie_within_their_parents(name: str) -> None:
    scopes = outline(case(name).path, case(name).source).scopes
    assert [s.start for s in scopes] == sorted(s.start for s in scopes)
    for index, scope in enumerate(scopes):
        assert 1 <= scope.start <= scope.line <= scope.head <= scope.end
        if scope.parent is not None:
            assert scope.parent < index
            assert scopes[scope.parent].start <= scope.start
            assert scope.end <= scopes[scope.parent].end


@pytest.mark.parametrize("name", NAMES)
def test_uses_of_some_lines_are_those_of_the_whole_file_on_these_lines(name: str) -> None:
    wanted = case(name)
    whole = outline(wanted.path, wanted.source)
    for line in range(1, wanted.source.count("\n") + 1):
        some = READER.outline(wanted.path, wanted.source.encode(), [range(line, line + 1)])
        assert isinstance(some, Outline)
        assert some.uses == tuple(use for use in whole.uses if use.line == line)
        assert (some.scopes, some.imports) == (whole.scopes, whole.imports)
