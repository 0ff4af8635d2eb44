"""Bad input, of every kind: one clear line that says what, where and what to do, and its code."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from pr_review import app, templates
from tests.demo_sample import NUMBER
from tests.standins.github import GitHubServer
from tests.standins.github_sample import NewCommit, bare_repository
from tests.standins.runner import Runner

_READ = {"contents": "read", "pull_requests": "read"}
_KEYLESS = "openai/gpt-5-mini"


def the_error(log: str) -> str:
    """The one error of a log; there is no traceback beside it."""
    assert "Traceback" not in log
    [error] = [line for line in log.split("\n") if line.startswith("::error")]
    return error.partition("::")[2].partition("::")[2]


@dataclass(frozen=True)
class Bad:
    """Something wrong with a run: what to break, the exit code, and words of the message."""

    code: int
    words: tuple[str, ...]
    breaks: Callable[[Runner], None]
    event: object = None


def _inputs(**values: str) -> Callable[[Runner], None]:
    return lambda runner: runner.inputs.update({k.replace("_", "-"): v for k, v in values.items()})


def _env(**values: str) -> Callable[[Runner], None]:
    return lambda runner: runner.env.update(values)


def _wrong_token(runner: Runner) -> None:
    runner.inputs["github-token"] = "ghs_planted-wrong"


def _read_only(runner: Runner) -> None:
    runner.github.grant(runner.github.token, runner.github.actor, _READ, installation=True)


CASES = {
    "no event file": Bad(3, ("event file", "No such file"), _env(GITHUB_EVENT_PATH="/no/such")),
    "event that is not JSON": Bad(3, ("event file", "not JSON"), _env(), "{"),
    "event that is no object": Bad(3, ("event file", "no JSON object"), _env(), "[]"),
    "event without its pull request": Bad(3, ("holds no pull request",), _env(), "{}"),
    "unknown input value": Bad(2, ("input fail-on", "'never'"), _inputs(fail_on="hihg")),
    "input that is no number": Bad(2, ("input max-comments",), _inputs(max_comments="ten")),
    "unknown agent": Bad(2, ("agents", "bugs"), _inputs(agents="bugz")),
    "unknown check": Bad(2, ("checks",), _inputs(checks="credentials")),
    "unknown association": Bad(
        2, ("author-associations", "'MEMBER'"), _inputs(author_associations="owner, membre")
    ),
    "unknown kind of review": Bad(2, ("input review", "'incremental'"), _inputs(review="ful")),
    "a key with a line end inside": Bad(
        2, ("input api-key: holds a line end",), _inputs(api_key="ghs_planted-wrong\nx")
    ),
    "no model": Bad(2, ("model is not set", "none for the checks alone"), _inputs(model="")),
    "a key without a model": Bad(2, ("api-key is set, but model",), _inputs(model="", api_key="k")),
    "a model without its key": Bad(
        2, (f"{_KEYLESS} needs a credential", "OPENAI_API_KEY"), _inputs(model=_KEYLESS)
    ),
    "unreachable API": Bad(4, ("127.0.0.1:9",), _env(GITHUB_API_URL="http://127.0.0.1:9")),
    "API address that is none": Bad(2, ("GITHUB_API_URL",), _env(GITHUB_API_URL="api")),
    "token that is not valid": Bad(4, ("token",), _wrong_token),
    "token without the right to post": Bad(7, ("pull-requests: write",), _read_only),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_bad_input_of_the_action(name: str, runner: Runner, github: GitHubServer) -> None:
    bad = CASES[name]
    bad.breaks(runner)
    ended = runner.run(github.event(NUMBER) if bad.event is None else bad.event)
    assert ended.code == bad.code, ended.log
    error = the_error(ended.log)
    for words in bad.words:
        assert words in error
    assert "ghs_planted-wrong" not in error
    assert github.reviews(NUMBER) == []
    if name != "API address that is none":  # then the runner's variables are in doubt
        assert ended.outputs["status"] == "failed"
        assert "This is not a review" in ended.summary


def test_what_was_found_reaches_a_reader_when_it_cannot_be_posted(
    runner: Runner, github: GitHubServer
) -> None:
    _read_only(runner)
    ended = runner.run(github.event(NUMBER))
    assert ended.outputs["status"] == "failed"
    assert "A credential is added" in ended.summary
    assert [f["title"] for f in ended.report["findings"]] == ["A credential is added"]


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (b"drafs: true\n", ("drafs is not known", "the nearest is drafts")),
        (b"drafts: maybe\n", ("drafts: should be a valid boolean",)),
        (b"drafts: [\n", ("is not YAML",)),
        (b"- drafts\n", ("must hold keys and values",)),
        (b"api-key: planted-in-file\n", ("api-key may not be set in the file",)),
        (b"api-base: http://x.invalid\n", ("api-base may not be set in the file",)),
    ],
)
def test_bad_configuration_file(file: bytes, words: tuple[str, ...], tmp_path: Path) -> None:
    bare = bare_repository(
        tmp_path / "x.git",
        [
            NewCommit("main", "Begin", {".github/pr-review.yml": file, "a.py": b"a\n"}),
            NewCommit("feature", "Change", {"a.py": b"b\n"}, start="main"),
        ],
    )
    with GitHubServer(bare) as server:
        server.open_pull(1)
        ended = Runner(tmp_path / "job", server, {"model": "none"}).run(server.event(1))
    error = the_error(ended.log)
    assert ended.code == 2, ended.log
    assert ".github/pr-review.yml" in error
    for word in words:
        assert word in error
    assert "planted-in-file" not in ended.log


def test_unknown_inputs_are_warned_of(runner: Runner, github: GitHubServer) -> None:
    runner.inputs["max-coments"] = "3"
    ended = runner.run(github.event(NUMBER))
    assert ended.code == 0
    assert "::warning::input max-coments is not known; the nearest is max-comments" in ended.log


@pytest.mark.parametrize(
    ("arguments", "stdin", "code", "words"),
    [
        (["snapshot", "--base", "nope", "--head", "HEAD"], b"", 5, "commit nope is not in"),
        (["snapshot", "--base", "--upload-pack=x"], b"", 2, "--base"),
        (["snapshot", "--repo", "/no/such", "--base", "x"], b"", 5, "no such folder"),
        (["snapshot", "--patch", "/no/such"], b"", 5, "cannot read /no/such"),
        (["snapshot", "--patch", "-"], b"<html>502</html>", 5, "standard input is not a diff"),
        (["snapshot", "--patch", "-", "--base", "x"], b"", 2, "exclude each other"),
        (["snapshot", "--patch", "-", "--diff-token-budget", "5"], b"", 2, "diff-token-budget"),
        (["snapshot", "--patch", "-", "--screening", "of"], b"", 2, "screening"),
        (["snapshot", "--patch", "-", "--budget", "5"], b"", 2, "--budget"),
        (["review"], b"", 2, "review"),
        (["local", "--api-key", "planted"], b"", 2, "--api-key is no flag"),
        (["snapshot", "--budget=planted"], b"", 2, "there is no flag --budget here"),
        (["local", "--modl=planted"], b"", 2, "here; the nearest is --model (see pr-review local "),
        (["local", "-v"], b"", 2, "two hyphens"),
        (["local", "--color", "red"], b"", 2, "flag --color: invalid choice: 'red'"),
        (["local", "--checks"], b"", 2, "flag --checks: expected one argument"),
        (["snapshot", "--patch", "-", "--head", "x"], b"", 2, "--patch and --head exclude"),
        ([], b"", 2, "no command"),
    ],
)
def test_bad_command_lines(
    arguments: list[str], stdin: bytes, code: int, words: str,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
    assert app.main(arguments, {"PATH": os.environ["PATH"]}) == code
    printed = capsys.readouterr()
    assert printed.out == ""
    [line] = printed.err.removesuffix("\n").split("\n")
    assert line.startswith("pr-review: ")
    assert words in line
    assert "planted" not in line


def test_a_missing_template_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    patch = tmp_path / "x.diff"
    patch.write_text("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", encoding="utf-8")
    monkeypatch.setattr(templates, "prompt_root", lambda: tmp_path)
    assert app.main(["snapshot", "--patch", str(patch)], {}) == 2
    told = capsys.readouterr().err
    assert "prompt template " in told
    assert f" is missing in {tmp_path} (reinstall pr-review)" in told


def test_a_bug_of_ours_ends_with_one_and_shows_no_value(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object) -> int:
        raise RuntimeError("planted-value")

    monkeypatch.setattr("pr_review.commands.snapshot.run", fails)
    assert app.main(["snapshot"], {}) == 1
    told = capsys.readouterr().err
    assert "RuntimeError: this is a bug of pr-review" in told
    assert "planted-value" not in told
