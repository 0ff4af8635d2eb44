"""From a job to one review on its pull request: what stands there, the change, the post."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from pr_review.adapters.actions.checkout import token_warning
from pr_review.adapters.actions.environment import RunnerEnvironment
from pr_review.adapters.github import Client, GitHubPullRequests, GitHubReviews
from pr_review.adapters.llm.model import ChildModel
from pr_review.agents.quote import Account
from pr_review.commands.job import Job
from pr_review.commands.outcome import agents_failure, as_told
from pr_review.commands.pace import Pace
from pr_review.commands.wiring import child_model, doors, fetched, plan
from pr_review.domain.pull_request import PullRequest
from pr_review.domain.review import Run, RunStatus
from pr_review.errors import GitHubError, HeadMoved, PrReviewError
from pr_review.event.advice import gets_nothing
from pr_review.judge.rank import rank
from pr_review.pipeline import review
from pr_review.report.line_hash import line_hashes
from pr_review.review.compose import compose
from pr_review.review.earlier import Earlier, earlier, since
from pr_review.review.policy import ReviewPolicy
from pr_review.review.post import Posted, charge, check_rights, post
from pr_review.review.settle import settle
from pr_review.snapshot.screen import screen_branches

NO_RIGHTS = (
    "GitHub gives this run, of a fork or of Dependabot, no token with pull-requests: write, so "
    "nothing was posted"
)
NO_LASTING_KEY = (
    "what earlier runs cost is kept in reviews that are signed with a key made from api-key: give "
    "the provider's key as api-key, or leave the ceiling out"
)
_NOT_KNOWN = (
    "an earlier review does not know what it cost: set input-cost-per-mtok and "
    "output-cost-per-mtok for later ones, and leave the ceiling out on this pull request"
)
_NOT_COUNTED = (
    "what this run cost stands on no review, so max-cost-usd-per-pull-request does not count it"
)
SHARED_UID = (
    "the model's process runs as the same user as this one: run the action in its container "
    "to keep them apart"
)


@dataclass(frozen=True)
class Outcome:
    """What a run comes to. `error` is why its review does not stand on the pull request,
    `kept_back` that the event gives no right to put it there.
    """

    run: Run
    error: PrReviewError | None = None
    kept_back: bool = False


@dataclass(frozen=True)
class Reviewing:
    """One job at work; `environ` is the step's environment, `bundle` what `trusted` gives."""

    job: Job
    client: Client
    pulls: GitHubPullRequests
    runner: RunnerEnvironment
    environ: Mapping[str, str]
    bundle: Path | None
    pace: Pace
    say: Callable[[str], None]
    run_id: str = field(default_factory=lambda: secrets.token_hex(8))

    def outcome(self) -> Outcome:
        """Reviews the pull request and posts. Raises `PrReviewError` where there is no run."""
        run = Run(RunStatus.SKIPPED, pull_request=self._pull)
        host = GitHubReviews(
            self.client, self._pull.number, settle=self.pace.settle, max_wait=self.pace.max_wait
        )
        try:
            told, run = self._asked(host)
            if run.status is RunStatus.SKIPPED:
                return Outcome(run)
            if failure := agents_failure(run):  # nothing that reads as clean is posted
                return Outcome(self._accounted(as_told(run), host, tell=True), failure)
            run = self._settled(run, told)
            if run.status is RunStatus.REFUSED and told.paid_url:  # it says more than a refusal
                return Outcome(run.with_url(told.paid_url))
            return self._posted(run, host)
        except HeadMoved as error:
            return Outcome(replace(run, reason=str(error)))
        except PrReviewError as error:  # what was found still reaches a reader
            if error.denied and gets_nothing(self._pull, self.runner.event_name):
                return Outcome(
                    replace(run, status=RunStatus.SKIPPED, reason=NO_RIGHTS), kept_back=True
                )
            if run.change is None:
                raise
            failed = replace(run, status=RunStatus.FAILED, reason=str(error))
            return Outcome(self._accounted(failed, host), error)

    @property
    def _pull(self) -> PullRequest:
        return self.job.pull

    @property
    def _policy(self) -> ReviewPolicy:
        return self.job.settings.review_policy()

    def _before(self, host: GitHubReviews) -> Earlier:
        """What stands on the pull request. The first write is one that can be undone, and comes
        before anything is paid for: nothing else tells whether the token may write."""
        if self.job.comment_id is not None:
            host.login = self.pulls.acknowledge(self.job.comment_id)
        # a reaction to a comment proves the right, unless the conversation is locked
        proved = self.job.comment_id is not None and not self._pull.locked
        if self.job.settings.has_model and not proved:
            check_rights(host, run_id=self.run_id, patience=self.pace.lock)
        return earlier(host.standing(), self._pull, self._policy, self._may_write)

    def _may_write(self, login: str) -> bool:
        try:
            return self.pulls.may_write(login)
        except GitHubError:
            return False  # no answer is no permission

    def _moved(self, host: GitHubReviews) -> str:
        """Whether somebody pushed since the pull request was read; looked up again at the end."""
        try:
            return host.standing().moved(self._pull.head_sha)
        except PrReviewError:
            return ""

    def _asked(self, host: GitHubReviews) -> tuple[Earlier, Run]:
        """What stands on the pull request, and the review of it. The model's process loads
        meanwhile: from the start, but where the right to post may turn out to be missing only
        when it is proved, since a run that is skipped needs none."""
        model = child_model(self.job.settings, self.environ, self.bundle)
        try:
            if model and not gets_nothing(self._pull, self.runner.event_name):
                model.start()
            told = self._before(host)
            return told, self._reviewed(told, host, model)
        finally:
            if model:
                model.kill()

    def _reviewed(self, told: Earlier, host: GitHubReviews, model: ChildModel | None) -> Run:
        settings, pull = self.job.settings, self._pull
        with model or nullcontext():
            merge_base = self.pulls.merge_base(pull.base_sha, pull.head_sha)
            brief = self.pulls.brief(pull)
            known = since(told, merge_base, brief.commit_ids) if self.job.incremental else ""
            source = fetched(
                pull, merge_base, settings, self.client,
                server_url=self.runner.server_url, environ=self.environ,
                bundle=self.bundle, say=self.say,
            )  # fmt: skip
            with source as change:
                opened = doors(
                    change, model, settings, self.say,
                    tree=lambda: change.source.tree, workspace=self.runner.workspace,
                )  # fmt: skip
                opened = replace(opened, moved=lambda: self._moved(host))
                planned = replace(plan(settings, since=known), account=self._account(told))
                planned = replace(planned, line_by_line=settings.report_html)
                run = review(brief, planned, opened)
                if settings.report_sarif and (tree := change.source.tree):
                    found = (judged.finding for judged in run.judged)
                    run = replace(run, line_hashes=line_hashes(found, tree.read))
            warnings = (*self._warnings(model), *run.warnings)
        shown = screen_branches(pull, opened.scanner, settings.screening)
        web_url = f"{self.runner.server_url.rstrip('/')}/{pull.repository}"
        return replace(run, pull_request=shown, warnings=warnings, web_url=web_url)

    def _warnings(self, model: ChildModel | None) -> list[str]:
        shared = SHARED_UID if model is not None and model.isolation == "process" else ""
        return [text for text in (token_warning(self.runner.workspace), shared) if text]

    def _settled(self, run: Run, told: Earlier) -> Run:
        """The run among earlier ones; skipped if it has nothing to add to what they told."""
        run = settle(run, told, self._policy)
        # what an earlier review told takes no room of new comments
        run = replace(run, judged=rank(run.judged, self.job.settings.judge_policy()))
        nothing = run.status is RunStatus.NOT_REVIEWED and not (run.findings or run.resolved)
        if run.since and nothing and run.snapshot and not run.snapshot.ledger.withheld:
            reason = f"nothing is new since the review of {run.since[:12]}"
            return replace(run, status=RunStatus.SKIPPED, reason=reason)
        return run

    def _posted(self, run: Run, host: GitHubReviews) -> Outcome:
        if run.status is RunStatus.SKIPPED:
            return Outcome(run)
        posted = self._post(run, host, inline=True)
        run = run.with_url(posted.url)
        if posted.skipped:
            run = replace(run, status=RunStatus.SKIPPED, reason=posted.skipped)
            run = self._accounted(run, host)
        return Outcome(run)

    def _post(self, run: Run, host: GitHubReviews, *, inline: bool) -> Posted:
        return post(
            compose(run, self._policy, inline=inline),
            host,
            without_comments=compose(run, self._policy, inline=False),
            pull_request=self._pull,
            policy=self._policy,
            run_id=self.run_id,
            patience=self.pace.lock,
        )

    def _account(self, told: Earlier) -> Account | None:
        """The ceiling over all runs on this pull request, and what is left of it."""
        ceiling = self.job.settings.max_cost_usd_per_pull_request
        if ceiling is None:
            return None
        if self._policy.marker_key is None:
            return Account(ceiling, None, NO_LASTING_KEY)
        return Account(ceiling, told.spent_usd, _NOT_KNOWN)

    def _accounted(self, run: Run, host: GitHubReviews, *, tell: bool = False) -> Run:
        """Keeps the account of a run that was paid for and leaves no review, where a ceiling
        counts on it: on our latest review, or if there is none and we are to `tell`, on a short
        one that says what became of the run."""
        if self.job.settings.max_cost_usd_per_pull_request is None or run.spent_usd == 0:
            return run
        try:
            kept = charge(run.spent_usd, host, pull_request=self._pull, policy=self._policy)
            if tell and not kept:
                return run.with_url(self._post(run, host, inline=False).url)
        except PrReviewError:  # the error that ended the run is the one to tell
            kept = False
        return run if kept else replace(run, warnings=(*run.warnings, _NOT_COUNTED))
