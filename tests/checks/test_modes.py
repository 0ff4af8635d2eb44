"""Modes, links and sizes: what a diff hardly shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pr_review.checks import executable_changed, large_binary, symlink_changed
from pr_review.checks.symlink_changed import leaves_repository
from pr_review.domain.diff import Status
from pr_review.domain.finding import Severity
from tests.checks.changes import given

REGULAR, EXECUTABLE, LINK, SUBMODULE = "100644", "100755", "120000", "160000"
SCRIPT = {"run.sh": "#!/bin/sh\nexit\n"}
TEXT = {"run.sh": "exit\n"}


def test_a_script_that_lost_its_bit_weighs_most() -> None:
    lost = {"run.sh": (EXECUTABLE, REGULAR)}
    (script,) = executable_changed.run(given(SCRIPT, SCRIPT, modes=lost))
    (text,) = executable_changed.run(given(TEXT, TEXT, modes=lost))
    assert (script.severity, text.severity) == (Severity.MEDIUM, Severity.LOW)
    assert (script.path, script.start) == ("run.sh", None)
    assert "`git update-index --chmod=+x -- run.sh`" in script.body
    (patch,) = executable_changed.run(replace(given(SCRIPT, SCRIPT, modes=lost), tree=None))
    assert patch.severity is Severity.LOW


def test_a_file_that_becomes_executable_is_told_with_or_without_other_changes() -> None:
    gained = {"run.sh": (REGULAR, EXECUTABLE)}
    for after in (SCRIPT, {"run.sh": "#!/bin/sh\nexit 1\n"}):
        (found,) = executable_changed.run(given(SCRIPT, after, modes=gained))
        assert found.severity is Severity.LOW
        assert "`git update-index --chmod=-x -- run.sh`" in found.body


def test_new_and_deleted_and_vendored_files_have_no_mode_to_change() -> None:
    new = given({}, SCRIPT, modes={"run.sh": (EXECUTABLE, EXECUTABLE)})
    assert executable_changed.run(new) == ()
    assert executable_changed.run(given(SCRIPT, {})) == ()
    vendored = {"vendor/a.sh": "exit\n"}
    modes = {"vendor/a.sh": (REGULAR, EXECUTABLE)}
    assert executable_changed.run(given(vendored, vendored, modes=modes)) == ()


@pytest.mark.parametrize(
    ("path", "target", "leaves"),
    [
        ("a", "b", False),
        ("a/b/c", "../../d", False),
        ("a/b", "../.github/x", False),
        ("a", ".gitignore", False),
        ("a", "./x/../y", False),
        ("a", "../b", True),
        ("a/b", "../../a/b", True),
        ("a", "x/../../y", True),
        ("a", "/etc/passwd", True),
        ("a", "C:\\Users", True),
        ("a", ".git/config", True),
        ("a/b", "../.git", True),
    ],
)
def test_where_a_link_leads(path: str, target: str, *, leaves: bool) -> None:
    assert leaves_repository(path, target) is leaves
    new = given({}, {path: f"{target}\n"}, modes={path: (LINK, LINK)})
    for change in (new, replace(new, tree=None)):
        found = symlink_changed.run(change)
        assert [f.severity for f in found] == [Severity.HIGH] * leaves
        assert [(f.start, f.category) for f in found] == [(1, "security")] * leaves


@pytest.mark.parametrize(
    ("old", "new", "severity", "title"),
    [
        (LINK, LINK, Severity.LOW, "A symbolic link leads elsewhere than before"),
        (REGULAR, LINK, Severity.MEDIUM, "A file becomes a symbolic link"),
        (LINK, REGULAR, Severity.MEDIUM, "A symbolic link becomes a file"),
    ],
)
def test_a_path_that_leads_elsewhere_is_told(
    old: str, new: str, severity: Severity, title: str
) -> None:
    change = given({"a": "b\n"}, {"a": "c\n"}, modes={"a": (old, new)})
    (found,) = symlink_changed.run(change)
    assert (found.severity, found.title) == (severity, title)
    assert ("`c`" in found.body) is (new == LINK)


@pytest.mark.parametrize(
    ("before", "after", "target", "told"),
    [("a/b", "c", "../d", 1), ("a/b", "a/c", "../d", 0), ("a", "b", "/etc", 0)],
)
def test_a_link_that_was_renamed_is_told_where_it_leads_out_since(
    before: str, after: str, target: str, told: int
) -> None:
    change = given({}, {after: target}, modes={after: (LINK, LINK)})
    (file,) = change.change.files
    file = replace(
        file, old_path=before, status=Status.RENAMED, old_mode=LINK, old_oid=file.new_oid, hunks=()
    )
    renamed = replace(change, change=replace(change.change, files=(file,)))
    assert len(symlink_changed.run(renamed)) == told
    assert symlink_changed.run(replace(renamed, tree=None)) == ()


def test_what_is_no_link_or_gone_is_silent() -> None:
    assert symlink_changed.run(given({"a": "/etc\n"}, {}, modes={"a": (LINK, LINK)})) == ()
    assert symlink_changed.run(given({"a": "b\n"}, {"a": "/etc\n"})) == ()
    module = given({"a": "b\n"}, {"a": "c\n"}, modes={"a": (LINK, SUBMODULE)})
    assert symlink_changed.run(module) == ()
    sample = given({}, {"testdata/a": "/etc\n"}, modes={"testdata/a": (LINK, LINK)})
    assert symlink_changed.run(sample) == ()


def binary(size: int) -> dict[str, str]:
    return {"a.bin": "\0" * size}


@pytest.mark.parametrize(
    ("before", "after", "severity"),
    [
        ({}, 1_000_000, Severity.LOW),
        ({}, 10_000_000, Severity.MEDIUM),
        (binary(999_999), 1_000_001, Severity.LOW),
    ],
)
def test_a_large_binary_is_told_with_its_size(
    before: dict[str, str], after: int, severity: Severity
) -> None:
    (found,) = large_binary.run(given(before, binary(after)))
    assert (found.severity, found.start) == (severity, None)
    assert f"({after:,} bytes)" in found.body


def test_what_is_small_or_text_or_was_as_large_is_silent() -> None:
    assert large_binary.run(given({}, binary(999_999))) == ()
    assert large_binary.run(given({}, {"a.txt": "x" * 1_200_000})) == ()
    assert large_binary.run(given(binary(1_000_000), binary(2_000_000))) == ()
    assert large_binary.run(given(binary(2_000_000), {})) == ()
    assert large_binary.run(replace(given({}, binary(2_000_000)), tree=None)) == ()
