"""A test that is marked as the only one to run: the others pass by not running."""

from __future__ import annotations

from pr_review.checks.check import CheckInput, finding, line_spot
from pr_review.checks.paths import is_test
from pr_review.checks.statements import JAVASCRIPT, RUBY, added, rules
from pr_review.domain.finding import Finding, Severity

NAME = "focused-test"

_BLOCK = r"(?:it|test|describe|context|suite|specify|Deno\.test)"
_EXAMPLE = r"(?:it|describe|context|specify|example|scenario|feature)"
_HOW = r"(?:\.(?:concurrent|sequential|serial|parallel|describe|failing))*"
_FOCUS = r"(?:,[ \t]*:focus\b|\bfocus: true\b|:focus => true\b)"
_RULES = rules(
    (
        JAVASCRIPT,
        rf"{_BLOCK}{_HOW}\.only[ \t]*[(.`<]",
        r"(?:fit|fdescribe|fcontext)\([ \t]*['\"`]",
    ),
    (
        RUBY,
        r"(?:RSpec\.)?(?:fit|fdescribe|fcontext|fspecify|fexample)[ (]",
        rf"(?:RSpec\.)?{_EXAMPLE}[ (](?:'[^']*'|\"[^\"]*\"|[^#'\"]){{0,120}}?{_FOCUS}",
    ),
    (
        (".go",),
        r"(?:var _ = )?F(?:It|Describe|Context|When|Specify|Entry|DescribeTable)\([ \t]*[\"`]",
    ),
    ((".php",), r"(?:\}\)|\))?->only\(\)[ \t]*;"),
    ((".dart",), r"(?:\}?,?[ \t]*)?solo: true\b"),
)


def run(given: CheckInput) -> tuple[Finding, ...]:
    """One finding for each focus that is added in a file of tests."""
    return tuple(
        finding(
            NAME,
            line_spot(file, line),
            severity=Severity.HIGH,
            category="tests",
            title="A test is focused, and the others of its run are left out",
            body=f"With {said} the runner skips every test beside it and "
            "still reports success. Remove the focus before the merge.",
        )
        for file, line, said in added(given, _RULES, is_test)
    )
