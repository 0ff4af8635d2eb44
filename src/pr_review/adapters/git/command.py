"""git as a program: no configuration of the user or the checkout counts, nothing is run for it.

The environment is made from nothing, system and global configuration are off, hooks,
external diffs, textconv, credential helpers and file system monitors cannot start.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Timer
from typing import IO

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
    "core.quotePath": "true",
    "credential.helper": "",
    "protocol.allow": "never",
    "protocol.http.allow": "always",
    "protocol.https.allow": "always",
    "gc.auto": "0",
    "maintenance.auto": "false",
    # Repositories of a checkout step belong to another uid; said per call, never written.
    "safe.directory": "*",
}


class Git:
    """Runs git in one repository with settings of ours alone.

    `extra` are further settings (`http.…`): they travel in the environment, not in the
    arguments, which every process of the machine can read. `passed` are variables taken over
    (PATH, proxies).
    """

    def __init__(
        self,
        git_dir: Path,
        *,
        passed: Mapping[str, str],
        extra: Sequence[tuple[str, str]] = (),
        timeout: float = 120.0,
    ) -> None:
        self.git_dir = git_dir
        self._timeout = timeout
        settings = [*_SETTINGS.items(), *extra]
        self._environment = {
            **passed,
            **_ENVIRONMENT,
            "HOME": str(git_dir),
            "GIT_CONFIG_COUNT": str(len(settings)),
        }
        for index, (key, value) in enumerate(settings):
            self._environment[f"GIT_CONFIG_KEY_{index}"] = key
            self._environment[f"GIT_CONFIG_VALUE_{index}"] = value

    def run(self, *arguments: str, stdin: bytes = b"", check: bool = True) -> bytes:
        """Output of one command. Raises `SnapshotError` with git's last line if it fails."""
        done = self._finished(arguments, stdin)
        if check and done.returncode:
            raise _failed(arguments, done.stderr)
        return done.stdout

    def ok(self, *arguments: str) -> bool:
        """Whether a command ends well."""
        return self._finished(arguments, b"").returncode == 0

    def read(self, *arguments: str, limit: int) -> tuple[bytes, bool]:
        """Up to `limit` bytes of a command's output, and whether there was more."""
        # stderr goes to a file: a pipe that nobody reads would stop git when it is full.
        with tempfile.TemporaryFile() as stderr:
            process = self._started(arguments, stderr)
            late = Timer(self._timeout, process.kill)
            late.daemon = True
            late.start()
            with process:
                assert process.stdout is not None
                out = process.stdout.read(limit + 1)
                if len(out) > limit:
                    process.kill()
            struck = not late.is_alive()
            late.cancel()
            if len(out) > limit:
                return out[:limit], True
            if struck:
                raise self._too_slow(arguments)
            if process.returncode:
                stderr.seek(0)
                raise _failed(arguments, stderr.read())
        return out, False

    def _finished(
        self, arguments: Sequence[str], stdin: bytes
    ) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(
                self._command(arguments),
                input=stdin,
                capture_output=True,
                env=self._environment,
                timeout=self._timeout,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise self._too_slow(arguments) from error
        except FileNotFoundError as error:
            raise _not_installed() from error

    def _started(self, arguments: Sequence[str], stderr: IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                self._command(arguments),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=self._environment,
            )
        except FileNotFoundError as error:
            raise _not_installed() from error

    def _command(self, arguments: Sequence[str]) -> list[str]:
        return ["git", f"--git-dir={self.git_dir}", *arguments]

    def _too_slow(self, arguments: Sequence[str]) -> SnapshotError:
        return SnapshotError(f"git {arguments[0]} took over {self._timeout:.0f} s")


def _not_installed() -> SnapshotError:
    return SnapshotError("git is not installed", remedy="install git 2.30 or later")


def _failed(arguments: Sequence[str], stderr: bytes) -> SnapshotError:
    return SnapshotError(f"git {arguments[0]} failed: {_last_line(stderr)}")


def _last_line(stderr: bytes) -> str:
    lines = [line for line in stderr.decode("utf-8", "replace").split("\n") if line.strip()]
    return lines[-1][:300] if lines else "no message"
