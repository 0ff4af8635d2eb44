"""All checks, in the order in which the documentation lists them."""

from __future__ import annotations

from pr_review.checks import (
    conflict_markers,
    credential_added,
    debugger_added,
    deleted_tests,
    executable_changed,
    focused_tests,
    generated_edited,
    large_binary,
    lockfile_without_manifest,
    manifest_without_lockfile,
    skipped_tests,
    symlink_changed,
    unpinned_action,
    workflow_permissions,
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
    Check(
        debugger_added.NAME,
        "Added code stops the program in a debugger, or prints for its author alone.",
        debugger_added.run,
    ),
    Check(
        focused_tests.NAME,
        "A test is focused, so that the others of its run do not run.",
        focused_tests.run,
    ),
    Check(
        skipped_tests.NAME,
        "A test is switched off, whatever the circumstances.",
        skipped_tests.run,
    ),
    Check(
        deleted_tests.NAME,
        "Tests go away, fewer come, and the code that they are named for stays.",
        deleted_tests.run,
    ),
    Check(
        executable_changed.NAME,
        "The executable bit of a file that was there before changed.",
        executable_changed.run,
    ),
    Check(
        symlink_changed.NAME,
        "A symbolic link leads out of the repository, or elsewhere than before.",
        symlink_changed.run,
    ),
    Check(
        large_binary.NAME,
        "A binary file of a megabyte or more comes in.",
        large_binary.run,
    ),
    Check(
        generated_edited.NAME,
        "A generated file changed, and nothing did that its generator may have read.",
        generated_edited.run,
    ),
    Check(
        workflow_permissions.NAME,
        "A workflow may do more than before, or runs a stranger's code with its rights.",
        workflow_permissions.run,
    ),
    Check(
        unpinned_action.NAME,
        "A workflow uses somebody else's action by a name that can be moved to other code.",
        unpinned_action.run,
    ),
)

NAMES = tuple(check.name for check in CHECKS)
