"""How a finished run ends the process."""

from __future__ import annotations

from pr_review.domain.review import Run, RunStatus
from pr_review.errors import ModelError
from pr_review.report.gates import Gates, exit_code


def ended(run: Run, gates: Gates) -> int:
    """The exit code by the gates. Raises `ModelError` if every agent failed: such a run has
    seen nothing, whatever it says."""
    if all_agents_failed(run):
        raise ModelError(f"all {len(run.agents)} agents failed: {run.agents[0].failure}")
    return exit_code(run, gates)


def all_agents_failed(run: Run) -> bool:
    reviewed = run.status is RunStatus.REVIEWED
    return reviewed and bool(run.agents) and len(run.agents_failed) == len(run.agents)
