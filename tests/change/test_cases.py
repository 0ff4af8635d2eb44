"""Every diff case: files, status, modes, counts and line numbers against git's own account."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pr_review.adapters.git import LocalSource
from pr_review.change.patch_text import PatchText
from pr_review.domain.diff import Change, FileChange
from pr_review.errors import SnapshotError
from tests.shared import SHARED, shared

PASSED = {"PATH": os.environ["PATH"]}
MAX_BYTES = 100_000_000
GIT_CASES = [
    "a01-control-characters",
    "a02-carriage-returns",
    "a03-non-ascii-paths",
    "a04-odd-ascii-paths",
    "a07-mode-changes",
    "a09-git-binary-patch",
    "a10-submodules",
    "a12-no-newline-at-eof",
    "a17-long-lines",
    "a18-legacy-encodings",
    "a20-lfs-pointers",
    "a22-nothing-to-see",
    "a23-huge-lockfile",
    "a26-suppressed-blank-context",
    "a30-stripped-tail",
    "a32-rename-with-mode-and-binary",
]
PATCH_CASES = [
    *((case, "input.diff", "expected.json") for case in GIT_CASES),
    ("a08-renames-copies", "input.diff", "expected.json"),
    ("a13-empty-files", "input.diff", "expected.json"),
    ("a14-lines-that-look-like-headers", "input.diff", "expected.json"),
    ("a14-lines-that-look-like-headers", "input.u3.diff", "expected.u3.json"),
    ("a15-hunk-header-shapes", "input.diff", "expected.json"),
    ("a24-patch-inside-patch", "input.diff", "expected.json"),
]


def _expected(case: str, name: str = "expected.json") -> list[dict[str, Any]]:
    loaded = json.loads(shared(f"cases/{case}/{name}").read_text(encoding="utf-8"))
    files: list[dict[str, Any]] = loaded["files"]
    return files


def _clone(case: str, folder: Path) -> Path:
    repo = folder / "repo"
    subprocess.run(["git", "init", "-q", str(repo)], check=True)
    bundle = str(shared(f"cases/{case}/repo.bundle"))
    subprocess.run(
        ["git", "-C", str(repo), "fetch", "-q", bundle, "refs/heads/*:refs/heads/case/*"],
        check=True,
        capture_output=True,
    )
    return repo


def _patch(case: str, name: str) -> Change:
    text = shared(f"cases/{case}/{name}").read_bytes()
    return PatchText(text, name=name, max_bytes=MAX_BYTES).change()


def _same_lines(file: FileChange, wanted: dict[str, Any]) -> None:
    if file.submodule:  # its one-line hunk is no text of a file
        return
    hunks = wanted["hunks"]
    assert [(h.old_start, h.old_count, h.new_start, h.new_count) for h in file.hunks] == [
        (h["old_start"], h["old_count"], h["new_start"], h["new_count"]) for h in hunks
    ]
    for hunk, want in zip(file.hunks, hunks, strict=True):
        assert [line.new for line in hunk.lines if line.added] == want["added_lines"]
        assert [line.old for line in hunk.lines if line.removed] == want["removed_lines"]
        context = [line.new for line in hunk.lines if not line.changed]
        assert context == want["context_lines"]


@pytest.mark.parametrize("case", GIT_CASES)
def test_git_source_tells_what_git_tells(case: str, tmp_path: Path) -> None:
    repo = _clone(case, tmp_path)
    with LocalSource(
        repo, base="case/base", head="case/head", max_bytes=MAX_BYTES, passed=PASSED
    ) as source:
        change = source.change()
    wanted = _expected(case)
    assert [f.path for f in change.files] == [w["path"] for w in wanted]
    for file, want in zip(change.files, wanted, strict=True):
        assert file.defect == ""
        assert file.status.value == want["change"]
        assert file.old_path == want["old_path"] or file.status.value not in ("renamed", "copied")
        assert (file.old_mode, file.new_mode) == (
            want["old_mode"] or "000000",
            want["new_mode"] or "000000",
        )
        assert file.binary == (want["content"] == "binary")
        assert file.submodule == (want["content"] == "submodule")
        assert (file.additions, file.deletions) == (want["added"] or 0, want["removed"] or 0)
        _same_lines(file, want)


@pytest.mark.parametrize(("case", "name", "expected"), PATCH_CASES)
def test_patch_alone_tells_what_it_can(case: str, name: str, expected: str) -> None:
    wanted = _expected(case, expected)
    change = _patch(case, name)
    assert [f.path for f in change.files] == [w["path"] for w in wanted]
    for file, want in zip(change.files, wanted, strict=True):
        assert file.defect == ""
        assert file.status.value == want["change"]
        assert file.binary == (want["content"] == "binary")
        assert (file.additions, file.deletions) == (want["added"] or 0, want["removed"] or 0)
        _same_lines(file, want)


def test_a10_submodule_log_form_keeps_every_entry() -> None:
    change = _patch("a10-submodules", "input.submodule-log.diff")
    wanted = {w["path"]: w["change"] for w in _expected("a10-submodules")}
    assert {f.path: f.status.value for f in change.files} == wanted
    assert [f.path for f in change.files if f.submodule] == [
        "vendor/gone",
        "vendor/lib",
        "vendor/new",
    ]


def test_a16_combined_diff_is_refused_in_words() -> None:
    with pytest.raises(SnapshotError, match="combined diff"):
        _patch("a16-combined-diff", "input.diff")


@pytest.mark.parametrize("name", ["input.empty.diff", "input.newline-only.diff"])
def test_a22_an_empty_patch_is_an_empty_change(name: str) -> None:
    assert _patch("a22-nothing-to-see", name).files == ()


@pytest.mark.parametrize("name", ["input.stripped.diff", "input.rstripped-lines.diff"])
def test_a30_a_short_hunk_loses_its_file_alone_and_says_so(name: str) -> None:
    whole = _patch("a30-stripped-tail", "input.diff")
    short = _patch("a30-stripped-tail", name)
    assert [f.path for f in short.files] == [f.path for f in whole.files]
    for good, bad in zip(whole.files, short.files, strict=True):
        assert bad.defect or bad.added_lines == good.added_lines


@pytest.mark.parametrize("text", [b"<html>502 Bad Gateway</html>", b"hello\n", b"\x00\x01\x02"])
def test_text_that_is_no_diff_is_refused(text: bytes) -> None:
    with pytest.raises(SnapshotError, match="not a diff"):
        PatchText(text, name="x.diff", max_bytes=MAX_BYTES).change()


def test_no_case_of_a_plain_git_diff_is_left_out() -> None:
    shared("cases/README.md")
    plain = set()
    for path in sorted((SHARED / "cases").glob("a*/expected.json")):
        command = json.loads(path.read_text(encoding="utf-8"))["command"]
        words = command.split()
        if "diff" in words and "-M" in words and not {"-C", "--no-renames", "-U0"} & set(words):
            plain.add(path.parent.name)
    assert plain == set(GIT_CASES)
