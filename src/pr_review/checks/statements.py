"""Statements on added lines that stand in code, and not in a comment or a string."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from pr_review.checks.check import CheckInput
from pr_review.checks.paths import kept_as_it_is, suffix
from pr_review.checks.ports import Tree
from pr_review.domain.diff import FileChange, Line

# Comments and strings of a family of languages. What is not closed runs to the end of its line or
# of the file: every pattern matches wherever it begins, so that a scan reads a text but once.
_SLASHES = r"//[^\n]*|/\*(?s:.)*?(?:\*/|\Z)"
_HASH = r"#[^\n]*"
_DOUBLE = r'"(?:\\(?s:.)|[^"\\\n])*"?'
_SINGLE = r"'(?:\\(?s:.)|[^'\\\n])*'?"
_TEMPLATE = r"`(?:\\(?s:.)|[^`\\])*`?"
_RAW = r"`[^`]*`?"
_LONG = r'"""(?:\\(?s:.)|[^\\])*?(?:"""|\Z)'
_LONG_SINGLE = r"'''(?:\\(?s:.)|[^\\])*?(?:'''|\Z)"
_VERBATIM = r'@"(?:""|[^"])*"?'
# so that no quote in a regular expression opens a string
_REGEX = (
    r"(?<=[=(,:;!&|?{}\[\n])[ \t]{0,40}/(?![*/])"
    r"(?:\\.|\[(?:\\.|[^\]\\\n]){0,50}\]|[^/\\\n\[]){1,100}/"
)


def _scanner(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts))


_JAVASCRIPT = _scanner(_SLASHES, _REGEX, _DOUBLE, _SINGLE, _TEMPLATE)
_JVM = _scanner(_SLASHES, _LONG, _DOUBLE, _SINGLE)
_PYTHON = _scanner(_HASH, _LONG, _LONG_SINGLE, _DOUBLE, _SINGLE)
_SCRIPT = _scanner(r"(?m:^=begin\b)(?s:.)*?(?:\n=end\b|\Z)", _HASH, _LONG, _DOUBLE, _SINGLE)
_SCANNERS: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys((".java", ".kt", ".kts", ".scala", ".groovy", ".swift"), _JVM),
    **dict.fromkeys((".ex", ".exs", ".rb", ".rake", ".pl", ".pm", ".t", ".r", ".jl"), _SCRIPT),
    ".py": _PYTHON,
    ".go": _scanner(_SLASHES, _DOUBLE, _SINGLE, _RAW),
    # no single quotes: those of lifetimes have no end
    ".rs": _scanner(_SLASHES, r'r#+"(?s:.)*?(?:"#|\Z)', r'"(?:\\(?s:.)|[^"\\])*"?'),
    ".cs": _scanner(_SLASHES, _VERBATIM, _LONG, _DOUBLE, _SINGLE),
    ".php": _scanner(_SLASHES, r"#(?!\[)[^\n]*", _DOUBLE, _SINGLE),
    ".dart": _scanner(_SLASHES, _LONG, _LONG_SINGLE, _DOUBLE, _SINGLE),
}

JAVASCRIPT = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte")
RUBY = (".rb", ".rake")
JVM = (".java", ".kt", ".kts", ".scala", ".groovy")

Rules = Mapping[str, re.Pattern[str]]
"""By suffix of a file: a pattern whose group `at` begins where a statement does."""


def rules(*rows: tuple[Sequence[str], *tuple[str, ...]]) -> Rules:
    """Patterns from rows of suffixes, and of what a statement may begin with."""
    return {
        ending: re.compile(rf"[ \t]*(?P<at>{'|'.join(statements)})")
        for endings, *statements in rows
        for ending in endings
    }


def added(
    given: CheckInput, by_suffix: Rules, wanted: Callable[[str], bool] = lambda _path: True
) -> Iterator[tuple[FileChange, Line, str]]:
    """Added lines that begin with a statement of the rules, in code, each with its code span.

    A line that was moved is not added: as often as the change takes the same statement away, it
    is passed over.
    """
    found = [
        (file, line)
        for file in given.change.files
        if (rule := by_suffix.get(suffix(file.path)))
        and wanted(file.path)
        and not kept_as_it_is(file.path)
        and file.path not in given.change.generated
        for line in _in_code(file, rule, given.tree)
    ]
    if not found:
        return
    texts = {line.text.strip() for _, line in found}
    gone = Counter(
        text
        for file in given.change.files
        for line in file.lines
        if line.removed and (text := line.text.strip()) in texts
    )
    for file, line in found:
        text = line.text.strip()
        gone[text] -= 1
        if gone[text] < 0:
            yield file, line, given.quoted(file.path, line.new, text)


def _in_code(file: FileChange, rule: re.Pattern[str], tree: Tree | None) -> list[Line]:
    hits = [(line, m) for line in file.lines if line.added and (m := rule.match(line.text))]
    if not hits:
        return []
    scanner = _SCANNERS.get(suffix(file.path), _JAVASCRIPT)
    text = _text(file, tree)
    if text is None:
        return [line for line, m in hits if _free(scanner, line.text, [m.start("at")])]
    starts = _line_starts(text)
    offsets = [starts[line.number - 1] + m.start("at") for line, m in hits]
    free = _free(scanner, text, offsets)
    return [line for (line, _), offset in zip(hits, offsets, strict=True) if offset in free]


def _text(file: FileChange, tree: Tree | None) -> str | None:
    """The head's file, with offsets as in the lines of the diff; None if it is not to be had."""
    data = tree.blob(file.new_oid) if tree else None
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _line_starts(text: str) -> list[int]:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _free(scanner: re.Pattern[str], text: str, offsets: Sequence[int]) -> frozenset[int]:
    """The offsets (ascending) that stand in no comment or string."""
    spans = (m.span() for m in scanner.finditer(text))
    free = set()
    start, end = next(spans, (len(text), len(text)))
    for offset in offsets:
        while end <= offset and start < len(text):
            start, end = next(spans, (len(text), len(text)))
        if offset < start or offset >= end:
            free.add(offset)
    return frozenset(free)
