"""Files of results in a checkout that a pull request may have filled."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pr_review.adapters import workspace
from pr_review.adapters.workspace import MOST_FILES, Workspace
from pr_review.checks.sarif.ports import ToolFile


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    for name in (
        "ruff.sarif",
        "out/a.sarif",
        "out/deep/b.sarif",
        "out/c.json",
        ".git/x.sarif",
        "sub/.git/y.sarif",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


def names(root: Path, *globs: str) -> list[str]:
    found = list(Workspace(root, globs).results())
    assert all(file.data == file.name.encode() for file in found)
    return [file.name for file in found]


@pytest.mark.parametrize(
    ("globs", "expected"),
    [
        (["*.sarif"], ["out/a.sarif", "out/deep/b.sarif", "ruff.sarif"]),
        (["/ruff.sarif"], ["ruff.sarif"]),
        (["out/*.sarif"], ["out/a.sarif"]),
        (["out/**/*.sarif", "out/a.sarif"], ["out/a.sarif", "out/deep/b.sarif"]),
        (["out/"], ["out/a.sarif", "out/c.json", "out/deep/b.sarif"]),
        (["{out,other}/a.*"], ["out/a.sarif"]),
        ([], []),
    ],
)
def test_globs_name_files_anywhere_but_in_git(
    root: Path, globs: list[str], expected: list[str]
) -> None:
    assert names(root, *globs) == expected


@pytest.mark.parametrize(
    "glob", ["out/none.sarif", "no/*.sarif", "../outside.sarif", "out/../../outside.sarif"]
)
def test_a_glob_that_names_no_file_is_told(root: Path, glob: str) -> None:
    (root.parent / "outside.sarif").write_text("secret")
    (told, *files) = Workspace(root, (glob, "ruff.sarif")).results()
    assert told == ToolFile(glob, problem="no file of the checkout matches it")
    assert [file.name for file in files] == ["ruff.sarif"]


@pytest.mark.parametrize("glob", ["*.sarif", "link/*.sarif", "link.sarif", "link/in.sarif"])
def test_no_link_is_followed(root: Path, glob: str) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "in.sarif").write_text("secret")
    (root / "link").symlink_to(outside)
    (root / "link.sarif").symlink_to(outside / "in.sarif")
    (root / "loop").symlink_to(".")
    found = list(Workspace(root, (glob,)).results())
    assert all(b"secret" not in file.data for file in found)
    assert any(file.problem for file in found)


def test_only_regular_files_of_a_bounded_size_and_number(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(root / "a-pipe.sarif")
    monkeypatch.setattr(workspace, "MOST_BYTES", 10)
    for number in range(MOST_FILES):
        (root / f"n{number:02}.sarif").write_text("[]")
    problems = {f.name: f.problem for f in Workspace(root, ("*.sarif",)).results() if f.problem}
    assert problems == {
        "a-pipe.sarif": "it is no regular file",
        "out/a.sarif": "no more than 20 files are read",
        "out/deep/b.sarif": "no more than 20 files are read",
        "ruff.sarif": "no more than 20 files are read",
    } | {f"n{n:02}.sarif": "no more than 20 files are read" for n in (19,)}
    (large,) = Workspace(root, ("out/deep/*",)).results()
    assert large == ToolFile("out/deep/b.sarif", problem="it is larger than 10 bytes")


def test_all_files_together_are_bounded(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "MOST_BYTES_IN_ALL", 21)
    first, second, third = Workspace(root, ("*.sarif",)).results()
    assert (first.data, third.data) == (b"out/a.sarif", b"ruff.sarif")
    assert second.problem == "all are larger than 21 bytes"


def test_a_folder_without_end_ends(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is near the top is found all the same, and nothing is said of what was not looked at."""
    monkeypatch.setattr(workspace, "MOST_ENTRIES", 5)
    cut, other, *found = Workspace(root, ("*.sarif", "deep/b.sarif")).results()
    assert [file.name for file in found] == ["out/a.sarif", "ruff.sarif"]
    assert cut.problem == other.problem == "beyond 5 entries of the checkout"


def test_without_a_checkout_each_glob_says_so() -> None:
    (told,) = Workspace(None, ("*.sarif",)).results()
    assert told.problem == "there is no checkout"
