"""Runs the checks: the same change always brings the same findings in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pr_review.checks.check import CheckInput
from pr_review.checks.policy import ChecksPolicy, select
from pr_review.domain.finding import Finding

MOST_FINDINGS = 100
"""Of one check; a change may hold a hundred thousand lines of one kind."""


def run(given: CheckInput, policy: ChecksPolicy) -> tuple[Finding, ...]:
    """Findings of the selected checks by path, line and check; of one that has more than
    `MOST_FINDINGS` the worst, and one more that counts the others.

    Raises `ConfigurationError` for an unknown check, `SnapshotError` from the tree.
    """
    found = [item for check in select(policy) for item in _bounded(check.name, check.run(given))]
    return tuple(sorted(found, key=_order))


def _bounded(check: str, found: Sequence[Finding]) -> Iterator[Finding]:
    if len(found) <= MOST_FINDINGS:
        yield from found
        return
    ranked = sorted(found, key=lambda f: (-f.severity, *_order(f)))
    yield from ranked[:MOST_FINDINGS]
    first, *others = ranked[MOST_FINDINGS:]
    yield replace(
        first,
        start=None,
        end=None,
        title=f"{len(others) + 1:,} more findings of {check} are not listed",
        body=f"The first of them stands in this file: {first.title}. The worst are told.",
    )


def _order(finding: Finding) -> tuple[str, int, int, tuple[str, ...]]:
    return (finding.path, finding.start or 0, finding.end or 0, finding.sources)
