"""A credential on an added line: what screening hid from the model, people have to hear of."""

from __future__ import annotations

import re
from collections import defaultdict

from pr_review.checks.check import CheckInput, Spot, code, finding
from pr_review.domain.diff import Side
from pr_review.domain.finding import Finding, Severity

NAME = "credential-added"

_PRIVATE_KEY = re.compile(r"(?i)priv(?:ate)?[-_. ]?key|\bpem\b")
_BODY = (
    "Screening matched {rules} here; the value was replaced before anything was sent to a "
    "model and is not repeated. If it is real, revoke it: a commit that removes it leaves it "
    "in the history."
)


def run(given: CheckInput) -> tuple[Finding, ...]:
    """One finding a line, whatever number of rules matched it; one for a whole key block."""
    by_path: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for redaction in given.redactions:
        if redaction.added and redaction.side is Side.RIGHT:
            by_path[redaction.path][redaction.line].add(redaction.rule)
    return tuple(
        _finding(path, start, end, rules)
        for path, lines in sorted(by_path.items())
        for start, end, rules in _blocks(lines)
    )


def _blocks(lines: dict[int, set[str]]) -> list[tuple[int, int, set[str]]]:
    """(start, end, rules): lines one by one, but neighbours that hold one private key."""
    blocks: list[tuple[int, int, set[str]]] = []
    for number in sorted(lines):
        start, rules = number, lines[number]
        if blocks and blocks[-1][1] == number - 1 and _is_key(blocks[-1][2]) and _is_key(rules):
            start, _, before = blocks.pop()
            rules = before | rules
        blocks.append((start, number, rules))
    return blocks


def _is_key(rules: set[str]) -> bool:
    return any(_PRIVATE_KEY.search(rule) for rule in rules)


def _finding(path: str, start: int, end: int, rules: set[str]) -> Finding:
    named = ", ".join(code(rule) for rule in sorted(rules))
    key = _is_key(rules)
    return finding(
        NAME,
        Spot(path, start, end),
        severity=Severity.CRITICAL if key else Severity.HIGH,
        category="security",
        title="A private key is added" if key else "A credential is added",
        body=_BODY.format(rules=named),
    )
