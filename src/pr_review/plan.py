"""What a run is given: what the settings decide, and what it reaches the world through."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from pr_review.agents.policy import AgentPolicy
from pr_review.agents.ports import ChatModel, Pricing
from pr_review.agents.progress import Watch, unwatched
from pr_review.agents.quote import Account
from pr_review.change.ports import ChangeSource
from pr_review.checks.policy import ChecksPolicy
from pr_review.checks.ports import Tree, YamlReader
from pr_review.checks.sarif.ports import ToolFile
from pr_review.judge.applies import Parser
from pr_review.judge.policy import JudgePolicy
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.ports import SecretScanner, SyntaxReader, TokenCounter


@dataclass(frozen=True)
class Plan:
    """What the settings decide, stage by stage; `line_by_line`: the run tells of every line."""

    snapshot: SnapshotPolicy
    agents: AgentPolicy
    checks: ChecksPolicy
    judge: JudgePolicy
    prepare_seconds: float = 30.0
    max_diff_bytes: int = 8_000_000
    account: Account | None = None
    line_by_line: bool = False


class Reader(SyntaxReader, Parser, Protocol):
    """Reads the structure of source for the snapshot, and counts its faults for the judge."""


@dataclass(frozen=True)
class Doors:
    """What a run reaches the world through. Without a `model` the checks alone speak; `moved`
    says, right before a model is paid, why a review of this head is not wanted any more."""

    source: ChangeSource
    tree: Callable[[], Tree | None]
    counter: TokenCounter
    scanner: SecretScanner
    reader: Reader
    model: ChatModel | None = None
    pricing: Pricing = field(default_factory=Pricing)
    say: Callable[[str], None] = lambda _line: None
    moved: Callable[[], str] = lambda: ""
    watch: Watch = unwatched
    yaml: YamlReader = lambda _data: None
    results: Callable[[], Iterable[ToolFile]] = tuple
