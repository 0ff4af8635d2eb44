"""A runner of GitHub Actions: starts the product as a process, with what a runner sets."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pr_review import app
from tests.standins.github import GitHubServer

COMMAND = str(Path(sys.executable).parent / "pr-review")

PLANTED_KEY = "sk-planted4tests-0123456789"


def model_inputs(address: str) -> dict[str, str]:
    """Inputs that ask a stand-in of a model, at a known price, with a key to look for."""
    return {
        "model": "openai/stand-in",
        "api-key": PLANTED_KEY,
        "api-base": address,
        "input-cost-per-mtok": "1",
        "output-cost-per-mtok": "10",
    }


@dataclass(frozen=True)
class Ended:
    """What a step left behind. `report` is empty if there is none."""

    code: int
    log: str
    outputs: Mapping[str, str]
    summary: str
    report: Mapping[str, Any]


@dataclass
class Runner:
    """A job of one workflow, whose files lie in `root`; the checkout is `workspace`.

    `inputs` are those under `with:`; `env` is the environment of the step.
    """

    root: Path
    github: GitHubServer
    inputs: dict[str, str] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("workspace", "temp"):
            (self.root / name).mkdir(parents=True)

    @property
    def workspace(self) -> Path:
        return self.root / "workspace"

    def environment(self, event: object, name: str = "pull_request") -> dict[str, str]:
        """The step's variables; `event` is the payload, or the text of its file."""
        text = event if isinstance(event, str) else json.dumps(event)
        (self.root / "event.json").write_text(text, encoding="utf-8")
        for file in ("output", "summary.md"):
            (self.root / file).write_text("", encoding="utf-8")
        given = {"github-token": self.github.token, **self.inputs}
        return {
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", str(self.root)),
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(self.root / "event.json"),
            "GITHUB_REPOSITORY": self.github.repository,
            "GITHUB_API_URL": self.github.api_url,
            "GITHUB_SERVER_URL": self.github.url,
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_OUTPUT": str(self.root / "output"),
            "GITHUB_STEP_SUMMARY": str(self.root / "summary.md"),
            "RUNNER_TEMP": str(self.root / "temp"),
            **{f"INPUT_{key.upper()}": value for key, value in given.items()},
            **self.env,
        }

    def start(
        self, event: object, name: str = "pull_request", *, before: Sequence[str] = ()
    ) -> subprocess.Popen[str]:
        """The step's process, running, below the command that stands `before` it."""
        return subprocess.Popen(
            # below a folder whose name has spaces the script starts with /bin/sh, and a shell
            # drops variables whose names have hyphens: INPUT_GITHUB-TOKEN and most others
            [*before, sys.executable, COMMAND],
            env=self.environment(event, name),
            cwd=self.workspace,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )

    def run(self, event: object, name: str = "pull_request") -> Ended:
        """Runs the step to its end, in this process: as `start`, without the second it costs."""
        environ = self.environment(event, name)
        log = io.StringIO()
        with contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
            code = app.main([], environ)
        return self._left_behind(code, log.getvalue())

    def run_as_process(self, event: object, name: str = "pull_request") -> Ended:
        """Runs the step to its end, as a runner does."""
        return self.ended(self.start(event, name))

    def ended(self, process: subprocess.Popen[str]) -> Ended:
        """Waits for a step and reads what it left behind, as a runner does."""
        log, _ = process.communicate(timeout=100)
        return self._left_behind(process.returncode, log)

    def _left_behind(self, code: int, log: str) -> Ended:
        outputs = read_outputs((self.root / "output").read_text(encoding="utf-8"))
        report = Path(outputs["report"]) if outputs.get("report") else None
        return Ended(
            code,
            log,
            outputs,
            (self.root / "summary.md").read_text(encoding="utf-8"),
            json.loads(report.read_text(encoding="utf-8")) if report else {},
        )


def read_outputs(text: str) -> dict[str, str]:
    """The outputs as a runner reads them: `name<<delimiter`, lines, `delimiter`."""
    values: dict[str, str] = {}
    lines = text.split("\n")
    while lines:
        name, marker, delimiter = lines.pop(0).partition("<<")
        if marker:
            end = lines.index(delimiter)
            values[name] = "\n".join(lines[:end])
            del lines[: end + 1]
    return values
