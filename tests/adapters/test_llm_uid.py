"""The model process as another user: needs root, and an interpreter that others can read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from pr_review.adapters.llm.process import NOBODY, readable_by_others
from tests.standins import models
from tests.standins.models import ModelServer

TOKEN = "ghs_planted4tests"
SYSTEM_PYTHON = Path("/usr/bin/python3")

# Runs in a process that has the token in its initial environment, as the action has.
PARENT = """
    import json, os, subprocess, sys
    from pr_review.adapters.llm.model import ChildModel, ModelSettings
    from pr_review.agents.ports import ModelCall
    settings = ModelSettings("openai/my-model", "sk-planted-key", sys.argv[1])
    with ChildModel(settings, os.environ, withheld=(os.environ["GITHUB_TOKEN"],)) as model:
        reply = model.complete(ModelCall("s", "p", "t", {}, 50), seconds=100)
        with open(f"/proc/{model.pid}/status") as status:
            lines = dict(line.partition(":")[::2] for line in status)
        probe = subprocess.run(
            [sys.executable, "-I", "-c", sys.argv[2]], user=65534, group=65534, extra_groups=(),
            env={}, capture_output=True, text=True, check=True, cwd="/",
        )
    shown = {name: lines[name].split() for name in ("Uid", "Gid", "Groups")}
    print(json.dumps({"text": reply.text, "isolation": model.isolation, **shown,
                      "probe": json.loads(probe.stdout)}))
"""
# Runs as the model process's user: what can it read of all processes?
PROBE = """
    import json, pathlib
    read, held = 0, []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            content = path.read_bytes()
        except OSError:
            continue
        read += 1
        if b"ghs_planted" in content:
            held.append(str(path))
    print(json.dumps({"read": read, "held": held}))
"""


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that every user can reach; pytest closes its own."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def open_interpreter(folder: Path) -> Path:
    """A virtual environment on the system's Python with the libraries of this one."""
    libraries = Path(sysconfig.get_path("purelib"))
    package = Path(__file__).parents[2] / "src"
    if os.geteuid() != 0:
        pytest.skip("needs root, to become another user")
    if not readable_by_others(SYSTEM_PYTHON, libraries, package):
        pytest.skip("needs /usr/bin/python3 and libraries that every user can read")
    version = subprocess.run([SYSTEM_PYTHON, "-V"], capture_output=True, text=True, check=True)
    if version.stdout.split()[1].split(".")[:2] != [str(n) for n in sys.version_info[:2]]:
        pytest.skip("needs a /usr/bin/python3 of the same version as this Python")
    subprocess.run([SYSTEM_PYTHON, "-m", "venv", "--without-pip", folder], check=True)
    (found,) = folder.glob("lib/python*/site-packages")
    (found / "libraries.pth").write_text(f"{libraries}\n{package}\n")
    return folder / "bin" / "python"


def test_the_process_is_another_user_that_can_read_no_token(public_folder: Path) -> None:
    python = open_interpreter(public_folder / "venv")
    with ModelServer(models.answer()) as server:
        command = [
            str(python),
            "-I",
            "-c",
            textwrap.dedent(PARENT),
            server.url,
            textwrap.dedent(PROBE),
        ]
        environ = {"PATH": os.environ["PATH"], "GITHUB_TOKEN": TOKEN}
        done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["text"] == '{"findings": []}'
    assert seen["isolation"] == "uid"
    assert set(seen["Uid"]) == set(seen["Gid"]) == {str(NOBODY)}
    assert seen["Groups"] == []
    assert seen["probe"]["read"] >= 2  # its own and the model process's
    assert seen["probe"]["held"] == []
