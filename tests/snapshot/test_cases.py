"""The reported cases through the command: what a model would read, against git's own account."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.change.test_cases import GIT_CASES, PATCH_CASES, _clone, _expected
from tests.shared import shared
from tests.snapshot.repository import ENVIRON, Blob, command, make, shown_rows, snapshot

FOLDED_CASES = {
    "a02-carriage-returns": {
        "flip.py": ("line_endings", "line endings alone changed, LF to CRLF, 8 lines"),
    },
    "a07-mode-changes": {"run.sh": ("mode", "mode 100644 -> 100755")},
    "a20-lfs-pointers": {
        "art/logo.psd": ("lfs", "LFS object changed, 12345 -> 99999 bytes"),
        "art/new.psd": ("lfs", "LFS object added, 7 bytes"),
    },
}


def _told(case: str, folder: Path, *flags: str) -> Any:
    repo = _clone(case, folder)
    return snapshot(repo, folder / "out.json", *flags, base="case/base", head="case/head")


def _entries(told: Any) -> dict[str, Any]:
    return {file["path"]: file for file in told["files"]}


def _agree(told: Any, wanted: list[dict[str, Any]]) -> None:
    """Paths, status, counts and line numbers as git computed them."""
    assert [file["path"] for file in told["files"]] == [want["path"] for want in wanted]
    for file, want in zip(told["files"], wanted, strict=True):
        assert file["status"] == want["change"]
        assert file["binary"] == (want["content"] == "binary")
        assert file["submodule"] == (want["content"] == "submodule")
        assert (file["additions"], file["deletions"]) == (want["added"] or 0, want["removed"] or 0)
        if file["submodule"] or file["reason"] == "diff_cap":
            continue
        for ours, git in (("added_lines", "added_lines"), ("removed_lines", "removed_lines")):
            assert file[ours] == [n for hunk in want["hunks"] for n in hunk[git]]


@pytest.mark.parametrize("case", GIT_CASES)
def test_git_case(case: str, tmp_path: Path) -> None:
    told = _told(case, tmp_path)
    _agree(told, _expected(case))
    for path, (reason, says) in FOLDED_CASES.get(case, {}).items():
        entry = _entries(told)[path]
        assert (entry["state"], entry["reason"]) == ("folded", reason)
        assert entry["folded_added_lines"] == entry["added_lines"]
        assert says in told["text"]
    for path, entry in _entries(told).items():
        if entry["binary"] or entry["submodule"]:
            assert (entry["state"], shown_rows(told["text"]).get(path)) == ("folded", [])


@pytest.mark.parametrize(("case", "name", "expected"), PATCH_CASES)
def test_patch_case(case: str, name: str, expected: str, tmp_path: Path) -> None:
    told = command(tmp_path / "out.json", "--patch", str(shared(f"cases/{case}/{name}")))
    assert told["source"] == "patch"
    _agree(told, _expected(case, expected))


def test_a01_numbers_and_characters(tmp_path: Path) -> None:
    """Characters that other splitters take for line ends are shown, on the line they are on."""
    told = _told("a01-control-characters", tmp_path)
    for entry in told["files"]:
        assert entry["shown_added_lines"] == entry["added_lines"]
    assert all(mark in told["text"] for mark in ("\\u{c}", "\\u{85}", "\\u{2028}"))


def test_a04_a_name_starts_no_line(tmp_path: Path) -> None:
    told = _told("a04-odd-ascii-paths", tmp_path)
    assert any("\n" in path for path in _entries(told))
    assert any(path.endswith(" ") for path in _entries(told))
    assert len(shown_rows(told["text"])) == len(told["files"])


def test_a17_long_lines_push_nothing_out(tmp_path: Path) -> None:
    told = _told("a17-long-lines", tmp_path, "--diff-token-budget", "6000")
    found = _entries(told)
    assert found["src/app.js"]["state"] == "shown"
    for path in ("assets/anim.json", "dist/app.min.js"):
        assert (found[path]["tier"], found[path]["state"]) == ("generated", "omitted")
        assert found[path]["reason"] == "long_line"
        assert found[path]["shown_added_lines"] == []
    assert "more bytes]" in told["text"]
    assert "Lines over 2,000 bytes are cut" in told["text"]
    # what the path calls source stays in the account of source, whatever its text looks like
    assert (told["coverage"], told["coverage_source"]) == ("partial", "partial")


def test_a18_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    told = _told("a18-legacy-encodings", tmp_path)
    assert len(told["files"]) == 5
    assert {file["state"] for file in told["files"]} == {"shown"}
    assert "\ufffd" in told["text"]
    assert told["coverage"] == "full"


def test_a23_a_huge_lockfile_does_not_cost_the_source(tmp_path: Path) -> None:
    told = _told("a23-huge-lockfile", tmp_path, "--diff-token-budget", "4000")
    found = _entries(told)
    assert found["src/a.js"]["state"] == "shown"
    lock = next(file for file in told["files"] if file["path"] != "src/a.js")
    assert (lock["tier"], lock["state"]) == ("generated", "omitted")
    assert lock["additions"] + lock["deletions"] > 10_000
    assert f"{lock['additions'] + lock['deletions']} lines" in told["text"]
    assert told["coverage_source"] == "full"


def test_a30_a_short_hunk_loses_its_file_and_says_so(tmp_path: Path) -> None:
    patch = shared("cases/a30-stripped-tail/input.stripped.diff")
    told = command(tmp_path / "out.json", "--patch", str(patch))
    assert {file["state"] for file in told["files"]} <= {"shown", "omitted"}
    for file in told["files"]:
        assert (file["reason"] == "unparsable") == (file["state"] == "omitted")


def test_a_patch_that_was_cut_before_its_hunks_is_no_file_without_a_change(tmp_path: Path) -> None:
    cut = tmp_path / "cut.diff"
    cut.write_text(
        "diff --git a/a.py b/b.py\nsimilarity index 60%\nrename from a.py\nrename to b.py\n"
        "index 1111111..2222222 100644\n"
    )
    (file,) = command(tmp_path / "out.json", "--patch", str(cut))["files"]
    assert (file["status"], file["state"], file["reason"]) == ("renamed", "omitted", "unparsable")


def test_other_settings_give_another_digest(tmp_path: Path) -> None:
    repo = make(tmp_path / "r.git", {}, {b"a.py": Blob(b"a = 1\n" * 900), b"b.md": Blob(b"b\n")})
    digests = {
        snapshot(repo.folder, tmp_path / "o.json", *flags)["digest"]
        for flags in ((), ("--exclude", "*.md"), ("--max-file-bytes", "1000"))
    }
    assert len(digests) == 3


def test_the_snapshot_of_a_large_change_stays_small_in_memory(tmp_path: Path) -> None:
    """1.8 MB of diff: tokenizer and scanner take most of what the process needs."""
    base = {b"src/m%d.py" % n: Blob(b"x = %d\n" % n * 300) for n in range(200)}
    head = {name: Blob(blob.content.replace(b"x", b"yy")) for name, blob in base.items()}
    repo = make(tmp_path / "r.git", base, head)
    code = (
        "import re, sys; from pr_review import app; import os;"
        "assert app.main(sys.argv[1:], dict(os.environ)) == 0;"
        # not getrusage: its peak counts this test's own process, from before the exec
        "print(int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]) // 1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "snapshot", "--repo", str(repo.folder), "--base", "base",
         "--head", "head", "--out", os.devnull],
        env=ENVIRON, capture_output=True, check=True,
    )  # fmt: skip
    assert int(done.stdout) < 350


def test_a_key_whose_first_line_is_outside_the_hunk(tmp_path: Path) -> None:
    """Through real git: the whole file is looked at, on both sides, and no line goes away."""
    body = [hashlib.sha512(b"%d" % n).hexdigest().encode()[:64] for n in range(12)]
    other = [*body[:6], body[6][::-1], *body[7:]]
    edges = (b"-----BEGIN EC PRIVATE KEY-----", b"-----END EC PRIVATE KEY-----")
    before, after = (
        b"\n".join([b"first = 1", edges[0], *lines, edges[1], b"last = 2", b""])
        for lines in (body, other)
    )
    repo = make(tmp_path / "r.git", {b"conf.txt": Blob(before)}, {b"conf.txt": Blob(after)})
    told = snapshot(repo.folder, tmp_path / "o.json")
    assert not any(line.decode()[:40] in told["text"] for line in [*body, *other])
    (file,) = told["files"]
    assert (file["added_lines"], file["removed_lines"]) == ([9], [9])
    assert told["text"].count("[REDACTED:private-key]") == 8
    assert {r["rule"] for r in told["redactions"]} >= {"private-key"}
