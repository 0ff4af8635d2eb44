"""What goes into which pass: files packed by tier and folder, so that neighbours stay together."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from pr_review.domain.ledger import Reason, Tier
from pr_review.snapshot.draft import Draft
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.ranking import Prices, Turn
from pr_review.snapshot.tray import Tray
from pr_review.snapshot.truncate import Choice, Group, Rows

Load = Mapping[str, Rows]
"""The rows of the diff that one pass is to show, by path."""

# Where not even all passes hold everything, so much less of it is tried from time to time.
_SHARES = range(100, 20, -3)


@dataclass(frozen=True, slots=True)
class Packing:
    """What each pass is to show; `capped` are the files of which the cap of one file hides some."""

    loads: tuple[Load, ...] = ()
    capped: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is to be shown of one file, with the tokens it takes. `must`: it is never left out."""

    draft: Draft
    rows: Rows
    tokens: int
    must: bool

    @property
    def folder(self) -> tuple[str, ...]:
        return PurePosixPath(self.draft.path).parts[:-1]


@dataclass
class _Bin:
    """What is in one pass so far, and all folders that it stands in."""

    tray: Tray
    folders: set[tuple[str, ...]] = field(default_factory=set)

    @property
    def free(self) -> int:
        return self.tray.room - self.tray.used

    def add(self, draft: Draft, rows: Sequence[int] | Rows) -> bool:
        if self.tray.add(draft, rows):
            return False
        parts = PurePosixPath(draft.path).parts[:-1]
        self.folders.update(parts[:depth] for depth in range(1, len(parts) + 1))
        return True

    def near(self, folder: tuple[str, ...]) -> int:
        """How many of a folder's leading parts something in here shares."""
        depths = range(len(folder), 0, -1)
        return next((depth for depth in depths if folder[:depth] in self.folders), 0)


class Packer:
    """Packs the files of one change into passes of `capacity` tokens for lines of the diff.

    `first` is what a single pass shows: whatever else is left out, all of that is packed.
    """

    def __init__(
        self, ranks: Sequence[Group], first: Choice, policy: SnapshotPolicy, prices: Prices,
        capacity: int,
    ) -> None:  # fmt: skip
        self._ranks = ranks
        self._first = first
        self._policy = policy
        self._prices = prices
        self._capacity = capacity

    def packed(self, most: int) -> Packing:
        """The fewest passes that hold all source and tests; where not even `most` of them do,
        so many, with what is worth most. Without loads if there is no way to pack it.
        """
        everything, capped = self._units(sys.maxsize)
        for count in range(2, most + 1):
            if bins := self._bins(everything, count):
                return Packing(self._filled(bins, everything), capped)
        for share in _SHARES:
            units, capped = self._units(most * self._capacity * share // 100)
            if bins := self._bins(units, most):
                return Packing(self._filled(bins, everything), capped)
        return Packing()

    def grown(self, packing: Packing, free: Sequence[int]) -> Packing:
        """The same passes with more in each of them: as much as fits into so many tokens."""
        drafts = {draft.path: draft for draft in self._drafts()}
        bins = []
        for load, tokens in zip(packing.loads, free, strict=True):
            one = _Bin(self._tray(sys.maxsize))
            for path, rows in load.items():
                one.add(drafts[path], rows)
            one.tray.room = one.tray.used + tokens
            bins.append(one)
        everything, _ = self._units(sys.maxsize)
        return Packing(self._filled(bins, everything), packing.capped)

    def _tray(self, room: int) -> Tray:
        return Tray(self._policy, self._prices, room)

    def _units(self, room: int) -> tuple[list[_Unit], frozenset[str]]:
        """What a single pass shows, then the rest by its order, in so many tokens; and the files
        of which their cap hides something."""
        tray = self._tray(room)
        for group in self._ranks:
            for draft, rows in self._seen(group):
                tray.add(draft, rows)
        seen, capped = frozenset(tray.kept), set()
        for group in self._ranks:
            for draft in group.folded:
                tray.add(draft, ())
            for turn in group.turns:
                reason = tray.add(turn.draft, turn.piece.rows)
                if reason is Reason.BUDGET:
                    break
                if reason is Reason.FILE_CAP:
                    capped.add(turn.draft.path)
            for draft in group.wholes:
                tray.add(draft, draft.asked_rows)
        kept = {path: frozenset(rows) for path, rows in tray.kept.items()}
        units = [self._unit(d, kept[d.path], seen) for d in self._drafts() if d.path in kept]
        return units, self._first.capped | capped

    def _drafts(self) -> Iterator[Draft]:
        for group in self._ranks:
            yield from group.folded
            yield from _dealt(group)
            yield from group.wholes

    def _seen(self, group: Group) -> Iterator[tuple[Draft, Rows]]:
        """What a single pass shows of the diff: its pieces as they are dealt, then what came along
        with others."""
        kept = self._first.kept
        yield from ((draft, frozenset()) for draft in group.folded if draft.path in kept)
        for draft in group.wholes:
            if kept.get(draft.path, frozenset()) >= draft.asked_rows:
                yield draft, draft.asked_rows
        for draft in (*_dealt(group), *group.wholes):
            rows = kept.get(draft.path, frozenset())
            whole = (piece.rows for piece in draft.pieces if rows.issuperset(piece.changed))
            changed = {i for i in rows & draft.asked_rows if draft.rows[i].line.changed}
            if changed:
                yield draft, frozenset(changed.union(*whole))

    def _unit(self, draft: Draft, rows: Rows, seen: frozenset[str]) -> _Unit:
        tray = self._tray(sys.maxsize)
        tray.add(draft, rows)
        must = draft.kind.tier >= Tier.TEST or bool(draft.kind.marker) or draft.path in seen
        return _Unit(draft, rows, tray.used, must)

    def _bins(self, units: Sequence[_Unit], count: int) -> list[_Bin]:
        """So many bins with all units that must be in one; empty if they do not fit."""
        bins = [_Bin(self._tray(self._capacity)) for _ in range(count)]
        for unit in units:
            # Alone over a budget: these need bins with much room, so they come first.
            if unit.must and unit.tokens > self._capacity and not self._split(unit, bins):
                return []
        for folder in _by_folder([u for u in units if u.must and u.tokens <= self._capacity]):
            if not _together(folder, bins) and not all(_place(unit, bins) for unit in folder):
                return []
        return bins

    def _split(self, unit: _Unit, bins: Sequence[_Bin]) -> bool:
        """Puts the pieces of one file into bins, in their order. A piece that is alone too large
        is left out."""
        free = sorted(bins, key=lambda one: -one.free)
        for piece in unit.draft.pieces:
            rows = [i for i in piece.rows if i in unit.rows]
            single = self._tray(self._capacity)
            if not rows or single.add(unit.draft, rows):
                continue
            while free and not free[0].add(unit.draft, rows):
                free.pop(0)
            if not free:
                return False
        return True

    def _filled(self, bins: Sequence[_Bin], units: Sequence[_Unit]) -> tuple[Load, ...]:
        """The loads, with what still fits: more pieces by their order, then whole files, the
        smallest of the highest tier first. Loads that hold code come first."""
        for group in self._ranks:
            for turn in group.turns:
                _fill(turn, bins)
        placed = {path for one in bins for path in one.tray.kept}
        rest = [unit for unit in units if unit.draft.path not in placed]
        for unit in sorted(rest, key=lambda u: (-u.draft.kind.tier, u.tokens, u.draft.path)):
            _place(unit, bins)
        ranks = {draft.path: draft.rank for draft in self._drafts()}
        kept = [one.tray.kept for one in bins if one.tray.kept]
        kept.sort(key=lambda load: max(ranks[path] for path in load), reverse=True)
        return tuple({path: frozenset(rows) for path, rows in load.items()} for load in kept)


def _dealt(group: Group) -> Collection[Draft]:
    """The files of which pieces are dealt."""
    return {turn.draft.path: turn.draft for turn in group.turns}.values()


def _by_folder(units: Sequence[_Unit]) -> list[list[_Unit]]:
    """The units by tier, source first, and folder, the largest one first; so are those in it."""
    found: dict[tuple[Tier, tuple[str, ...]], list[_Unit]] = defaultdict(list)
    for unit in sorted(units, key=lambda u: (-u.tokens, u.draft.path)):
        found[unit.draft.kind.tier, unit.folder].append(unit)
    ordered = sorted(found, key=lambda key: (-key[0], -sum(u.tokens for u in found[key]), key[1]))
    return [found[key] for key in ordered]


def _together(folder: Sequence[_Unit], bins: Sequence[_Bin]) -> bool:
    """Puts all files of a folder into one bin, if one has room: the one nearest to it."""
    tokens = sum(unit.tokens for unit in folder)
    open_ = [one for one in bins if one.free >= tokens]
    if not open_:
        return False
    best = max(open_, key=lambda one: one.near(folder[0].folder))
    return all(best.add(unit.draft, unit.rows) for unit in folder)


def _place(unit: _Unit, bins: Sequence[_Bin]) -> bool:
    return _together([unit], bins)


def _fill(turn: Turn, bins: Sequence[_Bin]) -> None:
    """Adds a piece to the bin of its file; to any bin if its file is in none."""
    holding = [one for one in bins if turn.draft.path in one.tray.kept]
    if len(holding) <= 1 and not any(
        one.tray.holds(turn.draft, turn.piece.changed) for one in holding
    ):
        any(one.add(turn.draft, turn.piece.rows) for one in holding or bins)
