"""docs/page.md tells how the page of a review reaches a reader."""

from __future__ import annotations

import re

import yaml

from pr_review.commands import leave
from pr_review.domain.coverage import Mark
from tests.contract import documents

TEXT = documents.text("docs/page.md")


def test_the_workflow_uploads_what_is_written_and_uses_what_exists() -> None:
    [block] = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    ours, upload = yaml.safe_load(block)["steps"]
    assert ours["with"]["report-html"] is True
    assert set(ours["with"]) <= set(documents.settings())
    assert upload["with"]["path"] == "${{ runner.temp }}/" + leave.PAGE
    assert re.findall(r"outputs\.([a-z-]+)", upload["if"]) == ["html"]
    assert "html" in documents.action()["outputs"]


def test_the_marks_are_those_of_the_page() -> None:
    *first, last = [mark.value for mark in Mark]
    assert f"as {', '.join(first)} or {last}" in " ".join(TEXT.split())
