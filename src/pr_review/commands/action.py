"""The action: from the event of a workflow to what a run leaves behind."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pr_review import settings as configuration
from pr_review.adapters.actions.environment import RunnerEnvironment, read_event
from pr_review.adapters.actions.log import Log
from pr_review.adapters.github import Client, GitHubPullRequests
from pr_review.commands.job import Finder
from pr_review.commands.leave import leave_behind
from pr_review.commands.outcome import ended
from pr_review.commands.pace import Pace
from pr_review.commands.wiring import trusted
from pr_review.domain.review import Run, RunStatus
from pr_review.errors import PrReviewError
from pr_review.event.trigger import Skipped
from pr_review.settings import Layer, Settings


@dataclass
class Action:
    """One run of the action; `runner` is what the runner told, `inputs` what the user set."""

    environ: Mapping[str, str]
    runner: RunnerEnvironment
    inputs: Layer
    log: Log
    pace: Pace
    _written: bool = False

    def run(self) -> int:
        """Reviews, posts, writes what is left behind. Raises `PrReviewError`."""
        try:
            given = configuration.load(self.inputs)
            with trusted(given) as bundle:
                return self._run(given, bundle)
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

    def _run(self, given: Settings, bundle: Path | None) -> int:
        client = Client(
            self.runner.api_url, given.token, self.runner.repository,
            ca_bundle=bundle, timeout=self.pace.timeout, max_wait=self.pace.max_wait,
        )  # fmt: skip
        finder = Finder(self.runner, self.inputs, self.environ, GitHubPullRequests(client))
        job = finder.job(read_event(self.runner.event_path), given)
        if isinstance(job, Skipped):
            self._write(Run(RunStatus.SKIPPED, reason=job.reason), advice=job.advice)
            return 0
        # with all that reads and reviews a change: a run that is skipped does not wait for it
        from pr_review.commands.reviewing import NO_RIGHTS, Reviewing  # noqa: PLC0415

        # reads before the change, and those around the post, may each meet a rate limit
        asking = job.settings.max_passes * job.settings.run_deadline
        most = job.settings.prepare_deadline + asking + 2 * self.pace.max_wait
        client.deadline = time.monotonic() + most
        outcome = Reviewing(
            job, client, finder.pulls, self.runner, self.environ, bundle, self.pace, self.log.text
        ).outcome()
        if outcome.kept_back:
            self.log.notice(f"{NO_RIGHTS}; its review is in the job summary", title="pr-review")
        if outcome.run.status is RunStatus.FAILED:
            self._fail(outcome.run, outcome.run.reason, html=job.settings.report_html)
        else:
            advice = finder.advice(job) if outcome.kept_back else ""
            wanted = job.settings
            self._write(
                outcome.run, advice=advice, sarif=wanted.report_sarif, html=wanted.report_html
            )
        if outcome.error:
            raise outcome.error
        return ended(outcome.run, job.settings.gates())

    def _write(
        self, run: Run, *, advice: str = "", sarif: bool = False, html: bool = False
    ) -> None:
        """Log, job summary, JSON report, outputs, a SARIF file and a page if wanted; raises what
        could not be written.

        `advice` is Markdown that ends the job summary.
        """
        self._written = True
        if unwritten := leave_behind(
            run, self.runner, self.log, advice=advice, sarif=sarif, html=html
        ):
            raise unwritten

    def _fail(self, run: Run, reason: str, *, html: bool = False) -> None:
        """The same for a run that ends with an error, which must not be hidden by another."""
        self._written = True
        failed = replace(run, status=RunStatus.FAILED, reason=reason)
        if unwritten := leave_behind(failed, self.runner, self.log, html=html):
            self.log.warning(str(unwritten))


def start(environ: Mapping[str, str], log: Log, pace: Pace | None = None) -> int:
    """Runs the action on what the runner set. Raises `PrReviewError`."""
    inputs, warnings = configuration.inputs(environ)
    for secret in _secrets(inputs):
        log.mask(secret)
    for warning in warnings:
        log.warning(warning)
    return Action(environ, RunnerEnvironment.of(environ), inputs, log, pace or Pace()).run()


def _secrets(inputs: Layer) -> Iterator[str]:
    """What the runner must hide; of headers the values, and their last word: `Bearer abc`."""
    for name in ("github-token", "api-key"):
        yield inputs.values.get(name, "")
    for line in inputs.values.get("extra-headers", "").split("\n"):
        value = line.partition(":")[2].strip()
        yield from (value, value.rpartition(" ")[2])
