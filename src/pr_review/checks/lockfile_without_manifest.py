"""A lock file records other direct dependencies than the manifest asks for."""

from __future__ import annotations

from pr_review.checks.check import CheckInput, code, finding
from pr_review.checks.dependencies.drift import Drift, lockfiles_ahead
from pr_review.checks.dependencies.places import listed, place
from pr_review.domain.finding import Finding, Severity

NAME = "lockfile-without-manifest"


def run(given: CheckInput) -> tuple[Finding, ...]:
    """One finding for a lock file and a manifest; lock maintenance brings none."""
    if given.tree is None:
        return ()
    return tuple(map(_finding, lockfiles_ahead(given.change, given.tree)))


def _finding(drift: Drift) -> Finding:
    return finding(
        NAME,
        place(drift.changed, drift.names),
        severity=Severity.MEDIUM,
        category="dependencies",
        title="The manifest does not follow the lock file",
        body=f"This lock file records other direct requirements than before for "
        f"{listed(drift.names)}, but {code(drift.other)} asks for what it recorded. Change the "
        f"manifest and run `{drift.ecosystem.update}`, or restore the lock file.",
    )
