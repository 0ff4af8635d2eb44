"""The README's two commands exist, and CI runs them."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.contract import documents

WORKFLOW: dict[Any, Any] = yaml.safe_load(documents.text(".github/workflows/ci.yml"))
STEPS = [step for job in WORKFLOW["jobs"].values() for step in job["steps"]]


def commands() -> list[str]:
    """The commands that the README's section on development shows."""
    section = documents.text("README.md").partition("\n## Development\n")[2].partition("\n## ")[0]
    return re.findall(r"^\$ (make [a-z]+)", section, re.MULTILINE)


def test_the_readme_has_two_commands() -> None:
    assert commands() == ["make demo", "make test"]


def test_make_knows_them() -> None:
    for command in commands():
        done = subprocess.run(
            [*command.split(), "--dry-run", "--silent"],
            cwd=documents.ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert ".venv/bin/python" in done.stdout


def test_ci_runs_them() -> None:
    lines = documents.text(".ci/run").split("\n")
    for command in commands():
        assert any(re.match(rf"\s*[^#]*\b{command}\b", line) for line in lines), command
    assert [step["run"] for step in STEPS if step.get("run", "").startswith("make")] == [
        "make test",
        "make fuzz",
    ]


@pytest.mark.parametrize("answer", ["exit 1", "exit 127"])
def test_make_says_which_python_is_missing(tmp_path: Path, answer: str) -> None:
    """Every interpreter on this PATH is too old, has no venv, or is not there."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("python3", "python3.14", "python3.13", "python3.12", "python3.11"):
        (tools / name).write_text(f"#!/bin/sh\n{answer}\n", encoding="utf-8")
        (tools / name).chmod(0o755)
    for name in ("Makefile", "pyproject.toml", "requirements-dev.txt"):
        (tmp_path / name).write_text(documents.text(name), encoding="utf-8")
    done = subprocess.run(
        ["make", ".venv/.ready"],
        cwd=tmp_path,
        env={"PATH": f"{tools}:{os.defpath}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "no Python 3.11 or newer with venv was found" in done.stderr


def test_the_workflow_leans_on_nothing_beside_the_checkout() -> None:
    assert "../" not in documents.text(".github/workflows/ci.yml")


def test_hooks_run_what_make_runs() -> None:
    hooks = yaml.safe_load(documents.text(".pre-commit-config.yaml"))["repos"]
    assert [repo["repo"] for repo in hooks] == ["local"]
    entries = [hook["entry"] for hook in hooks[0]["hooks"]]
    assert entries == [
        ".venv/bin/python -m ruff check",
        ".venv/bin/python -m ruff format --check",
        ".venv/bin/python -m mypy",
        ".venv/bin/zizmor --offline --quiet .github action.yml",
    ]
    makefile = documents.text("Makefile")
    for entry in entries:
        assert entry.replace(".venv/bin", "$(BIN)") in makefile
