"""`pr-review doctor`: every way in which something does not work has a line and a remedy."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from pr_review import app
from pr_review.commands.doctor.diagnosis import Topic
from tests import demo_sample
from tests.contract import documents
from tests.demo_sample import NUMBER
from tests.standins.github import GitHubServer
from tests.standins.github_sample import NewCommit, bare_repository
from tests.standins.models import ModelServer, completion, unauthorized
from tests.standins.proxy import proxy
from tests.standins.runner import PLANTED_KEY, Runner, model_inputs
from tests.standins.tls import self_signed

Lines = list[dict[str, Any]]
KNOWN = "anthropic/claude-sonnet-4-5"
SLIP = "anthropic/claude-sonet-4-5"
REPOSITORY = "/repos/acme/shop$"


class Doctor:
    """Runs the command in this process; what it printed stays in `out`."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.out = ""
        self.code = 0

    def __call__(self, environ: Mapping[str, str], *arguments: str) -> Lines:
        """The lines, of which none holds a secret."""
        self.text(environ, "--format", "json", *arguments)
        told = json.loads(self.out)
        assert told["exit_code"] == self.code
        problems = [line["exit_code"] for line in told["checks"] if line["grade"] == "problem"]
        assert self.code == (problems[0] if problems else 0)
        lines: Lines = told["checks"]
        return lines

    def text(self, environ: Mapping[str, str], *arguments: str) -> str:
        self.code = app.main(["doctor", *arguments], environ)
        self.out, err = self._capsys.readouterr()
        for secret in (PLANTED_KEY, "ghs_standin"):
            assert secret not in self.out + err
        assert err == ""
        return self.out


@pytest.fixture
def doctor(capsys: pytest.CaptureFixture[str]) -> Doctor:
    return Doctor(capsys)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitHubServer]:
    with demo_sample.opened(tmp_path_factory.mktemp("github")) as opened:
        yield opened


@pytest.fixture
def github(server: GitHubServer) -> GitHubServer:
    """One stand-in for all tests, as if it were new."""
    server.faults.clear()
    server.requests.clear()
    server.open_pull(NUMBER)
    return server


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two branches; HEAD is main, and the file of odd is wrong."""
    files = {".github/pr-review.yml": b"drafts: true\n"}
    odd = {".github/pr-review.yml": b"fail-on: severe\n"}
    commits = [NewCommit("main", "Begin", files), NewCommit("odd", "Slip", odd, start="main")]
    return bare_repository(tmp_path_factory.mktemp("doctor") / "x.git", commits)


@pytest.fixture(scope="module")
def closed() -> str:
    """An address at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}/v1"


def here(**env: str) -> dict[str, str]:
    """The environment of somebody's machine."""
    return {"PATH": os.environ["PATH"], **env}


def about(lines: Lines, topic: str) -> list[str]:
    """What is said of a topic: grade, text and remedy."""
    said = [line for line in lines if line["topic"] == topic]
    return [f"{n['grade']}: {n['text']} → {n['remedy']}".removesuffix(" → ") for n in said]


def step(runner: Runner, **env: str) -> dict[str, str]:
    """The environment of a step of the pull request's workflow."""
    return runner.environment(runner.github.event(NUMBER)) | env


# --- all is well ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("one_process")
def test_a_step_in_which_all_is_well(
    doctor: Doctor, runner: Runner, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(runner.workspace)
    model.play(completion('{"word": "ok"}', usage=(12, 5)))
    runner.inputs = model_inputs(model.url)
    lines = doctor(step(runner), "--ask")
    assert doctor.code == 0
    assert about(lines, "key") == ["ok: openai/stand-in: api-key is set"]
    assert about(lines, "price") == [
        "ok: openai/stand-in: $1 a million tokens of input, $10 of output"
    ]
    assert about(lines, "server") == [f"ok: {model.base.removeprefix('http://')} answers"]
    assert about(lines, "answer") == ["ok: openai/stand-in answered: 12 + 5 tokens for $0.0000620"]
    where = runner.github.url.removeprefix("http://")
    assert about(lines, "github") == [
        f"ok: the token of github-token reads in acme/shop on {where}"
    ]
    assert about(lines, "pull request") == ["ok: acme/shop#7 would be reviewed"]
    assert about(lines, "clone")[0].startswith("skipped: none is needed here")
    assert f"ok: reports can be written to {runner.root / 'temp'}" in about(lines, "runner")
    # of the two requests one is the question, and neither holds anything of the repository
    looked, asked = model.requests
    assert "authorization" not in looked.headers
    assert looked.json == {}
    assert [m["content"] for m in asked.messages] == [
        'Answer with this JSON and nothing else: {"word": "ok"}'
    ]
    asked_for = [call.path for call in runner.github.requests]
    assert len(asked_for) == len(set(asked_for)) == 3
    assert {call.method for call in runner.github.requests} == {"GET"}


def test_a_clone_in_which_all_is_well(doctor: Doctor, repo: Path) -> None:
    lines = doctor(here(), "--repo", str(repo), "--base", "main", "--model", "none")
    assert doctor.code == 0
    assert about(lines, "settings") == [
        "ok: set: model (flag); drafts (.github/pr-review.yml of main)"
    ]
    assert about(lines, "git")[0].startswith("ok: git 2.")
    assert about(lines, "clone")[0].startswith("ok: HEAD is ")
    assert about(lines, "model") == ["ok: none: the checks run alone"]
    assert about(lines, "github")[0].startswith("skipped: no token is in GITHUB_TOKEN or GH_TOKEN")


def test_without_a_checkout_the_file_is_read_as_the_action_reads_it(
    doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {".github/pr-review.yml": b"# ours\nmodel: none\n"}
    wrong = {".github/pr-review.yml": b"modle: none\n"}
    bare = bare_repository(
        tmp_path / "x.git",
        [
            NewCommit("main", "Begin", files),
            NewCommit("feature", "Change", {"a.py": b"1\n"}, start="main"),
            NewCommit("odd", "Slip", wrong, start="main"),
        ],
    )
    with GitHubServer(bare, repository="acme/shop") as github:
        github.open_pull(NUMBER)
        github.open_pull(8, base="odd")
        runner = Runner(tmp_path / "job", github)
        assert about(doctor(step(runner)), "settings") == [
            "ok: set: github-token (input); model (.github/pr-review.yml of main)"
        ]
        lines = doctor(runner.environment(github.event(8)))
        assert doctor.code == 2
        assert about(lines, "settings") == [
            "problem: .github/pr-review.yml of odd: modle is not known; the nearest is model"
        ]


# --- settings and clone --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "topic", "code", "words"),
    [
        (["--base", "odd"], "settings", 2, "problem: .github/pr-review.yml of odd: fail-on:"),
        (["--base", "main", "--max-passes", "9"], "settings", 2, "problem: flag --max-passes:"),
        (["--base", "nowhere"], "clone", 5, "problem: commit nowhere is not in"),
        ([], "clone", 2, "problem: origin's default branch is not known in"),
        (["--base", "main"], "model", 2, "problem: model is not set → name a model such as"),
    ],
)  # fmt: skip
def test_what_is_wrong_here(
    doctor: Doctor, repo: Path, flags: list[str], topic: str, code: int, words: str
) -> None:
    lines = doctor(here(), "--repo", str(repo), *flags)
    assert doctor.code == code
    assert any(line.startswith(words) for line in about(lines, topic)), lines
    topics = [line["topic"] for line in lines]
    assert topics == sorted(topics, key=list(Topic).index), "in the order of a run"


def test_no_repository_and_no_git(
    doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert about(doctor(here(), "--model", "none"), "clone") == [
        "problem: . is not a git repository → give --repo the folder of a clone"
    ]
    assert doctor.code == 5
    monkeypatch.setenv("PATH", str(tmp_path))
    lines = doctor({"PATH": str(tmp_path)}, "--model", "none")
    assert about(lines, "git") == ["problem: git is not installed → install git 2.32 or later"]


def test_an_old_git_is_told(
    doctor: Doctor, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f"""#!/bin/sh
case "$*" in
  *version) echo git version 2.25.1 ;;
  *) exec {shutil.which("git")} "$@" ;;
esac
"""
    (tmp_path / "git").write_text(script, encoding="utf-8")
    (tmp_path / "git").chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    lines = doctor({"PATH": path}, "--repo", str(repo), "--base", "main", "--model", "none")
    assert about(lines, "git") == ["problem: git is 2.25.1, too old → install git 2.32 or later"]


# --- the model -----------------------------------------------------------------------------------


MODELS: list[tuple[list[str], list[str]]] = [
    (
        [KNOWN],
        [
            "model ok: {known}",
            "key problem: {known} needs a credential and none was found → set api-key, or AN",
            "price ok: {known}: $3 a million tokens of input, $15 of output",
            "window ok: {known}: 200,000 tokens",
        ],
    ),
    (
        [SLIP],
        [
            "model warning: {slip} is not in LiteLLM's list; the nearest is {known} → check the",
        ],
    ),
    (
        ["gtp-5"],
        [
            "model warning: gtp-5: no provider is known by this name; the nearest is gpt-5 → write",
            "server skipped: where gtp-5 is asked is known to LiteLLM alone",
        ],
    ),
    (
        ["opnai/own"],
        ["model warning: opnai/own: no provider is known by this name; the nearest is openai →"],
    ),
    (
        ["openai/own", "--fallback-models", KNOWN],
        [
            "model warning: openai/own is not in LiteLLM's list → check the spelling",
            "key ok: openai/own: OPENAI_API_KEY is set",
            "key problem: {known} needs a credential and none was found",
            "price warning: the price of openai/own is unknown → set input-cost-per-mtok and",
            "price ok: {known}: $3 a million",
            "window warning: openai/own: how much it takes is not known → lower max-prompt-tokens",
            "server problem: {closed}: the server cannot be reached → check the address",
        ],
    ),
    (
        ["openai/own", "--max-cost-usd", "1"],
        [
            "price problem: max-cost-usd is set and the price of openai/own is unknown, so every",
        ],
    ),
]


@pytest.mark.parametrize(("flags", "expected"), MODELS)
def test_what_is_known_of_a_model(
    doctor: Doctor, repo: Path, closed: str, flags: list[str], expected: list[str]
) -> None:
    environ = here(OPENAI_API_KEY=PLANTED_KEY, OPENAI_API_BASE=closed, ANTHROPIC_API_BASE=closed)
    lines = doctor(environ, "--repo", str(repo), "--base", "main", "--model", *flags)
    place = closed.removeprefix("http://").removesuffix("/v1")
    for words in expected:
        topic, _, said = words.format(known=KNOWN, slip=SLIP, closed=place).partition(" ")
        assert any(line.startswith(said) for line in about(lines, topic)), (words, lines)


@pytest.mark.usefixtures("one_process")
def test_a_wrong_key_shows_only_when_the_model_is_asked(
    doctor: Doctor, repo: Path, model: ModelServer
) -> None:
    model.play(unauthorized(PLANTED_KEY))
    where = (
        "--repo",
        str(repo),
        "--base",
        "main",
        "--model",
        "openai/own",
        "--api-base",
        model.url,
    )
    lines = doctor(here(OPENAI_API_KEY=PLANTED_KEY), *where)
    assert about(lines, "answer") == [
        "skipped: not asked → --ask asks for one word, which is billed"
    ]
    assert doctor.code == 0
    lines = doctor(here(OPENAI_API_KEY=PLANTED_KEY), *where, "--ask")
    (answered,) = about(lines, "answer")
    assert answered.startswith("problem: openai/own: the credentials were not accepted: 401")
    assert answered.endswith("→ check OPENAI_API_KEY")
    assert doctor.code == 6


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ModelServer, str]]:
    """A model behind an authority of its own, and the authority's certificate."""
    folder = tmp_path_factory.mktemp("tls")
    bundle, _ = self_signed(folder)
    both = folder / "both.pem"
    both.write_text(bundle.read_text() + (folder / "key.pem").read_text(), encoding="utf-8")
    with ModelServer(completion("ok"), certificate=both) as server:
        yield server, bundle.read_text()


def test_an_authority_of_ones_own_has_to_be_trusted(
    doctor: Doctor, runner: Runner, private: tuple[ModelServer, str]
) -> None:
    server, pem = private
    runner.inputs = model_inputs(server.url)
    place = server.base.removeprefix("https://")
    (told,) = about(doctor(step(runner)), "server")
    assert told.startswith(f"problem: {place}: the server's certificate is not trusted → give the")
    assert told.endswith(" as ca-bundle")
    assert doctor.code == 6
    runner.inputs["ca-bundle"] = pem
    assert about(doctor(step(runner)), "server") == [f"ok: {place} answers"]


def test_a_proxy_is_named_and_may_be_the_one_to_blame(
    doctor: Doctor, repo: Path, model: ModelServer, closed: str
) -> None:
    model.play(completion("ok"))
    outside = model.url.replace("127.0.0.1", "model.example")
    where = ("--repo", str(repo), "--base", "main", "--model", "openai/own", "--api-base", outside)

    def through(address: str, **env: str) -> str:
        user = address.replace("http://", f"http://me:{PLANTED_KEY}@")
        (told,) = about(doctor(here(HTTP_PROXY=user, OPENAI_API_KEY="k", **env), *where), "server")
        return told

    with proxy(refusal=407) as between:
        place = between.url.removeprefix("http://")
        assert f"the proxy {place} wants to know who asks (407) → put name" in through(between.url)
        assert [path for _, path, _ in between.seen] == [outside]
    gone = closed.removesuffix("/v1")
    assert "the proxy cannot be reached or refuses → check HTTPS_PROXY" in through(gone)


# --- GitHub --------------------------------------------------------------------------------------


def test_a_refused_token_names_the_missing_line(doctor: Doctor, runner: Runner) -> None:
    header = {"X-Accepted-GitHub-Permissions": "pull_requests=read"}
    refused = {"message": "Resource not accessible by integration"}
    runner.github.fault("GET", f"/pulls/{NUMBER}$", 403, refused, header, times=9)
    lines = doctor(step(runner))
    (told,) = (line for line in about(lines, "rights") if line.startswith("problem"))
    assert "the token may not do this (403)" in told
    assert "add `pull-requests: read` to the job's permissions" in told
    assert doctor.code == 4


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"INPUT_GITHUB-TOKEN": ""}, "problem: github-token is empty → pass ${{ github.token }}"),
        ({"INPUT_GITHUB-TOKEN": "ghs_other"}, "the token is not valid (401) → check github-token"),
        ({"GITHUB_REPOSITORY": "acme/gone"}, "not found, or the token may not see it (404)"),
        ({"GITHUB_API_URL": "ghes.example"}, "problem: GITHUB_API_URL is not an address → it"),
        ({"GITHUB_API_URL": "{closed}"}, "the server cannot be reached → check GITHUB_API_URL"),
        ({"GITHUB_API_URL": "{github}/api/v3"}, "not found, or the token may not see it (404)"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_github(
    doctor: Doctor, runner: Runner, closed: str, change: dict[str, str], words: str
) -> None:
    known = {"closed": closed, "github": runner.github.url}
    filled = {
        name: value.format(**known) if name == "GITHUB_API_URL" else value
        for name, value in change.items()
    }
    lines = doctor(step(runner, **filled))
    assert words in about(lines, "github")[0]
    assert doctor.code in (2, 4)


def scopes(said: str) -> dict[str, str]:
    return {"X-OAuth-Scopes": said}


def left(number: int) -> dict[str, str]:
    return {"X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": str(number)}


@pytest.mark.parametrize(
    ("headers", "topic", "words"),
    [
        (scopes("gist, repo"), "rights", "ok: the token's scopes allow to post: gist, repo"),
        (scopes("gist"), "rights", "problem: the token's scopes allow no review → add"),
        (scopes(""), "rights", "skipped: whether the token may post cannot be told by reading"),
        (left(42), "rate limit", "warning: 42 of 5,000 requests are left"),
        (left(4321), "rate limit", "ok: 4,321 of 5,000 requests are left"),
    ],
)  # fmt: skip
def test_what_headers_tell_of_a_token(
    doctor: Doctor, runner: Runner, headers: dict[str, str], topic: str, words: str
) -> None:
    answer = {"default_branch": "main", "private": True}
    runner.github.fault("GET", REPOSITORY, 200, answer, headers, times=9)
    lines = doctor(step(runner))
    assert about(lines, topic)[0].startswith(words)


def test_on_a_machine_of_ones_own_the_address_names_the_repository(
    doctor: Doctor, repo: Path, github: GitHubServer
) -> None:
    github.api.pulls[NUMBER].draft = True
    where = ("--repo", str(repo), "--base", "odd~1", "--model", "none", "--no-drafts")
    url = f"https://github.com/acme/shop/pull/{NUMBER}"
    environ = here(GH_TOKEN=github.token, GITHUB_API_URL=github.api_url)
    lines = doctor(environ, *where, "--pull-request", url)
    assert about(lines, "github")[0].startswith("ok: the token of GH_TOKEN reads in acme/shop")
    (told,) = about(lines, "pull request")
    assert told.startswith("warning: acme/shop#7 would be skipped: the pull request is a draft")
    assert about(doctor(environ, *where), "github")[0].startswith("skipped: no repository is named")


def test_a_fork_gets_neither_secrets_nor_rights(doctor: Doctor, runner: Runner) -> None:
    runner.github.api.pulls[NUMBER].head_repository = "stranger/shop"
    (first, *_) = about(doctor(step(runner)), "pull request")
    assert first.startswith("warning: acme/shop#7: GitHub gives this run, of a fork")


# --- the runner, and what is printed -------------------------------------------------------------


def test_a_ceiling_over_several_runs_needs_a_key_that_lasts(
    doctor: Doctor, runner: Runner, closed: str
) -> None:
    runner.inputs = model_inputs(closed) | {"max-cost-usd-per-pull-request": "1"}
    del runner.inputs["api-key"]
    (_, told) = about(doctor(step(runner, OPENAI_API_KEY=PLANTED_KEY)), "price")
    assert told.startswith("problem: max-cost-usd-per-pull-request cannot be kept, so every run")
    assert told.endswith("or leave the ceiling out")


def test_what_the_runner_does_not_give(doctor: Doctor, runner: Runner, tmp_path: Path) -> None:
    lines = doctor(step(runner, RUNNER_TEMP=str(tmp_path / "nowhere")))
    assert about(lines, "runner")[0].startswith("problem: RUNNER_TEMP is not a folder")
    assert doctor.code == 2
    config = runner.workspace / ".git/config"
    config.parent.mkdir()
    header = '[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic abc\n'
    config.write_text(header, encoding="utf-8")
    lines = doctor(step(runner))
    assert any("persist-credentials: false" in line for line in about(lines, "runner"))


def test_the_page_tells_of_every_topic() -> None:
    rows = [row[0] for row in documents.table("What does not work", "docs/local.md")]
    assert re.findall(r"`([^`]+)`", " ".join(rows)) == list(Topic)


def test_text_is_wrapped_to_the_terminal_and_holds_no_colour(doctor: Doctor, repo: Path) -> None:
    where = ("--repo", str(repo), "--base", "main")
    wide = doctor.text(here(), *where)
    assert "problem  model         model is not set\n" in wide
    assert wide.endswith(
        "\n1 problem, 0 warnings, 2 not looked at; exit code 2 is the first one's\n"
    )
    narrow = doctor.text(here(COLUMNS="40"), *where)
    assert max(map(len, narrow.split("\n")[:-2])) <= 40
    assert "problem  model\n  model is not set\n  → name a model such as\n" in narrow
    assert "\x1b" not in wide + narrow
