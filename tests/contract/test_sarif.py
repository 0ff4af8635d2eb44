"""docs/sarif.md tells what is read of other tools, and what is written for code scanning."""

from __future__ import annotations

import re

import yaml

from pr_review.adapters import workspace
from pr_review.agents.prompt import MAX_TOOL_FINDINGS
from pr_review.checks.sarif import rules
from pr_review.checks.sarif.read import MOST_FINDINGS
from pr_review.commands import leave
from pr_review.report import sarif
from tests.contract import documents

DOCUMENT = "docs/sarif.md"
TEXT = " ".join(documents.text(DOCUMENT).split())
BLOCKS = re.findall(r"```yaml\n(.*?)```", documents.text(DOCUMENT), re.DOTALL)


def test_the_severities_are_those_that_are_given() -> None:
    for rule, level, severity in documents.table("Severity", DOCUMENT):
        score = re.match(r"\d\.\d", level)
        properties = {"security-severity": score[0] if score else "3.9"} if "score" in rule else {}
        tags = {"tags": ["security"]} if "tagged" in rule else {}
        result = {"level": level.strip("`"), "properties": properties | tags}
        assert rules.severity(result, {}).label == severity, (rule, level)


def test_the_bounds_are_those_that_hold() -> None:
    each, files = f"{workspace.MOST_BYTES:,} bytes", f"{workspace.MOST_FILES} files"
    in_all = f"{workspace.MOST_BYTES_IN_ALL:,} bytes in all"
    assert f"Files over {each}, and more than {files} or {in_all}." in TEXT
    assert f"Of all results {MOST_FINDINGS} are taken" in TEXT
    assert f"the first {MAX_TOOL_FINDINGS} as known already" in TEXT


def test_what_the_file_holds_is_what_is_written() -> None:
    rows = {row[0]: row[1] for row in documents.table("What the file holds", DOCUMENT)}
    prints = rows["`partialFingerprints`"]
    assert f"`{sarif.LINE_HASH}`" in prints
    assert f"`{sarif.FINGERPRINT}`" in prints
    assert f"`{leave.SARIF}` in `runner.temp`" in TEXT


def test_the_workflows_use_inputs_and_outputs_that_exist() -> None:
    reading, writing = BLOCKS
    permissions, steps = writing.split("\n\n", 1)
    assert yaml.safe_load(permissions)["permissions"]["security-events"] == "write"
    lint, review = yaml.safe_load(reading)["jobs"].values()
    assert "secrets." not in str(lint), "it runs what the pull request says"
    jobs = [review["steps"], yaml.safe_load(steps)["steps"]]
    ours = [step["with"] for job in jobs for step in job if "pr-review@" in step.get("uses", "")]
    assert {name for step in ours for name in step} <= set(documents.settings())
    assert [step.get("sarif-files", step.get("report-sarif")) for step in ours] == [
        "out/*.sarif",
        True,
    ]
    upload = jobs[1][-1]
    outputs = set(re.findall(r"outputs\.([a-z-]+)", upload["if"]))
    assert outputs == {"sarif", "agents-failed"}
    assert outputs <= set(documents.action()["outputs"])
    assert upload["with"]["sarif_file"].endswith(f"/{leave.SARIF}")
