"""The model process: what it is given, how it ends, and who may look at it."""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pr_review.adapters.llm import process as process_module
from pr_review.adapters.llm.model import ChildModel, ModelSettings
from pr_review.adapters.llm.process import readable_by_others, without_secrets
from pr_review.adapters.llm.wire import own_name
from pr_review.agents.catalogue import NAMES, catalogue
from pr_review.agents.policy import AgentPolicy
from pr_review.agents.ports import ModelCall, Pricing
from pr_review.agents.prompt import Prompts
from pr_review.agents.run import run
from pr_review.errors import ModelError
from tests.standins import models
from tests.standins.models import ModelServer, Reply, Request

CALL = ModelCall("common", "snapshot", "task", {"type": "object"}, 500)
ENVIRON = {"PATH": os.environ["PATH"]}
TOKEN = "ghs_planted4tests"


def model_at(url: str = "http://127.0.0.1:9/v1") -> ChildModel:
    return ChildModel(ModelSettings("openai/my-model", "sk-planted-key", url), ENVIRON)


@pytest.fixture
def model() -> Iterator[ChildModel]:
    """A model whose process was just started."""
    with model_at() as started:
        yield started


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that every user can reach; pytest closes its own."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def pid_of(model: ChildModel) -> int:
    assert model.pid is not None
    return model.pid


def alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def eventually(true: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def pipes_are_taken(pid: int) -> bool:
    """The process has come as far as the import of LiteLLM."""
    return str(Path(f"/proc/{pid}/fd/1").readlink()) == os.devnull


def test_nothing_is_received_before_the_first_call(model: ChildModel) -> None:
    os.kill(pid_of(model), signal.SIGSTOP)  # what is sent now stays in the pipe
    pipe = model._process._started
    assert pipe is not None
    stdin = pipe.result().stdin
    assert stdin is not None

    def unread() -> int:
        return int(struct.unpack("i", fcntl.ioctl(stdin, termios.FIONREAD, b"\0" * 4))[0])

    time.sleep(0.2)
    assert unread() == 0
    with pytest.raises(ModelError, match="loading"):
        model.complete(CALL, seconds=0.1)
    assert unread() > 0


def test_kill_ends_the_process_and_its_folder(model: ChildModel) -> None:
    pid = pid_of(model)
    home = Path(f"/proc/{pid}/cwd").readlink()
    assert home.is_dir()
    assert os.getpgid(pid) == os.getsid(pid) == pid
    model.kill()
    assert not alive(pid)
    assert not home.parent.exists()
    with pytest.raises(ModelError, match="was stopped"):
        model.complete(CALL, seconds=5)
    model.kill()


def test_kill_before_the_start_leaves_nothing_to_start() -> None:
    never = model_at()
    never.kill()
    with pytest.raises(ModelError, match="was stopped"):
        never.complete(CALL, seconds=5)
    assert never.pid is None


def test_a_process_that_hangs_does_not_hold_its_caller(model: ChildModel) -> None:
    os.kill(pid_of(model), signal.SIGSTOP)
    large = ModelCall("s", "x" * 1_000_000, "t", {}, 500)  # more than a pipe holds
    start = time.monotonic()
    with pytest.raises(ModelError, match="no answer within"):
        model.complete(large, seconds=0.2)
    assert time.monotonic() - start < 3


def test_a_crash_fails_the_calls_in_flight() -> None:
    with ModelServer(models.hanging()) as server, model_at(server.url) as model:
        caught: list[ModelError] = []

        def call() -> None:
            with pytest.raises(ModelError) as error:
                model.complete(CALL, seconds=60)
            caught.append(error.value)

        callers = [threading.Thread(target=call) for _ in range(2)]
        for caller in callers:
            caller.start()
        assert eventually(lambda: len(server.requests) == 2, 60)
        os.kill(pid_of(model), signal.SIGKILL)
        for caller in callers:
            caller.join(5)
        assert [str(error) for error in caught] == ["the model process ended by SIGKILL"] * 2
        server.play(models.answer())
        assert model.complete(CALL, seconds=60).calls == 1  # by a new process
        os.kill(pid_of(model), signal.SIGKILL)
        assert eventually(lambda: not alive(pid_of(model)), 5)
        with pytest.raises(ModelError, match="ended by SIGKILL"):
            model.complete(CALL, seconds=5)


class KilledOnce:
    """A script that kills the process of its model while a call of one agent waits."""

    def __init__(self, agent: str) -> None:
        self.agent, self.others = agent, threading.Semaphore(0)
        self.model: ChildModel | None = None

    def __call__(self, request: Request) -> Reply:
        if f"task of {self.agent}" not in str(request.messages):
            return replace(models.answer(), begun=self.others.release)
        if self.model is None:
            return models.answer()
        if self.agent != NAMES[0]:
            for _ in NAMES[1:]:
                assert self.others.acquire(timeout=10)
            time.sleep(0.3)  # what was answered has arrived
        victim, self.model = pid_of(self.model), None
        os.kill(victim, signal.SIGKILL)
        return models.hanging()


@pytest.mark.parametrize("killed", [NAMES[0], NAMES[2]], ids=["the lead", "another"])
def test_a_crash_is_a_failed_agent_and_not_a_failed_run(killed: str) -> None:
    script = KilledOnce(killed)
    prompts = Prompts("S", "x" * 20_000, tuple(f"task of {name}" for name in NAMES))
    with ModelServer(script) as server, model_at(server.url) as model:
        script.model = model
        outcomes = run(catalogue(), prompts, model, Pricing(), AgentPolicy(NAMES))
    failures = {outcome.name: outcome.failure for outcome in outcomes if outcome.failure}
    assert failures == {killed: "the model process ended by SIGKILL"}


def test_the_process_outlives_the_thread_that_started_it() -> None:
    model = model_at()
    starter = threading.Thread(target=model.start)
    starter.start()
    starter.join()
    try:
        assert eventually(lambda: pipes_are_taken(pid_of(model)), 10)
        time.sleep(0.1)
        assert alive(pid_of(model))
    finally:
        model.kill()


def test_the_process_dies_with_its_parent(tmp_path: Path) -> None:
    script = """
        import os, time
        from pr_review.adapters.llm.model import ChildModel, ModelSettings
        model = ChildModel(ModelSettings("openai/x", "k"), os.environ)
        model.start()
        print(model.pid, flush=True)
        time.sleep(60)
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    environ = {**ENVIRON, "TMPDIR": str(tmp_path)}  # nobody is left to remove its folder
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert eventually(lambda: pipes_are_taken(pid), 10)
        os.kill(pid, signal.SIGSTOP)  # not even the end of its input can reach it
        parent.kill()
    assert eventually(lambda: not alive(pid), 2)


def test_a_process_that_cannot_start_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with pytest.raises(ModelError, match="could not be started: No such file"):
        model_at().start()


def test_a_missing_temporary_folder_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nonexistent")
    with pytest.raises(ModelError, match="could not be started: No such file"):
        model_at().start()


def test_a_broken_installation_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "_MODULE", "pr_review.adapters.llm.nothing")
    with model_at() as model, pytest.raises(ModelError, match="ended with exit code 1"):
        model.complete(CALL, seconds=20)


def test_neither_model_nor_settings_show_the_key() -> None:
    settings = ModelSettings(
        "openai/x", "sk-secret", "https://u:pw@host/v1", extra_headers={"X-Key": "hidden"}
    )
    shown = f"{settings!r} {ChildModel(settings, {})!r}"
    assert not [s for s in ("sk-secret", "pw@", "hidden") if s in shown]
    assert "openai/x" in shown


def test_what_libraries_print_goes_nowhere() -> None:
    script = """
        import os, sys
        from pr_review.adapters.llm import child
        jobs, write = child._take_pipes()
        print("noise", flush=True)
        print("noise", file=sys.stderr, flush=True)
        os.write(1, b"noise")
        os.system("echo noise; cat")
        assert sys.stdin.read() == ""
        write(b"first\\n")
        write(jobs.read())
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(command, input=b"second\n", capture_output=True, check=True)
    assert done.stdout == b"first\nsecond\n"
    assert done.stderr == b""


def test_credential_files_become_files_of_the_process(tmp_path: Path) -> None:
    key, holds_token = tmp_path / "key.json", tmp_path / "token"
    key.write_text('{"type": "service_account"}')
    holds_token.write_text(f"x {TOKEN}")
    environ = {
        **ENVIRON,
        "GOOGLE_APPLICATION_CREDENTIALS": str(key),
        "GOOGLE_CLOUD_PROJECT": "p",
        "AWS_WEB_IDENTITY_TOKEN_FILE": str(key),
    }
    vertex = ChildModel(ModelSettings("vertex_ai/gemini-2.5-pro"), environ, withheld=(TOKEN,))
    job = vertex._job(CALL, 1)
    assert job.files == {"GOOGLE_APPLICATION_CREDENTIALS": key.read_text()}
    environ["GOOGLE_APPLICATION_CREDENTIALS"] = str(holds_token)
    leaky = ChildModel(ModelSettings("vertex_ai/gemini-2.5-pro"), environ, withheld=(TOKEN,))
    assert leaky._job(CALL, 1).files == {}

    script = """
        import os, sys
        from pr_review.adapters.llm import child
        child._adopt(child.Job.read(sys.stdin.buffer.readline()))
        path = os.environ["GOOGLE_APPLICATION_CREDENTIALS"]
        print(path, oct(os.stat(path).st_mode & 0o777), open(path).read())
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    home = {**ENVIRON, "HOME": str(tmp_path)}
    done = subprocess.run(command, input=job.line(), capture_output=True, check=True, env=home)
    own = tmp_path / own_name("GOOGLE_APPLICATION_CREDENTIALS", key.read_text())
    assert done.stdout.decode() == f"{own} 0o600 {key.read_text()}\n"


def test_variables_that_contain_a_withheld_value_are_left_out() -> None:
    environ = {"A": TOKEN, "B": f"https://x:{TOKEN}@host", "C": "harmless"}
    assert without_secrets(environ, (TOKEN, "")) == {"C": "harmless"}


def test_a_path_behind_a_closed_folder_is_not_readable_by_others(public_folder: Path) -> None:
    closed, open_ = public_folder / "closed", public_folder / "open"
    for folder in (closed, open_):
        folder.mkdir()
        (folder / "file").write_text("x")
        (folder / "file").chmod(0o644)
    closed.chmod(0o700)
    open_.chmod(0o755)
    (open_ / "link").symlink_to(closed / "file")
    assert readable_by_others(open_ / "file")
    assert not readable_by_others(closed / "file")
    assert not readable_by_others(open_ / "link")
    assert not readable_by_others(open_ / "missing")
