"""Cancellation at any moment of a run: children, folders and pending reviews are gone, and the
summary tells. As processes, with the signals that the runner sends."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.demo_sample import NUMBER
from tests.standins.github import GitHubServer
from tests.standins.models import ModelServer, Reply
from tests.standins.runner import Ended, Runner, model_inputs

SECONDS = 12.0  # a few seconds, on a machine that does much else
CHILD = b"pr_review.adapters.llm.child"

Process = subprocess.Popen[str]
Moment = Callable[[Process], bool]


def wait_for(done: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def descendants(pid: int) -> dict[int, bytes]:
    """The processes below one, by id, with their command lines."""
    found: dict[int, bytes] = {}
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(child) for child in listed.read_text().split()]
        except OSError:
            continue
        for child in children:
            try:
                found[child] = Path(f"/proc/{child}/cmdline").read_bytes()
            except OSError:
                continue
            found |= descendants(child)
    return found


def lives(pid: int, command: bytes) -> bool:
    """Whether a process still runs; a number may belong to another by now."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() == command != b""
    except OSError:
        return False


@pytest.fixture
def temp(tmp_path: Path, runner: Runner) -> Path:
    """The run's own folder for temporary files."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    for place in (folder, *folder.parents):  # the model's process is another user
        if place.stat().st_uid == os.geteuid():
            place.chmod(place.stat().st_mode | 0o055)
    runner.env["TMPDIR"] = str(folder)
    return folder


def cancelled(
    runner: Runner, process: Process, moment: Moment, *signals: int, pid: int | None = None
) -> Ended:
    """Sends the signals at a moment of a run; what it leaves behind is checked."""
    wait_for(lambda: process.poll() is not None or moment(process))
    before = descendants(process.pid)
    begun = time.monotonic()
    for number in signals:
        os.kill(pid or process.pid, number)
        time.sleep(0.05)
    ended = runner.ended(process)
    assert ended.code == 143, ended.log
    assert time.monotonic() - begun < SECONDS
    assert "Traceback" not in ended.log
    wait_for(lambda: not [p for p, command in before.items() if lives(p, command)], 3.0)
    assert list(Path(runner.env["TMPDIR"]).iterdir()) == []
    assert "the run was cancelled" in ended.summary
    assert ended.outputs["status"] == "failed"
    assert [r for r in runner.github.reviews(NUMBER) if r.state == "PENDING"] == []
    return ended


@contextmanager
def silent_server() -> Iterator[str]:
    """The address of a server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def runs(name: bytes) -> Moment:
    return lambda process: any(name in command for command in descendants(process.pid).values())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_while_git_fetches(number: int, runner: Runner, github: GitHubServer, temp: Path) -> None:
    with silent_server() as address:
        runner.env["GITHUB_SERVER_URL"] = address
        process = runner.start(github.event(NUMBER))
        cancelled(runner, process, runs(b"fetch"), number)
    assert github.reviews(NUMBER) == []


def test_while_the_model_loads(runner: Runner, github: GitHubServer, temp: Path) -> None:
    with ModelServer(Reply(hang=True)) as server:
        runner.inputs |= model_inputs(server.url)
        process = runner.start(github.event(NUMBER))
        cancelled(runner, process, runs(CHILD), signal.SIGTERM)
        assert server.requests == []


def test_while_the_model_answers_and_again_during_the_clean_up(
    runner: Runner, github: GitHubServer, temp: Path
) -> None:
    with ModelServer(Reply(hang=True)) as server:
        runner.inputs |= model_inputs(server.url)
        process = runner.start(github.event(NUMBER))
        signals = (signal.SIGTERM, signal.SIGINT, signal.SIGTERM, signal.SIGINT)
        cancelled(runner, process, lambda _: bool(server.requests), *signals)
    assert github.reviews(NUMBER) == []


@pytest.mark.parametrize("path", [r"/pulls/\d+$", r"/compare/", r"/commits$"])
def test_while_github_is_asked(path: str, runner: Runner, github: GitHubServer, temp: Path) -> None:
    github.fault("GET", path, delay=30)
    process = runner.start(github.event(NUMBER))
    cancelled(runner, process, lambda _: not github.faults[0].times, signal.SIGTERM)


@pytest.mark.parametrize(
    ("path", "after_effect", "posted"),
    [
        (r"/reviews$", True, 0),
        (r"/reviews$", False, 0),
        (r"/events$", False, 0),
        (r"/events$", True, 1),
    ],
)
def test_while_the_review_is_posted(
    path: str, after_effect: bool, posted: int, runner: Runner, github: GitHubServer, temp: Path
) -> None:
    """The answer does not come: a pending review is taken away, a submitted one stands."""
    github.fault("POST", path, 502, after_effect=after_effect, delay=30)
    process = runner.start(github.event(NUMBER))
    cancelled(runner, process, lambda _: not github.faults[0].times, signal.SIGTERM)
    assert len(github.reviews(NUMBER)) == posted


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_as_process_1(number: int, runner: Runner, github: GitHubServer, temp: Path) -> None:
    """Where the kernel keeps signals from a process that has no handler for them."""
    unshare = shutil.which("unshare")
    namespaced = [str(unshare), "--pid", "--fork", "--mount-proc", "--kill-child"]
    if not unshare or subprocess.run([*namespaced, "true"], check=False).returncode:
        pytest.skip("needs the right to make a PID namespace")
    with silent_server() as address:
        runner.env["GITHUB_SERVER_URL"] = address
        process = runner.start(github.event(NUMBER), before=namespaced)
        wait_for(lambda: process.poll() is not None or runs(b"fetch")(process))
        [first] = [
            child
            for listed in Path(f"/proc/{process.pid}/task").glob("*/children")
            for child in map(int, listed.read_text().split())
        ]
        cancelled(runner, process, lambda _: True, number, pid=first)


def test_a_signal_while_the_program_starts_itself_anew_waits(
    runner: Runner, github: GitHubServer, temp: Path
) -> None:
    """From when it handles signals on, none is lost, and none shows a traceback."""
    with silent_server() as address:
        runner.env["GITHUB_SERVER_URL"] = address
        for step, seconds in enumerate((0.0, 0.01, 0.02, 0.04, 0.06, 0.1, 0.2, 0.3)):
            process = runner.start(github.event(NUMBER))
            number = (signal.SIGTERM, signal.SIGINT)[step % 2]
            wait_for(partial(_handles, process.pid, signal.SIGTERM))
            time.sleep(seconds)
            os.kill(process.pid, number)
            ended = runner.ended(process)
            assert ended.code == 143, (step, ended.log)
            assert "Traceback" not in ended.log


def _handles(pid: int, number: int) -> bool:
    """Whether a process has a handler for a signal, or keeps it waiting."""
    status = Path(f"/proc/{pid}/status").read_text().split("\n")
    masks = [int(line.split()[1], 16) for line in status if line.startswith(("SigCgt", "SigBlk"))]
    return any(mask >> (number - 1) & 1 for mask in masks)
