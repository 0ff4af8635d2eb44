"""A cancelled run unwinds, so that contexts end what they began, and leaves no child behind.

The runner sends SIGINT, then SIGTERM, then kills: all within ten seconds.
https://docs.github.com/actions/reference/workflows-and-actions/workflow-cancellation
The kernel keeps signals without a handler from a process with id 1, so both get one.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from pr_review.errors import CANCELLED_EXIT_CODE

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# Longer than any clean-up, and shorter than the runner waits before SIGTERM, which counts again:
# an exception that was raised inside a finalizer is lost, and the run would go on.
_UNWINDING_SECONDS = 7.0


class _State:
    """Signals belong to the process, and so does this."""

    cancelled_at: float | None = None
    due = False
    held = 0


def listen() -> None:
    """From here on a signal raises `SystemExit(143)` in the main thread."""
    for number in _SIGNALS:
        signal.signal(number, _received)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


def defer() -> None:
    """Signals wait for the next `listen`, also beyond `exec`, which takes handlers away."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)


def cancelled() -> bool:
    """Whether a signal came."""
    return _State.cancelled_at is not None


@contextlib.contextmanager
def held() -> Iterator[None]:
    """A signal that comes inside is obeyed at the end: for short things that must be whole."""
    _State.held += 1
    try:
        yield
    finally:
        _State.held -= 1
        if _State.due and not _State.held:
            _State.due = False
            raise SystemExit(CANCELLED_EXIT_CODE)


def kill_children() -> None:
    """Kills every child of this process and its group: what a signal hit while it was started
    is known to nobody."""
    for listed in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, listed.read_text().split()):
                _kill(child)


def _kill(child: int) -> None:
    with contextlib.suppress(OSError):
        group = os.getpgid(child)
        if group == child:
            os.killpg(group, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.kill(child, signal.SIGKILL)


def _received(_number: int, _frame: FrameType | None) -> None:
    now = time.monotonic()
    if _State.cancelled_at is not None and now - _State.cancelled_at < _UNWINDING_SECONDS:
        return
    _State.cancelled_at = now
    if _State.held:
        _State.due = True
        return
    raise SystemExit(CANCELLED_EXIT_CODE)
