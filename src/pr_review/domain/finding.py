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


class Voice(IntEnum):
    """Whose words a finding is told in. Where several say the same, the first of these stands:
    a report of another tool may come from a step that ran the code of the pull request."""

    CHECK = 1
    AGENT = 2
    TOOL = 3


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

    @property
    def said_by(self) -> str:
        """Its sources in words."""
        return ", ".join(self.sources) or "nobody"

    @property
    def voice(self) -> Voice:
        """Of one that several say, that of whose words stand."""
        if self.deterministic and any(name.startswith("check:") for name in self.sources):
            return Voice.CHECK
        by_agent = not self.deterministic or any(":" not in name for name in self.sources)
        return Voice.AGENT if by_agent else Voice.TOOL

    def near(self, other: Finding) -> bool:
        """Whether two findings have a line of one file in common, or lines that touch and come from
        two sources (one that says the same of two lines means two); or if one has no lines."""
        if self.path != other.path:
            return False
        if self.start is None or other.start is None or self.end is None or other.end is None:
            return True
        gap = max(self.start, other.start) - min(self.end, other.end)
        if self.side is not other.side or gap > 1:
            return False
        return gap <= 0 or not set(self.sources) & set(other.sources)


class Place(StrEnum):
    """What became of a finding.

    It is told: `inline` or in the `body`, worth the author's time; or `noted`, in the folded list
    that gives a reviewer context. An earlier review `told` it, and still does; it was told, and
    people resolved or ignored it since: `withheld`. Or it is left out: `merged` into another one
    that says the same, `refuted` by the verify pass, `minor` (below min-severity), or `rejected`
    because it does not hold.
    """

    INLINE = "inline"
    BODY = "body"
    NOTED = "noted"
    TOLD = "told"
    WITHHELD = "withheld"
    MERGED = "merged"
    REFUTED = "refuted"
    MINOR = "minor"
    REJECTED = "rejected"

    @property
    def tells(self) -> bool:
        """Whether the review of this run says it."""
        return self in (Place.INLINE, Place.BODY, Place.NOTED)

    @property
    def left_out(self) -> bool:
        return self in (Place.MERGED, Place.REFUTED, Place.MINOR, Place.REJECTED)

    @property
    def quiet(self) -> str:
        """Why nobody reads it in the review, in words; empty where it, or another one that says
        the same, is read there."""
        return _QUIET.get(self, "")


_QUIET = {
    Place.REFUTED: "withheld after verification",
    Place.MINOR: "below min-severity",
    Place.REJECTED: "did not hold",
    Place.WITHHELD: "not repeated: resolved or ignored by people",
}


MOST_SAID = 5
"""Of what was taken for the same as a finding, so many titles stand below it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A finding with its place. `reason` says why it is not inline, or why it was left out.

    `also` holds the other places of a pattern: findings of the same cause, by path and line,
    each of which is `merged` into this one. `merged` holds what was taken for the same as this
    one though its title says it in other words, so that no mistake of ours hides it; each is
    `merged` itself too.
    """

    finding: Finding
    place: Place
    reason: str = ""
    also: tuple[Finding, ...] = ()
    merged: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentOutcome:
    """What became of one agent. `failure` is empty if it answered; of a change that is read in
    several passes, if it answered in all of them. `in_part`: it did in some.

    `dropped` counts findings of its answer that could not be read, one by one. Tokens are
    what the provider billed, 0 if it said nothing, `cached_tokens` those of the input that it
    read from its cache; `model` names a fallback that answered in place of the run's model;
    `cost_usd` is None for an unknown price. `too_long` says of a failure that the model refused
    the prompt for its length, and nothing was billed. Of the verify pass `compares` says that
    there was nothing to refute: it was asked what is one problem, and no more.
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
    compares: bool = False
