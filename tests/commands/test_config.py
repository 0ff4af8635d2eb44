"""`pr-review config`: which settings hold, and where each was set."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pr_review import app
from pr_review.settings import NAMES, NOT_IN_FILE, Layer, file, load
from tests.standins.github_sample import NewCommit, bare_repository

FILE = b"""# ours
drafts: true
max-comments: 4

exclude:
  - '*.gen'
"""
SECRET = "sk-planted4tests"


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("config") / "x.git"
    files = {".github/pr-review.yml": FILE}
    odd = {".github/pr-review.yml": b"draft: true\n"}
    commits = [NewCommit("main", "Begin", files), NewCommit("odd", "Slip", odd, start="main")]
    return bare_repository(folder, commits)


class Config:
    """Runs the command in this process; what it printed stays in `out` and `err`."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.out = self.err = ""

    def __call__(self, *arguments: str, code: int = 0, **env: Any) -> list[str]:
        environ = {"PATH": os.environ["PATH"], **{n.replace("__", "-"): v for n, v in env.items()}}
        assert app.main(["config", *arguments], environ) == code
        self.out, self.err = self._capsys.readouterr()
        return self.out.split("\n")

    def told(self, name: str) -> str:
        """The line of a setting, in single spaces."""
        (line,) = (n for n in self.out.split("\n") if n.removeprefix("# ").startswith(f"{name}:"))
        return " ".join(line.split())


@pytest.fixture
def config(capsys: pytest.CaptureFixture[str]) -> Config:
    return Config(capsys)


def test_every_setting_is_told_with_where_it_was_set(config: Config, repo: Path) -> None:
    lines = config("--repo", str(repo), "--base", "main", "--max-comments", "7")
    assert [line.removeprefix("# ").partition(":")[0] for line in lines[:-1]] == list(NAMES)
    assert config.told("max-comments") == "max-comments: 7 # flag"
    assert config.told("drafts") == "drafts: true # .github/pr-review.yml of main, line 2"
    assert config.told("exclude") == "exclude: ['*.gen'] # .github/pr-review.yml of main, line 5"
    assert config.told("run-deadline") == "run-deadline: 120 # default"
    assert config.told("model") == "model: null # default"


def test_inputs_count_inside_actions_alone(config: Config, repo: Path) -> None:
    inputs: dict[str, Any] = {
        "INPUT_DRAFTS": "false",
        "INPUT_LANGUAGE": "German",
        "INPUT_MODLE": "x",
    }
    where = ("--repo", str(repo), "--base", "main", "--language", "Dutch")
    config(*where, GITHUB_ACTIONS="true", **inputs)
    assert config.told("drafts") == "drafts: false # input"
    assert config.told("language") == "language: Dutch # flag"
    assert "::warning::input modle is not known; the nearest is model" in config.out
    config(*where, **inputs)
    assert config.told("drafts").endswith("line 2")


def test_what_it_prints_is_a_file_that_says_the_same(config: Config, repo: Path) -> None:
    given = {
        "language": "日本語: # x\u202e",
        "temperature": "0.3",
        "bots": "a,b",
        "screening": "off",
        "paths": '[{paths: "src/**", instructions: "Mind the é.\\nAlways."}]',
    }
    config("--repo", str(repo), "--base", "main", *(f"--{n}={v}" for n, v in given.items()))
    said = load(file(config.out)).model_dump()
    assert said == load(Layer("flag --", given), file(FILE.decode())).model_dump()
    assert "\u202e" not in config.out
    assert (
        r'paths: [{"paths": ["src/**"], "instructions": "Mind the \u00e9.\nAlways."}]' in config.out
    )
    assert all("#" in line for line in config.out.rstrip("\n").split("\n"))


def test_no_secret_is_printed(config: Config, repo: Path) -> None:
    inputs: dict[str, Any] = {
        "INPUT_API__KEY": SECRET,
        "INPUT_GITHUB__TOKEN": SECRET,
        "INPUT_EXTRA__HEADERS": f"X-Key: {SECRET}",
        "INPUT_API__BASE": f"https://user:{SECRET}@gateway.example:8443/v1?key={SECRET}",
    }
    for form in ("text", "json"):
        where = ("--repo", str(repo), "--base", "main", "--format", form)
        config(*where, GITHUB_ACTIONS="true", **inputs)
        assert SECRET not in config.out + config.err
    config("--repo", str(repo), "--base", "main", GITHUB_ACTIONS="true", **inputs)
    assert config.told("api-key") == "# api-key: set # input"
    assert config.told("extra-headers") == "# extra-headers: set # input"
    assert config.told("ca-bundle") == "# ca-bundle: unset # default"
    assert config.told("api-base") == "# api-base: https://gateway.example:8443/v1 # input"


def test_json_tells_the_same(config: Config, repo: Path) -> None:
    config("--repo", str(repo), "--base", "main", "--format", "json", "--language", "Dutch")
    told: dict[str, Any] = json.loads(config.out)
    assert told["base"] == "main"
    assert list(told["settings"]) == list(NAMES)
    where = ".github/pr-review.yml of main"
    assert told["settings"]["max-comments"] == {"value": 4, "origin": where, "line": 3}
    assert told["settings"]["language"] == {"value": "Dutch", "origin": "flag", "line": None}
    assert told["settings"]["api-key"] == {"value": None, "origin": "default", "line": None}


def test_without_a_clone_flags_and_defaults_are_told(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first, *_ = config("--drafts")
    assert first.startswith("# no .github/pr-review.yml was read: . is not a git repository (")
    assert config.told("drafts") == "drafts: true # flag"


@pytest.mark.parametrize(
    ("base", "flags", "code", "words"),
    [
        ("odd", [], 2, ".github/pr-review.yml of odd: draft is not known; the nearest is drafts"),
        ("nowhere", [], 5, "commit nowhere is not in"),
        ("main", ["--max-comments", "99"], 2, "flag --max-comments: should be less than"),
        ("main", ["--api-key", SECRET], 2, "--api-key is no flag"),
        ("main", ["--agents", "nobody"], 2, "flag --agents: there is no agent 'nobody'"),
    ],
)
def test_errors_are_those_of_a_run(
    config: Config, repo: Path, base: str, flags: list[str], code: int, words: str
) -> None:
    config("--repo", str(repo), "--base", base, *flags, code=code)
    assert words in config.err
    assert SECRET not in config.err
    assert config.out == ""


def test_the_schema_is_printed_without_a_clone(config: Config) -> None:
    config("--schema")
    assert set(json.loads(config.out)["properties"]) == set(NAMES) - NOT_IN_FILE
