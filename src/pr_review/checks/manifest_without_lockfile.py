"""A manifest asks for other dependencies, and the lock file beside it was not brought along."""

from __future__ import annotations

from pr_review.checks.check import CheckInput, code, finding
from pr_review.checks.dependencies.drift import Drift, manifests_ahead
from pr_review.checks.dependencies.places import listed, place
from pr_review.domain.finding import Finding, Severity

NAME = "manifest-without-lockfile"


def run(given: CheckInput) -> tuple[Finding, ...]:
    """One finding for a manifest and a lock file, on the first dependency line that changed."""
    if given.tree is None:
        return ()
    return tuple(map(_finding, manifests_ahead(given.change, given.tree)))


def _finding(drift: Drift) -> Finding:
    return finding(
        NAME,
        place(drift.changed, drift.names),
        severity=Severity.MEDIUM,
        category="dependencies",
        title="The lock file does not follow the manifest",
        body=f"What this manifest asks for changed for {listed(drift.names)}, but "
        f"{code(drift.other)} is as before. An install from the lock file fails or brings "
        f"other versions; run `{drift.ecosystem.update}` and commit the result.",
    )
