"""git as a program: no configuration of the user or the checkout counts, nothing is run for it.

The environment is made from nothing, system and global configuration are off, hooks,
external diffs, textconv, credential helpers and file system monitors cannot start. What git
starts ends with it: every command has a process group of its own.
"""

from __future__ import annotations

import _thread
import atexit
import contextlib
import math
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

from pr_review.adapters.git.failures import failure
from pr_review.errors import SnapshotError

# https://git-scm.com/docs/git#_environment_variables and git-config, section GIT_CONFIG_*
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ASKPASS": "true",
    "LC_ALL": "C",
}
_SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "core.fsmonitor": "false",
    # Larger files are compared as binary: git takes 80 bytes of memory for a short line.
    "core.bigFileThreshold": "8m",
    "core.quotePath": "true",
    "credential.helper": "",
    "gc.auto": "0",
    "maintenance.auto": "false",
    # Repositories of a checkout step belong to another uid; said per call, never written.
    "safe.directory": "*",
}

_LOOK_UP = 100  # milliseconds
_CHUNK = 65_536


class TooSlowError(SnapshotError):
    """git did not end in the time that it had."""


@dataclass(frozen=True, slots=True)
class _Done:
    code: int
    out: bytes
    errors: bytes


class Git:
    """Runs git in one repository with settings of ours alone.

    `protocols` are those that git may speak (`http:https`), none unless said: this overrides
    what the repository's own configuration allows. `extra` are further settings (`http.…`):
    they travel in the environment, not in the arguments, which every process of the machine
    can read. `passed` are variables taken over (PATH, proxies). A command has `timeout`
    seconds, and no command runs past `deadline` (by the monotonic clock).

    Commands run at the top of a `work_tree`, if there is one. With `user`, the variables that lead
    to a user's own configuration, that is read too: for questions about it, and for nothing else.
    """

    def __init__(
        self,
        git_dir: Path,
        *,
        passed: Mapping[str, str],
        protocols: str = "none",
        extra: Sequence[tuple[str, str]] = (),
        timeout: float = 120.0,
        deadline: float = math.inf,
        work_tree: Path | None = None,
        user: Mapping[str, str] | None = None,
    ) -> None:
        self.git_dir = git_dir
        self._options = [f"--git-dir={git_dir}"]
        self._timeout = timeout
        self._deadline = deadline
        settings = [*_SETTINGS.items(), *extra]
        self._environment = {
            **passed,
            **_ENVIRONMENT,
            "HOME": str(git_dir),
            "GIT_ALLOW_PROTOCOL": protocols,
            "GIT_CONFIG_COUNT": str(len(settings)),
        }
        for index, (key, value) in enumerate(settings):
            self._environment[f"GIT_CONFIG_KEY_{index}"] = key
            self._environment[f"GIT_CONFIG_VALUE_{index}"] = value
        if work_tree is not None:
            self._options += [f"--work-tree={work_tree}", "-C", str(work_tree)]
        if user is not None:
            self._environment = _with_configuration(self._environment, user)

    def run(self, *arguments: str, stdin: bytes = b"", check: bool = True) -> bytes:
        """Output of one command. Raises `SnapshotError` with git's last line if it fails."""
        done = self._finished(arguments, stdin)
        if check and done.code:
            raise failure(arguments[0], done.errors)
        return done.out

    def ok(self, *arguments: str) -> bool:
        """Whether a command ends well."""
        return self._finished(arguments).code == 0

    def read(self, *arguments: str, limit: int) -> tuple[bytes, bool]:
        """Up to `limit` bytes of a command's output, and whether there was more."""
        done = self._finished(arguments, limit=limit)
        if len(done.out) > limit:
            return done.out[:limit], True
        if done.code:
            raise failure(arguments[0], done.errors)
        return done.out, False

    def _finished(self, arguments: Sequence[str], stdin: bytes = b"", *, limit: int = -1) -> _Done:
        """Runs a command to its end, or until it has printed more than `limit` bytes."""
        # Files, not pipes: git must neither wait for us to read its errors nor to write.
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as errors:
            given.write(stdin)
            given.seek(0)
            with self._started(arguments, given.fileno(), errors.fileno()) as process:
                assert process.stdout is not None
                out = _read(process.stdout.fileno(), limit)
                if limit >= 0 and len(out) > limit:
                    _kill(process)
                code = process.wait()
            errors.seek(0)
            return _Done(code, out, errors.read())

    @contextlib.contextmanager
    def _started(
        self, arguments: Sequence[str], stdin: int, stderr: int
    ) -> Iterator[subprocess.Popen[bytes]]:
        """A running command, which is gone when the block ends, however it ends.

        Raises `TooSlowError` at the end of a block during which the time was up.
        """
        seconds = min(self._timeout, self._deadline - time.monotonic())
        late = TooSlowError(
            f"git {arguments[0]} was not done in {max(self._timeout, 0):.0f} s",
            remedy="raise prepare-deadline, or see why the server or the disk is slow",
        )
        if seconds <= 0:
            raise late
        start = _Start(
            ["git", *self._options, *arguments],
            stdin=stdin,
            stderr=stderr,
            environment=self._environment,
        )
        try:  # before the start: an exception of a signal's handler may strike right behind it
            process = start.process()
            with _alarm(seconds, process) as alarm:
                yield process
                if not alarm.is_alive():
                    raise late
        finally:
            start.end()


def _with_configuration(environment: Mapping[str, str], user: Mapping[str, str]) -> dict[str, str]:
    """An environment in which git finds the files of the user's configuration."""
    hidden = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")
    return {**{k: v for k, v in environment.items() if k not in hidden}, **user}


def _read(file: int, limit: int) -> bytes:
    """All that comes, or somewhat more than `limit` bytes.

    Never blocks for long: the handler of a signal that another thread took, or that came just
    before a blocking call, would have to wait for its end.
    """
    out = bytearray()
    poll = select.poll()
    poll.register(file, select.POLLIN)
    while limit < 0 or len(out) <= limit:
        if not poll.poll(_LOOK_UP):
            continue
        chunk = os.read(file, _CHUNK)
        if not chunk:
            break
        out += chunk
    return bytes(out)


@contextlib.contextmanager
def _alarm(seconds: float, process: subprocess.Popen[bytes]) -> Iterator[Timer]:
    """A timer that ends the program; it is no longer alive once it has rung."""
    timer = Timer(seconds, _kill, (process,))
    timer.daemon = True
    timer.start()
    try:
        yield timer
    finally:
        timer.cancel()


class _Start:
    """Starts a program in a thread, where no signal's handler can raise.

    In the main thread an exception of a handler may strike after the fork and before anybody
    knows the child, which would live on. `Thread` and `Event` themselves break when it strikes
    inside of them, so this is a bare thread and a lock.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        stdin: int,
        stderr: int,
        environment: Mapping[str, str],
    ) -> None:
        self._arguments = arguments
        self._stdin = stdin
        self._stderr = stderr
        self._environment = environment
        self._done = _thread.allocate_lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._error: Exception | None = None

    def process(self) -> subprocess.Popen[bytes]:
        """The running program. Raises `SnapshotError` if it cannot be started."""
        self._done.acquire()
        try:
            _thread.start_new_thread(self._run, ())
            self._done.acquire()
        except BaseException:
            self._await()  # so that `end` knows of it
            raise
        if self._process is None:
            raise _not_started(self._error)
        return self._process

    def _run(self) -> None:
        try:
            self._process = subprocess.Popen(
                self._arguments,
                stdin=self._stdin,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                env=self._environment,
                start_new_session=True,
            )
            _running.add(self._process)
        except Exception as error:  # noqa: BLE001 - told by the thread that waits
            self._error = error
        finally:
            self._done.release()

    def end(self) -> None:
        """The program, and whatever it started, is gone."""
        process = self._process
        if process is not None:
            _kill(process)
            process.wait()
            _running.discard(process)
            assert process.stdout is not None
            process.stdout.close()

    def _await(self) -> None:
        """Bounded, as nobody knows whether the thread was started at all."""
        end = time.monotonic() + 2
        while self._process is None and self._error is None and time.monotonic() < end:
            time.sleep(0.001)


_running: set[subprocess.Popen[bytes]] = set()


@atexit.register
def _end_all() -> None:
    for process in list(_running):
        _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Ends git and whatever it started: `git fetch` leaves `git-remote-https` behind else."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _not_started(error: Exception | None) -> SnapshotError:
    if isinstance(error, FileNotFoundError):
        return SnapshotError("git is not installed", remedy="install git 2.32 or later")
    words = getattr(error, "strerror", None) or type(error).__name__
    return SnapshotError(
        f"git could not be started: {words}", remedy="see what the machine has run out of"
    )
