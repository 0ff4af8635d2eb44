"""The parent's end of the process that parses: grammars are C, and their input is hostile."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Sequence
from typing import TypeVar

from pr_review.adapters.syntax.languages import language_of
from pr_review.adapters.syntax.wire import question, read_answer, read_count
from pr_review.snapshot.outline import Outline

Read = TypeVar("Read")

_WORKER = "pr_review.adapters.syntax.worker"
# A file of 512 KiB takes well under a second. Where this strikes all the same, the report says
# that the snapshot cannot be made again.
_SECONDS = 10.0
# Each costs a new process, and up to a second until it has had too much: after some of them a
# process gets less, so that a change of nothing but such files ends, and the others are read.
_MANY_DEATHS = 5
_MOST_DEATHS = 200
_MOST_WAITS = 3
_LESS_MEMORY = 1 << 28
_BLOCK = 1 << 20


class TreeSitter:
    """Reads source with tree-sitter in another process, with an environment made from nothing
    and a limit on its memory: a file that passes it ends that process, not ours.

    Started with the first file; ended with this object. A file that ends its process costs no other
    file its structure, up to 200 of them. `late` tells that a time limit struck, so that equal
    input may end another way.
    """

    def __init__(self) -> None:
        self.late = False
        self._deaths = 0
        self._waits = 0
        self._running: subprocess.Popen[bytes] | None = None
        self._end: weakref.finalize[..., TreeSitter] | None = None

    def knows(self, path: str) -> bool:
        """Whether there is a grammar for a path, by its name."""
        return language_of(path) is not None

    def outline(self, path: str, text: bytes, used: Sequence[range] = ()) -> Outline | str:
        """The outline of a file, or in words why none could be made; never raises.

        `used` are the ranges of 1-based lines of which the uses are wanted, ascending; scopes
        and imports are always those of the whole file. A qualifier and the alias of a Python
        `import a.b` are dotted names as written (`a.b`); a name that is exported on from
        elsewhere is bound to the name it is exported by.
        """
        try:
            return self._answered(question(path, text, used), read_answer)
        except _FailedError as error:
            return str(error)

    def faults(self, path: str, text: bytes) -> int | None:
        """How many places of a file its language does not allow; None where that cannot be
        told. Never raises."""
        try:
            return self._answered(question(path, text, None), read_count)
        except _FailedError:
            return None

    def close(self) -> None:
        """Ends the process, if it runs; the next file starts another."""
        if self._end is not None:
            self._end()
        self._running = self._end = None

    def _answered(self, asked: bytes, read: Callable[[bytes], Read]) -> Read:
        """Raises `_FailedError`; the next file then finds another process, or none any more."""
        if self._deaths >= _MOST_DEATHS or self._waits >= _MOST_WAITS:
            raise _FailedError("the parser failed on other files")
        try:
            return read(self._asked(asked))
        except _FailedError:
            self._failed()
            raise
        except (OSError, ValueError, TypeError):
            self._failed()
            raise _FailedError("the parser failed") from None

    def _failed(self) -> None:
        self._deaths += 1
        self.close()

    def _asked(self, asked: bytes) -> bytes:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # it is gone: reading says so
            process.stdin.write(asked)
            process.stdin.flush()
        parts: list[bytes] = []
        deadline = time.monotonic() + _SECONDS
        while not parts or not parts[-1].endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
                self.late = True
                self._waits += 1
                raise _FailedError("too long to parse")
            parts.append(os.read(process.stdout.fileno(), _BLOCK))
            if not parts[-1]:
                raise _FailedError("too much memory to parse")
        return b"".join(parts)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._running is None:
            self._running = subprocess.Popen(
                [sys.executable, "-I", "-m", _WORKER, *self._bound()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"LANG": "C.UTF-8"},
            )
            self._end = weakref.finalize(self, _ended, self._running)
        return self._running

    def _bound(self) -> list[str]:
        return [str(_LESS_MEMORY)] if self._deaths >= _MANY_DEATHS else []


class _FailedError(Exception):
    """The process gave no answer; the text says why, for the ledger."""


def _ended(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):  # what was not sent yet
            if pipe is not None:
                pipe.close()
