"""The rules of a run, and how much a result matters by what its rule says of itself."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from pr_review.checks.sarif.log import Node, dig, listed, node, nodes, number, text
from pr_review.domain.finding import Confidence, Severity

# GitHub's bands: https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support
_BANDS = ((9.0, Severity.CRITICAL), (7.0, Severity.HIGH), (4.0, Severity.MEDIUM))
_SECURITY = {"error": Severity.HIGH, "warning": Severity.MEDIUM}
# Linters call nearly everything an error: alone it is no reason to fail a build or to come first.
_OTHERS = {"error": Severity.MEDIUM}
_PRECISION = {
    "very-high": Confidence.HIGH, "high": Confidence.HIGH, "medium": Confidence.MEDIUM,
    "low": Confidence.LOW, "high confidence": Confidence.HIGH,
    "medium confidence": Confidence.MEDIUM, "low confidence": Confidence.LOW,
}  # fmt: skip
_SECURITY_TAG = re.compile(r"security|(?:external/cwe/)?cwe-\d+.*", re.IGNORECASE)
_CATEGORIES = ("correctness", "reliability", "performance", "maintainability", "readability")


class Rules:
    """The rules of one run, by however a result names its own."""

    def __init__(self, run: Node) -> None:
        tool = run.get("tool")
        self._driver = listed(dig(tool, "driver", "rules"))
        self._extensions = [listed(e.get("rules")) for e in nodes(dig(tool, "extensions"))]
        every = [rule for rules in (*reversed(self._extensions), self._driver) for rule in rules]
        self._by_id = {text(rule.get("id")): rule for rule in nodes(every)}

    def of(self, result: Node) -> Node:
        """The rule of a result; empty if the log does not hold it."""
        name = _named(result)
        indexed = self._indexed(result)
        own = text(indexed.get("id"))
        if own and (not name or f"{name}/".startswith(f"{own}/")):
            return indexed
        return self._by_id.get(name) or self._by_id.get(name.rpartition("/")[0]) or {}

    def _indexed(self, result: Node) -> Node:
        component = number(dig(result, "rule", "toolComponent", "index"))
        rules = self._driver
        if component is not None:
            rules = self._extensions[component] if component in range(len(self._extensions)) else []
        given = (number(result.get("ruleIndex")), number(dig(result, "rule", "index")))
        index = next((one for one in given if one is not None), -1)
        return node(rules[index]) if index in range(len(rules)) else {}


def rule_id(result: Node, rule: Node) -> str:
    """The id that a result gives its rule, or the rule itself; empty if neither does."""
    return _named(result) or text(rule.get("id"))


def severity(result: Node, rule: Node) -> Severity:
    """By the security severity if there is one, else by the level; an error of a rule that is
    not about security is of medium severity."""
    score = _score(result, rule)
    if score is not None:
        return next((band for least, band in _BANDS if score >= least), Severity.LOW)
    level = text(result.get("level")) or text(dig(rule, "defaultConfiguration", "level"))
    by_level = _SECURITY if is_security(result, rule) else _OTHERS
    return by_level.get(level or "warning", Severity.LOW)


def is_security(result: Node, rule: Node) -> bool:
    """Whether its tool says that it is about security, by a tag or by a score."""
    tagged = any(_SECURITY_TAG.fullmatch(tag) for tag in _tags(result, rule))
    return tagged or _score(result, rule) is not None


def category(result: Node, rule: Node, tool: str) -> str:
    """`security`, or what the rule's tags say, or the name of the tool."""
    if is_security(result, rule):
        return "security"
    tags = {tag.lower() for tag in _tags(result, rule)}
    return next((name for name in _CATEGORIES if name in tags), tool.lower())


def confidence(result: Node, rule: Node) -> Confidence:
    """By the precision that the rule claims; of one that claims none, medium."""
    said = (text(dig(rule, "properties", "precision")), *_tags(result, rule))
    known = (_PRECISION[word.lower()] for word in said if word.lower() in _PRECISION)
    return next(known, Confidence.MEDIUM)


def _named(result: Node) -> str:
    return text(result.get("ruleId")) or text(dig(result, "rule", "id"))


def _tags(result: Node, rule: Node) -> Iterator[str]:
    for one in (result, rule):
        yield from map(text, listed(dig(one, "properties", "tags")))


def _score(result: Node, rule: Node) -> float | None:
    """CVSS-like, over 0 to 10; tools write it as text or as a number."""
    for one in (result, rule):
        value = dig(one, "properties", "security-severity")
        if isinstance(value, str | int | float):
            try:
                score = float(value)
            except (ValueError, OverflowError):
                continue
            if math.isfinite(score) and 0 < score <= 10:
                return score
    return None
