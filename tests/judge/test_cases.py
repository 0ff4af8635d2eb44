"""Lines and files that models make up: each reported one comes out as it should."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from pr_review.domain.diff import Side
from pr_review.domain.finding import Confidence, Finding, Judged, Place, Severity
from pr_review.judge import JudgePolicy, judge
from pr_review.judge.judge import NO_PATH, UNKNOWN_PATH
from tests.judge.listing import case
from tests.shared import SHARED, shared

LINES = "cases/c15-lines-that-do-not-exist"
FILES = "cases/c16-files-not-in-the-diff"
APP = "src/app.py"

type_of_line = Any


def _parsed(line: type_of_line) -> tuple[int, int] | None:
    """What the agents stage makes of a line in the answer of a model."""
    if isinstance(line, list):
        return line[0], line[-1]
    if isinstance(line, bool) or line is None or line != line or line == 6.5:
        return None
    numbers = re.findall(r"^-?\d+|(?<=-)\d+", str(line).removeprefix("L"))
    return (int(numbers[0]), int(numbers[-1])) if numbers else None


def _finding(item: dict[str, Any]) -> Finding:
    place = _parsed(item["line"])
    start, end = place or (None, None)
    return Finding(
        path=item["file"] or "",
        start=item.get("start_line", start),
        end=end,
        side=Side.RIGHT,
        severity=Severity.MEDIUM,
        confidence=Confidence.MEDIUM,
        category="correctness",
        title="t",
        body="b",
        quote=item.get("quote", ""),
        sources=("bugs",),
    )


def _items(folder: str) -> list[tuple[str, int]]:
    path = SHARED / folder / "findings.json"
    items = json.loads(path.read_text("utf-8"))["findings"] if path.exists() else []
    return [
        (f"{i['file']}:{i.get('start_line', '')}:{i['line']}:{i['expect']}", n)
        for n, i in enumerate(items)
    ]


def _judged(folder: str, index: int) -> tuple[Judged, str]:
    item = json.loads(shared(f"{folder}/findings.json").read_text("utf-8"))["findings"][index]
    snapshot = case(shared(folder))
    (judged,) = judge([_finding(item)], snapshot, JudgePolicy())
    return judged, item["expect"]


RIGHT_6 = (APP, Place.INLINE, Side.RIGHT, 6, 6)
FIVE_TO_SEVEN = (APP, Place.INLINE, Side.RIGHT, 5, 7)
BODY = (APP, Place.BODY, Side.RIGHT, None, None)

#: In the order of findings.json: what each finding becomes.
EXPECTED_LINES = [
    RIGHT_6,
    (APP, Place.INLINE, Side.RIGHT, 5, 5),
    (APP, Place.INLINE, Side.RIGHT, 2, 2),
    (APP, Place.BODY, Side.RIGHT, 20, 20),
    (APP, Place.BODY, Side.RIGHT, 4000, 4000),
    BODY,
    BODY,
    BODY,
    RIGHT_6,
    RIGHT_6,
    RIGHT_6,
    BODY,
    RIGHT_6,
    FIVE_TO_SEVEN,
    BODY,
    BODY,
    FIVE_TO_SEVEN,
    FIVE_TO_SEVEN,
    FIVE_TO_SEVEN,
    (APP, Place.INLINE, Side.RIGHT, 39, 39),
    RIGHT_6,
    RIGHT_6,
    (APP, Place.INLINE, Side.LEFT, 30, 30),
    (APP, Place.INLINE, Side.RIGHT, 39, 39),
    ("gone.py", Place.INLINE, Side.LEFT, 1, 1),
    ("logo.png", Place.BODY, Side.RIGHT, 1, 1),
    ("new/name.py", Place.BODY, Side.RIGHT, 3, 3),
    (APP, Place.BODY, Side.RIGHT, 10**30 - 1, 10**30 - 1),
]


@pytest.mark.parametrize(
    ("name", "index"), _items(LINES) or [("missing", 0)], ids=lambda v: str(v)[:60]
)
def test_lines_that_do_not_exist(name: str, index: int) -> None:
    judged, expect = _judged(LINES, index)
    finding = judged.finding
    assert (finding.path, judged.place, finding.side, finding.start, finding.end) == EXPECTED_LINES[
        index
    ], expect
    assert bool(judged.reason) == (judged.place is Place.BODY)


def test_every_line_case_has_an_expectation() -> None:
    items = json.loads(shared(f"{LINES}/findings.json").read_text("utf-8"))["findings"]
    assert len(items) == len(EXPECTED_LINES)


NAIVE = "docs/na\u00efve.md"
OUT = (Place.REJECTED, UNKNOWN_PATH)
INLINE = (Place.INLINE, "")
EXPECTED_FILES: list[tuple[str, tuple[Place, str]]] = [
    *[(APP, INLINE)] * 9,
    ("new/name.py", (Place.BODY, "its file has no lines in the diff: renamed without a change")),
    (NAIVE, INLINE),
    (NAIVE, INLINE),
    ("src/other.py", OUT),
    ("../../etc/passwd", OUT),
    ("", (Place.REJECTED, NO_PATH)),
    ("", (Place.REJECTED, NO_PATH)),
    ("[x](https://example.invalid)", OUT),
    ("a b.py", INLINE),
]


@pytest.mark.parametrize(
    ("name", "index"), _items(FILES) or [("missing", 0)], ids=lambda v: str(v)[:60]
)
def test_files_not_in_the_diff(name: str, index: int) -> None:
    judged, expect = _judged(FILES, index)
    path, outcome = EXPECTED_FILES[index]
    assert (judged.finding.path, (judged.place, judged.reason)) == (path, outcome), expect


def test_every_file_case_has_an_expectation() -> None:
    items = json.loads(shared(f"{FILES}/findings.json").read_text("utf-8"))["findings"]
    assert len(items) == len(EXPECTED_FILES)
