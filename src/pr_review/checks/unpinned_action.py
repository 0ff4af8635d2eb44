"""An action of somebody else's that is named by a tag or a branch, which its owner can move."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pr_review.checks.check import CheckInput, finding
from pr_review.checks.ports import Leaf
from pr_review.checks.workflows import Changed, Workflow, actions, workflows
from pr_review.domain.finding import Finding, Severity

NAME = "unpinned-action"

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_OWN = ("./", "../", "*", "$")
_GITHUB = ("actions/", "github/")
_IMAGE = "docker://"


@dataclass(frozen=True, slots=True)
class _Use:
    """An action without its version, and whether that can still move."""

    name: str
    version: str
    leaf: Leaf

    @property
    def pinned(self) -> bool:
        return bool(_COMMIT.fullmatch(self.version.removeprefix("sha256:")))

    @property
    def by_github(self) -> bool:
        return self.name.startswith(_GITHUB)


def run(given: CheckInput) -> tuple[Finding, ...]:
    """One finding for each action of a file that comes in unpinned, or was pinned before.

    Another version of an action that was unpinned before is no news, and GitHub's own actions
    are told only where they were pinned.
    """
    changed = [*workflows(given), *actions(given)]
    used = [use for one in changed if one.before for use in _uses(one.before)]
    before = {use.name: use for use in sorted(used, key=lambda use: not use.pinned)}
    return tuple(found for one in changed for found in _unpinned(one, before, given))


def _uses(workflow: Workflow) -> Iterator[_Use]:
    for leaf in workflow.used:
        name, at, version = leaf.value.partition("@")
        if name.startswith(_IMAGE):
            folder, slash, last = name.rpartition("/")
            name, _, tag = last.partition(":")
            name, version = f"{folder}{slash}{name}", version if at else tag or "latest"
        if version and not name.startswith(_OWN):
            yield _Use(name.lower(), version, leaf)


def _unpinned(changed: Changed, before: Mapping[str, _Use], given: CheckInput) -> Iterator[Finding]:
    """Each where the change first uses it."""
    added = set(changed.file.added_lines)
    sides = [changed.after, *([changed.before] if changed.before else [])]
    careful = any(use.pinned for side in sides for use in _uses(side))
    loose = (use for use in _uses(changed.after) if not use.pinned and use.leaf.line in added)
    for use in {use.name: use for use in reversed(list(loose))}.values():
        known = before.get(use.name)
        named = given.quoted(changed.file.path, use.leaf.line, use.leaf.value)
        if known and known.pinned:
            yield _loosened(changed, use, named)
        elif not known and not use.by_github:
            yield _new(changed, use, named, Severity.MEDIUM if careful else Severity.LOW)


def _loosened(changed: Changed, use: _Use, named: str) -> Finding:
    return finding(
        NAME,
        changed.spot(use.leaf),
        severity=Severity.LOW if use.by_github else Severity.MEDIUM,
        category="security",
        title="An action is no longer pinned to a commit",
        body=f"{named} can be moved to other code by whoever owns it; before, it "
        "was named by its commit. Name the commit, with the version in a comment.",
    )


def _new(changed: Changed, use: _Use, named: str, severity: Severity) -> Finding:
    what = "an image's digest" if use.name.startswith(_IMAGE) else "the full id of a commit"
    return finding(
        NAME,
        changed.spot(use.leaf),
        severity=severity,
        category="security",
        title="An action is not pinned to a commit",
        body=f"{named} can be moved to other code by whoever owns it, and would "
        f"run with this workflow's token and secrets. Name it by {what}, with the version in a "
        "comment.",
    )
