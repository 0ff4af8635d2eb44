"""How a finished run ends the process."""

from __future__ import annotations

from dataclasses import replace

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
    who = f"all {len(run.agents)} agents" if len(run.agents) > 1 else f"agent {run.agents[0].name}"
    return ModelError(f"{who} failed: {run.agents[0].failure}")


def as_told(run: Run) -> Run:
    """The run as its readers get it: one whose agents all failed is no review, and says so."""
    if agents_failure(run) is None:
        return run
    return replace(run, status=RunStatus.FAILED, reason="all agents failed")
