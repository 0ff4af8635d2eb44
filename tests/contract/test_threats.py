"""docs/threats.md names tests that there are, and docs/data.md what is sent and what is left."""

from __future__ import annotations

import ast
import re

import pytest

from pr_review.commands import leave
from pr_review.report.json_report import schema
from pr_review.settings import NAMES
from tests.contract import documents

PAGE = "docs/threats.md"
TEXT = documents.text(PAGE)
DATA = documents.text("docs/data.md")
SECTIONS = re.findall(r"^## (.+)\n(?:(?!##).*\n)*?\| Threat", TEXT, re.MULTILINE)
ROWS = [row for section in SECTIONS for row in documents.table(section, PAGE)]
NAMED = sorted({name for row in ROWS for name in re.findall(r"`(tests/[^`]+)`", row[-1])})


def defined(path: str) -> set[str]:
    """The tests that a file defines at its top, as pytest collects them."""
    tree = ast.parse(documents.text(path))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_threat_is_held_by_a_test() -> None:
    assert len(SECTIONS) == 5
    assert len(ROWS) > 30
    for threat, holds, tests in ROWS:
        assert threat, tests
        assert holds, tests
        assert re.fullmatch(r"`tests/[\w/]+\.py::test_\w+`(, `tests/[\w/]+\.py::test_\w+`)*", tests)


@pytest.mark.parametrize("path", sorted({name.partition("::")[0] for name in NAMED}))
def test_the_named_tests_exist(path: str) -> None:
    named = {name.partition("::")[2] for name in NAMED if name.startswith(f"{path}::")}
    assert named <= defined(path)


def test_what_bounds_the_sent_is_a_setting() -> None:
    rows = documents.table("To the model's provider", "docs/data.md")
    told = {name for row in rows for name in re.findall(r"`([a-z-]+)`", row[1])} - {"off"}
    assert told <= set(NAMES)
    assert {"exclude", "verify", "guidelines", "max-context-bytes"} <= told


def test_what_is_left_on_the_runner_has_these_names_and_holds_source() -> None:
    rows = [row[0] for row in documents.table("On the runner", "docs/data.md")]
    files = [row for row in rows if "report" in row or "page" in row or "SARIF" in row]
    assert len(files) == 3
    [report] = [row for row in files if f"`{leave.REPORT}`" in row]
    assert "the snapshot word for word, which is source" in report
    snapshot = schema()["$defs"]["snapshot"]  # type: ignore[index]
    assert "text" in snapshot["properties"]
