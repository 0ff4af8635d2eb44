"""docs/forks.md shows the workflows that a job summary does, and network.md where a run goes."""

from __future__ import annotations

import re

import yaml

from pr_review.event.advice import Use, advice
from tests.contract import documents
from tests.event.test_advice import DEPENDABOT, FORK, workflow

TEXT = documents.text("docs/forks.md")
USE = Use("OWNER/pr-review@COMMIT", "anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY")


def test_the_workflows_are_those_of_the_job_summary() -> None:
    ours = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)]
    assert ours == [workflow(advice(pull, USE)) for pull in (FORK, DEPENDABOT)]


def test_no_workflow_of_a_fork_has_a_checkout() -> None:
    assert "actions/checkout" not in TEXT


def test_the_pages_are_led_to() -> None:
    for page in ("forks.md", "network.md"):
        assert f"]({page})" in documents.text("docs/github.md")
