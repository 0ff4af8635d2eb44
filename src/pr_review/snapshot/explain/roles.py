"""What an unchanged line is good for: which parts of which pieces hold it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pr_review.domain.diff import Side
from pr_review.domain.text import visible_line
from pr_review.snapshot.draft import Draft, Helper, Piece, Sheet
from pr_review.snapshot.explain.case import Case
from pr_review.snapshot.explain.model import Part, Place, Role, Span
from pr_review.snapshot.explain.target import name_of
from pr_review.snapshot.outline import Scope
from pr_review.snapshot.structure import Structure
from pr_review.snapshot.widen import shared_names

_PARTS = {
    Part.SIGNATURE: "signature",
    Part.NAMED: "named",
    Part.OWN: "own",
    Part.SCOPE: "scope",
    Part.NEAR: "near",
}
_MOST_NAMES = 3
_NAME_LENGTH = 60


def roles(case: Case, sheet: Sheet, row: int) -> tuple[Role, ...]:
    """One role for each part that holds the row, in the order of `Part`: of several pieces the
    first one that is shown."""
    found: dict[Part, Role] = {}
    for role in (*_definitions(case, sheet, row), *context_roles(case, sheet, row)):
        known = found.get(role.part)
        if known is None or (role.piece_shown and not known.piece_shown):
            found[role.part] = role
    return tuple(found[part] for part in Part if part in found)


def _definitions(case: Case, sheet: Sheet, row: int) -> Iterator[Role]:
    for helper in case.now.prepared.helpers:
        if helper.sheet.path == sheet.path and row in helper.rows:
            yield definition_role(case, helper)


def context_roles(
    case: Case, sheet: Sheet, row: int, changed: Collection[int] | None = None
) -> Iterator[Role]:
    """What a row is good for to the pieces of its own file; where `changed` is given, to those
    that hold one of these rows."""
    if not isinstance(sheet, Draft):
        return
    if not sheet.pieces and row in sheet.asked_rows:
        yield Role(Part.OWN, None, case.now.prints(sheet, row))
    structure = case.structure(sheet.path)
    for index, piece in enumerate(sheet.pieces):
        if changed is None or not set(changed).isdisjoint(piece.changed):
            for part in _parts(piece, row):
                yield _Held(case, sheet, structure, index, row).role(part)


def _parts(piece: Piece, row: int) -> Iterator[Part]:
    if row in piece.rows and row not in piece.changed:
        yield Part.NEXT
    for part, name in _PARTS.items():
        if row in getattr(piece, name):
            yield part


@dataclass(frozen=True, slots=True)
class _Held:
    """A row that the piece number `index` of a file holds."""

    case: Case
    sheet: Draft
    structure: Structure | None
    index: int
    row: int

    def role(self, part: Part) -> Role:
        piece = self.sheet.pieces[self.index]
        names: tuple[str, ...] = ()
        if part is Part.NAMED:
            texts = [self.sheet.rows[i].body for i in piece.changed]
            names = shared_names(self.sheet.rows[self.row].body, texts)[:_MOST_NAMES]
        elif part in (Part.SIGNATURE, Part.SCOPE):
            names = scope_names(self.sheet, self._scopes(part)[-1:])
        shown = self.case.now.tells(self.sheet, piece.changed)
        return Role(part, span(self.sheet, piece), shown, tuple(map(shortened, names)))

    def _scopes(self, part: Part) -> list[Scope]:
        """The definitions around the piece: those of which the row is the signature, or all."""
        if self.structure is None:
            return []
        start = min(self.structure.runs[self.index].start, len(self.structure.lines))
        around = self.structure.outline.around(start)
        number = self.sheet.rows[self.row].line.number
        return [s for s in around if part is Part.SCOPE or s.start <= number <= s.head]


def definition_role(case: Case, helper: Helper) -> Role:
    """The part that a definition plays for the lines that use it."""
    users = tuple(
        Place(path, name_of(path, case), case.now.sheets[path].rows[row].line.number)
        for path, row in helper.users
    )
    used = any(case.now.prints(case.now.sheets[path], row) for path, row in helper.users)
    return Role(Part.DEFINITION, None, used, (shortened(helper.definition.name),), users)


def span(sheet: Sheet, piece: Piece) -> Span:
    """The changed lines of a piece; of one that only removes, the removed ones."""
    lines = [sheet.rows[i].line for i in piece.changed]
    side = Side.RIGHT if any(line.added for line in lines) else Side.LEFT
    numbers = [line.number for line in lines if line.side is side]
    return Span(numbers[0], numbers[-1], side)


def scope_names(sheet: Sheet, scopes: Sequence[Scope]) -> tuple[str, ...]:
    """Names of definitions, but for those whose line is not there or was redacted: a name that
    was made from a line's text may hold what was hidden of it."""
    return tuple(
        shortened(scope.name)
        for scope in scopes
        if scope.line in sheet.position and sheet.rows[sheet.position[scope.line]].whole
    )


def shortened(name: str) -> str:
    """A name on one line, of at most 60 characters."""
    shown = visible_line(name).replace("`", "'")
    return shown if len(shown) <= _NAME_LENGTH else f"{shown[: _NAME_LENGTH - 1]}…"
