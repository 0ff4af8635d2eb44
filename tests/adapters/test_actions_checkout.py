"""A token that a checkout step left readable is warned of, and never repeated."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from pr_review.adapters.actions.checkout import token_warning

TOKEN = "hunter2hunter2hunter2hunter2"


def checkout(folder: Path, *settings: tuple[str, str]) -> Path:
    """A repository as git writes it, with these settings."""
    git = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "-q", folder], check=True, env=git)
    for key, value in settings:
        subprocess.run(["git", "-C", folder, "config", "--add", key, value], check=True, env=git)
    return folder


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("http.https://github.com/.extraheader", f"AUTHORIZATION: basic {TOKEN}"),
        ("http.extraHeader", f"authorization: bearer {TOKEN}"),
        ("remote.origin.url", f"https://x-access-token:{TOKEN}@github.com/o/r"),
        ("remote.origin.pushurl", f"https://{TOKEN}@github.com/o/r"),
        (f"url.https://x:{TOKEN}@github.com/.insteadOf", "https://github.com/"),
        ("core.sshCommand", '"/usr/bin/ssh" -i "$RUNNER_TEMP/5b1c" -o CheckHostIP=no'),
        ("includeIf.gitdir:/github/workspace/.git.path", "/github/temp/git-credentials-1.config"),
        ("includeIf.gitdir:/home/r/w/.git.path", "/home/r/_temp/git-credentials-1.config"),
    ],
)
def test_a_readable_token_is_warned_of(tmp_path: Path, key: str, value: str) -> None:
    said = token_warning(checkout(tmp_path, ("user.name", "x"), (key, value)))
    assert "persist-credentials: false" in said
    assert TOKEN not in said
    assert "\n" not in said


@pytest.mark.parametrize(
    "settings",
    [
        [],
        [("remote.origin.url", "https://github.com/o/r")],
        [("remote.origin.url", "git@github.com:o/r.git")],
        [("remote.origin.url", "ssh://git@github.com/o/r.git")],
        [("remote.origin.url", "https://octo@github.com/o/r.git")],
        [("http.https://h/.extraheader", "X-Team: blue")],
        [("include.path", "../.gitconfig")],
        [("branch.main.remote", "origin"), ("core.sshCommand", "ssh -i x")],
    ],
)
def test_an_ordinary_checkout_is_silent(tmp_path: Path, settings: list[tuple[str, str]]) -> None:
    assert token_warning(checkout(tmp_path, *settings)) == ""


def test_no_checkout_is_silent(tmp_path: Path) -> None:
    assert token_warning(None) == ""
    assert token_warning(tmp_path) == ""
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")
    assert token_warning(tmp_path) == ""


def test_the_file_is_not_followed_and_does_not_hang(tmp_path: Path) -> None:
    secret = tmp_path / "elsewhere"
    secret.write_text(f"[http]\n\textraheader = AUTHORIZATION: basic {TOKEN}\n")
    (tmp_path / "a" / ".git").mkdir(parents=True)
    (tmp_path / "a" / ".git" / "config").symlink_to(secret)
    assert token_warning(tmp_path / "a") == ""
    (tmp_path / "b" / ".git").mkdir(parents=True)
    os.mkfifo(tmp_path / "b" / ".git" / "config")
    assert token_warning(tmp_path / "b") == ""


def test_a_setting_on_the_line_of_its_section_counts(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    line = f'[HTTP "https://h/"] ExtraHeader = "AUTHORIZATION: basic {TOKEN}"\n'
    (tmp_path / ".git" / "config").write_bytes(b"\xff\n" + line.encode())
    assert "http header" in token_warning(tmp_path)
