"""The run on one page: from a change to all that is to be said of it.

Nothing is sent to a model before the quote is admitted, and no agent is asked about a
snapshot that shows no changed line: an empty prompt would bring a confidently empty review.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from pr_review.agents import prompt, quote
from pr_review.agents.assignment import assigned, guided, idle
from pr_review.agents.passes import run as ask
from pr_review.agents.policy import AgentPolicy
from pr_review.agents.ports import Pricing
from pr_review.agents.prompt import BriefText
from pr_review.agents.run import stood_in
from pr_review.agents.shorten import Refit, answers, shortened
from pr_review.agents.verify import Asked, verify
from pr_review.checks import sarif
from pr_review.checks.check import CheckInput
from pr_review.checks.run import run as check
from pr_review.domain.coverage import MarkedFile
from pr_review.domain.diff import Change
from pr_review.domain.finding import AgentOutcome, Finding
from pr_review.domain.pull_request import Brief
from pr_review.domain.review import Run, RunStatus
from pr_review.domain.snapshot import Snapshot
from pr_review.judge.applies import applicable
from pr_review.judge.judge import judge, rejudge
from pr_review.plan import Doors, Plan
from pr_review.snapshot import grounds
from pr_review.snapshot.fit import fit
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.ports import TokenCounter
from pr_review.snapshot.prepare import Prepared, Tools, prepare
from pr_review.snapshot.reviewed import new_since
from pr_review.snapshot.screen import screen_brief, screen_findings, screen_texts
from pr_review.snapshot.view import coverage_report

Lines = Callable[[Snapshot], tuple[MarkedFile, ...]]


def review(brief: Brief, plan: Plan, doors: Doors) -> Run:
    """Reviews one change; the run has no pull request yet. Raises `PrReviewError`."""
    started = time.monotonic()
    change = doors.source.change()
    since, touched, warnings = new_since(plan.snapshot, doors.source.touched_since)
    plan = replace(plan, snapshot=since)
    tools = Tools(
        doors.source,
        doors.reader,
        doors.scanner,
        late=lambda: time.monotonic() - started > plan.prepare_seconds,
        touched=touched,
    )
    prepared = prepare(change, plan.snapshot, tools)
    found, results = _found(prepared, plan, doors)
    brief = guided(brief, plan.agents, [file.path for file in change.files])
    told, asked = _screened(brief, plan, doors)
    leaks = (told, asked) != (brief, plan.agents)
    plan = replace(plan, agents=asked)
    # what nobody will be told is not known already
    known = [tool for tool in found if tool.severity >= plan.judge.min_severity]
    named = [replace(tool, path=prepared.names.get(tool.path, tool.path)) for tool in known]
    text = prompt.brief(told, named, count=doors.counter.count)
    policy = plan.snapshot
    if doors.model:
        policy = bounded(policy, doors.model.name, plan.agents, doors.pricing, doors.counter)

    def refit(tokens: int, passes: int) -> Snapshot:
        within = replace(policy, token_budget=tokens, passes=passes)
        return fit(prepared, within, doors.counter)

    def lines(shown: Snapshot) -> tuple[MarkedFile, ...]:
        return coverage_report(prepared, shown).files if plan.line_by_line else ()

    snapshot = refit(policy.token_budget, policy.passes)
    run = Run(
        RunStatus.REVIEWED, change=change, snapshot=snapshot, files=lines(snapshot),
        model=doors.model.name if doors.model else "", judged=judge(found, snapshot, plan.judge),
        warnings=(*warnings, *results.warnings), tools=results.counts,
    )  # fmt: skip
    status, reason = _ground(snapshot, change, plan, leaks=leaks)
    if reason or not doors.model:
        return replace(run, status=status, reason=reason)
    return _asked(run, text, found, plan, doors, refit=refit, lines=lines)


def _found(
    prepared: Prepared, plan: Plan, doors: Doors
) -> tuple[tuple[Finding, ...], sarif.ToolResults]:
    """What the checks say of a change, and other tools, without the credentials that some quote."""
    change, tree = prepared.change, doors.tree()
    results = sarif.read(doors.results(), change, tree, plan.snapshot.excludes)
    found = check(CheckInput(change, prepared.redactions, tree, doors.yaml), plan.checks)
    found = (*found, *results.findings)
    return screen_findings(found, doors.scanner, plan.snapshot.screening), results


def _screened(brief: Brief, plan: Plan, doors: Doors) -> tuple[Brief, AgentPolicy]:
    """The brief, and what the agents are told of their tasks, without credentials."""
    scanner, screening = doors.scanner, plan.snapshot.screening
    asked = plan.agents.cleaned(lambda texts: screen_texts(texts, scanner, screening))
    return screen_brief(brief, scanner, screening), asked


def _ground(
    snapshot: Snapshot, change: Change, plan: Plan, *, leaks: bool
) -> tuple[RunStatus, str]:
    """Why nobody is to be asked about a change, and what that makes of its run."""
    ledger = snapshot.ledger
    if reason := grounds.filtered(ledger):
        return RunStatus.SKIPPED, reason
    if reason := grounds.oversize(change, plan.max_diff_bytes):
        return RunStatus.REFUSED, reason
    if reason := grounds.leaking(ledger, plan.snapshot.screening, brief_leaks=leaks):
        return RunStatus.REFUSED, reason
    if reason := grounds.nothing(snapshot):
        return RunStatus.NOT_REVIEWED, reason
    return RunStatus.REVIEWED, ""


def bounded(
    policy: SnapshotPolicy, model: str, asked: AgentPolicy, pricing: Pricing, counter: TokenCounter
) -> SnapshotPolicy:
    """The snapshot's policy, within what the largest prompt of a model leaves for it."""
    room = quote.room(model, asked, pricing, agents=asked.agents, count=counter.count)
    return replace(policy, token_budget=min(policy.token_budget, room))


def _asked(
    run: Run, brief: BriefText, tools: tuple[Finding, ...], plan: Plan, doors: Doors,
    *, refit: Refit, lines: Lines,
) -> Run:  # fmt: skip
    """The same run with the agents' answers, or refused before any call."""
    model, snapshot, change = doors.model, run.snapshot, run.change
    assert model is not None
    assert snapshot is not None
    assert change is not None
    agents = assigned(plan.agents, snapshot.ledger)

    def prompts(shown: Snapshot) -> list[prompt.Prompts]:
        return prompt.in_passes(plan.agents, agents, brief.text, shown)

    offered = quote.offer(
        model.name, prompts(snapshot), plan.agents, doors.pricing,
        agents=agents, count=doors.counter.count, account=plan.account,
    )  # fmt: skip
    run = replace(run, quote=offered.quote, guidelines=brief.guidelines)
    run = replace(run, warnings=(*run.warnings, *idle(plan.agents, agents), *brief.warnings))
    doors.say(f"quote: {offered.quote.words}")
    if offered.refusal:
        return replace(run, status=RunStatus.REFUSED, reason=offered.refusal)
    if reason := doors.moved():
        return replace(run, status=RunStatus.SKIPPED, reason=reason)

    def asked(shown: Snapshot, seconds: float) -> tuple[AgentOutcome, ...]:
        within = replace(offered.policy, run_seconds=seconds)
        return ask(agents, prompts(shown), model, doors.pricing, within, watch=doors.watch)

    ends = time.monotonic() + offered.policy.run_seconds * len(snapshot.passes)
    sent, outcomes = answers(snapshot, asked, refit, seconds=offered.policy.run_seconds)
    found = [finding for outcome in outcomes for finding in outcome.findings]
    verified = verify(
        judge([*tools, *found], sent, plan.judge), sent,
        Asked(model, doors.pricing, doors.counter.count, doors.watch), offered.policy,
        seconds=ends - time.monotonic(),
    )  # fmt: skip
    judged = rejudge(verified.judged, verified.same, plan.judge)
    judged = applicable(judged, change, doors.source.blobs, doors.reader)
    run = replace(run, snapshot=sent, files=run.files if sent is snapshot else lines(sent))
    run = replace(run, agents=outcomes, judged=judged, verifier=verified.outcome)
    told = [shortened(snapshot, sent), *stood_in(model.name, run.asked), *verified.warnings]
    told += [quote.overrun(offered.quote, run.asked)]
    return replace(run, warnings=(*run.warnings, *filter(None, told)))
