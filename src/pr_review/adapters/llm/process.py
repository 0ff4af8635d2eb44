"""The parent's end of the model process: starts it, talks to it, kills it."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from pathlib import Path
from queue import SimpleQueue
from typing import Literal

from pr_review.adapters.llm.wire import Answer, Job, Report, Started, read_message
from pr_review.errors import ModelError

NOBODY = 65534
_MODULE = "pr_review.adapters.llm.child"
_GRACE_SECONDS = 1.0
_PROXIES = (
    "HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY",
    "https_proxy", "http_proxy", "all_proxy", "no_proxy",
)  # fmt: skip
# httpx and aiohttp; requests, by which Google's credentials are fetched; Amazon's library
_TRUST = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "AWS_CA_BUNDLE")
_LIBRARY = {
    # without PRODUCTION LiteLLM reads a .env of the working directory
    "LITELLM_MODE": "PRODUCTION",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_OFFLINE_MODE": "true",
    "HF_HUB_OFFLINE": "1",
    "PYTHONSAFEPATH": "1",
    "LANG": "C.UTF-8",
}

Isolation = Literal["uid", "process"]


class ModelProcess:
    """A process that runs LiteLLM in an empty folder, with an environment made from nothing.

    `environ` is the parent's environment, of which it gets PATH and proxies; no variable that
    contains one of the `withheld` values. `ca_file` names all PEM certificates to trust,
    in place of the public ones. As root it runs as another user, where that user can read the
    interpreter. If it crashes, the calls in flight fail, and the next one is answered by a new
    process; a second crash is its end.
    """

    def __init__(
        self,
        environ: Mapping[str, str],
        *,
        withheld: Collection[str] = (),
        ca_file: Path | None = None,
    ) -> None:
        self._environ = without_secrets(environ, withheld)
        self._ca_file = ca_file
        self._lock = threading.Lock()
        self._waiting: dict[int, Future[Answer]] = {}
        self._starting: dict[int, Callable[[], None]] = {}
        self._outbox: SimpleQueue[bytes | None] = SimpleQueue()
        self._started: Future[subprocess.Popen[bytes]] | None = None
        self._thread: threading.Thread | None = None
        self._ready = False
        self._ended = ""
        self._crashed = False
        self._restarts = 1
        self._number = 0
        self.isolation: Isolation = "process"

    def start(self) -> None:
        """Starts the process and returns; it loads LiteLLM meanwhile. Does nothing if it was
        started before. Raises `ModelError` if it cannot be started, or was killed before.
        """
        with self._lock:
            if self._crashed and self._restarts:
                self._restarts -= 1
                self._started, self._crashed, self._ready, self._ended = None, False, False, ""
            if self._started is None:
                if self._ended:
                    raise ModelError(self._ended)
                self._begin()
            started = self._started
        assert started is not None
        try:
            started.result()
        except OSError as error:
            raise ModelError(f"the model process could not be started: {error.strerror}") from None

    def _begin(self) -> None:
        self._started, self._outbox = Future(), SimpleQueue()
        # the kernel's "parent is gone" is sent when the *thread* that started a process ends:
        # this one lives exactly as long as the process
        self._thread = threading.Thread(
            target=self._serve, args=(self._started, self._outbox), daemon=True
        )
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """The process id, None before the start."""
        return self._started.result().pid if self._started else None

    def next_number(self) -> int:
        with self._lock:
            self._number += 1
            return self._number

    def ask(self, job: Job, started: Callable[[], None] | None = None) -> Answer:
        """Sends a job and waits for its answer, at most a second past the job's deadline. If
        the job is streamed, `started` is called when its first token is there.

        Raises `ModelError` if the process ends, was killed, or does not react.
        """
        self.start()
        future: Future[Answer] = Future()
        with self._lock:
            if self._ended:
                raise ModelError(self._ended)
            self._waiting[job.number] = future
            if started is not None:
                self._starting[job.number] = started
        self._outbox.put(job.line())
        try:
            return future.result(max(0.0, job.deadline + _GRACE_SECONDS - time.monotonic()))
        except TimeoutError:
            doing = "does not react" if self._ready else "was still loading LiteLLM"
            raise ModelError(
                f"{job.model} gave no answer within {job.seconds:.0f} s: the model process {doing}"
            ) from None
        finally:
            self._waiting.pop(job.number, None)
            self._starting.pop(job.number, None)

    def kill(self) -> None:
        """Kills the process and all that it started; calls in flight fail. May be repeated."""
        with self._lock:
            self._restarts = 0
        self._end("the model process was stopped")
        if self._started is None or self._thread is None:
            return
        with contextlib.suppress(OSError):
            _kill_group(self._started.result())
        self._thread.join()

    def _serve(
        self, started: Future[subprocess.Popen[bytes]], outbox: SimpleQueue[bytes | None]
    ) -> None:
        """Starts the process, then reads its lines until it ends."""
        try:
            with tempfile.TemporaryDirectory(
                prefix="pr-review-model-", ignore_cleanup_errors=True
            ) as folder:
                process = self._spawn(Path(folder))
                started.set_result(process)
                self._converse(process, outbox)
                self._end(_last_words(process), of=started, crashed=True)
                _kill_group(process)
        except Exception as error:
            if started.done():
                raise
            started.set_exception(error)
        finally:
            self._end("the model process ended", of=started)
            outbox.put(None)

    def _converse(
        self, process: subprocess.Popen[bytes], outbox: SimpleQueue[bytes | None]
    ) -> None:
        threading.Thread(target=_send, args=(process, outbox), daemon=True).start()
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                self._receive(line)

    def _spawn(self, folder: Path) -> subprocess.Popen[bytes]:
        """As another user if that is possible, else as ours."""
        if can_change_user(folder.parent):
            with contextlib.suppress(OSError):  # e.g. a container without CAP_SETUID
                process = self._popen(folder, NOBODY)
                self.isolation = "uid"
                return process
        return self._popen(folder, None)

    def _popen(self, folder: Path, user: int | None) -> subprocess.Popen[bytes]:
        home = self._furnish(folder, user)
        return subprocess.Popen(
            [sys.executable, "-I", "-m", _MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=home,
            env=self._initial_environment(home),
            start_new_session=True,
            user=user,
            group=user,
            extra_groups=None if user is None else (),
        )

    def _furnish(self, folder: Path, user: int | None) -> Path:
        """Fills the process's folder; returns the empty one in it that it works in."""
        home = folder / "home"
        home.mkdir(mode=0o700, exist_ok=True)
        if certificates := self._certificates():
            (folder / "ca.pem").write_bytes(certificates)
        if user is not None:
            for path in (home, *folder.glob("ca.pem"), folder):
                os.chown(path, user, user)
        return home

    def _certificates(self) -> bytes:
        """Those of `ca_file`, or of the file that the environment names: copied, because the
        process's user may not be able to read the original.
        """
        if self._ca_file is not None:
            return self._ca_file.read_bytes()
        named = self._environ.get("SSL_CERT_FILE")
        return Path(named).read_bytes() if named and Path(named).is_file() else b""

    def _initial_environment(self, home: Path) -> dict[str, str]:
        """All that the process has before its first job; no credential is among it."""
        given = {name: self._environ[name] for name in _PROXIES if name in self._environ}
        places = {
            "PATH": self._environ.get("PATH", os.defpath),
            "HOME": str(home),
            # LiteLLM reads tokens to exchange from folders that it is told, and no others
            "LITELLM_OIDC_ALLOWED_CREDENTIAL_DIRS": str(home),
        }
        authority = home.parent / "ca.pem"
        trust = dict.fromkeys(_TRUST, str(authority)) if authority.exists() else {}
        return {**given, **places, "TMPDIR": str(home), **trust, **_LIBRARY}

    def _receive(self, line: bytes) -> None:
        try:
            message = read_message(line)
        except (ValueError, TypeError):
            self._end("the model process broke its protocol")
            return
        if isinstance(message, Report):
            self._ready = not message.broken
            if message.broken:
                self._end(f"LiteLLM could not be loaded: {message.broken}")
        elif isinstance(message, Started):
            if started := self._starting.pop(message.started, None):
                started()
        elif future := self._waiting.get(message.number):
            _settle(future, message)

    def _end(
        self,
        reason: str,
        *,
        of: Future[subprocess.Popen[bytes]] | None = None,
        crashed: bool = False,
    ) -> None:
        """Refuses further jobs and fails those in flight; the first reason stays. With `of`, if
        that is still the process that serves. One that had loaded LiteLLM may crash once.
        """
        with self._lock:
            if of is not None and of is not self._started:
                return
            self._crashed = self._crashed or (crashed and self._ready and not self._ended)
            self._ended = self._ended or reason
            waiting = list(self._waiting.values())
        for future in waiting:
            _settle(future, ModelError(self._ended))


def _send(process: subprocess.Popen[bytes], outbox: SimpleQueue[bytes | None]) -> None:
    """Writes jobs; in a thread of its own, since a process that hangs does not read."""
    assert process.stdin is not None
    with contextlib.suppress(OSError), process.stdin as pipe:
        while (line := outbox.get()) is not None:
            pipe.write(line)
            pipe.flush()


def without_secrets(environ: Mapping[str, str], withheld: Collection[str]) -> dict[str, str]:
    """The variables whose value contains none of the withheld ones."""
    secrets = [value for value in withheld if value]
    return {n: v for n, v in environ.items() if not any(secret in v for secret in secrets)}


def readable_by_others(*paths: Path) -> bool:
    """Whether any user can reach and read all these paths, links followed."""
    return all(_reachable(Path(os.path.abspath(p))) and _reachable(p.resolve()) for p in paths)  # noqa: PTH100 - links must stay


def can_change_user(folder: Path | None = None) -> bool:
    """Whether the process would run as another user, with its folder in `folder`, unless the
    system forbids it.
    """
    return os.geteuid() == 0 and readable_by_others(
        *_needed(), folder or Path(tempfile.gettempdir())
    )


def _reachable(path: Path) -> bool:
    try:
        wanted = stat.S_IROTH | (stat.S_IXOTH if path.is_dir() else 0)
        return path.stat().st_mode & wanted == wanted and all(
            parent.stat().st_mode & stat.S_IXOTH for parent in path.parents
        )
    except OSError:
        return False


def _needed() -> list[Path]:
    """What a process must read to run us: interpreter, libraries, LiteLLM, our package."""
    found = (importlib.util.find_spec(name) for name in ("litellm", "pr_review", "encodings"))
    origins = [Path(spec.origin) for spec in found if spec and spec.origin]
    return [Path(sys.executable), Path(sys.prefix), Path(sys.base_prefix), *origins]


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    # also when it is dead: what it started may live on
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _last_words(process: subprocess.Popen[bytes]) -> str:
    code = process.wait()
    how = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
    return f"the model process ended {how}"


def _settle(future: Future[Answer], outcome: Answer | ModelError) -> None:
    with contextlib.suppress(Exception):  # a future that is settled already keeps its outcome
        if isinstance(outcome, Answer):
            future.set_result(outcome)
        else:
            future.set_exception(outcome)
