"""A run that is cancelled while git works leaves no git process and no folder behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from socket import create_server
from types import FrameType

import pytest

from pr_review.adapters.git import LocalSource
from pr_review.adapters.git.command import Git
from tests.snapshot.repository import Blob, Repo, make
from tests.standins.github_git import clean_environment

PASSED = {"PATH": os.environ["PATH"]}
# What a strike leaves to Python to close, Python closes, and complains.
STRUCK = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
RUN = """
import os, signal, sys
from pr_review.adapters.git import RemoteSource

def cancelled(number, frame):
    raise SystemExit(143)

signal.signal(signal.SIGTERM, cancelled)
signal.signal(signal.SIGINT, cancelled)
source = RemoteSource(
    server_url=sys.argv[1], repository="a/b", number=7, merge_base="1" * 40, head="2" * 40,
    token="ghs_secret", max_bytes=1000, passed={"PATH": os.environ["PATH"]},
)
with source:
    source.change()
"""


def _commands(word: str) -> list[bytes]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            command = path.read_bytes()
            if word.encode() in command and b"git" in command and b"python" not in command:
                found.append(command)
    return found


def _until(condition: Callable[[], object], seconds: float = 15.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_git_fetches(tmp_path: Path, number: signal.Signals) -> None:
    with create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        child = subprocess.Popen(
            [sys.executable, "-c", RUN, url],
            env={**clean_environment(), "TMPDIR": str(tmp_path)},
        )
        try:
            # git itself and the helper that speaks http
            _until(lambda: len(_commands(url)) >= 2)
            assert any(tmp_path.iterdir())
            child.send_signal(number)
            assert child.wait(10) == 143
        finally:
            child.kill()
            child.wait()
        assert _commands(url) == []
    assert list(tmp_path.iterdir()) == []


class _Struck(BaseException):
    """What a signal's handler raises in the tests."""


@contextlib.contextmanager
def _struck_after(seconds: float) -> Iterator[None]:
    """Raises `_Struck` in this thread after so long, wherever it then is; once."""

    def strike(number: int, frame: FrameType | None) -> None:
        raise _Struck

    before = signal.signal(signal.SIGALRM, strike)
    try:
        with contextlib.suppress(_Struck):
            signal.setitimer(signal.ITIMER_REAL, seconds)
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _children() -> set[int]:
    """Children that run. One that has ended and was not asked how stays listed until Python starts
    the next: nothing of it is left but its number."""
    found: set[int] = set()
    for path in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found |= {int(pid) for pid in path.read_text().split()}
    return {pid for pid in found if _runs(pid)}


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return make(tmp_path / "r.git", {b"a.py": Blob(b"1\n")}, {b"a.py": Blob(b"2\n")})


@STRUCK
def test_a_signal_at_any_moment(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also between git's start and the moment at which somebody knows of it."""
    folders = tmp_path / "folders"
    folders.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folders))
    before = _children()
    for step in range(40):
        with (
            _struck_after(0.0005 + step * 0.0013),
            LocalSource(
                repo.folder, base="base", head="head", max_bytes=999, passed=PASSED
            ) as source,
        ):
            end = time.monotonic() + 0.5  # a strike within a callback of Python's own is lost
            while time.monotonic() < end:
                source._git.run("rev-list", source.head)
        _until(lambda: _children() <= before)
        assert list(folders.iterdir()) == []


@STRUCK
def test_a_signal_while_git_is_started(repo: Repo, tmp_path: Path) -> None:
    """The start takes long here: the handler raises before git's process is known to us."""
    ran = tmp_path / "ran"
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text(f"#!/bin/sh\ntouch {ran}\nexec sleep 30\n")
    slow.chmod(0o755)
    git = Git(repo.folder, passed={"PATH": f"{slow.parent}:{os.environ['PATH']}"})
    before = _children()
    struck = []
    for step in range(20):
        ended = False
        with _struck_after(0.0002 * (step + 1)):
            git.run("status")
            ended = True
        struck.append(not ended)
        _until(lambda: _children() <= before)
    assert all(struck)
