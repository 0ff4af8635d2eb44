"""The rules that results name: one for every kind of finding."""

from __future__ import annotations

from collections.abc import Sequence

from pr_review.domain.finding import Severity
from pr_review.report.sarif.parts import Json, level
from pr_review.report.sarif.results import EARLIER, Result

_SCORES = {Severity.CRITICAL: "9.5", Severity.HIGH: "8.0", Severity.MEDIUM: "5.5"}
_LOWEST = "2.0"


def rules_of(told: Sequence[Result]) -> list[Json]:
    """A rule for every kind of result, by name; what is about security gets the score of the
    worst of its kind, by which code scanning ranks."""
    rules: list[Json] = []
    for name in sorted({one.rule for one in told}):
        own = [one for one in told if one.rule == name]
        worst = max(one.severity for one in own)
        security = any(one.security for one in own)
        words = _described(name)
        properties: Json = {"tags": ["security"] if security else ["pr-review"]}
        if security:
            properties["security-severity"] = _SCORES.get(worst, _LOWEST)
        rules.append(
            {
                "id": name,
                "shortDescription": {"text": words},
                "fullDescription": {"text": words},
                "help": {"text": f"{words}. The result says what it is about and what to do."},
                "defaultConfiguration": {"level": level(worst)},
                "properties": properties,
            }
        )
    return rules


def _described(rule: str) -> str:
    source, colon, name = rule.partition(":")
    if rule == EARLIER:
        return "Told by an earlier review and still open"
    if not colon:
        return f"Findings of the agents: {rule.replace('-', ' ')}"
    return f"Check of pr-review: {name}" if source == "check" else f"Result of {source}: {name}"
