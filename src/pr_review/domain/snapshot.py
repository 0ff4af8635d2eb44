"""The snapshot: the bounded text a model reads of a change, and the ledger that accounts for it."""

from __future__ import annotations

from dataclasses import dataclass

from pr_review.domain.diff import SourceKind
from pr_review.domain.ledger import Ledger


def estimate_tokens(text: str) -> int:
    """Estimated tokens of a text: bytes/4, rounded up.

    Good enough to rank and to quote, not to hold a budget: the text that is sent is counted
    with a real encoding (`TokenCounter`).
    """
    return (len(text.encode("utf-8", "surrogateescape")) + 3) // 4


@dataclass(frozen=True, slots=True)
class StageRecord:
    """A stage that ran, and what it changed, in its own words."""

    name: str
    changed: str


@dataclass(frozen=True, slots=True)
class SentLine:
    """A line that stands in the snapshot: `old` or `new` is None as in `Line`.

    `text` is exactly what was rendered: escaped, redacted. `whole` is false for a line
    that was cut or redacted: no suggestion may touch it.
    """

    old: int | None
    new: int | None
    text: str
    whole: bool = True


@dataclass(frozen=True, slots=True)
class SentFile:
    """The lines of one file that stand in the snapshot, by hunk and in order.

    `hunks` holds (old_start, old_count, new_start, new_count) of every hunk of the file,
    sent or not: what GitHub accepts a comment on. `printed` is the path as the prompt spells it.
    """

    path: str
    old_path: str | None
    hunks: tuple[tuple[int, int, int, int], ...]
    lines: tuple[SentLine, ...]
    printed: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """What one prompt holds of a change: its text, and the ledger and lines of this pass alone."""

    text: str
    tokens: int
    ledger: Ledger
    sent: tuple[SentFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a model reads of a change, byte for byte.

    `text` holds `tokens` tokens by `counter`, of a `budget`. Where the change is read in several
    passes, `parts` holds them: `text` is theirs in order, the budget that of each, and the ledger
    accounts for all of them together; up to `max_passes` were allowed. `digest` is the sha256
    (hex) over the text, the kind of source and the counter; equal commits, budget, settings and
    release give the same.
    `reproducible` is false when a deadline, or a server that failed, cut the preparation short.
    `since` is the commit up to which an earlier review read the change; empty if the snapshot
    repeats what was reviewed.
    """

    text: str
    digest: str
    tokens: int
    counter: str
    source: SourceKind
    ledger: Ledger
    stages: tuple[StageRecord, ...]
    sent: tuple[SentFile, ...] = ()
    reproducible: bool = True
    budget: int = 0
    since: str = ""
    parts: tuple[Part, ...] = ()
    max_passes: int = 1

    @property
    def size(self) -> str:
        """`7,970 of 8,000 tokens`; `15,931 tokens in 2 passes of up to 8,000`."""
        if not self.parts:
            return f"{self.tokens:,} of {self.budget:,} tokens"
        return f"{self.tokens:,} tokens in {len(self.parts)} passes of up to {self.budget:,}"

    @property
    def passes(self) -> tuple[Part, ...]:
        """The parts, or the whole as the only one: what each agent is asked about, one by one."""
        return self.parts or (Part(self.text, self.tokens, self.ledger, self.sent),)
