"""One text within a budget: choose, render, count, until it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pr_review.domain.ledger import Ledger
from pr_review.domain.text import fence
from pr_review.snapshot.account import Accounts
from pr_review.snapshot.draft import Draft, Helper, Sheet
from pr_review.snapshot.notice import Pass, notice
from pr_review.snapshot.policy import NOTICE_SHARE, SnapshotPolicy
from pr_review.snapshot.ports import TokenCounter
from pr_review.snapshot.prepare import Prepared
from pr_review.snapshot.ranking import Prices
from pr_review.snapshot.render import section
from pr_review.snapshot.tray import Tray
from pr_review.snapshot.truncate import Choice, choose, groups

_ROUNDS = 6
# The budget is held with room to spare: counting a text in parts gives a few tokens more.
_MARGIN = 0.002
_FRAME_TOKENS = 80


@dataclass(frozen=True)
class Material:
    """A prepared change, the limits of its texts, and what counts their tokens."""

    prepared: Prepared
    policy: SnapshotPolicy
    counter: TokenCounter

    @cached_property
    def prices(self) -> Prices:
        return Prices(self.counter.count)

    @cached_property
    def accounts(self) -> Accounts:
        return Accounts(self.prepared)


@dataclass(frozen=True, slots=True)
class Share:
    """What one text is made from: of a change that is read at once, all of it.

    `spent` are bytes that count for the cap of a file and that other passes show. `place` says
    which pass it is, and what the others hold.
    """

    drafts: tuple[Draft, ...]
    helpers: tuple[Helper, ...]
    spent: Mapping[str, int] = field(default_factory=dict)
    place: Pass | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """A text with its account. `sizes` holds the tokens of each file that stands in it."""

    text: str
    tokens: int
    ledger: Ledger
    choice: Choice
    sizes: Mapping[str, int]

    @property
    def shown(self) -> tuple[int, int]:
        """Changed lines the model knows of, then lines that help to read them."""
        entries = self.ledger.entries
        changed = sum(e.shown + e.folded + e.described for e in entries)
        return changed, sum(len(rows) for rows in self.choice.kept.values())


def held(budget: int) -> int:
    """The tokens of a budget that are used, with room to spare for what counting gets wrong."""
    return int(budget * (1 - _MARGIN))


def for_lines(budget: int) -> int:
    """The tokens that a text of a budget has at least for lines: without frame and notice."""
    return int(held(budget) * (1 - NOTICE_SHARE)) - _FRAME_TOKENS


class Fitting:
    """Tries selections until one holds the budget and little of it is left over."""

    def __init__(self, material: Material, share: Share) -> None:
        self._material = material
        self._share = share
        self._budget = held(material.policy.token_budget)
        self._groups = groups(share.drafts, material.policy, material.prices)
        mine = {draft.path: draft for draft in share.drafts}
        self._sheets: list[Sheet] = [
            *(mine.get(draft.path, draft) for draft in material.prepared.drafts),
            *material.prepared.sheets,
        ]

    def best(self) -> Attempt:
        """Corrects the room by what was left over; gives up room where nothing fitted."""
        room = self._budget - _FRAME_TOKENS
        best: Attempt | None = None
        for _ in range(_ROUNDS):
            attempt = self._attempt(room)
            left = self._budget - attempt.tokens
            if left >= 0:
                best = attempt if best is None or attempt.shown > best.shown else best
                if attempt.choice.complete or left < self._budget // 100:
                    return best
            room += left - self._budget // 500
        return best or self._shrink(room)

    def _shrink(self, room: int) -> Attempt:
        while True:
            room = min(room, self._budget) * 9 // 10
            attempt = self._attempt(room)
            if attempt.tokens <= self._budget or room <= 0:
                return attempt

    def _attempt(self, room: int) -> Attempt:
        share, material, count = self._share, self._material, self._material.counter.count
        tray = Tray(material.policy, material.prices, room, spent=share.spent)
        choice = choose(self._groups, share.helpers, tray)
        kept = choice.kept
        sections = {s.path: section(s, kept[s.path]) for s in self._sheets if s.path in kept}
        sizes = {path: count(text) for path, text in sections.items()}
        elsewhere = share.place.elsewhere if share.place else ()
        ledger = material.accounts.ledger(choice, sizes, elsewhere=elsewhere)
        head = notice(
            ledger, max_tokens=int(self._budget * NOTICE_SHARE), count=count,
            since=material.policy.since, place=share.place,
        )  # fmt: skip
        text = f"{head}\n{fence('diff', ''.join(sections.values()))}\n"
        return Attempt(text, count(text), ledger, choice, sizes)
