"""One model process for many runs of the action: loading LiteLLM takes seconds."""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest

from pr_review.adapters.llm.process import ModelProcess


class KeptProcess(ModelProcess):
    """Outlives the runs that use it."""

    def kill(self) -> None:
        """A run is over; the process goes on."""

    def end(self) -> None:
        """Kills the process."""
        super().kill()


@contextmanager
def kept_process() -> Iterator[KeptProcess]:
    """While it lasts, every run in this Python asks the same real process."""
    process = _process()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pr_review.adapters.llm.model.ModelProcess", lambda *_, **__: process)
        yield process


@cache
def _process() -> KeptProcess:
    process = KeptProcess({"PATH": os.environ["PATH"]})
    process.start()
    atexit.register(process.end)
    return process
