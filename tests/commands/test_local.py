"""`pr-review local`: what a person sees of local commits, with and without a model."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from pr_review import app
from pr_review.report import schema
from tests.demo_sample import build, credential
from tests.standins.github_sample import NewCommit, bare_repository
from tests.standins.models import ModelServer, Reply, Request, answer, failure
from tests.standins.runner import COMMAND


class Here:
    """Runs the command in this process, which spares its start."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(
        self, clone: Path, *arguments: str, command: str = "local", **env: str
    ) -> subprocess.CompletedProcess[str]:
        environ = {"PATH": os.environ["PATH"], "HOME": str(clone.parent), **env}
        code = app.main([command, "--repo", str(clone), *arguments], environ)
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


def test_without_a_model_the_checks_run_and_it_says_so(clone: Path, here: Here) -> None:
    done = here(clone)
    assert done.returncode == 0, done.stderr
    assert "no model is asked: model is not set; the checks run alone. To ask one:" in done.stderr
    for choice in ("--model anthropic/", "--model ollama/", "--api-base URL", "--model none"):
        assert choice in done.stderr
    lines = done.stdout.split("\n")
    assert "shop/rates.py:9: high: A credential is added" in lines
    assert '  >  9 + TOKEN = "[REDACTED:github-pat]"' in lines
    assert "not shown: web/package-lock.json" in done.stdout
    last = "1 finding (1 high) by the checks; no model was asked to review this change."
    assert lines[-2:] == [last, ""]
    assert credential() not in done.stdout
    assert "\x1b" not in done.stdout + done.stderr, "pipes are no terminals"


def test_a_missing_key_is_told_and_the_checks_still_run(clone: Path, here: Here) -> None:
    done = here(clone, "--model", "openai/gpt-5-mini", "--fail-on", "high")
    assert done.returncode == 10
    assert "openai/gpt-5-mini needs a credential" in done.stderr
    assert "OPENAI_API_KEY in the environment, for this one" in done.stderr
    assert "A credential is added" in done.stdout


@pytest.mark.usefixtures("one_process")
def test_the_key_comes_from_the_providers_own_variable(clone: Path, here: Here) -> None:
    with ModelServer(answer()) as server:
        flags = ["--model", "openai/stand-in", "--api-base", server.url, "--checks", "none"]
        done = here(clone, *flags, OPENAI_API_KEY="sk-planted4tests")
        authorized = {request.headers["authorization"] for request in server.requests}
    assert done.returncode == 0, done.stderr
    assert authorized == {"Bearer sk-planted4tests"}
    assert "price unknown" in done.stderr
    assert done.stdout.endswith("\n\nNo findings.\n")


FOUND = {
    "path": "shop/cache.py", "start_line": 16, "end_line": 16, "severity": "medium",
    "title": "A key that is missing\x1b[2J looks expired", "body": "It has `stored = 0`.",
    "quote": "if time.time() - stored > self.seconds:", "confidence": "high",
    "suggestion": "        if stored and time.time() - stored > self.seconds:",
}  # fmt: skip


@pytest.mark.usefixtures("one_process")
def test_each_agent_is_told_of_and_what_it_found_stands_beside_the_source(
    clone: Path, here: Here
) -> None:
    def script(request: Request) -> Reply:
        bugs = "**Boundaries**" in str(request.messages[-1])
        return answer([FOUND]) if bugs else failure(400, "no such deployment")

    with ModelServer(script) as server:
        flags = [
            "--model",
            "openai/stand-in",
            "--api-base",
            server.url,
            "--agents",
            "bugs,security",
        ]
        done = here(clone, *flags, "--color", "always", "--fail-on", "medium", "--verify", "off")
    assert done.returncode == 10, done.stderr
    said = done.stderr.split("\n")
    assert said[0].startswith("9 changed files: compared with ")
    assert "agent bugs: asked" in said
    assert any(line.startswith("agent bugs: answered with 1 finding after ") for line in said)
    assert any(line.startswith("agent security: failed after ") for line in said)
    assert "no such deployment" in done.stderr
    shown = re.sub("\x1b\\[[0-9;]+m", "", done.stdout)
    assert "\x1b[1;33mmedium:\x1b[0m" in done.stdout
    assert "shop/cache.py:16: medium: A key that is missing\\u{1b}[2J looks expired" in shown
    assert "  > 16 +         if time.time() - stored > self.seconds:\n" in shown
    assert "    +         if stored and time.time() - stored > self.seconds:\n" in shown
    verdict = "2 findings (1 high, 1 medium) in the source that the model received; no answer came"
    assert verdict in " ".join(shown.split())
    assert "\x1b" not in shown + done.stderr


@pytest.mark.usefixtures("one_process")
def test_all_agents_failing_is_exit_6_and_the_checks_are_told(clone: Path, here: Here) -> None:
    with ModelServer(failure(400, "no")) as server:
        flags = ["--model", "openai/stand-in", "--api-base", server.url, "--agents", "bugs"]
        done = here(clone, *flags, OPENAI_API_KEY="sk-planted4tests")
    assert done.returncode == 6
    assert "agent bugs failed: " in done.stderr
    assert "A credential is added" in done.stdout
    assert done.stdout.endswith("\nFailed: all agents failed. This is not a review.\n")
    assert "sk-planted4tests" not in done.stderr + done.stdout


def author(clone: Path, *command: str) -> None:
    who = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"]
    subprocess.run(["git", "-C", str(clone), *who, *command], check=True)


@pytest.mark.parametrize("form", ["markdown", "json", "sarif", "html"])
def test_a_format_is_all_that_is_printed(
    clone: Path, here: Here, form: str, tmp_path: Path
) -> None:
    """Each of what is staged: a manifest whose lock file stays, and a key that does not."""
    (clone / "extra.py").write_text(f"KEY = '{credential()}'\n", encoding="utf-8")
    author(clone, "add", "extra.py")
    out = tmp_path / "review"
    flags = ["--staged", "--model", "none", "--format", form, "--fail-on", "high"]
    printed = here(clone, *flags)
    written = here(clone, *flags, "--out", str(out))
    assert printed.returncode == written.returncode == 10, printed.stderr
    assert written.stdout == ""
    assert "written to " in written.stderr
    assert out.read_text(encoding="utf-8") == printed.stdout
    assert [path.name for path in tmp_path.iterdir() if "review" in path.name] == ["review"]
    if form == "markdown":
        assert printed.stdout.startswith("**1 finding (1 high) by the checks**; no model was asked")
        return
    if form == "html":
        assert '<article class="card high" id="n1"' in printed.stdout
        assert "KEY = &#39;[REDACTED:" in printed.stdout
        assert credential() not in printed.stdout
        return
    told = json.loads(printed.stdout)
    if form == "json":
        Draft202012Validator(schema()).validate(told)
        assert [one["path"] for one in told["findings"]] == ["extra.py"]
    else:
        [result] = told["runs"][0]["results"]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "extra.py"
        assert result["partialFingerprints"]["primaryLocationLineHash"]


def test_what_is_not_committed_is_reviewed_against_the_last_commit(clone: Path, here: Here) -> None:
    (clone / "shop/rates.py").write_text("def fetch(base):\n    return {}\n", encoding="utf-8")
    (clone / "new.py").write_text(f"KEY = '{credential()}'\n", encoding="utf-8")
    done = here(clone, "--worktree", "--model", "none")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("2 changed files: not committed, compared with ")
    assert done.stdout.startswith("new.py:1: high: A credential is added\n")
    whole = here(clone, "--worktree", "--base", "origin/main", "--model", "none")
    assert whole.stderr.startswith("10 changed files: not committed, compared with ")
    staged = here(clone, "--staged", "--model", "none")
    assert staged.returncode == 0
    assert "nothing is staged: git add what is to be reviewed, or give --worktree" in staged.stderr
    assert staged.stdout.endswith("\n\nNot reviewed: the change is empty. No model was asked.\n")


def test_in_a_step_of_a_workflow_no_path_is_a_command(clone: Path, here: Here) -> None:
    """The runner obeys a line that begins so, and a path stands at the beginning of a line."""
    (clone / "::warning::x.py").write_text("breakpoint()\n")
    lines = [
        here(clone, "--worktree", "--model", "none", **env).stdout.split("\n")
        for env in ({}, {"GITHUB_ACTIONS": "true"})
    ]
    assert [[line[:12] for line in some if line.startswith((":", " :"))] for some in lines] == [
        ["::warning::x"],
        [": :warning::"],
    ]


def test_a_snapshot_of_what_is_not_committed_can_be_made_again(clone: Path, here: Here) -> None:
    (clone / "new.py").write_text("one = 1\n", encoding="utf-8")
    flags = ["--worktree", "--format", "json"]
    first, again = (json.loads(here(clone, *flags, command="snapshot").stdout) for _ in "ab")
    assert first == again
    assert [file["path"] for file in first["files"]] == ["new.py"]
    reviewed = json.loads(here(clone, *flags, "--model", "none").stdout)
    assert reviewed["snapshot"]["digest"] == first["digest"]
    place = here(clone, "new.py:1", "--worktree", command="explain")
    assert place.stdout.startswith("new.py:1 is shown")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--staged", "--worktree"], "--staged and --worktree exclude each other"),
        (["--worktree", "--head", "HEAD"], "--worktree and --head exclude each other"),
        (["--color", "red"], "--color"),
        (["--model", "none", "--out", "/no/such/folder/review.md"], "cannot write /no/such/folder"),
    ],
)
def test_flags_that_do_not_go_together(
    clone: Path, here: Here, flags: list[str], words: str
) -> None:
    done = here(clone, *flags)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1, "and nothing was begun"


def test_a_hook_of_a_commit_sees_what_it_will_take(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`git commit -a` stages in an index of its own, which it names to its hooks."""
    seen = clone.parent / "seen"
    hook = clone / ".git/hooks/pre-commit"
    hook.write_text(f'#!/bin/sh\necho "$GIT_INDEX_FILE" >{seen}\ncp "$GIT_INDEX_FILE" {seen}.i\n')
    hook.chmod(0o755)
    (clone / "shop/cache.py").write_text(f"KEY = '{credential()}'\n", encoding="utf-8")
    author(clone, "commit", "-qam", "all")
    author(clone, "reset", "-q", "--soft", "HEAD~")
    author(clone, "reset", "-q")
    assert seen.read_text().strip() != ".git/index"
    monkeypatch.chdir(clone)
    environ = {"PATH": os.environ["PATH"], "GIT_INDEX_FILE": f"{seen}.i"}
    flags = ["local", "--staged", "--model", "none", "--fail-on", "high"]
    assert app.main(flags, environ) == 10
    assert capsys.readouterr().out.startswith("shop/cache.py:1: high: ")


def test_a_repository_without_a_commit(tmp_path: Path, here: Here) -> None:
    author(tmp_path, "init", "-q", "new")
    done = here(tmp_path / "new", "--staged")
    assert done.returncode == 5
    assert "holds no commit yet (commit something first)" in done.stderr


def test_a_commit_that_is_not_there_is_exit_5(clone: Path, here: Here) -> None:
    done = here(clone, "--base", "origin/nowhere")
    assert done.returncode == 5
    assert "fetch origin" in done.stderr


def test_the_clone_is_left_as_it_was(clone: Path, here: Here) -> None:
    before = {path: path.stat().st_mtime_ns for path in clone.rglob("*")}
    assert here(clone, "--model", "none").returncode == 0
    assert {path: path.stat().st_mtime_ns for path in clone.rglob("*")} == before


def test_a_snapshot_follows_the_file_at_the_base(tmp_path: Path, here: Here) -> None:
    bare = bare_repository(
        tmp_path / "x.git",
        [
            NewCommit(
                "main", "Begin", {".github/pr-review.yml": b"exclude: '*.gen'\n", "a.gen": b""}
            ),
            NewCommit("feature", "Change", {"a.gen": b"1\n", "b.py": b"1\n"}, start="main"),
        ],
    )
    flags = ["--base", "main", "--head", "feature", "--format", "json"]
    done = here(bare, *flags, command="snapshot")
    files = {f["path"]: (f["state"], f["reason"]) for f in json.loads(done.stdout)["files"]}
    assert files == {"a.gen": ("omitted", "excluded"), "b.py": ("shown", None)}


def test_a_terminal_that_knows_few_characters_gets_the_review_all_the_same(clone: Path) -> None:
    (clone / "路.py").write_text(f"key = '{credential()}'\n", encoding="utf-8")
    author(clone, "add", ".")
    author(clone, "commit", "-qm", "odd")
    done = local(clone, "--model", "none", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "2 findings" in done.stdout
    assert "?.py:1: high: A credential is added" in done.stdout


@pytest.mark.parametrize(
    ("command", "lines"), [(["snapshot"], 0), (["local", "--model", "none"], 1)]
)
def test_a_reader_that_goes_away_is_no_error_of_ours(
    clone: Path, command: list[str], lines: int
) -> None:
    flags = [*command, "--repo", str(clone), "--base", "origin/main"]
    env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
    with subprocess.Popen(
        [COMMAND, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        told = process.stderr.read()
    assert told.count(b"\n") == lines, "how many files, and no trace of an error"
    assert process.returncode in (0, 143)
