"""All checks, in the order in which the documentation lists them."""

from __future__ import annotations

from pr_review.checks import (
    conflict_markers,
    credential_added,
    lockfile_without_manifest,
    manifest_without_lockfile,
)
from pr_review.checks.check import Check

CHECKS = (
    Check(
        credential_added.NAME,
        "An added line holds what screening takes for a credential; the value is never repeated.",
        credential_added.run,
    ),
    Check(
        conflict_markers.NAME,
        "Added lines hold the markers of a merge conflict, from its start to its end.",
        conflict_markers.run,
    ),
    Check(
        manifest_without_lockfile.NAME,
        "A manifest's dependency table changed in a way that its lock file does not record.",
        manifest_without_lockfile.run,
    ),
    Check(
        lockfile_without_manifest.NAME,
        "A lock file's direct requirements changed and its manifest's dependency table did not.",
        lockfile_without_manifest.run,
    ),
)

NAMES = tuple(check.name for check in CHECKS)
