"""git as a program: no configuration of the user or the checkout counts, nothing is run for it.

The environment is made from nothing, system and global configuration are off, hooks,
external diffs, textconv, credential helpers and file system monitors cannot start. What git
starts ends with it: every command has a process group of its own.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

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
    ) -> None:
        self.git_dir = git_dir
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

    def run(self, *arguments: str, stdin: bytes = b"", check: bool = True) -> bytes:
        """Output of one command. Raises `SnapshotError` with git's last line if it fails."""
        done = self._finished(arguments, stdin)
        if check and done.code:
            raise _failed(arguments, done.errors)
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
            raise _failed(arguments, done.errors)
        return done.out, False

    def _finished(self, arguments: Sequence[str], stdin: bytes = b"", *, limit: int = -1) -> _Done:
        """Runs a command to its end, or until it has printed more than `limit` bytes."""
        # Files, not pipes: git must neither wait for us to read its errors nor to write.
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as errors:
            given.write(stdin)
            given.seek(0)
            with self._started(arguments, given.fileno(), errors.fileno()) as process:
                assert process.stdout is not None
                out = process.stdout.read(limit + 1 if limit >= 0 else -1)
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
        try:
            process = subprocess.Popen(
                ["git", f"--git-dir={self.git_dir}", *arguments],
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=self._environment,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise _not_installed() from error
        timer = Timer(seconds, _kill, (process,))
        timer.daemon = True
        timer.start()
        try:
            yield process
            if not timer.is_alive():
                raise late
        finally:
            timer.cancel()
            _kill(process)
            process.wait()
            assert process.stdout is not None
            process.stdout.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Ends git and whatever it started: `git fetch` leaves `git-remote-https` behind else."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _not_installed() -> SnapshotError:
    return SnapshotError("git is not installed", remedy="install git 2.32 or later")


def _failed(arguments: Sequence[str], stderr: bytes) -> SnapshotError:
    return SnapshotError(f"git {arguments[0]} failed: {_last_line(stderr)}")


def _last_line(stderr: bytes) -> str:
    lines = [line for line in stderr.decode("utf-8", "replace").split("\n") if line.strip()]
    return lines[-1][:300] if lines else "no message"
