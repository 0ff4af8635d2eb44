"""A credential on an added line is told once, and never repeated."""

from __future__ import annotations

from pr_review.checks.credential_added import run
from pr_review.domain.diff import Side
from pr_review.domain.finding import Confidence, Severity
from pr_review.domain.ledger import Redaction
from tests.checks.changes import given


def added(line: int, rule: str = "github-token", path: str = "a.py") -> Redaction:
    return Redaction(path, line, Side.RIGHT, rule, added=True)


def test_one_finding_a_line_whatever_matched_it() -> None:
    found = run(given({}, {}, added(3, "jwt"), added(3), added(4), added(1, path="b.py")))
    assert [(f.path, f.start, f.end) for f in found] == [
        ("a.py", 3, 3), ("a.py", 4, 4), ("b.py", 1, 1),
    ]  # fmt: skip
    first = found[0]
    assert "`github-token`, `jwt`" in first.body
    assert (first.severity, first.confidence) == (Severity.HIGH, Confidence.HIGH)
    assert first.deterministic
    assert first.sources == ("check:credential-added",)
    assert first.quote == ""


def test_a_key_block_is_one_critical_finding() -> None:
    lines = (added(3, "PEM-Encoded Private Key"), added(4, "private-key"), added(5, "private-key"))
    found = run(given({}, {}, added(2), *lines, added(7, "private-key")))
    assert [(f.start, f.end, f.severity) for f in found] == [
        (2, 2, Severity.HIGH), (3, 5, Severity.CRITICAL), (7, 7, Severity.CRITICAL),
    ]  # fmt: skip


def test_neighbours_that_are_no_key_stay_apart() -> None:
    found = run(given({}, {}, added(3, "private-key"), added(4, "aws"), added(5, "aws")))
    assert [(f.start, f.end) for f in found] == [(3, 3), (4, 4), (5, 5)]


def test_lines_that_were_there_before_are_silent() -> None:
    context = Redaction("a.py", 3, Side.RIGHT, "aws", added=False)
    removed = Redaction("a.py", 3, Side.LEFT, "aws", added=False)
    assert run(given({}, {}, context, removed)) == ()
    assert run(given({}, {"a.py": "x = 1\n"})) == ()


def test_a_rule_cannot_leave_its_code_span() -> None:
    (found,) = run(given({}, {}, added(1, "x`\n@someone")))
    assert "`x'\\u{a}@someone`" in found.body
