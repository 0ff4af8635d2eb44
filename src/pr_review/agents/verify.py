"""The verify pass: a model tries to refute what the agents found; what it refutes is withheld.

It is one request about all candidates, which also asks what of all that is told in one place is one
problem. Whatever goes wrong with it, the findings stand as the agents told them, and that they were
not verified is said.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pr_review import templates
from pr_review.agents.bill import Bill
from pr_review.agents.excerpt import Excerpts
from pr_review.agents.policy import AgentPolicy, Verify
from pr_review.agents.ports import ChatModel, ModelCall, Pricing
from pr_review.agents.progress import Progress, Watch, unwatched
from pr_review.agents.quote import Count, framed, verify_limit, verify_output_cap
from pr_review.agents.sameness import neighbours, pairs, worst
from pr_review.agents.verdicts import SCHEMA, Ruling, Verdict, Verdicts, read
from pr_review.domain.diff import Side
from pr_review.domain.finding import (
    MOST_SAID,
    AgentOutcome,
    Confidence,
    Finding,
    Judged,
    Place,
    Severity,
)
from pr_review.domain.quote import VERIFY
from pr_review.domain.snapshot import Snapshot
from pr_review.domain.text import fence, visible, visible_line
from pr_review.errors import ModelError

MOST_CANDIDATES = 20
LEAST_SECONDS = 5.0
RADII = (40, 20, 10, 5)
"""Lines shown on both sides of a finding: the widest at which all findings fit."""
MAX_TITLE = 300
MAX_BODY = 1_200
MAX_QUOTE = 200
MAX_PLACES = 20
MAX_OTHER = 300

_NO_TIME = "the agents left no time for it: raise run-deadline"
_NO_ROOM = "no finding fits into its prompt with its code: raise max-prompt-tokens"


@dataclass(frozen=True, slots=True)
class Verified:
    """All findings that came in, those refuted with their new place and the reason; what became
    of the request, None if none was wanted; and what to say of candidates without a verdict.

    `same` are pairs of `judged` that are one problem, by the model: told findings of agents that
    stand near each other, the first of them before the second in one order of all.
    """

    judged: tuple[Judged, ...]
    outcome: AgentOutcome | None = None
    warnings: tuple[str, ...] = ()
    same: tuple[tuple[Judged, Judged], ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """Who is asked, at which price, how its tokens are counted, and who waits for it."""

    model: ChatModel
    pricing: Pricing
    count: Count
    watch: Watch = unwatched


def verify(
    judged: Sequence[Judged],
    snapshot: Snapshot,
    asked: Asked,
    policy: AgentPolicy,
    *,
    seconds: float,
) -> Verified:
    """Asks about the candidates among findings that were made about this snapshot, and which of
    all that is told in one place is one problem.

    It takes at most `seconds`, and `policy.run_seconds`. A finding that the model bears out is no
    longer of low confidence. Never raises for what the model does.
    """
    wanted = candidates(judged, policy.verify)
    compared = neighbours(judged, policy.verify)
    if not wanted and not compared:
        return Verified(tuple(judged))

    def unasked(why: str) -> Verified:
        failed = AgentOutcome(VERIFY, failure=why, cost_usd=0.0)
        return Verified(tuple(judged), failed if wanted else None)

    seconds = min(seconds, policy.run_seconds)
    if seconds < LEAST_SECONDS:
        return unasked(_NO_TIME)
    request = _request(wanted, compared, Excerpts(snapshot.sent), asked, policy)
    if not request.worthwhile:
        return unasked(_NO_ROOM)
    verdicts, outcome = _answer(request, asked, policy, seconds)
    settled = {
        one: _settled(one, verdicts.by_id.get(name) if name in request.ruled else None)
        for name, one in request.findings.items()
    }
    silent = sum(not verdicts.rules(name) for name in request.ruled)
    said = () if outcome.failure else _unverified(len(wanted), len(request.ruled), silent)
    same = tuple((settled[one], settled[other]) for one, other in request.same(verdicts))
    return Verified(tuple(settled.get(one, one) for one in judged), outcome, said, same)


def candidates(judged: Iterable[Judged], whose: Verify) -> list[Judged]:
    """The findings to be verified, the worst first.

    They are told, and said by agents alone: what a check or a tool found, too, no model refutes.
    """
    least = {Verify.HIGH: Severity.HIGH, Verify.ALL: Severity.LOW}.get(whose)
    if least is None:
        return []
    told = [j for j in judged if j.place.tells and not j.finding.deterministic]
    return sorted((j for j in told if j.finding.severity >= least), key=worst)


@dataclass(frozen=True, slots=True)
class _Request:
    """What is sent, and which finding each id in it names: a verdict is asked of those that are
    `ruled`, and of those that are `compared` which are the same."""

    system: str
    task: str
    findings: Mapping[str, Judged]
    ruled: Sequence[str]
    compared: Sequence[Judged]

    @property
    def worthwhile(self) -> bool:
        return bool(self.ruled) or len(self.findings) > 1

    def same(self, verdicts: Verdicts) -> list[tuple[Judged, Judged]]:
        return list(pairs(self.findings, self.compared, verdicts))


def _request(
    wanted: Sequence[Judged],
    compared: Sequence[Judged],
    excerpts: Excerpts,
    asked: Asked,
    policy: AgentPolicy,
) -> _Request:
    """A request about as many of the findings as fit, with as much code as then fits: what is to
    be compared takes none of it from those that are wanted."""
    language = visible_line(policy.language)
    system = templates.render("_shared/verify.md.j2", language=language)
    limit = verify_limit(asked.model.name, policy, asked.pricing)
    room = limit - framed(asked.count(system), SCHEMA, asked.count)
    seen = [one for one in wanted[:MOST_CANDIDATES] if _shown(one, excerpts)]
    others = [one for one in compared if one not in wanted and _shown(one, excerpts)]
    others = others[: MOST_CANDIDATES - len(seen)]

    def fits(some: Sequence[Judged], radius: int) -> bool:
        return asked.count(_task(_named(some), seen, excerpts, radius)) <= room

    fitting, radius = _fitting(seen if wanted else others, fits)
    if wanted and fitting:
        fitting = _more(fitting, others, lambda some: fits(some, radius))
    findings = _named(fitting)
    ruled = [name for name, one in findings.items() if one in seen]
    return _Request(system, _task(findings, seen, excerpts, radius), findings, ruled, compared)


def _shown(judged: Judged, excerpts: Excerpts) -> bool:
    """Whether all that a verdict would settle can be put before the model."""
    places = (judged.finding, *judged.also)
    few = len(judged.also) <= MAX_PLACES and len(judged.merged) <= MOST_SAID
    return few and all(map(excerpts.holds, places))


def _fitting(
    wanted: Sequence[Judged], fits: Callable[[Sequence[Judged], int], bool]
) -> tuple[Sequence[Judged], int]:
    """All with the widest radius that fits; else, with the narrowest, the worst that fit."""
    for radius in RADII:
        if fits(wanted, radius):
            return wanted, radius
    return _more([], wanted, lambda some: fits(some, RADII[-1])), RADII[-1]


def _more(
    kept: Sequence[Judged], others: Sequence[Judged], fits: Callable[[Sequence[Judged]], bool]
) -> list[Judged]:
    """Those that are kept, and of the others what fits beside them."""
    kept = list(kept)
    for one in others:
        if fits([*kept, one]):
            kept.append(one)
    return kept


def _named(findings: Sequence[Judged]) -> dict[str, Judged]:
    return {f"F{number}": one for number, one in enumerate(findings, 1)}


def _task(
    findings: Mapping[str, Judged], seen: Sequence[Judged], excerpts: Excerpts, radius: int
) -> str:
    """A verdict is asked of those that are among the `seen`."""
    places = [place for one in findings.values() for place in (one.finding, *one.also)]
    told = [
        {"id": name, "fenced": fence("finding", visible("\n".join(_told(one, excerpts))))}
        for name, one in findings.items()
    ]
    code = excerpts.text(places, radius)
    ruled = sum(one in seen for one in findings.values())
    return templates.render("_shared/verify_task.md.j2", code=code, findings=told, ruled=ruled)


def _told(judged: Judged, excerpts: Excerpts) -> Iterator[str]:
    """A finding as it is put to the model: what its agent said, bounded."""
    finding = judged.finding
    yield f"{_place(finding, excerpts)} ({finding.severity.label})"
    if judged.also:
        yield "also at " + ", ".join(_place(other, excerpts) for other in judged.also)
    yield finding.title[:MAX_TITLE]
    yield finding.body[:MAX_BODY]
    if finding.quote.strip():
        yield f"quoted: {finding.quote.strip()[:MAX_QUOTE]}"
    for other in judged.merged:
        yield f"also said: {other.title[:MAX_TITLE]}: {other.body[:MAX_OTHER]}"


def _place(finding: Finding, excerpts: Excerpts) -> str:
    name = excerpts.name(finding)
    if finding.start is None:
        return f"{name}, no line named"
    lines = (
        f"{finding.start}"
        if finding.end in (None, finding.start)
        else (f"{finding.start}-{finding.end}")
    )
    return f"{name}:{lines}{' of the old file' if finding.side is Side.LEFT else ''}"


def _answer(
    request: _Request, asked: Asked, policy: AgentPolicy, seconds: float
) -> tuple[Verdicts, AgentOutcome]:
    cap, bill = verify_output_cap(policy, asked.pricing), Bill(asked.pricing)
    call = ModelCall(request.system, "", request.task, SCHEMA, cap, retries=policy.retries)
    started = time.monotonic()
    asked.watch(Progress(VERIFY))
    try:
        reply = asked.model.complete(call, seconds=seconds)
    except ModelError as error:
        bill.failed(error)
        verdicts = Verdicts(failure=str(error))
    else:
        bill.replies.append(reply)
        verdicts = read(reply.text, reply.finish_reason, [*request.findings])
    outcome = AgentOutcome(
        VERIFY,
        failure=verdicts.failure,
        dropped=verdicts.dropped,
        cut_short=verdicts.cut_short,
        compares=not request.ruled,
    )
    outcome, said = bill.on(outcome), ", ".join(_said(request, verdicts))
    asked.watch(Progress(VERIFY, outcome, time.monotonic() - started, said=said))
    return verdicts, outcome


def _said(request: _Request, verdicts: Verdicts) -> Iterator[str]:
    """What there is to say of the answer, for who waits."""
    if request.ruled:
        refuted = sum(map(verdicts.refutes, request.ruled))
        yield f"{refuted} of {len(request.ruled)} refuted"
    same = len(request.same(verdicts))
    if same or not request.ruled:
        yield f"{same or 'none'} the same as another"


def _settled(judged: Judged, verdict: Verdict | None) -> Judged:
    """The finding after its verdict, if there is one."""
    finding = judged.finding
    match verdict:
        case Verdict(Ruling.REFUTED, reason):
            refuted = replace(finding, suggestion=None)
            return replace(judged, finding=refuted, place=Place.REFUTED, reason=reason)
        case Verdict(Ruling.HOLDS) if finding.confidence is Confidence.LOW:
            return replace(judged, finding=replace(finding, confidence=Confidence.MEDIUM))
        case _:
            return judged


def _unverified(wanted: int, sent: int, silent: int) -> tuple[str, ...]:
    """What to say of candidates that got no verdict."""
    over = max(0, wanted - MOST_CANDIDATES)
    parts = (
        (over, f"over the {MOST_CANDIDATES} that are verified, the worst first"),
        (
            wanted - over - sent,
            "with more to show than its request holds, or code that was not sent",
        ),
        (silent, "on which the model said nothing"),
    )
    why = "; ".join(f"{count} {words}" for count, words in parts if count)
    return (f"{wanted - sent + silent} of {wanted} findings stand unverified: {why}",) * bool(why)
