"""Runs the checks: the same change always brings the same findings in the same order."""

from __future__ import annotations

from pr_review.checks.check import CheckInput
from pr_review.checks.policy import ChecksPolicy, select
from pr_review.domain.finding import Finding


def run(given: CheckInput, policy: ChecksPolicy) -> tuple[Finding, ...]:
    """Findings of the selected checks by path, line and check.

    Raises `ConfigurationError` for an unknown check, `SnapshotError` from the tree.
    """
    found = [item for check in select(policy) for item in check.run(given)]
    return tuple(sorted(found, key=lambda f: (f.path, f.start or 0, f.end or 0, f.sources)))
