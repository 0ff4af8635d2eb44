"""The page about checks tells those that there are, and how much they weigh."""

from __future__ import annotations

import re

import pytest
import yaml

from pr_review.checks.catalogue import CHECKS, NAMES
from pr_review.checks.policy import ChecksPolicy, select
from pr_review.checks.run import run
from pr_review.domain.finding import Severity
from tests.checks.alarms import ALARMS
from tests.contract.documents import table, text

PAGE = "docs/checks.md"


def test_every_check_has_its_row_and_its_section() -> None:
    rows = table("Checks", PAGE)
    assert [row[:2] for row in rows] == [(f"`{check.name}`", check.title) for check in CHECKS]
    headings = re.findall(r"^## (.+)$", text(PAGE), re.MULTILINE)
    told = [name for heading in headings for name in heading.split(" and ")]
    assert told == ["Which run", *NAMES]


@pytest.mark.parametrize("row", table("Checks", PAGE))
def test_a_row_tells_the_severity(row: tuple[str, ...]) -> None:
    name, told = row[0].strip("`"), row[2].split(", ")
    assert set(told) <= {severity.label for severity in Severity}
    found = run(ALARMS[name], ChecksPolicy((name,)))
    assert {finding.severity.label for finding in found} <= set(told)


def test_the_example_takes_checks_off() -> None:
    example = re.search(r"```yaml\n(.*?)```", text(PAGE), re.DOTALL)
    assert example
    names = tuple(yaml.safe_load(example[1])["checks"])
    assert len(select(ChecksPolicy(names))) == len(CHECKS) - len(names)


def test_the_readme_leads_to_the_page() -> None:
    assert f"({PAGE})" in text("README.md")
