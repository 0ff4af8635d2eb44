"""The model process: imports LiteLLM at once, then answers jobs until its parent goes.

It knows no key until its first job arrives. Jobs come as lines on standard input and are
answered in parallel, as lines on what was standard output: file descriptors 0, 1 and 2 then
lead nowhere, so that a library that prints cannot break the protocol or leak into the log.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

from pr_review.adapters.llm.attempts import answer
from pr_review.adapters.llm.redaction import clean
from pr_review.adapters.llm.wire import Answer, Job, Report, Started, own_file

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serves until standard input ends."""
    _die_with_parent()
    jobs, write = _take_pipes()
    try:
        library = _import_litellm()
    except Exception as error:  # noqa: BLE001 - whatever the import raises, the parent must hear of it
        write(Report(broken=clean(f"{type(error).__name__}: {error}", ())).line())
        os._exit(1)
    write(Report().line())
    for line in jobs:
        job = Job.read(line)
        _adopt(job)
        threading.Thread(target=_work, args=(job, library, write), daemon=True).start()
    # abandoned calls must not hold the process: no thread is waited for
    os._exit(0)


def _adopt(job: Job) -> None:
    """Takes over the provider's variables; files that they name become files of our own."""
    os.environ.update(job.environment)
    for name, text in job.files.items():
        path = own_file(name, text)
        if not path.exists():
            path.touch(mode=0o600)
            path.write_text(text, encoding="utf-8")
        os.environ[name] = str(path)


def _work(job: Job, library: Any, write: Callable[[bytes], None]) -> None:
    try:
        said = answer(job, library, lambda: write(Started(job.number).line()))
    except Exception as error:  # noqa: BLE001 - whoever waits for this answer must hear of it
        said = Answer(job.number, error=f"the model call broke off ({type(error).__name__})")
    write(said.line())


def _die_with_parent() -> None:
    """Asks the kernel to kill us when the thread that started us ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _take_pipes() -> tuple[BinaryIO, Callable[[bytes], None]]:
    """The two ends of the protocol, moved away from the standard descriptors."""
    jobs, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    lock = threading.Lock()

    def write(line: bytes) -> None:
        with lock:
            answers.write(line)
            answers.flush()

    return jobs, write


def _import_litellm() -> Any:
    # collecting garbage while thousands of classes are built costs 15 % of the import
    gc.disable()
    import litellm  # noqa: PLC0415 - seconds of work, and only after the pipes are safe

    gc.enable()
    gc.freeze()
    litellm.suppress_debug_info = True
    return litellm


if __name__ == "__main__":
    main()
