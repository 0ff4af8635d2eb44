"""The workflows: nothing unpinned, no right without a need, no text of strangers in a shell."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from scripts import release
from tests.contract import documents
from tests.standins.workflow import filled

FOLDER = documents.ROOT / ".github/workflows"
NAMES = sorted(path.name for path in FOLDER.iterdir())
PIN = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
# Jobs that may write, and what; all others may read the repository, and nothing more.
WRITES = {
    ("release.yml", "build"): {"packages"},
    ("release.yml", "sign"): {"attestations", "id-token", "packages"},
    ("release.yml", "publish"): {"contents"},
    ("review.yml", "review"): {"pull-requests"},
}
TRIGGERS = {
    "ci.yml": {"pull_request", "push", "workflow_call"},
    "release.yml": {"workflow_dispatch"},
    "review.yml": {"pull_request"},
}


def workflow(name: str) -> dict[Any, Any]:
    loaded: dict[Any, Any] = yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))
    return loaded


def jobs() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for name in NAMES:
        for job, spec in workflow(name)["jobs"].items():
            yield name, job, spec


def steps() -> Iterator[dict[str, Any]]:
    for _, _, spec in jobs():
        yield from spec.get("steps", [])


def scripts() -> list[str]:
    return [step["run"] for step in steps() if "run" in step]


def test_every_action_is_pinned_by_its_full_commit_and_each_at_one_version() -> None:
    text = "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in NAMES)
    used = set(re.findall(r"uses: (.+)$", text, re.MULTILINE))
    pinned = {line for line in used if not line.startswith("./")}
    assert used - pinned == {"./", "./.github/workflows/ci.yml"}
    assert all(PIN.fullmatch(line) for line in pinned)
    names = [line.partition("@")[0] for line in pinned]
    assert len(names) == len(set(names))


def test_only_named_jobs_may_write() -> None:
    assert all(workflow(name)["permissions"] == {"contents": "read"} for name in NAMES)
    found = {}
    for name, job, spec in jobs():
        rights = spec.get("permissions", {})
        assert set(rights.values()) <= {"read", "write"}
        writes = {right for right, level in rights.items() if level == "write"}
        assert set(rights) - writes <= {"contents"}
        if writes:
            found[name, job] = writes
    assert found == WRITES


def test_no_workflow_is_started_by_strangers_with_rights() -> None:
    """`pull_request_target`, `workflow_run` and comments run with secrets, whoever caused them."""
    assert {name: set(workflow(name)[True]) for name in NAMES} == TRIGGERS


def test_no_expression_stands_in_a_script() -> None:
    """A shell would run what it is replaced by; the environment hands it over as data."""
    assert scripts()
    assert not [text for text in scripts() if "${{" in text]


def test_scripts_are_bash_and_call_commands_that_there_are() -> None:
    called = set()
    for text in scripts():
        subprocess.run(["bash", "-n"], check=True, input=text, text=True)
        called |= set(re.findall(r"python3 -m scripts\.release ([\w-]+)", text))
    assert called == set(release.COMMANDS)
    assert workflow("release.yml")["defaults"] == {"run": {"shell": "bash"}}


def test_no_checkout_leaves_its_token_behind() -> None:
    checkouts = [step for step in steps() if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_every_run_is_bounded_and_gives_way_to_no_second_release() -> None:
    assert all("uses" in spec or spec["timeout-minutes"] <= 30 for _, _, spec in jobs())
    assert all("group" in workflow(name)["concurrency"] for name in NAMES)
    assert workflow("release.yml")["concurrency"]["cancel-in-progress"] is False


def test_what_a_job_needs_is_given_by_a_job_before_it() -> None:
    known = workflow("release.yml")["jobs"]
    for spec in known.values():
        used = set(re.findall(r"needs\.(\w+)\.outputs\.(\w+)", str(spec)))
        assert {job for job, _ in used} <= set(spec.get("needs", []))
        assert all(output in known[job]["outputs"] for job, output in used)
    assert set(known["build"]["needs"]) == {"test", "plan"}


def test_both_platforms_are_built_where_they_run() -> None:
    build = workflow("release.yml")["jobs"]["build"]
    platforms = {entry["arch"]: entry["runner"] for entry in build["strategy"]["matrix"]["include"]}
    assert {f"linux/{arch}" for arch in platforms} == release.PLATFORMS
    assert [runner for runner in platforms.values() if runner.endswith("-arm")] == [
        platforms["arm64"]
    ]
    assert set(build["outputs"]) == set(platforms)
    (step,) = (s for s in build["steps"] if s.get("id") == "build")
    assert (step["with"]["provenance"], step["with"]["sbom"]) == ("mode=max", True)


def test_the_action_reviews_its_own_pull_requests_and_without_a_key_by_its_checks() -> None:
    *_, step = workflow("review.yml")["jobs"]["review"]["steps"]
    assert step["uses"] == "./"
    assert set(step["with"]) <= set(documents.settings())

    def inputs(**secrets: str) -> dict[str, str]:
        return {n: filled(text, {"secrets": secrets}) for n, text in step["with"].items()}

    assert inputs() == {"model": "none", "api-key": ""}
    given = inputs(ANTHROPIC_API_KEY="sk-planted")
    assert given == {"model": "anthropic/claude-sonnet-4-5", "api-key": "sk-planted"}


@pytest.mark.parametrize("name", NAMES)
def test_no_workflow_reads_a_cache_that_others_may_write(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert "actions/cache" not in text
    assert not re.search(r"^\s+cache(-from|-to)?:", text, re.MULTILINE)
