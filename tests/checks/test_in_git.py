"""What only git can say of modes, links and sizes, through a whole run of the checks alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pr_review import app
from tests.snapshot.repository import ENVIRON, Blob, make

LINK, EXECUTABLE = "120000", "100755"
BASE = {
    b"run.sh": Blob(b"#!/bin/sh\nexit\n", EXECUTABLE),
    b"turned": Blob(b"text\n"),
    b"led": Blob(b"run.sh", LINK),
    b".github/workflows/ci.yml": Blob(b"on: push\npermissions: {}\njobs: {}\n"),
}
HEAD = {
    b"run.sh": Blob(b"#!/bin/sh\nexit\n"),
    b"turned": Blob(b"run.sh", LINK),
    b"led": Blob(b"../elsewhere", LINK),
    b"out": Blob(b"/etc/passwd", LINK),
    b"large.bin": Blob(b"\0" * 1_000_000),
    b".github/workflows/ci.yml": Blob(b"on: push\npermissions: write-all\njobs: {}\n"),
    b"a.test.js": Blob(b"describe.only('a', () => {})\n"),
}
TOLD = {
    (".github/workflows/ci.yml", 2, "check:workflow-permissions", "high", "inline"),
    ("a.test.js", 1, "check:focused-test", "high", "inline"),
    ("large.bin", None, "check:large-binary", "low", "noted"),
    ("led", 1, "check:symlink-changed", "high", "inline"),
    ("out", 1, "check:symlink-changed", "high", "inline"),
    ("run.sh", None, "check:executable-changed", "medium", "body"),
    ("turned", 1, "check:symlink-changed", "medium", "inline"),
}


def test_a_run_without_a_model_tells_all_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = make(tmp_path / "repo.git", BASE, HEAD)
    sides = ["--base", "base", "--head", "head", "--model", "none", "--format", "json"]
    assert app.main(["local", "--repo", str(repo.folder), *sides], ENVIRON) == 0
    report = json.loads(capsys.readouterr().out)
    assert {
        (f["path"], f["start"], *f["sources"], f["severity"], f["place"])
        for f in report["findings"]
    } == TOLD
