"""Findings: what an agent, a check or a tool says about a change."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from pr_review.domain.diff import Side


class Severity(IntEnum):
    """How much it matters if the finding is true. Ordered: `Severity.HIGH > Severity.LOW`."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3
    CRITICAL = 4

    @property
    def label(self) -> str:
        return self.name.lower()


class Confidence(IntEnum):
    """How sure its source is that the finding is true."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3

    @property
    def label(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement about one place, before it was checked against the diff.

    `start` and `end` are 1-based, inclusive, on `side`; both None for a finding about a whole
    file. `quote` is the short verbatim text the source saw there (empty from checks that
    compute their place). `suggestion` replaces the lines start..end, None for none.
    `sources` names who said it: an agent's or a check's name.
    """

    path: str
    start: int | None
    end: int | None
    side: Side
    severity: Severity
    confidence: Confidence
    category: str
    title: str
    body: str
    quote: str = ""
    suggestion: str | None = None
    sources: tuple[str, ...] = ()
    deterministic: bool = False


class Place(StrEnum):
    """Where a finding is told. `told`: by an earlier review, whose comment or body still says it;
    `withheld`: told before, and resolved or ignored by people since."""

    INLINE = "inline"
    BODY = "body"
    TOLD = "told"
    WITHHELD = "withheld"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Judged:
    """A finding with its place. `reason` says why it is not inline, or why it was rejected."""

    finding: Finding
    place: Place
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AgentOutcome:
    """What became of one agent. `failure` is empty if it answered; of a change that is read in
    several passes, if it answered in all of them. `in_part`: it did in some.

    `dropped` counts findings of its answer that could not be read, one by one. Tokens are
    what the provider billed, 0 if it said nothing, `cached_tokens` those of the input that it
    read from its cache; `model` names a fallback that answered in place of the run's model;
    `cost_usd` is None for an unknown price. `too_long` says of a failure that the model refused
    the prompt for its length, and nothing was billed.
    """

    name: str
    findings: tuple[Finding, ...] = ()
    failure: str = ""
    dropped: int = 0
    cut_short: bool = False
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    calls: int = 0
    cost_usd: float | None = None
    model: str = ""
    too_long: bool = False
    in_part: bool = False
