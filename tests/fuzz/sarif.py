"""SARIF of other tools: findings on added lines alone, fit to be told, or a warning."""

from __future__ import annotations

import re

from pr_review.checks.sarif import read
from pr_review.checks.sarif.ports import ToolFile
from pr_review.checks.sarif.read import MOST_FINDINGS
from pr_review.domain.diff import Side
from pr_review.domain.finding import Finding
from tests.checks.changes import given

_CHANGE = given(
    {"src/a b.py": "one\ntwo\nthree\n", "a.py": "same\n"},
    {"src/a b.py": "one\nTWO\nthree\nfour\nfive\n", "a.py": "same\n", "new.py": "1\n2\n"},
)
_ADDED = {file.path: set(file.added_lines) for file in _CHANGE.change.files}
_SOURCE = re.compile(r"[A-Za-z0-9_.+/@-]+:[A-Za-z0-9_.+/@:-]+")


def check(data: bytes) -> None:
    told = read([ToolFile("out/lint.sarif", data)], _CHANGE.change, _CHANGE.tree)
    assert len(told.findings) <= MOST_FINDINGS
    for words in (*told.counts, *told.warnings):
        assert "\n" not in words
        words.encode()
    for one in told.findings:
        _fit(one)
    again = read([ToolFile("out/lint.sarif", data)] * 2, _CHANGE.change, _CHANGE.tree)
    assert again.findings == told.findings


def _fit(one: Finding) -> None:
    assert one.deterministic
    assert one.side is Side.RIGHT
    if one.start is None or one.end is None:
        assert (one.path, one.end, one.suggestion) == ("new.py", None, None)
    else:
        assert one.start <= one.end
        assert set(range(one.start, one.end + 1)) <= _ADDED[one.path]
    assert one.title.strip()
    assert "\n" not in one.title
    assert all(_SOURCE.fullmatch(source) for source in one.sources)
    "".join((one.title, one.body, one.category, one.suggestion or "")).encode()
