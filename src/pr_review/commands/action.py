"""The action: from the event of a workflow to one review on the pull request."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

from pr_review import settings as configuration
from pr_review.adapters.actions.checkout import token_warning
from pr_review.adapters.actions.environment import RunnerEnvironment, read_event
from pr_review.adapters.actions.log import Log
from pr_review.adapters.git import RemoteSource
from pr_review.adapters.github import Client, GitHubPullRequests, GitHubReviews
from pr_review.adapters.llm.model import ChildModel
from pr_review.adapters.llm.providers import credential_variables
from pr_review.commands.leave import leave_behind
from pr_review.commands.outcome import all_agents_failed, ended
from pr_review.commands.wiring import (
    child_model,
    doors,
    missing_model,
    passed_to_git,
    plan,
)
from pr_review.domain.pull_request import PullRequest
from pr_review.domain.review import Run, RunStatus
from pr_review.errors import PrReviewError
from pr_review.event.advice import Use, advice, by_dependabot, gets_nothing
from pr_review.event.commands import help_text
from pr_review.event.trigger import Ours, Skipped, decide, eligible, permit
from pr_review.pipeline import review
from pr_review.review.compose import compose
from pr_review.review.post import post
from pr_review.settings import FILE, Layer, Settings
from pr_review.snapshot.screen import screen_branches

_SHARED_UID = (
    "the model's process runs as the same user as this one: run the action in its container "
    "to keep them apart"
)
_NO_SECRETS = (
    "a pull request from a fork or by Dependabot gets no secrets, so no model can be asked; the "
    "job summary shows what to do"
)
_NO_RIGHTS = (
    "GitHub gives this run, of a fork or of Dependabot, no token with pull-requests: write, so "
    "nothing was posted"
)


@dataclass(frozen=True)
class _Job:
    """A pull request that is ours to review, and the settings that hold for it.

    `comment_id` is the comment that asked for the review, if one did.
    """

    pull: PullRequest
    settings: Settings
    comment_id: int | None


@dataclass
class Action:
    """One run of the action; `runner` is what the runner told, `inputs` what the user set."""

    environ: Mapping[str, str]
    runner: RunnerEnvironment
    inputs: Layer
    log: Log
    _written: bool = False

    def run(self) -> int:
        """Reviews, posts, writes what is left behind. Raises `PrReviewError`."""
        try:
            given = configuration.load(self.inputs)
            client = Client(self.runner.api_url, given.token, self.runner.repository)
            pulls = GitHubPullRequests(client)
            job = self._job(read_event(self.runner.event_path), given, pulls)
            if isinstance(job, Skipped):
                self._write(Run(RunStatus.SKIPPED, reason=job.reason), advice=job.advice)
                return 0
            if job.comment_id is not None:
                pulls.acknowledge(job.comment_id)
            run = self._review(job, pulls)
            run = self._posted(run, GitHubReviews(client, job.pull.number), job.settings)
        except SystemExit:
            if not self._written:
                self._fail(Run(RunStatus.FAILED), "the run was cancelled")
            raise
        except Exception as error:
            if not self._written:
                known = isinstance(error, PrReviewError)
                reason = str(error) if known else f"a bug of pr-review ({type(error).__name__})"
                self._fail(Run(RunStatus.FAILED), reason)
            raise
        return ended(run, job.settings.gates())

    def _job(
        self, payload: dict[str, Any], given: Settings, pulls: GitHubPullRequests
    ) -> _Job | Skipped:
        """What the event asks for: asked once to learn which pull request it is about, and
        again with what the file at the present tip of its base branch says."""
        event, repository = self.runner.event_name, str(self.runner.repository)
        decision = decide(event, payload, given.event_policy(repository))
        if decision.number is None:
            assert isinstance(decision, Skipped)
            return decision
        if isinstance(decision, Ours) and decision.help:
            return _helped(decision, pulls)
        pull = pulls.pull_request(decision.number)
        file = configuration.file(pulls.base_file(pull.base_ref, FILE))
        settings = configuration.load(self.inputs, file)
        policy = settings.event_policy(repository)
        decision = decide(event, payload, policy)
        if isinstance(decision, Ours):
            decision = permit(decision, pulls)
        if isinstance(decision, Skipped):
            return decision
        if reason := eligible(pull, policy, requested=decision.requested):
            return Skipped(reason)
        without = self._without_model(pull, settings)
        return without or _Job(pull, settings, decision.comment_id)

    def _without_model(self, pull: PullRequest, settings: Settings) -> Skipped | None:
        """Why no model can be asked, where that is no fault of the settings: forks and Dependabot
        get no secrets. Raises `ConfigurationError` where it is one."""
        problem = missing_model(settings, self.environ)
        if problem and not (pull.fork or by_dependabot(pull)):
            raise problem
        if problem is None:
            return None
        return Skipped(f"{problem.message}; {_NO_SECRETS}", advice=self._advice(pull, settings))

    def _advice(self, pull: PullRequest, settings: Settings) -> str:
        secret = next(iter(credential_variables(settings.model)), "")
        return advice(pull, Use(self.runner.action, settings.model, secret))

    def _review(self, job: _Job, pulls: GitHubPullRequests) -> Run:
        """Runs the pipeline while the model's process loads."""
        pull, settings = job.pull, job.settings
        warnings = list(filter(None, [token_warning(self.runner.workspace)]))
        with child_model(settings, self.environ) or nullcontext() as model:
            source = RemoteSource(
                server_url=self.runner.server_url,
                repository=str(pull.repository),
                number=pull.number,
                merge_base=pulls.merge_base(pull.base_sha, pull.head_sha),
                head=pull.head_sha,
                token=settings.token,
                max_bytes=settings.max_diff_bytes,
                passed=passed_to_git(self.environ),
                seconds=settings.prepare_deadline,
            )
            with source:
                opened = doors(source, model, settings, self.log.text)
                run = review(pulls.brief(pull), plan(settings), opened)
            warnings += _isolation(model)
        shown = screen_branches(pull, opened.scanner, settings.screening)
        return replace(run, pull_request=shown, warnings=tuple(warnings))

    def _posted(self, run: Run, host: GitHubReviews, settings: Settings) -> Run:
        """Posts the review; a run whose agents all failed posts nothing that reads as clean."""
        assert run.pull_request is not None
        if run.status is RunStatus.SKIPPED:
            self._write(run)
            return run
        if all_agents_failed(run):
            self._fail(run, "all agents failed")
            return run
        policy = settings.review_policy()
        try:
            posted = post(
                compose(run, policy),
                host,
                without_comments=compose(run, policy, inline=False),
                pull_request=run.pull_request,
                policy=policy,
                run_id=secrets.token_hex(8),
            )
        except PrReviewError as error:  # what was found still reaches a reader
            if error.denied and gets_nothing(run.pull_request, self.runner.event_name):
                return self._kept_back(run, settings)
            self._fail(run, str(error))
            raise
        run = run.with_url(posted.url)
        if posted.skipped:
            run = replace(run, status=RunStatus.SKIPPED, reason=posted.skipped)
        self._write(run)
        return run

    def _kept_back(self, run: Run, settings: Settings) -> Run:
        """The run of a fork or of Dependabot, whose review stands in the job summary alone."""
        pull = run.pull_request
        assert pull is not None
        self.log.notice(f"{_NO_RIGHTS}; its review is in the job summary", title="pr-review")
        run = replace(run, status=RunStatus.SKIPPED, reason=_NO_RIGHTS)
        self._write(run, advice=self._advice(pull, settings))
        return run

    def _write(self, run: Run, *, advice: str = "") -> None:
        """Log, job summary, JSON report and outputs; raises what could not be written.

        `advice` is Markdown that ends the job summary.
        """
        self._written = True
        if unwritten := leave_behind(run, self.runner, self.log, advice=advice):
            raise unwritten

    def _fail(self, run: Run, reason: str) -> None:
        """The same for a run that ends with an error, which must not be hidden by another."""
        self._written = True
        failed = replace(run, status=RunStatus.FAILED, reason=reason)
        if unwritten := leave_behind(failed, self.runner, self.log):
            self.log.warning(str(unwritten))


def _helped(ours: Ours, pulls: GitHubPullRequests) -> Skipped:
    """Answers somebody who asked for help and may write; no model is asked."""
    decision = permit(ours, pulls)
    if isinstance(decision, Skipped):
        return decision
    pulls.reply(ours.number, help_text())
    return Skipped("the comment asked for help, and was answered")


def start(environ: Mapping[str, str], log: Log) -> int:
    """Runs the action on what the runner set. Raises `PrReviewError`."""
    inputs, warnings = configuration.inputs(environ)
    for secret in _secrets(inputs):
        log.mask(secret)
    for warning in warnings:
        log.warning(warning)
    return Action(environ, RunnerEnvironment.of(environ), inputs, log).run()


def _secrets(inputs: Layer) -> Iterator[str]:
    """What the runner must hide; of headers the values, and their last word: `Bearer abc`."""
    for name in ("github-token", "api-key"):
        yield inputs.values.get(name, "")
    for line in inputs.values.get("extra-headers", "").split("\n"):
        value = line.partition(":")[2].strip()
        yield from (value, value.rpartition(" ")[2])


def _isolation(model: ChildModel | None) -> list[str]:
    return [_SHARED_UID] if model is not None and model.isolation == "process" else []
