"""Tests by name as a diff shows them, and the file that a file of tests is named for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from pr_review.checks.paths import TEST_FOLDERS, suffix
from pr_review.checks.statements import JAVASCRIPT, JVM, RUBY
from pr_review.domain.diff import FileChange, Line, Side


@dataclass(frozen=True, slots=True)
class _Form:
    """How tests are declared: a pattern with the group `name`, on one of the lines that follow a
    `mark` where the language marks tests."""

    declares: re.Pattern[str]
    mark: re.Pattern[str] | None = None


_REACH = 8
_DEEPEST = 24
_NAMED = r"(?P<quote>['\"`])(?P<name>(?:\\.|(?!(?P=quote))[^\\])*)"
_FORMS: Mapping[str, _Form] = {
    ".py": _Form(re.compile(r"[ \t]*(?:async )?def (?P<name>test\w*)\(")),
    ".go": _Form(re.compile(r"func (?:\([^)]*\) )?(?P<name>(?:Test|Fuzz|Example)\w*)\(")),
    ".php": _Form(re.compile(r"[ \t]*(?:public )?function (?P<name>test\w+)\(")),
    ".swift": _Form(re.compile(r"[ \t]*func (?P<name>test\w+)\(")),
    ".rs": _Form(
        re.compile(r"[ \t]*(?:pub )?(?:async )?fn (?P<name>\w+)"),
        re.compile(r"[ \t]*#\[(?:\w+::)*test\b"),
    ),
    ".cs": _Form(
        re.compile(r"[^(=]{0,80}?\b(?:void|Task|Task<\w+>) (?P<name>\w+)\("),
        re.compile(r"[ \t]*\[(?:Fact|Theory|Test|TestCase|TestMethod)\b"),
    ),
    **dict.fromkeys(
        JVM,
        _Form(
            re.compile(r"[^(=]{0,80}?\b(?:void|fun) (?P<name>\w+|`[^`]+`)[ \t]*\("),
            re.compile(r"[ \t]*@(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\b"),
        ),
    ),
    **dict.fromkeys(
        (*JAVASCRIPT, ".dart"),
        _Form(re.compile(rf"[ \t]*(?:it|test|specify)(?:\.\w+)*\([ \t]*{_NAMED}")),
    ),
    **dict.fromkeys(
        (*RUBY, ".exs"),
        _Form(re.compile(rf"[ \t]*(?:it|specify|scenario|example|test|should)[ (]{_NAMED}")),
    ),
}

_AFFIXES = re.compile(
    r"(?:[Tt]est_(?P<a>.+)|(?P<b>.+)[_.-](?:tests?|spec|cy|e2e)|(?P<c>[A-Z].*?)(?:Tests?|Spec))"
)
_SOURCES = ("src", "lib", "app", "main", "source")


def declared(file: FileChange, side: Side) -> Iterator[tuple[str, Line]]:
    """Names of the tests whose declaration is a removed (LEFT) or an added (RIGHT) line."""
    form = _FORMS.get(suffix(file.path))
    if form is None:
        return
    since = 0
    for line in file.lines:
        if line.changed and line.side is not side:
            continue
        since += 1
        if form.mark and form.mark.match(line.text):
            since = 0
        found = form.declares.match(line.text) if not form.mark or since <= _REACH else None
        if found:
            since = _REACH
            if line.changed:
                yield found["name"], line


def subjects(path: str) -> Iterator[str]:
    """Where the file may stand that a file of tests is named for, by the usual layouts.

    >>> "lib/a/b.rb" in subjects("spec/a/b_spec.rb"), "a/b.ts" in subjects("a/__tests__/b.test.ts")
    (True, True)
    """
    pure = PurePosixPath(path)
    match = _AFFIXES.fullmatch(pure.stem)
    stem = (match["a"] or match["b"] or match["c"]) if match else pure.stem
    same = suffix(path)
    suffixes = JAVASCRIPT if same in JAVASCRIPT else (same,)
    for folder in _folders(pure.parent.parts):
        for ending in suffixes:
            found = str(PurePosixPath(*folder, stem + ending))
            if found != path:
                yield found


def _folders(parts: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The folder itself, and those where one that holds tests, not too deep, is left out or holds
    source."""
    yield parts
    for at, part in enumerate(parts[:_DEEPEST]):
        if part.lower() in TEST_FOLDERS:
            before, behind = parts[:at], parts[at + 1 :]
            yield before + behind
            for source in _SOURCES:
                yield (*before, source, *behind)
