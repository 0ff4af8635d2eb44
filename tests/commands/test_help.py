"""What the command says of itself: one screen first, and everything one flag further."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from pr_review.commands import flags
from pr_review.commands.parsers import LOCAL_FLAGS
from pr_review.settings import NAMES, NOT_A_FLAG

COMMANDS = ("local", "snapshot", "explain", "config", "doctor")


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        flags.parse(arguments)
    assert ended.value.code == 0
    return capsys.readouterr().out


def flags_of(text: str) -> set[str]:
    return set(re.findall(r"^  --(?:no-)?([a-z-]+)", text, re.MULTILINE))


def test_help_fits_one_screen_and_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "--help").split("\n")
    assert len(lines) <= 24
    assert [line for line in lines if len(line) > 80] == []
    told = [line.split()[0] for line in lines if re.match(r"  [a-z]+  ", line)]
    assert tuple(told) == COMMANDS


def test_the_examples_are_commands_that_parse(capsys: pytest.CaptureFixture[str]) -> None:
    examples = re.findall(r"^  pr-review (.+)$", said(capsys, "--help"), re.MULTILINE)
    assert len(examples) == 4
    for example in examples:
        assert flags.parse(example.split()).command == example.split()[0]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_lists_what_people_use_and_one_flag_further_everything(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    usual, everything = said(capsys, command, "--help"), said(capsys, command, "--help-all")
    assert usual.startswith(f"usage: pr-review {command} ")
    assert "--help-all" in usual
    assert len(usual.split("\n")) <= 60
    assert len(everything.split("\n")) > len(usual.split("\n"))
    assert flags_of(usual) < flags_of(everything)
    if command == "local":
        assert {"staged", "worktree", "format", "model", "fail-on"} < flags_of(usual)
        assert set(LOCAL_FLAGS) <= flags_of(everything)
    if command in ("config", "doctor"):
        assert set(NAMES) - NOT_A_FLAG <= flags_of(everything)


def test_help_waits_for_no_library_that_it_does_not_need() -> None:
    script = """
import sys
from pr_review import app
try:
    app.main(["local", "--help"], {})
except SystemExit:
    print(*{"github", "requests", "tree_sitter", "litellm"} & set(sys.modules), file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True
    )
    assert done.stdout.startswith("usage: pr-review local ")
    assert done.stderr.split() == []


def test_a_flag_that_help_does_not_list_is_taken_all_the_same() -> None:
    parsed = flags.parse(["local", "--max-scope-lines", "5", "--no-dynamic-context"])
    assert flags.layer(parsed).values == {"max-scope-lines": "5", "dynamic-context": False}


def test_a_check_is_taken_off_by_a_hyphen_before_its_name() -> None:
    for given in (["--checks", "-skipped-test"], ["--checks=-skipped-test"]):
        assert flags.parse(["local", *given, "--model", "none"]).checks == "-skipped-test"
