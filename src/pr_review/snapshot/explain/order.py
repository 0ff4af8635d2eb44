"""Where a file and its pieces stand in the order of loss."""

from __future__ import annotations

from itertools import groupby

from pr_review.domain.ledger import Reason, Tier
from pr_review.snapshot.classify import Classified
from pr_review.snapshot.draft import Draft
from pr_review.snapshot.explain.case import Case
from pr_review.snapshot.explain.model import FileCounts, Turn
from pr_review.snapshot.explain.roles import span
from pr_review.snapshot.ranking import Turn as Ranked
from pr_review.snapshot.value import value


def label(kind: Classified) -> str:
    """A rank in the order of loss: the tier, of source the kind of text."""
    return kind.kind.name.lower() if kind.tier is Tier.SOURCE else kind.tier.label


def order_of_loss(case: Case, draft: Draft) -> tuple[FileCounts, ...]:
    """The ranks of the change: the one whose files go first stands first."""
    drafts = sorted((d for d in case.now.prepared.drafts if not d.barred), key=lambda d: d.rank)
    found = []
    for rank, members in groupby(drafts, key=lambda d: d.rank):
        files = list(members)
        entries = [case.now.entry(file.path) for file in files]
        in_sight = sum(entry.in_sight for entry in entries if entry)
        mine = rank == draft.rank and not draft.barred
        found.append(FileCounts(label(files[0].kind), len(files), in_sight, mine))
    return tuple(found)


def turns(case: Case, draft: Draft) -> tuple[Turn, ...]:
    """The places of a file's pieces among those that are dealt, in the order of the file."""
    dealt = _Dealt(case, draft)
    mine = [dealt.turn(i) for i, turn in enumerate(dealt.turns) if turn.draft.path == draft.path]
    return tuple(sorted(mine, key=lambda turn: (turn.lines.first, turn.lines.last)))


def turn_of(case: Case, draft: Draft, row: int) -> Turn | None:
    """The place of the piece that a changed line belongs to; None if its file is not dealt."""
    dealt = _Dealt(case, draft)
    for i, turn in enumerate(dealt.turns):
        if turn.draft.path == draft.path and row in turn.piece.changed:
            return dealt.turn(i)
    return None


def whole_place(case: Case, draft: Draft) -> tuple[int, int, int] | None:
    """The number of a file that is shown whole or not at all among those of its rank, smallest
    first; how many they are, and how many are shown."""
    wholes = case.groups[draft.rank].wholes if not draft.barred else ()
    paths = [whole.path for whole in wholes]
    if draft.path not in paths:
        return None
    shown = sum(case.now.tells(whole, whole.asked_rows) for whole in wholes)
    return paths.index(draft.path) + 1, len(paths), shown


class _Dealt:
    """The pieces of a file's rank in their order, and which of them are shown."""

    def __init__(self, case: Case, draft: Draft) -> None:
        self._prices = case.prices
        dealt = not draft.barred and not draft.says
        self.turns = case.groups[draft.rank].turns if dealt else ()
        seen = [case.now.tells(turn.draft, turn.piece.changed) for turn in self.turns]
        missing = (i for i, is_seen in enumerate(seen) if not is_seen)
        # What the cap of a file leaves out stops no other file.
        self._dealt = next((i for i in missing if not _capped(case, self.turns[i])), len(seen))
        self._shown = sum(seen[: self._dealt])
        self._along = sum(seen) - self._shown
        self._last = min((self.turns[i].score for i in range(self._dealt) if seen[i]), default=0.0)

    def turn(self, index: int) -> Turn:
        turn = self.turns[index]
        costs = self._prices.rows(turn.draft)
        lines = [turn.draft.rows[i].line for i in turn.piece.changed]
        return Turn(
            rank=index + 1,
            of=len(self.turns),
            dealt=self._dealt,
            shown=self._shown,
            along=self._along,
            score=turn.score,
            last=self._last,
            worth=turn.piece.worth,
            tokens=sum(costs[i] for i in turn.piece.rows),
            lines=span(turn.draft, turn.piece),
            values=tuple((line.number, value(line)) for line in lines if line.added),
        )


def _capped(case: Case, turn: Ranked) -> bool:
    # Of a file that lacks long lines alone, the cap is the likelier reason: each is 2,000 bytes.
    entry = case.now.entry(turn.draft.path)
    return entry is not None and entry.reason in (Reason.FILE_CAP, Reason.LONG_LINE)
