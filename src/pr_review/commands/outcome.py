"""How a finished run ends the process."""

from __future__ import annotations

from pr_review.domain.review import Run, RunStatus
from pr_review.errors import ModelError
from pr_review.report.gates import Gates, exit_code


def ended(run: Run, gates: Gates) -> int:
    """The exit code by the gates. Raises `ModelError` if every agent failed."""
    if failure := agents_failure(run):
        raise failure
    return exit_code(run, gates)


def agents_failure(run: Run) -> ModelError | None:
    """Why a run says nothing: every agent failed, so it has seen nothing, whatever it says."""
    if run.status is not RunStatus.REVIEWED or not run.agents:
        return None
    if not all(agent.failure and not agent.in_part for agent in run.agents):
        return None
    return ModelError(f"all {len(run.agents)} agents failed: {run.agents[0].failure}")
