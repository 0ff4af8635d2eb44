"""Runs of the action that ask a model, each on a pull request of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.standins.github import GitHubServer, StoredReview
from tests.standins.models import ModelServer, Script
from tests.standins.runner import Ended, Runner, model_inputs


@dataclass
class Runs:
    """One repository and one model; the jobs' files lie in `root`."""

    github: GitHubServer
    model: ModelServer
    root: Path
    number: int = 0

    def run(
        self, script: Script, inputs: Mapping[str, str] | None = None
    ) -> tuple[Ended, list[StoredReview]]:
        """How the run ended, and the reviews that it posted."""
        self.number += 1
        self.github.open_pull(self.number)
        self.model.play(script)
        given = {**model_inputs(self.model.url), **(inputs or {})}
        job = Runner(self.root / str(self.number), self.github, given)
        return job.run(self.github.event(self.number)), self.github.reviews(self.number)
