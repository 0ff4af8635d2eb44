"""Which exit code a finished run ends with: the verdict is not the tool's failure."""

from __future__ import annotations

from dataclasses import dataclass

from pr_review.domain.finding import Severity
from pr_review.domain.ledger import Coverage
from pr_review.domain.review import Run, RunStatus
from pr_review.errors import FINDING_EXIT_CODE, INCOMPLETE_EXIT_CODE

_UNREVIEWED = (RunStatus.REFUSED, RunStatus.NOT_REVIEWED)


@dataclass(frozen=True, slots=True)
class Gates:
    """When a step fails although the run did not.

    `fail_on` is the lowest severity that fails it, None for never. `partial` fails it when
    `source`, or `any` file, was not seen in full; `never` does not.
    """

    fail_on: Severity | None = None
    partial: str = "never"
    refused: bool = False


def exit_code(run: Run, gates: Gates) -> int:
    """0, 10 for a finding at or above the threshold, 11 for a run that did not see enough.

    A skipped run is 0, unless what earlier reviews told is still open: a push without anything
    to review opens no gate. A refused run has sent nothing: the partial gate closes for it too.
    """
    skipped = run.status is RunStatus.SKIPPED
    still = max((told.severity for told in run.still_open), default=None)
    worst = still if skipped else run.highest_severity
    if gates.fail_on is not None and worst is not None and worst >= gates.fail_on:
        return FINDING_EXIT_CODE
    if skipped:
        return 0
    if gates.refused and run.status in _UNREVIEWED:
        return INCOMPLETE_EXIT_CODE
    return INCOMPLETE_EXIT_CODE if _partial(run, gates.partial) else 0


def _partial(run: Run, gate: str) -> bool:
    if gate == "never":
        return False
    if run.status is RunStatus.REFUSED:
        return True
    seen = run.coverage if gate == "any" else run.coverage_source
    return seen is Coverage.PARTIAL
