"""A test that is switched off, whatever the circumstances."""

from __future__ import annotations

import re
from itertools import pairwise

from pr_review.checks.check import CheckInput, finding, line_spot
from pr_review.checks.paths import is_test
from pr_review.checks.statements import JAVASCRIPT, JVM, RUBY, added, rules
from pr_review.domain.diff import FileChange, Line
from pr_review.domain.finding import Finding, Severity

NAME = "skipped-test"

_BLOCK = r"(?:it|test|describe|context|suite|specify)"
_NAMED = r"\([ \t]*(?:['\"`]|$)"
# Unconditional ones alone: `skipif`, `it.skipIf`, `DisabledOnOs` and a call below an `if` depend on
# where the test runs.
_RULES = rules(
    (
        JAVASCRIPT,
        rf"{_BLOCK}(?:\.(?:concurrent|sequential|serial|parallel|describe))*\.skip{_NAMED}",
        rf"{_BLOCK}\.skip\.each\b",
        rf"x(?:it|describe|context|test|specify){_NAMED}",
    ),
    (
        (".py",),
        r"@(?:pytest\.mark\.skip|unittest\.skip|skip)(?:\(|[ \t]*$)",
        r"pytestmark = (?:\[[ \t]*)?pytest\.mark\.skip\b",
    ),
    (RUBY, r"(?:RSpec\.)?(?:xit|xdescribe|xcontext|xspecify|xexample|xscenario|xfeature)[ (]"),
    (
        JVM,
        r"@(?:org\.junit\.(?:jupiter\.api\.)?)?(?:Disabled|Ignore)\b(?:[ \t]*\(|[ \t]*$|[ \t]+@)",
    ),
    ((".cs",), r"\[(?:Ignore(?:\(|\])|(?:Fact|Theory)\([^)\n]{0,200}\bSkip[ \t]*=)"),
    ((".rs",), r"#\[ignore\b"),
    (
        (".go",),
        r"[tb]\.(?:Skip|Skipf|SkipNow)\(",
        r"(?:var _ = )?[PX](?:It|Describe|Context|When|Specify|DescribeTable)\([ \t]*[\"`]",
    ),
    ((".ex", ".exs"), r"@(?:module|describe)?tag :?skip\b"),
    ((".dart",), r"@Skip\("),
)
_GO_TEST = re.compile(
    r"func (?:\([^)]*\) )?(?:Test|Benchmark|Fuzz)\w*\(\w+ \*testing\.\w+\) \{"
    r"|[bt]\.Run\(.*func\(\w+ \*testing\.\w+\) \{"
)


def run(given: CheckInput) -> tuple[Finding, ...]:
    """One finding for each test or group of tests that is switched off."""
    return tuple(
        finding(
            NAME,
            line_spot(file, line),
            severity=Severity.LOW,
            category="tests",
            title="A test is switched off",
            body=f"Since {said} it runs nowhere, and what it guarded can "
            "break unseen. Repair or delete it, or say in its place when it comes back.",
        )
        for file, line, said in added(
            given, _RULES, lambda path: is_test(path) or path.endswith(".rs")
        )
        if _unconditional(file, line)
    )


def _unconditional(file: FileChange, line: Line) -> bool:
    """In Go a skip is a call: it counts where it comes first in its test."""
    if not line.text.lstrip(" \t").startswith(("t.", "b.")):
        return True
    seen = [other for other in file.lines if not other.removed]
    above = next((a for a, other in pairwise(seen) if other is line), None)
    return above is not None and bool(_GO_TEST.match(above.text.strip()))
