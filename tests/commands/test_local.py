"""`pr-review local`: what a person sees of local commits, with and without a model."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from pr_review import app
from tests.demo_sample import build, credential
from tests.standins.github_sample import NewCommit, bare_repository
from tests.standins.models import ModelServer, answer, server_error
from tests.standins.runner import COMMAND


class Here:
    """Runs the command in this process, which spares its start."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, clone: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        environ = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
        code = app.main(["local", "--repo", str(clone), *arguments], environ)
        printed = self._capsys.readouterr()
        return subprocess.CompletedProcess((), code, printed.out, printed.err)


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(capsys)


def local(clone: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Runs the command as a process of its own."""
    return subprocess.run(
        [COMMAND, "local", "--repo", str(clone), *arguments],
        capture_output=True,
        check=False,
        text=True,
        env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **env},
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of the sample, on its feature branch; origin's default branch is main."""
    bare = build(tmp_path / "shop.git")
    folder = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "-b", "feature", str(bare), str(folder)], check=True)
    return folder


def test_without_a_model_the_checks_run_and_it_says_so(clone: Path) -> None:
    done = local(clone)
    assert done.returncode == 0, done.stderr
    assert "no model is asked: model is not set" in done.stderr
    assert "reviewed by the checks alone" in done.stdout
    assert "high: shop/rates.py:9: A credential is added" in done.stdout
    assert "not shown: web/package-lock.json" in done.stdout
    assert credential() not in done.stdout


def test_a_missing_key_is_told_and_the_checks_still_run(clone: Path, here: Here) -> None:
    done = here(clone, "--model", "openai/gpt-5-mini", "--fail-on", "high")
    assert done.returncode == 10
    assert "openai/gpt-5-mini needs a credential" in done.stderr
    assert "A credential is added" in done.stdout


def test_the_key_comes_from_the_providers_own_variable(clone: Path) -> None:
    with ModelServer(answer()) as server:
        flags = ["--model", "openai/stand-in", "--api-base", server.url, "--checks", "none"]
        done = local(clone, *flags, OPENAI_API_KEY="sk-planted4tests")
        authorized = {request.headers["authorization"] for request in server.requests}
    assert done.returncode == 0, done.stderr
    assert authorized == {"Bearer sk-planted4tests"}
    assert "price unknown" in done.stderr
    assert "reviewed: 0 findings" in done.stdout


def test_all_agents_failing_is_exit_6(clone: Path) -> None:
    with ModelServer(server_error()) as server:
        flags = ["--model", "openai/stand-in", "--api-base", server.url, "--agents", "bugs"]
        done = local(clone, *flags, OPENAI_API_KEY="sk-planted4tests")
    assert done.returncode == 6
    assert "all 1 agents failed" in done.stderr
    assert "sk-planted4tests" not in done.stderr + done.stdout


def test_a_commit_that_is_not_there_is_exit_5(clone: Path, here: Here) -> None:
    done = here(clone, "--base", "origin/nowhere")
    assert done.returncode == 5
    assert "fetch origin" in done.stderr


def test_the_clone_is_left_as_it_was(clone: Path, here: Here) -> None:
    before = {path: path.stat().st_mtime_ns for path in clone.rglob("*")}
    assert here(clone, "--model", "none").returncode == 0
    assert {path: path.stat().st_mtime_ns for path in clone.rglob("*")} == before


def test_a_snapshot_follows_the_file_at_the_base(tmp_path: Path) -> None:
    bare = bare_repository(
        tmp_path / "x.git",
        [
            NewCommit(
                "main", "Begin", {".github/pr-review.yml": b"exclude: '*.gen'\n", "a.gen": b""}
            ),
            NewCommit("feature", "Change", {"a.gen": b"1\n", "b.py": b"1\n"}, start="main"),
        ],
    )
    flags = ["--repo", str(bare), "--base", "main", "--head", "feature", "--format", "json"]
    done = subprocess.run(
        [COMMAND, "snapshot", *flags],
        capture_output=True,
        check=True,
        env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")},
    )
    files = {f["path"]: (f["state"], f["reason"]) for f in json.loads(done.stdout)["files"]}
    assert files == {"a.gen": ("omitted", "excluded"), "b.py": ("shown", None)}


def test_a_terminal_that_knows_few_characters_gets_the_review_all_the_same(clone: Path) -> None:
    author = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"]
    (clone / "路.py").write_text(f"key = '{credential()}'\n", encoding="utf-8")
    subprocess.run(["git", "-C", str(clone), "add", "."], check=True)
    commit = ["git", "-C", str(clone), *author, "commit", "-qm", "odd"]
    subprocess.run(commit, check=True)
    done = local(clone, "--model", "none", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "2 findings" in done.stdout


def test_a_reader_that_goes_away_is_no_error_of_ours(clone: Path) -> None:
    flags = ["snapshot", "--repo", str(clone), "--base", "origin/main"]
    env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
    with subprocess.Popen(
        [COMMAND, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        told = process.stderr.read()
    assert told == b""
    assert process.returncode in (0, 143)
