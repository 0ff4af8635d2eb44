"""What a run ends with: its status, its price, and the one review that is posted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from pr_review.domain.diff import Change, Side
from pr_review.domain.finding import AgentOutcome, Judged, Place, Severity
from pr_review.domain.ledger import Coverage
from pr_review.domain.pull_request import PullRequest
from pr_review.domain.snapshot import Snapshot


class RunStatus(StrEnum):
    REVIEWED = "reviewed"
    SKIPPED = "skipped"
    REFUSED = "refused"
    NOT_REVIEWED = "not-reviewed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Quote:
    """The upper bound of what a run may cost, before any call.

    `usd` is None when a price is unknown: unknown is not free. `calls` counts every call
    that may be made, repairs included.
    """

    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None

    @property
    def words(self) -> str:
        price = "price unknown" if self.usd is None else f"at most ${self.usd:.4f}"
        return (
            f"{price}: up to {self.calls} calls of {self.model}, "
            f"{self.input_tokens:,} tokens in, {self.output_tokens:,} out"
        )


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


@dataclass(frozen=True, slots=True)
class Run:
    """All that one run knows at its end; every reader (review, summary, report) renders this.

    `reason` says why the run was skipped, refused or not reviewed. `model` is empty when no
    model was asked. `overflow` is what did not fit into the posted review.
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

    @property
    def findings(self) -> tuple[Judged, ...]:
        """Findings that hold, worst first, as the judge ranked them."""
        return tuple(j for j in self.judged if j.place is not Place.REJECTED)

    @property
    def highest_severity(self) -> Severity | None:
        return max((j.finding.severity for j in self.findings), default=None)

    @property
    def agents_failed(self) -> tuple[AgentOutcome, ...]:
        return tuple(agent for agent in self.agents if agent.failure)

    @property
    def coverage(self) -> Coverage | None:
        """Of the whole run: an agent that failed makes full sight partial. None: no snapshot."""
        return self._sight(self.snapshot.ledger.coverage if self.snapshot else None)

    @property
    def coverage_source(self) -> Coverage | None:
        return self._sight(self.snapshot.ledger.coverage_source if self.snapshot else None)

    def _sight(self, seen: Coverage | None) -> Coverage | None:
        if seen is None:
            return None
        return Coverage.PARTIAL if self.agents_failed or self._cut_short else seen

    @property
    def _cut_short(self) -> bool:
        return any(agent.cut_short for agent in self.agents)

    @property
    def cost_usd(self) -> float | None:
        """Sum over the agents that answered; None if any price is unknown or no model ran."""
        costs = [agent.cost_usd for agent in self.agents]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if costs and len(known) == len(costs) else None

    def with_url(self, url: str) -> Run:
        return replace(self, review_url=url)
