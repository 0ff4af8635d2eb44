"""docs/forks.md shows the workflows that a job summary does; docs/network.md names the variables
that are read, and the hosts.
"""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from pr_review.adapters.actions.environment import RunnerEnvironment
from pr_review.adapters.llm.process import _PROXIES
from pr_review.event.advice import Use, advice
from tests.adapters.test_actions_environment import environ
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


def test_the_variables_of_proxies_are_those_that_are_handed_on() -> None:
    text = documents.text("docs/network.md").partition("## Proxies")[2].partition(" hold for")[0]
    assert set(re.findall(r"`([A-Z_]+)`", text)) == {name.upper() for name in _PROXIES}


def test_the_hosts_are_set_where_the_table_says(tmp_path: Path) -> None:
    rows = documents.table("Which way is open", "docs/network.md")
    api, server = (row[2].strip("`") for row in rows[:2])
    told = {api: "https://ghe.example/api/v3", server: "https://ghe.example"}
    read = RunnerEnvironment.of(environ(tmp_path, **told))
    assert (read.api_url, read.server_url) == tuple(told.values())
    named = {name for row in rows for name in re.findall(r"`([a-z-]+)`", row[2])}
    assert named <= set(documents.settings())
