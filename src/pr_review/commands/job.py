"""Which pull request a run of the action is about, and with which settings; or why about none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pr_review import settings as configuration
from pr_review.adapters.actions.environment import RunnerEnvironment
from pr_review.adapters.github import GitHubPullRequests
from pr_review.adapters.llm.providers import credential_variables
from pr_review.commands.wiring import missing_model
from pr_review.domain.pull_request import PullRequest
from pr_review.event.advice import Use, advice, by_dependabot
from pr_review.event.commands import help_text
from pr_review.event.trigger import Ours, Skipped, decide, eligible, permit
from pr_review.settings import FILE, Layer, Settings

_NO_SECRETS = (
    "a pull request from a fork or by Dependabot gets no secrets, so no model can be asked; the "
    "job summary shows what to do"
)


@dataclass(frozen=True)
class Job:
    """A pull request that is ours to review, and the settings that hold for it.

    `comment_id` is the comment that asked for the review, if one did; `incremental` tells that
    what an earlier review vouches for need not be reviewed again.
    """

    pull: PullRequest
    settings: Settings
    comment_id: int | None
    incremental: bool


@dataclass(frozen=True)
class Finder:
    """Finds the job of one event; `inputs` is what the user set, `environ` the step's."""

    runner: RunnerEnvironment
    inputs: Layer
    environ: Mapping[str, str]
    pulls: GitHubPullRequests

    def job(self, payload: dict[str, Any], given: Settings) -> Job | Skipped:
        """Asks the event once to learn which pull request it is about, and again with what the
        file at the present tip of its base branch says. Raises `PrReviewError`."""
        event, repository = self.runner.event_name, str(self.runner.repository)
        decision = decide(event, payload, given.event_policy(repository))
        if decision.number is None:
            assert isinstance(decision, Skipped)
            return decision
        if isinstance(decision, Ours) and decision.help:
            return self._helped(decision)
        pull = self.pulls.pull_request(decision.number)
        file = configuration.file(self.pulls.base_file(pull.base_ref, FILE))
        settings = configuration.load(self.inputs, file)
        policy = settings.event_policy(repository)
        decision = decide(event, payload, policy)
        if isinstance(decision, Ours):
            decision = permit(decision, self.pulls)
        if isinstance(decision, Skipped):
            return decision
        if reason := eligible(pull, policy, requested=decision.requested):
            return Skipped(reason)
        incremental = settings.review == "incremental" and not decision.full
        job = Job(pull, settings, decision.comment_id, incremental)
        return self._without_model(job) or replace(job, settings=self._completed(pull, settings))

    def _completed(self, pull: PullRequest, settings: Settings) -> Settings:
        """With what the settings take from further files of the base branch, if anything."""
        where = f" of branch {pull.base_ref}"
        return settings.complete(
            lambda path: self.pulls.base_file(pull.base_ref, path), where=where
        )

    def advice(self, job: Job) -> str:
        """What to do where GitHub gives a run neither secrets nor rights, as Markdown."""
        secret = next(iter(credential_variables(job.settings.model)), "")
        return advice(job.pull, Use(self.runner.action, job.settings.model, secret))

    def _without_model(self, job: Job) -> Skipped | None:
        """Why no model can be asked, where that is no fault of the settings: forks and Dependabot
        get no secrets. Raises `ConfigurationError` where it is one."""
        problem = missing_model(job.settings, self.environ)
        if problem is None:
            return None
        if not (job.pull.fork or by_dependabot(job.pull)):
            raise problem
        return Skipped(f"{problem.message}; {_NO_SECRETS}", advice=self.advice(job))

    def _helped(self, ours: Ours) -> Skipped:
        """Answers somebody who asked for help and may write; no model is asked."""
        decision = permit(ours, self.pulls)
        if isinstance(decision, Skipped):
            return decision
        self.pulls.reply(ours.number, help_text())
        return Skipped("the comment asked for help, and was answered")
