"""One item: words that models use for ours, and what is left out."""

from __future__ import annotations

import pytest

from pr_review.agents.catalogue import catalogue
from pr_review.agents.items import finding
from pr_review.domain.diff import Side
from pr_review.domain.finding import Confidence, Finding, Severity

BUGS = catalogue()[0]


def made(**fields: object) -> Finding:
    found = finding({"path": "a.py", "body": "It breaks.\nOften.", "line": 3, **fields}, BUGS)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "item",
    [
        {"Path": "a.py", "Start_Line": 3, "End_Line": 5, "Title": "t", "Severity": "Low"},
        {"filePath": "a.py", "startLine": "3", "endLine": "5", "summary": "t", "severity": "low"},
        {"FILE-PATH": "a.py", "LINE": "3-5", "TITLE": "t", "SEVERITY": "LOW"},
        {"location": {"path": "a.py", "startLine": 3, "end line": 5}, "title": "t",
         "severity": "low"},
        {"file": "a.py", "lines": {"start": 3, "end": 5}, "title": "t", "severity": "low"},
        {"file": "a.py", "lines": [3, 5], "location": "x", "title": "t", "severity": "low"},
    ],
)  # fmt: skip
def test_keys_are_known_however_they_are_spelt(item: dict[str, object]) -> None:
    found = finding(item, BUGS)
    assert found is not None
    assert (found.path, found.start, found.end) == ("a.py", 3, 5)
    assert (found.title, found.severity) == ("t", Severity.LOW)


def test_the_items_own_keys_win_over_those_of_its_place() -> None:
    assert made(location={"path": "b.py", "line": 9}, position={"title": "no"}).path == "a.py"


def test_a_complete_item_is_read_key_by_key() -> None:
    assert made(
        start_line=2,
        end_line=4,
        side="LEFT",
        severity="high",
        confidence="low",
        category="boundary",
        title=" Off\n by one ",
        quote="for x in y:",
        suggestion="a\nb\n",
    ) == Finding(
        "a.py", 2, 4, Side.LEFT, Severity.HIGH, Confidence.LOW, "boundary", "Off by one",
        "It breaks.\nOften.", "for x in y:", "a\nb", ("bugs",),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("word", "severity"),
    [
        ("blocker", Severity.CRITICAL),
        ("CRITICAL", Severity.CRITICAL),
        ("error", Severity.HIGH),
        ("major", Severity.HIGH),
        ("warning", Severity.MEDIUM),
        (None, Severity.MEDIUM),
        (" Info ", Severity.LOW),
        ("nit", Severity.LOW),
        ("P0", Severity.CRITICAL),
        ("P1 (blocks the release)", Severity.HIGH),
        ("\U0001f534 High", Severity.HIGH),
        ("**Severe**", Severity.HIGH),
        ("medium-low", Severity.MEDIUM),
    ],
)
def test_severities_of_other_scales_are_understood(word: object, severity: Severity) -> None:
    assert made(severity=word).severity is severity


@pytest.mark.parametrize("word", ["spicy", "", 3, ["high"], True, "hoch", "9.8"])
def test_a_severity_that_cannot_be_understood_costs_no_finding(word: object) -> None:
    assert made(severity=word).severity is Severity.MEDIUM


@pytest.mark.parametrize(
    ("value", "confidence"),
    [
        ("High", Confidence.HIGH),
        (0.95, Confidence.HIGH),
        (0.5, Confidence.MEDIUM),
        (0.1, Confidence.LOW),
        (None, Confidence.MEDIUM),
        (True, Confidence.MEDIUM),
        (85, Confidence.MEDIUM),
        ("sure", Confidence.MEDIUM),
    ],
)
def test_confidence_comes_in_words_or_as_a_probability(
    value: object, confidence: Confidence
) -> None:
    assert made(confidence=value).confidence is confidence


@pytest.mark.parametrize(
    ("value", "category"),
    [
        ("null_value", "null-value"),
        ("Null Value", "null-value"),
        ("@everyone", "bugs"),
        (7, "bugs"),
    ],
)
def test_a_category_is_the_agents_or_its_name(value: object, category: str) -> None:
    assert made(category=value).category == category


@pytest.mark.parametrize(
    "item",
    [
        None, "text", 7, [], {}, {"path": "a.py"}, {"body": "x"}, {"path": 7, "body": "x"},
        {"path": " ", "body": "x"}, {"path": "a.py", "body": " ", "title": 4},
    ],
)  # fmt: skip
def test_what_states_nothing_is_no_finding(item: object) -> None:
    assert finding(item, BUGS) is None


def test_a_missing_title_is_taken_from_the_body() -> None:
    assert made().title == "It breaks."
    assert made(body="w " * 100).title == ("w " * 40)[:79] + "…"


@pytest.mark.parametrize("value", [None, "", " ", "null", "None", "N/A", 7])
def test_no_suggestion_is_none(value: object) -> None:
    assert made(suggestion=value).suggestion is None


def test_a_suggestion_loses_its_fence_and_keeps_its_indentation() -> None:
    assert (
        made(suggestion="```python\n    x = 1\n    y = 2\n```").suggestion == "    x = 1\n    y = 2"
    )


def test_a_suggestion_without_lines_has_nothing_to_replace() -> None:
    assert made(line=None, suggestion="x = 1").suggestion is None


def test_a_quote_is_one_line() -> None:
    assert made(quote="\n  a = 1\n  b = 2").quote == "  a = 1"


@pytest.mark.parametrize(
    "value", [float("inf"), float("nan"), "5-", "12:5", {"from": 5}, [5], "٣x"]
)
def test_a_line_that_is_none_makes_a_finding_about_the_file(value: object) -> None:
    assert made(line=value).start is None


@pytest.mark.parametrize(
    ("value", "lines"),
    [("lines 5 to 7", (5, 7)), ("7–5", (5, 7)), ("L5-L7", (5, 7)), ("5..7", (5, 7))],
)
def test_ranges_are_read_and_turned(value: str, lines: tuple[int, int]) -> None:
    found = made(line=value)
    assert (found.start, found.end) == lines
