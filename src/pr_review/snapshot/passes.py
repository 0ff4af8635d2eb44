"""Several passes: the change in more than one text, each of them within the budget."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pr_review.domain.ledger import Dependency, DependencyState, Entry, Ledger, Reason
from pr_review.snapshot.attempt import Attempt, Fitting, Material, Share, for_lines
from pr_review.snapshot.draft import Draft, Helper, Piece, Sheet
from pr_review.snapshot.notice import Pass
from pr_review.snapshot.packing import Load, Packer, Packing
from pr_review.snapshot.truncate import Choice, Rows, groups, left_to_context

_Key = tuple[str, str, int, int]

# How much of a pass is planned with; less, where what was planned did not fit after all.
_PLANNED = (1.0, 0.9, 0.75)
_GROWN = 0.9


@dataclass(frozen=True, slots=True)
class Union:
    """All passes together: their ledger, and the rows that stand in any of them."""

    passes: tuple[Attempt, ...]
    ledger: Ledger
    kept: Mapping[str, Rows]


def in_passes(material: Material, whole: Attempt) -> Union | None:
    """The change in several passes; None if `whole`, all that one holds, is to be read alone:
    where that lacks no line of source or tests for the budget, and where more would show no more.
    """
    prepared, policy, prices = material.prepared, material.policy, material.prices
    lacking = not whole.choice.complete and any(map(_lacks, whole.ledger.entries))
    if policy.passes < 2 or not lacking:
        return None
    ranks = groups(prepared.drafts, policy, prices)
    room = for_lines(policy.token_budget)
    for planned in _PLANNED:
        capacity = int((room - left_to_context(room)) * planned)
        packer = Packer(ranks, whole.choice, policy, prices, capacity)
        packing = packer.packed(policy.passes)
        found = _made(material, packing, whole)
        if found and any(map(_lacks, found.ledger.entries)):
            # What was kept for context and is not needed for it goes to the diff.
            free = [int(_GROWN * (policy.token_budget - one.tokens)) for one in found.passes]
            found = _made(material, packer.grown(packing, free), found) or found
        if found:
            return found
    return None


def _made(material: Material, packing: Packing, before: Union | Attempt) -> Union | None:
    """The passes; None if they do not hold what was planned, or show no more than `before`."""
    series = _Series(material, packing.loads, packing.capped)
    made = series.run() if len(packing.loads) > 1 else None
    return made if made and _more(made.ledger, before.ledger) else None


def _lacks(entry: Entry) -> bool:
    return entry.reviewable and entry.reason in (Reason.BUDGET, Reason.FILE_CAP)


def _more(found: Ledger, before: Ledger) -> bool:
    """Whether more of source and tests is shown, and nothing less of anything."""
    pairs = list(zip(found.entries, before.entries, strict=True))
    return all(_includes(new, old) for new, old in pairs) and any(
        new.reviewable and new.omitted < old.omitted for new, old in pairs
    )


def _includes(new: Entry, old: Entry) -> bool:
    return (
        {*new.shown_added, *new.folded_added} >= {*old.shown_added, *old.folded_added}
        and {*new.shown_removed, *new.folded_removed} >= {*old.shown_removed, *old.folded_removed}
        and (bool(old.changed) or new.described >= old.described)
    )


@dataclass(frozen=True)
class _Series:
    material: Material
    loads: Sequence[Load]
    capped: frozenset[str]

    def run(self) -> Union | None:
        """All passes, each within the budget; None if one does not show what was planned."""
        made: list[Attempt] = []
        used: set[_Key] = set()
        for load in self.loads:
            share = self._share(load, [one.choice.kept for one in made])
            attempt = Fitting(self.material, share).best()
            if attempt.tokens > self.material.policy.token_budget or not _holds(
                attempt.choice, load
            ):
                return None
            made.append(attempt)
            used |= _used(share)
        return self._union(made, used)

    def _share(self, load: Load, before: Sequence[Load]) -> Share:
        """What a pass is made from: its files, as far as they are its own."""
        prepared, number = self.material.prepared, len(before) + 1
        parts = {
            draft.path: _part(draft, load[draft.path])
            for draft in prepared.drafts
            if draft.path in load
        }
        others = [*before, *self.loads[number:]]
        sheets = (*prepared.drafts, *prepared.sheets)
        return Share(
            tuple(parts.values()),
            _helpers(prepared.helpers, parts),
            {sheet.path: _bytes(sheet, others) for sheet in sheets},
            Pass(number, len(self.loads), self._elsewhere(number)),
        )

    def _elsewhere(self, number: int) -> dict[str, tuple[int, ...]]:
        """In which passes but this one each file is read, by path."""
        found = {
            path: tuple(other for other in numbers if other != number)
            for path, numbers in _numbers(self.loads).items()
        }
        return {path: numbers for path, numbers in found.items() if numbers}

    def _union(self, made: Sequence[Attempt], used: Collection[_Key]) -> Union:
        known = [helper.definition for helper in self.material.prepared.helpers]
        kept: dict[str, Rows] = {}
        sizes: dict[str, int] = defaultdict(int)
        for one in made:
            for path, rows in one.choice.kept.items():
                kept[path] = kept.get(path, rows) | rows
            for path, tokens in one.sizes.items():
                sizes[path] += tokens
        choice = Choice(
            kept,
            _dependencies([one.choice for one in made], known, used),
            self.capped.union(*(one.choice.capped for one in made)),
            complete=all(one.choice.complete for one in made),
        )
        ledger = self.material.accounts.ledger(choice, sizes, passes=_numbers(self.loads))
        return Union(tuple(made), ledger, kept)


def _numbers(loads: Sequence[Load]) -> dict[str, tuple[int, ...]]:
    """In which passes each file is read, by path."""
    found: dict[str, tuple[int, ...]] = {}
    for number, load in enumerate(loads, 1):
        for path in load:
            found[path] = (*found.get(path, ()), number)
    return found


def _part(draft: Draft, rows: Rows) -> Draft:
    """A file with those of its changed lines alone that are for one pass."""
    changed = {i for i in draft.asked_rows if draft.rows[i].line.changed}
    elsewhere = frozenset(changed - rows)
    if not elsewhere:
        return draft
    pieces = (_piece(piece, elsewhere) for piece in draft.pieces)
    mine = tuple(piece for piece in pieces if piece.changed)
    return replace(draft, elsewhere=elsewhere, pieces=mine)


def _piece(piece: Piece, elsewhere: Rows) -> Piece:
    def here(rows: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(i for i in rows if i not in elsewhere)

    return Piece(
        here(piece.rows),
        here(piece.changed),
        piece.worth,
        here(piece.signature),
        here(piece.named),
        here(piece.own),
        here(piece.near),
        here(piece.scope),
    )


def _helpers(helpers: Sequence[Helper], parts: Mapping[str, Draft]) -> tuple[Helper, ...]:
    """The definitions that a pass may show: no changed line of another pass is in them."""
    return tuple(helper for helper in helpers if not _others_lines(helper, parts))


def _others_lines(helper: Helper, parts: Mapping[str, Draft]) -> bool:
    if not isinstance(helper.sheet, Draft):
        return False
    part = parts.get(helper.sheet.path)
    mine = part.asked_rows if part else frozenset()
    return any(i not in mine for i in helper.rows if helper.sheet.rows[i].line.changed)


def _holds(choice: Choice, load: Load) -> bool:
    return all(path in choice.kept and rows <= choice.kept[path] for path, rows in load.items())


def _bytes(sheet: Sheet, loads: Sequence[Load]) -> int:
    rows = (row for load in loads for row in load.get(sheet.path, ()))
    return sum(len(sheet.rows[i].text.encode()) for i in rows)


def _key(found: Dependency) -> _Key:
    return found.name, found.path, found.start, found.end


def _used(share: Share) -> set[_Key]:
    """The definitions that a pass may show and that lines of its own files use."""
    mine = {draft.path for draft in share.drafts}
    return {
        _key(helper.definition)
        for helper in share.helpers
        if any(path in mine for path, _ in helper.users)
    }


def _dependencies(
    passes: Sequence[Choice], known: Sequence[Dependency], used: Collection[_Key]
) -> tuple[Dependency, ...]:
    """Every definition, with the best that became of it in a pass. What no pass could show beside
    the lines that use it, since its own changed lines are in another one, is omitted for that.
    """
    order = list(DependencyState)
    found: dict[_Key, Dependency] = {}
    for one in (each for choice in passes for each in choice.dependencies):
        best = found.setdefault(_key(one), one)
        if order.index(one.state) < order.index(best.state):
            found[_key(one)] = one
    return tuple(_told(found.get(_key(one)), one, used) for one in known)


def _told(best: Dependency | None, one: Dependency, used: Collection[_Key]) -> Dependency:
    if best and (best.state is not DependencyState.OMITTED or _key(one) in used):
        return best
    return replace(one, state=DependencyState.OMITTED, reason=Reason.ELSEWHERE)
