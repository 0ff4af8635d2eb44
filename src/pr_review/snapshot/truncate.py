"""What is shown in a budget, in an order that the change alone decides.

First code, by pieces of hunks, each with the signatures around it; a part of the room is kept
for what is cheap and helps most to read them: definitions that they use, and nearby lines that
share names with them. Then configuration and prose, then whole files of the lower tiers,
smallest first, which drops the largest of the lowest tier first. Context beyond the diff is
last: it is given up before anything else.

Of two budgets, the larger one never drops a piece and shows one of lower rank in its place: the
pieces shown are always the first ones of their order, but for those over the cap of a file. Of
others lines are in sight where they are context of those.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from pr_review.domain.ledger import Dependency, DependencyState, Reason, Tier
from pr_review.snapshot.draft import Draft, Helper
from pr_review.snapshot.outline import ScopeKind
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.ranking import Prices, Turn, ranked
from pr_review.snapshot.tray import Tray

Rows = frozenset[int]
# What code leaves to its context where not all fits: of small rooms less, and of a larger room
# never so much more that less code is shown.
_SMALL_SHARE, _SHARE, _LESS = 0.15, 0.20, 1_000


@dataclass(frozen=True, slots=True)
class Choice:
    """Which rows of which files are shown; a file that is not named is not in the text.

    A folded file is shown by its header alone, and has no rows. `capped` are the files of
    which the cap of one file hid something. `complete`: more room would show nothing more.
    """

    kept: Mapping[str, Rows]
    dependencies: tuple[Dependency, ...]
    capped: frozenset[str]
    complete: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Files of one rank: one line each, in pieces by order, whole or not at all, or too large."""

    folded: tuple[Draft, ...]
    turns: tuple[Turn, ...]
    wholes: tuple[Draft, ...]
    over: tuple[Draft, ...]


def groups(drafts: Iterable[Draft], policy: SnapshotPolicy, prices: Prices) -> list[Group]:
    """The files that may be shown, highest rank first.

    Of source and tests a part is worth reading; a lockfile in part is not, so other tiers are
    shown whole or not at all.
    """
    usable = sorted((d for d in drafts if not d.barred), key=lambda d: d.rank, reverse=True)
    found = []
    for rank, members in groupby(usable, key=lambda d: d.rank):
        parts: dict[str, list[Draft]] = defaultdict(list)
        for draft in sorted(members, key=lambda d: (d.own_size, d.path)):
            over = draft.own_size > policy.max_file_bytes
            in_part = draft.pieces and (rank[0] == Tier.SOURCE or over or draft.elsewhere)
            where = "dealt" if in_part else "over" if over else "whole"
            parts["folded" if draft.in_one_line else where].append(draft)
        turns = ranked(parts["dealt"], prices)
        found.append(
            Group(tuple(parts["folded"]), tuple(turns), tuple(parts["whole"]), tuple(parts["over"]))
        )
    return found


def choose(ranks: Sequence[Group], helpers: Sequence[Helper], tray: Tray) -> Choice:
    """Chooses rows, as many as an empty tray takes."""
    chooser = _Chooser(ranks, helpers, tray)
    chooser.choose(all_fits=_all_fit(ranks, tray.emptied()))
    kept = {path: frozenset(rows) for path, rows in tray.kept.items()}
    return Choice(kept, chooser.dependencies(), frozenset(chooser.capped), not tray.refused)


def _all_fit(ranks: Sequence[Group], tray: Tray) -> bool:
    """Whether all of the diff that the caps allow fits on a tray."""
    for group in ranks:
        for draft in (*group.folded, *group.wholes):
            tray.add(draft, draft.asked_rows)
        for turn in group.turns:
            tray.add(turn.draft, turn.piece.rows)
        if tray.refused:
            return False
    return True


def left_to_context(room: int) -> float:
    """The part of a room that is kept for context where not all of the diff fits."""
    return max(_SMALL_SHARE * room, _SHARE * room - _LESS)


class _Chooser:
    def __init__(self, ranks: Sequence[Group], helpers: Sequence[Helper], tray: Tray) -> None:
        self._ranks = ranks
        self._helpers = _by_rank(helpers, [turn for group in ranks for turn in group.turns])
        self._given: dict[Dependency, Reason | None] = {}
        self._left = tray.policy.dependencies
        self._order: list[Turn] = []
        self.tray = tray
        self.capped = {draft.path for group in ranks for draft in group.over}

    def choose(self, *, all_fits: bool) -> None:
        """Where the diff fits whole, context takes none of its place; else it has a share."""
        for group in self._ranks:
            for draft in group.folded:
                self.tray.add(draft, ())
            self._order += self._dealt(group.turns, alone=all_fits)
            for draft in group.wholes:
                if self.tray.add(draft, draft.asked_rows) is None:
                    self._order += [Turn(draft, piece, 0.0) for piece in draft.pieces]
        if all_fits:
            for group in self._ranks:
                self._read_with(group.turns)
        for part in ("signature", "scope", "near"):
            for turn in self._order:
                self._add(turn, getattr(turn.piece, part))

    def _dealt(self, turns: Sequence[Turn], *, alone: bool) -> Sequence[Turn]:
        """The pieces shown. Where not all fit, the first ones up to a share of the room, then
        what helps to read them, then others. `alone`: without what helps to read them.
        """
        room = self.tray.room
        if alone:
            self._pieces(turns, upto=room)
            return turns
        first = self._pieces(turns, upto=int(room - left_to_context(room)), signed=True)
        self._help(turns[:first])
        count = first + self._pieces(turns[first:], upto=room, signed=True)
        self._help(turns[first:count])
        for turn in turns[:count]:
            self._add(turn, turn.piece.own)
        return turns[:count]

    def _read_with(self, turns: Sequence[Turn]) -> None:
        """What helps to read pieces that are all shown, what tells most for its tokens first."""
        self._define_used()
        for turn in turns:
            self._add(turn, turn.piece.signature)
        self._help(turns)
        for turn in turns:
            self._add(turn, turn.piece.own)

    def _pieces(self, turns: Sequence[Turn], *, upto: int, signed: bool = False) -> int:
        """How many pieces were dealt: up to the first one that did not fit. `signed`: each with
        the signatures around it.
        """
        for index, turn in enumerate(turns):
            reason = self.tray.add(turn.draft, turn.piece.rows, upto=upto)
            if reason is Reason.BUDGET:
                return index
            if reason is Reason.FILE_CAP:
                self.capped.add(turn.draft.path)
            if signed:
                self._add(turn, turn.piece.signature)
        return len(turns)

    def _help(self, turns: Sequence[Turn]) -> None:
        """Definitions that the lines shown use, then lines that share names with pieces."""
        self._define_used()
        for number in range(max((len(turn.piece.named) for turn in turns), default=0)):
            for turn in turns:
                self._add(turn, turn.piece.named[number : number + 1])

    def _define_used(self) -> None:
        for helper in self._helpers:
            if self._used(helper):
                self._define(helper)

    def _used(self, helper: Helper) -> bool:
        kept = self.tray.kept
        return any(path in kept and row in kept[path] for path, row in helper.users)

    def _define(self, helper: Helper) -> None:
        """Shows one definition; those that are seen anyway do not count for the cap."""
        if not helper.rows or self.tray.holds(helper.sheet, helper.rows):
            return
        if self._left <= 0:
            self._given.setdefault(helper.definition, Reason.DEPENDENCY_CAP)
        elif self._given.get(helper.definition, Reason.BUDGET) is not None:
            reason = self._given[helper.definition] = self.tray.add(helper.sheet, helper.rows)
            self._left -= reason is None

    def _add(self, turn: Turn, rows: Sequence[int]) -> None:
        """Rows of context, if the piece itself is shown."""
        if rows and self.tray.holds(turn.draft, turn.piece.changed):
            self.tray.add(turn.draft, rows)

    def dependencies(self) -> tuple[Dependency, ...]:
        """Every definition that was found, with what became of it."""
        return tuple(self._settled(helper) for helper in self._helpers)

    def _settled(self, helper: Helper) -> Dependency:
        found, holds = helper.definition, self.tray.holds
        body = helper.sheet.at(range(found.start, found.end + 1))
        if len(body) == found.end - found.start + 1 and holds(helper.sheet, body):
            cut = any(helper.sheet.rows[i].cut for i in body)
            long = replace(found, state=DependencyState.PARTIAL, reason=Reason.LONG_LINE)
            return long if cut else found
        if not helper.rows:
            return replace(found, state=DependencyState.OMITTED, reason=Reason.NO_CONTEXT)
        if holds(helper.sheet, helper.rows):
            return replace(found, state=DependencyState.PARTIAL, reason=Reason.LONG_DEFINITION)
        reason = self._given.get(found) or Reason.BUDGET
        return replace(found, state=DependencyState.OMITTED, reason=reason)


def _by_rank(helpers: Sequence[Helper], turns: Sequence[Turn]) -> list[Helper]:
    """What runs before what holds or is set; names that few lines use, which tell more than
    those that are everywhere; those that the best pieces use.
    """
    place = {
        (turn.draft.path, row): number
        for number, turn in enumerate(turns)
        for row in turn.piece.changed
    }

    def key(helper: Helper) -> tuple[object, ...]:
        best = min(place.get(user, len(turns)) for user in helper.users)
        runs = helper.kind is ScopeKind.FUNCTION
        return (not runs, len(helper.users), best, helper.sheet.path, helper.rows)

    return sorted(helpers, key=key)
