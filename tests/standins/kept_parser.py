"""Parsing processes that outlast the snapshots they read for: starting one and compiling its
queries takes a fifth of a second."""

from __future__ import annotations

import atexit
import subprocess
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pr_review.adapters.syntax.process import TreeSitter, _ended

_idle: list[subprocess.Popen[bytes]] = []
_start = TreeSitter._started
_fail = TreeSitter._failed


@contextmanager
def kept_parsers() -> Iterator[None]:
    """While it lasts, a reader takes over the process of one that is gone or closed; of a file
    that ends or holds up its process, that process is the last reader."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TreeSitter, "_started", _started)
        patch.setattr(TreeSitter, "_failed", _failed)
        yield


@contextmanager
def own_parsers() -> Iterator[None]:
    """While it lasts, each reader has a process of its own again, as in a run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TreeSitter, "_started", _start)
        patch.setattr(TreeSitter, "_failed", _fail)
        yield


def _started(reader: TreeSitter) -> subprocess.Popen[bytes]:
    if reader._running is None and not reader._bound():
        running = _idle.pop() if _idle else _start(reader)
        if reader._end is not None:
            reader._end.detach()
        reader._running, reader._end = running, weakref.finalize(reader, _keep, running)
    return _start(reader)


def _failed(reader: TreeSitter) -> None:
    if reader._running is not None:
        reader._running.kill()
        reader._running.wait()
    _fail(reader)


def _keep(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        _idle.append(process)
    else:
        _ended(process)


@atexit.register
def _end_all() -> None:
    while _idle:
        _ended(_idle.pop())
