"""The executable bit of a file that was there before: easy to lose, and hard to see in a diff."""

from __future__ import annotations

from pr_review.checks.check import CheckInput, Spot, code, finding
from pr_review.checks.paths import kept_as_it_is
from pr_review.checks.ports import Tree
from pr_review.domain.diff import EXECUTABLE_MODE, FileChange
from pr_review.domain.finding import Finding, Severity

NAME = "executable-changed"

_REGULAR_MODE = "100644"


def run(given: CheckInput) -> tuple[Finding, ...]:
    """One finding a file. A script that can be started no more weighs most."""
    return tuple(
        _gained(file) if file.new_mode == EXECUTABLE_MODE else _lost(file, given.tree)
        for file in given.change.files
        if {file.old_mode, file.new_mode} == {_REGULAR_MODE, EXECUTABLE_MODE}
        and not kept_as_it_is(file.path)
    )


def _gained(file: FileChange) -> Finding:
    return finding(
        NAME,
        Spot(file.path),
        severity=Severity.LOW,
        category="maintainability",
        title="A file becomes executable",
        body=f"Its mode was `100644` and is `100755`. If it is not meant to be started, run "
        f"{code(f'git update-index --chmod=-x -- {file.path}')}.",
    )


def _lost(file: FileChange, tree: Tree | None) -> Finding:
    script = ((tree and tree.blob(file.new_oid)) or b"").startswith(b"#!")
    return finding(
        NAME,
        Spot(file.path),
        severity=Severity.MEDIUM if script else Severity.LOW,
        category="correctness" if script else "maintainability",
        title="A script can be started no more" if script else "A file ceases to be executable",
        body="Its mode was `100755` and is `100644`"
        + (", though it names its interpreter in the first line" if script else "")
        + ". If something starts it by its path, run "
        f"{code(f'git update-index --chmod=+x -- {file.path}')}.",
    )
