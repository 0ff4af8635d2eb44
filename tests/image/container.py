"""Runs the built image as a runner runs a container action, against the stand-ins."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.shared import shared
from tests.standins.github import GitHubServer

ROOT = Path(__file__).resolve().parent.parent.parent
CHILD = b"pr_review.adapters.llm.child"


@dataclass(frozen=True)
class Ended:
    """What a step left behind; `outputs` as a runner reads them."""

    code: int
    log: str
    outputs: Mapping[str, str]
    summary: str


@dataclass(frozen=True)
class Container:
    """The image in a job of `github`'s repository; `workspace` is the checkout."""

    image: str
    github: GitHubServer
    folder: Path

    @property
    def workspace(self) -> Path:
        found = self.folder / "workspace"
        found.mkdir(exist_ok=True)
        return found

    def python(self, *arguments: str, options: Sequence[str | Path] = ()) -> str:
        """What Python prints in the image, under the environment of a run; `options` are those of
        the tool that runs it."""
        # the tool has no option for the entry point but the action's own key
        action = self.folder / "python.yml"
        entry = "runs: {using: docker, image: x, entrypoint: /opt/pr-review/bin/python}\n"
        action.write_text(entry, encoding="utf-8")
        tool = shared("tools/run-action")
        done = subprocess.run(
            [tool, "--image", self.image, "--action", action, *options, "--", *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def run(
        self,
        event: object,
        inputs: Mapping[str, str],
        env: Mapping[str, str] | None = None,
        name: str = "pull_request",
        options: Sequence[str] = (),
    ) -> Ended:
        """Runs the action on an event of this name; `env` is the environment of its step."""
        return self.ended(self.start(event, inputs, env, name, options))

    def start(
        self,
        event: object,
        inputs: Mapping[str, str],
        env: Mapping[str, str] | None = None,
        name: str = "pull_request",
        options: Sequence[str] = (),
    ) -> subprocess.Popen[str]:
        """The same, while it runs; `client` is what a runner would send signals to."""
        shutil.rmtree(self._out, ignore_errors=True)
        (self.folder / "event.json").write_text(json.dumps(event), encoding="utf-8")
        variables = {
            "GITHUB_API_URL": self.github.api_url,
            "GITHUB_SERVER_URL": self.github.url,
            **(env or {}),
        }
        command: list[str | Path] = [shared("tools/run-action"), "--image", self.image]
        command += ["--action", ROOT / "action.yml", "--workspace", self.workspace]
        command += ["--event", self.folder / "event.json", "--event-name", name]
        command += ["--out", self._out, "--timeout", "100", *options]
        command += [w for key, value in inputs.items() for w in ("--input", f"{key}={value}")]
        command += [w for key, value in variables.items() for w in ("--env", f"{key}={value}")]
        return subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def ended(self, process: subprocess.Popen[str]) -> Ended:
        """Waits for a step and reads what it left behind."""
        _, said = process.communicate()
        assert (self._out / "outputs.json").exists(), said
        return Ended(
            process.returncode,
            (self._out / "stdout").read_text(encoding="utf-8")
            + (self._out / "stderr").read_text(encoding="utf-8"),
            json.loads((self._out / "outputs.json").read_text(encoding="utf-8")),
            (self._out / "step_summary.md").read_text(encoding="utf-8"),
        )

    @property
    def _out(self) -> Path:
        return self.folder / "out"


def client(process: subprocess.Popen[str]) -> int:
    """The engine's client below a step that runs: it hands signals on to the container, whose
    first process the action is."""
    below = [process.pid]
    for parent in below:  # it grows on the way
        for listed in Path(f"/proc/{parent}/task").glob("*/children"):
            below += map(int, listed.read_text().split())
    [found] = [pid for pid in below if _read(pid, "comm") == b"podman\n"]
    return found


@dataclass(frozen=True)
class Process:
    """A process as the host sees it; ids as in the container, whose users are the host's."""

    arguments: bytes
    environment: bytes
    uids: frozenset[int]
    groups: tuple[int, ...]
    files: tuple[str, ...]


def processes_beside_the_child() -> tuple[Process, ...]:
    """All processes of the containers in which a model process runs right now, it included."""
    numbers = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    running = [(number, space) for number in numbers if (space := _space(number))]
    spaces = {space for number, space in running if CHILD in _read(number, "cmdline")}
    spaces.discard(_space(os.getpid()))  # another test may run one without a container
    found = (_process(number) for number, space in running if space in spaces)
    return tuple(process for process in found if process)


def _process(number: int) -> Process | None:
    """None if it has ended by now."""
    try:
        status = Path(f"/proc/{number}/status").read_text(encoding="utf-8")
        files = tuple(path.name for path in Path(f"/proc/{number}/cwd").iterdir())
    except OSError:
        return None
    uids, groups = frozenset(_numbers(status, "Uid")), tuple(_numbers(status, "Groups"))
    arguments, environment = _read(number, "cmdline"), _read(number, "environ")
    return Process(arguments, environment, uids, groups, files) if arguments else None


def _numbers(status: str, field: str) -> list[int]:
    (line,) = re.findall(rf"^{field}:(.*)$", status, re.MULTILINE)
    return [int(word) for word in line.split()]


def _space(number: int) -> str:
    """The process's PID namespace; empty if it has ended."""
    try:
        return str(Path(f"/proc/{number}/ns/pid").readlink())
    except OSError:
        return ""


def _read(number: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{number}/{name}").read_bytes()
    except OSError:
        return b""
