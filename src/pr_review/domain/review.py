"""What a run ends with: its status, its findings, and the one review that is posted."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from enum import StrEnum

from pr_review.domain.coverage import MarkedFile
from pr_review.domain.diff import Change, Side
from pr_review.domain.finding import AgentOutcome, Finding, Judged, Place, Severity, Voice
from pr_review.domain.ledger import Coverage
from pr_review.domain.money import total
from pr_review.domain.pull_request import PullRequest
from pr_review.domain.quote import Quote
from pr_review.domain.snapshot import Snapshot


class RunStatus(StrEnum):
    """How a run ended.

    `skipped`: it is not ours to review; `refused`: by its quote or a policy; `not-reviewed`: no
    changed line could be shown.
    """

    REVIEWED = "reviewed"
    SKIPPED = "skipped"
    REFUSED = "refused"
    NOT_REVIEWED = "not-reviewed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Comment:
    """An inline comment on lines start..line of one side; both stand in one hunk."""

    path: str
    line: int
    side: Side
    body: str
    start_line: int | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """One review as it is posted: Markdown body, comments, and the commit they stand on."""

    head_sha: str
    body: str
    comments: tuple[Comment, ...] = ()
    request_changes: bool = False


class ToldState(StrEnum):
    """What became of a finding of an earlier review.

    `open`: it still stands; `closed`: it still stands, but a person resolved its thread or
    answered `/review ignore`; `resolved`: it stands no longer.
    """

    OPEN = "open"
    CLOSED = "closed"
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True)
class Told:
    """A finding that an earlier review told, as it stands in the present change.

    `fingerprint` names it across reviews, `voice` is whose words it was told in. `path` is empty
    where nothing tells it any more (what is kept of a finding is a hash of its place), `start` and
    `end` are None where its lines cannot be told. `title` is empty where no comment of ours says
    it, `url` leads to the review that told it first. `reason` says why it is resolved.
    """

    fingerprint: str
    severity: Severity
    voice: Voice = Voice.AGENT
    state: ToldState = ToldState.OPEN
    path: str = ""
    side: Side = Side.RIGHT
    start: int | None = None
    end: int | None = None
    title: str = ""
    url: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """All that one run knows at its end; every reader (review, summary, report) renders this.

    `reason` says why the run was skipped, refused or not reviewed. `model` is empty when no
    model was asked. `earlier` holds what earlier reviews told and what became of it. `verifier`
    is what became of the verify pass, None if none was made; `guidelines` names the files of the
    base branch that the agents were given to judge by. `tools` counts what the SARIF files of
    other tools hold, a line a tool; `line_hashes` are path, line and hash of what stands there, by
    which code scanning knows it again. `web_url` is the address of the repository's page, for
    links; empty if it is not known. `files` are those of the snapshot, line by line; empty unless
    they are asked for.
    """

    status: RunStatus
    reason: str = ""
    pull_request: PullRequest | None = None
    change: Change | None = None
    snapshot: Snapshot | None = None
    model: str = ""
    quote: Quote | None = None
    agents: tuple[AgentOutcome, ...] = ()
    judged: tuple[Judged, ...] = ()
    warnings: tuple[str, ...] = ()
    review_url: str = ""
    earlier: tuple[Told, ...] = ()
    verifier: AgentOutcome | None = None
    guidelines: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    line_hashes: tuple[tuple[str, int, str], ...] = ()
    web_url: str = ""
    files: tuple[MarkedFile, ...] = ()

    @property
    def since(self) -> str:
        """The commit up to which an earlier review vouches: what is the same there was not shown
        again. Empty for a whole review."""
        return self.snapshot.since if self.snapshot else ""

    @property
    def findings(self) -> tuple[Judged, ...]:
        """Findings that hold and that no earlier review told, worst first as the judge ranked."""
        return tuple(j for j in self.judged if j.place.tells)

    @property
    def for_author(self) -> tuple[Judged, ...]:
        """Those of them that are worth the author's time."""
        return tuple(j for j in self.findings if j.place is not Place.NOTED)

    @property
    def for_reviewer(self) -> tuple[Judged, ...]:
        """The others: context, unsure or small."""
        return tuple(j for j in self.findings if j.place is Place.NOTED)

    @property
    def left_out(self) -> tuple[Judged, ...]:
        """Findings that are told nowhere but in the report, each with its reason."""
        return tuple(j for j in self.judged if j.place.left_out)

    @property
    def unverified(self) -> str:
        """Why none of the findings was verified that were to be; empty where that is not so."""
        return self.verifier.failure if self.verifier and not self.verifier.compares else ""

    @property
    def refuted(self) -> tuple[Judged, ...]:
        """Those of them that the verify pass refuted."""
        return tuple(j for j in self.judged if j.place is Place.REFUTED)

    @property
    def left_out_by_reason(self) -> tuple[tuple[str, int], ...]:
        """How many findings are told nowhere but in the report, the most frequent reason first:
        without those that were refuted, and with those of an answer that could not be read."""
        reasons = Counter(j.reason for j in self.left_out if j.place is not Place.REFUTED)
        if unread := sum(agent.dropped for agent in self.agents):
            reasons["could not be read"] += unread
        return tuple(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))

    @property
    def withheld(self) -> tuple[Judged, ...]:
        """Findings of this run that people resolved or ignored when an earlier review told them."""
        return tuple(j for j in self.judged if j.place is Place.WITHHELD)

    @property
    def taken_for_told(self) -> tuple[tuple[Judged, Finding], ...]:
        """What was taken for the same as a finding that an earlier review told, though its title
        says it in other words, each behind that finding."""
        before = (j for j in self.judged if j.place in (Place.TOLD, Place.WITHHELD))
        return tuple((judged, other) for judged in before for other in judged.merged)

    @property
    def still_open(self) -> tuple[Told, ...]:
        return tuple(told for told in self.earlier if told.state is ToldState.OPEN)

    @property
    def resolved(self) -> tuple[Told, ...]:
        return tuple(told for told in self.earlier if told.state is ToldState.RESOLVED)

    @property
    def highest_severity(self) -> Severity | None:
        """Of all that stands: what this run found, and what is still open from before."""
        found = [judged.finding.severity for judged in self.findings]
        return max([*found, *(told.severity for told in self.still_open)], default=None)

    @property
    def agents_failed(self) -> tuple[AgentOutcome, ...]:
        return tuple(agent for agent in self.agents if agent.failure)

    @property
    def failures(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Each reason why agents failed, and their names: where a model cannot be reached, all
        fail for the same one."""
        names = defaultdict[str, list[str]](list)
        for agent in self.agents_failed:
            names[agent.failure].append(agent.name)
        return tuple((failure, tuple(failed)) for failure, failed in names.items())

    @property
    def coverage(self) -> Coverage | None:
        """Of the whole run: an agent that failed makes full sight partial, and so does a refusal,
        after which nobody saw anything. None: no snapshot."""
        return self._sight(self.snapshot.ledger.coverage if self.snapshot else None)

    @property
    def coverage_source(self) -> Coverage | None:
        return self._sight(self.snapshot.ledger.coverage_source if self.snapshot else None)

    def _sight(self, seen: Coverage | None) -> Coverage | None:
        if seen is None:
            return None
        unseen = self.status is RunStatus.REFUSED or self.agents_failed or self._cut_short
        return Coverage.PARTIAL if unseen else seen

    @property
    def _cut_short(self) -> bool:
        return any(agent.cut_short for agent in self.agents)

    @property
    def cost_usd(self) -> float | None:
        """Sum over the agents that answered, and the verify pass; None if any price is unknown or
        no model ran."""
        return total(agent.cost_usd for agent in self.asked) if self.asked else None

    @property
    def spent_usd(self) -> float | None:
        """What the run has to be counted with: what it cost, and of an agent whose cost is not
        known, what was quoted. 0 if no agent was asked, None if neither is known."""
        return total(self._spent_by(agent) for agent in self.asked)

    @property
    def asked(self) -> tuple[AgentOutcome, ...]:
        """Whoever a model was asked for."""
        return self.agents if self.verifier is None else (*self.agents, self.verifier)

    def came_of(self, agent: AgentOutcome) -> str:
        """What came of asking an agent, or the verify pass, in a few words."""
        if agent.failure:
            return "failed in part" if agent.in_part else "failed"
        if agent is not self.verifier:
            return f"{len(agent.findings):,} found"
        return "compared" if agent.compares else f"{len(self.refuted):,} refuted"

    def _spent_by(self, agent: AgentOutcome) -> float | None:
        return self.quoted_usd(agent) if agent.cost_usd is None else agent.cost_usd

    def quoted_usd(self, agent: AgentOutcome | None = None) -> float | None:
        """What the run, or one agent of it, was to cost at most; None if nobody knew."""
        quoted = self.quote.of(agent.name) if self.quote and agent else self.quote
        return quoted.usd if quoted else None

    def with_url(self, url: str) -> Run:
        return replace(self, review_url=url)
