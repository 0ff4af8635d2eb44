"""What is not committed yet: as git itself would commit it, and without a trace in the clone."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from pr_review.adapters.git import LocalSource, Uncommitted
from pr_review.domain.diff import Change
from pr_review.errors import SnapshotError
from tests.standins.github_git import clean_environment

PASSED = {"PATH": os.environ["PATH"]}
BOTH = pytest.mark.parametrize("what", list(Uncommitted))


def git(folder: Path, *arguments: str, **env: str) -> str:
    author = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"]
    done = subprocess.run(
        ["git", "-C", str(folder), *author, *arguments],
        env={**clean_environment(), **env},
        capture_output=True,
        check=True,
    )
    return done.stdout.decode("utf-8", "surrogateescape")


def opened(
    clone: Path, what: Uncommitted | None, *, base: str = "HEAD", user: Path | None = None
) -> LocalSource:
    return LocalSource(
        clone,
        base=base,
        head="HEAD",
        max_bytes=1_000_000,
        passed=PASSED,
        uncommitted=what,
        user={"HOME": str(user)} if user else {},
    )


def change(clone: Path, what: Uncommitted, *, base: str = "HEAD") -> Change:
    with opened(clone, what, base=base) as source:
        return source.change()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository of one commit, with a submodule, and nothing that is not committed."""
    inner, folder = tmp_path / "inner", tmp_path / "clone"
    for repo in (inner, folder):
        git(tmp_path, "init", "-q", "-b", "main", str(repo))
        (repo / "a.py").write_text("a = 1\n", encoding="utf-8")
    git(inner, "add", ".")
    git(inner, "commit", "-qm", "inner")
    for name in ("gone.py", "run.sh", "kept.py", "block.py", "both.py"):
        (folder / name).write_text(f"# {name}\n", encoding="utf-8")
    (folder / "deep/er").mkdir(parents=True)
    (folder / "deep/er/x.py").write_text("x = 1\n", encoding="utf-8")
    (folder / "link").symlink_to("a.py")
    (folder / "dos.txt").write_bytes(b"one\r\ntwo\r\n")
    (folder / ".gitattributes").write_text("dos.txt text eol=crlf\n", encoding="utf-8")
    (folder / ".gitignore").write_text("*.log\n", encoding="utf-8")
    git(folder, "-c", "protocol.file.allow=always", "submodule", "-q", "add", str(inner), "sub")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder


def edit(clone: Path) -> None:
    """Everything that can happen to files, some of it staged."""
    (clone / "a.py").write_text("a = 2\n", encoding="utf-8")  # as long, and in the same second
    (clone / "both.py").write_text("# staged\n", encoding="utf-8")
    (clone / "staged.py").write_text("s = 1\n", encoding="utf-8")
    git(clone, "add", "both.py", "staged.py")
    (clone / "both.py").write_text("# edited\n", encoding="utf-8")
    (clone / "gone.py").unlink()
    (clone / "run.sh").chmod(0o755)
    (clone / "link").unlink()
    (clone / "link").symlink_to("/etc/passwd")
    (clone / "dos.txt").write_bytes(b"one\r\nthree\r\n")
    (clone / "block.py").unlink()
    (clone / "block.py").mkdir()
    (clone / "block.py/new.py").write_text("n = 1\n", encoding="utf-8")
    (clone / "kept.py").rename(clone / "moved.py")
    (clone / "planned.py").write_text("p = 1\n", encoding="utf-8")
    git(clone, "add", "--intent-to-add", "planned.py")
    (clone / os.fsdecode(b'b\xffd\n".txt')).write_bytes(b"raw \xff\n")
    (clone / "noise.log").write_text("ignored\n", encoding="utf-8")
    (clone / "sub/new.py").write_text("x = 1\n", encoding="utf-8")
    git(clone / "sub", "add", ".")
    git(clone / "sub", "commit", "-qm", "on")


def committed(clone: Path, folder: Path, *commands: list[str]) -> Change:
    """What git makes of a copy of the clone."""
    shutil.copytree(clone, folder, symlinks=True)
    for command in commands:
        git(folder, *command)
    git(folder, "commit", "-qm", "second")
    with LocalSource(
        folder, base="HEAD~", head="HEAD", max_bytes=1_000_000, passed=PASSED
    ) as source:
        return source.change()


def test_the_files_are_read_as_git_would_commit_them(clone: Path, tmp_path: Path) -> None:
    edit(clone)
    found = change(clone, Uncommitted.WORKTREE)
    assert found.files == committed(clone, tmp_path / "copy", ["add", "-A"]).files
    rows = {file.path: file for file in found.files}
    assert {"sub", "link", "run.sh", "moved.py", "planned.py", "block.py/new.py"} < rows.keys()
    assert "noise.log" not in rows
    assert rows["a.py"].added_lines == (1,)
    assert [line.text for line in rows["link"].lines if line.added] == ["/etc/passwd"]
    assert [line.text for line in rows["both.py"].lines if line.added] == ["# edited"]


def test_what_is_staged_is_what_a_commit_would_take(clone: Path, tmp_path: Path) -> None:
    edit(clone)
    found = change(clone, Uncommitted.STAGED)
    assert (
        found.files == committed(clone, tmp_path / "copy", ["rm", "--cached", "planned.py"]).files
    )
    assert [file.path for file in found.files] == ["both.py", "staged.py"]


@BOTH
def test_nothing_is_written_and_equal_content_is_an_equal_commit(
    clone: Path, what: Uncommitted
) -> None:
    edit(clone)
    before = {path: path.lstat().st_mtime_ns for path in clone.rglob("*")}
    with opened(clone, what) as one, opened(clone / "sub" / "..", what) as two:
        assert one.head == two.head != one.base
        assert one.messages() == ()
    assert {path: path.lstat().st_mtime_ns for path in clone.rglob("*")} == before


@BOTH
def test_nothing_to_commit_is_an_empty_change(clone: Path, what: Uncommitted) -> None:
    assert change(clone, what).files == ()


def test_a_branch_with_what_is_not_committed(clone: Path) -> None:
    git(clone, "checkout", "-qb", "topic")
    (clone / "a.py").write_text("a = 2\n", encoding="utf-8")
    git(clone, "commit", "-qam", "on the branch")
    (clone / "new.py").write_text("n = 1\n", encoding="utf-8")
    git(clone, "branch", "-f", "other", "main")
    with opened(clone, Uncommitted.WORKTREE, base="other") as source:
        assert [file.path for file in source.change().files] == ["a.py", "new.py"]
        assert source.messages() == ("on the branch",)


def test_every_form_of_a_working_tree(clone: Path, tmp_path: Path) -> None:
    """A linked one, one with a split index, and two of which a part is not checked out."""
    linked, sparse = tmp_path / "linked", tmp_path / "sparse"
    git(tmp_path, "clone", "-q", str(clone), str(sparse))
    git(sparse, "sparse-checkout", "set", "--cone", "--sparse-index", "nothing")
    git(clone, "worktree", "add", "-q", "--detach", str(linked))
    git(clone, "update-index", "--split-index")
    git(linked, "update-index", "--skip-worktree", "gone.py")
    (linked / "gone.py").unlink()
    for folder in (clone, linked, sparse):
        (folder / "a.py").write_text("a = 3\n", encoding="utf-8")
        assert [file.path for file in change(folder, Uncommitted.WORKTREE).files] == ["a.py"]


def test_no_command_of_any_configuration_is_run(clone: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n", encoding="utf-8")
    trap.chmod(0o755)
    for folder in (clone, clone / "sub"):
        for key in ("core.fsmonitor", "core.hooksPath", "filter.f.clean", "diff.f.textconv"):
            git(folder, "config", key, str(tmp_path if key == "core.hooksPath" else trap))
        for hook in ("post-index-change", "pre-commit"):
            shutil.copy(trap, tmp_path / hook)
        (folder / ".gitattributes").write_text("*.py diff=f\nkept.py filter=f\n", encoding="utf-8")
    (clone / "a.py").write_text("a = 2\n", encoding="utf-8")
    (clone / "sub/a.py").write_text("a = 2\n", encoding="utf-8")
    for what in Uncommitted:
        change(clone, what)
    assert not (tmp_path / "sprung").exists()


def test_what_a_filter_would_make_is_not_guessed(clone: Path) -> None:
    (clone / ".git/info/attributes").write_text("secret* filter=crypt\n", encoding="utf-8")
    (clone / "secret.txt").write_text("plain\n", encoding="utf-8")
    with pytest.raises(SnapshotError, match=r"secret\.txt passes through the filter crypt") as told:
        change(clone, Uncommitted.WORKTREE)
    assert "git add" in told.value.remedy
    git(clone, "-c", "filter.crypt.clean=tr a-z n-za-m", "add", "secret.txt", "a.py")
    rows = {file.path: file for file in change(clone, Uncommitted.STAGED).files}
    assert [line.text for line in rows["secret.txt"].lines] == ["cynva"]


def test_what_the_user_ignores_everywhere_is_not_read(clone: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".config/git").mkdir(parents=True)
    (home / ".config/git/ignore").write_text("*.env\n", encoding="utf-8")
    (clone / ".git/info/exclude").write_text("notes\n", encoding="utf-8")
    for name in ("prod.env", "notes", "other.ide", "new.py"):
        (clone / name).write_text("1\n", encoding="utf-8")
    with opened(clone, Uncommitted.WORKTREE, user=home) as source:
        assert [file.path for file in source.change().files] == ["new.py", "other.ide"]
    (home / ".gitconfig").write_text("[core]\nexcludesFile = ~/mine\n", encoding="utf-8")
    (home / "mine").write_text("*.ide\n*.env\n", encoding="utf-8")
    with opened(clone, Uncommitted.WORKTREE, user=home) as source:
        assert [file.path for file in source.change().files] == ["new.py"]


def test_a_repository_inside_is_left_out_and_named(clone: Path) -> None:
    git(clone, "init", "-q", "vendored")
    (clone / "vendored/x.py").write_text("1\n", encoding="utf-8")
    with opened(clone, Uncommitted.WORKTREE) as source:
        assert source.change().files == ()
        assert source.left_out == ("vendored/",)


def test_our_own_folder_is_no_part_of_the_files(
    clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (clone / "tmp").mkdir()
    (clone / "tmp/a.txt").write_text("1\n", encoding="utf-8")
    monkeypatch.setattr("tempfile.tempdir", str(clone / "tmp"))
    assert [file.path for file in change(clone, Uncommitted.WORKTREE).files] == ["tmp/a.txt"]


@BOTH
def test_a_merge_with_conflicts_is_no_change_yet(clone: Path, what: Uncommitted) -> None:
    for branch, text in (("one", "a = 2\n"), ("two", "a = 3\n")):
        git(clone, "checkout", "-qb", branch, "main")
        (clone / "a.py").write_text(text, encoding="utf-8")
        git(clone, "commit", "-qam", branch)
    with pytest.raises(subprocess.CalledProcessError):
        git(clone, "merge", "-q", "one")
    with pytest.raises(SnapshotError, match=r"a\.py has conflicts"):
        change(clone, what)


def test_where_there_are_no_files(clone: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(clone), "bare.git")
    with pytest.raises(SnapshotError, match="has no working tree"):
        change(tmp_path / "bare.git", Uncommitted.WORKTREE)
