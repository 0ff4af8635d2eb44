"""What became of one line, and what would show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pr_review.domain.coverage import Mark, MarkedLine
from pr_review.domain.diff import Line, Side, SourceKind
from pr_review.domain.ledger import Entry, Reason
from pr_review.domain.snapshot import Part as Pass
from pr_review.snapshot.draft import Draft
from pr_review.snapshot.explain.barred import barred_remedy
from pr_review.snapshot.explain.case import Case, Outcome
from pr_review.snapshot.explain.model import LineAccount, Part, Place, Remedy
from pr_review.snapshot.explain.order import turn_of
from pr_review.snapshot.explain.remedy import (
    MOST_LINES,
    Goal,
    Knob,
    caps,
    in_passes,
    smallest,
    without_since,
)
from pr_review.snapshot.explain.roles import roles
from pr_review.snapshot.explain.wider import wider
from pr_review.snapshot.widen import agrees

_BY_SETTING = {
    "diff-token-budget": Reason.BUDGET,
    "max-file-bytes": Reason.FILE_CAP,
    "max-context-bytes": Reason.CONTEXT_CAP,
    "max-dependencies": Reason.DEPENDENCY_CAP,
    "max-diff-bytes": Reason.DIFF_CAP,
    "include": Reason.EXCLUDED,
    "exclude": Reason.EXCLUDED,
    "since": Reason.REVIEWED,
}
_IN_PART = {
    Mark.CUT: "no setting shows the rest of it",
    Mark.REDACTED: "--screening off would send it with what looks like a credential in it",
}


def line_account(case: Case, place: Place, asked: int = 0) -> LineAccount:
    """The account of one line; `asked` is the number it had on the old side, if it was asked
    for by that."""
    entry = case.now.entry(place.path)
    changed = _changed(case, place)
    known = _marked(case, place)
    account = LineAccount(place, changed, known.mark if known else Mark.OMITTED, entry, asked=asked)
    account = replace(account, says=known.why if known else "", passes=_passes(case, place))
    if changed:
        return _of_changed(case, account)
    return _of_unchanged(case, account)


def _changed(case: Case, place: Place) -> bool:
    """Whether it is a changed line; in a file whose lines were not read it may be one."""
    file = case.file(place.path)
    if file is None:
        return False
    if not file.hunks and (file.binary or file.additions + file.deletions):
        return True
    return place.number in (file.removed_lines if place.side is Side.LEFT else file.added_lines)


def _marked(case: Case, place: Place) -> MarkedLine | None:
    sheet = case.now.sheets.get(place.path)
    file = case.now.marked.get(sheet.printed) if sheet else None
    for line in file.lines if file else ():
        if (line.old if place.side is Side.LEFT else line.new) == place.number and (
            place.side is Side.RIGHT or line.new is None
        ):
            return line
    return None


def _passes(case: Case, place: Place) -> tuple[int, ...]:
    """The numbers of the passes that a line stands in, where there are several."""
    row = row_of(case.now, place)
    if row is None:
        return ()
    line = case.now.sheets[place.path].rows[row].line
    found = enumerate(case.now.snapshot.parts, 1)
    return tuple(number for number, part in found if _stands(part, place.path, line))


def _stands(part: Pass, path: str, line: Line) -> bool:
    sent = (file for file in part.sent if file.path == path)
    return any((one.old, one.new) == (line.old, line.new) for file in sent for one in file.lines)


def row_of(outcome: Outcome, place: Place) -> int | None:
    """The position of a line on the sheet of its file."""
    sheet = outcome.sheets.get(place.path)
    if sheet is None:
        return None
    if place.side is Side.RIGHT:
        return sheet.position.get(place.number)
    lines = (row.line for row in sheet.rows)
    return next((i for i, x in enumerate(lines) if x.removed and x.old == place.number), None)


def _of_changed(case: Case, account: LineAccount) -> LineAccount:
    draft = case.now.drafts[account.place.path]
    if draft.says:
        return _of_folded(case, account)
    row = row_of(case.now, account.place)
    turn = None if row is None else turn_of(case, draft, row)
    account = replace(account, turn=turn)
    if account.mark is Mark.FOLDED:
        remedy = without_since(case, _told(account.place), draft.path)
        return replace(account, remedy=remedy, because=(Reason.REVIEWED,))
    if account.mark is not Mark.OMITTED:
        # Past the cut it is seen as a part of something else, which tells why.
        along = row is not None and turn is not None and turn.rank > turn.dealt
        found = roles(case, draft, row) if along and row is not None else ()
        return replace(account, roles=found, stuck=_IN_PART.get(account.mark, ""))
    goal = _told(account.place)
    if draft.barred:
        remedy, stuck = barred_remedy(case, draft, goal)
    else:
        remedy, stuck = _within_caps(case, account, goal), "no setting was found that shows it"
    because = _because(remedy)
    told = _reasons(account.entry)
    if not because or (told and told[0] in because):
        because = tuple(dict.fromkeys((*told, *because)))
    return replace(account, remedy=remedy, stuck="" if remedy else stuck, because=because)


def _of_folded(case: Case, account: LineAccount) -> LineAccount:
    """A line of a file that one sentence stands for, if there is room for its header."""
    path = account.place.path

    def goal(outcome: Outcome) -> bool:
        entry = outcome.entry(path)
        return entry is not None and entry.in_sight

    if goal(case.now) and account.entry is not None:
        return replace(account, mark=Mark.FOLDED, says=account.entry.says)
    remedy = smallest(case, goal, [caps(case.now, path)["token_budget"]])
    return replace(account, remedy=remedy, because=_reasons(account.entry))


def _told(place: Place) -> Goal:
    """A changed line is printed, or exactly described."""

    def goal(outcome: Outcome) -> bool:
        entry = outcome.entry(place.path)
        if entry is None:
            return False
        added = place.side is Side.RIGHT
        numbers = (entry.shown_added, entry.folded_added) if added else (
            entry.shown_removed, entry.folded_removed
        )  # fmt: skip
        if any(place.number in known for known in numbers):
            return True
        row = row_of(outcome, place)
        sheet = outcome.sheets[place.path]
        return row is not None and sheet.rows[row].cut and outcome.prints(sheet, row)

    return goal


def _within_caps(case: Case, account: LineAccount, goal: Goal) -> Remedy | None:
    known = caps(case.now, account.place.path)
    order = ["token_budget", "max_file_bytes"]
    if account.entry is not None and account.entry.reason is Reason.FILE_CAP:
        order.reverse()
    remedy = smallest(case, goal, [known[name] for name in order])
    return in_passes(case, goal, remedy)


def _reasons(entry: Entry | None) -> tuple[Reason, ...]:
    return (entry.reason,) if entry is not None and entry.reason else ()


def _because(remedy: Remedy | None) -> tuple[Reason, ...]:
    """Which limits hide a line: those that have to change to show it."""
    settings = [setting for setting, _ in remedy.changes] if remedy else []
    return tuple(dict.fromkeys(_BY_SETTING[s] for s in settings if s in _BY_SETTING))


def _of_unchanged(case: Case, account: LineAccount) -> LineAccount:
    sheet = case.now.sheets.get(account.place.path)
    row = row_of(case.now, account.place)
    if sheet is not None and row is not None:
        account = replace(account, roles=roles(case, sheet, row))
    if account.mark is not Mark.OMITTED:
        return replace(account, stuck=_IN_PART.get(account.mark, ""))
    goal = printed(account.place)
    if remedy := _read_before(case, account, row, goal):
        return replace(account, remedy=remedy, because=_because(remedy))
    if row is not None:
        remedy = smallest(case, goal, _context_caps(case, account))
        stuck = "no setting was found that shows it"
    else:
        remedy, stuck = _further(case, account, goal)
    because = _because(remedy)
    return replace(account, remedy=remedy, stuck="" if remedy else stuck, because=because)


def _read_before(case: Case, account: LineAccount, row: int | None, goal: Goal) -> Remedy | None:
    """What shows a line that stood in the text until an earlier review had read its change."""
    draft = case.now.drafts.get(account.place.path)
    if draft is None or not draft.reviewed or (row is not None and row not in draft.reviewed):
        return None
    return without_since(case, goal, draft.path)


def printed(place: Place) -> Goal:
    """The line stands in the text."""

    def goal(outcome: Outcome) -> bool:
        row = row_of(outcome, place)
        return row is not None and outcome.prints(outcome.sheets[place.path], row)

    return goal


def _context_caps(case: Case, account: LineAccount) -> list[Knob]:
    known = caps(case.now, account.place.path)
    order = ["context_bytes", "max_file_bytes", "token_budget"]
    if any(role.part is Part.DEFINITION for role in account.roles):
        order.insert(0, "dependencies")
    return [known[name] for name in order]


def _further(case: Case, account: LineAccount, goal: Goal) -> tuple[Remedy | None, str]:
    """What shows a line that is not even a candidate; else why nothing does."""
    path = account.place.path
    draft = case.now.drafts.get(path)
    knobs = _context_caps(case, account)
    if draft is None:
        return _unused(case, path, knobs, goal)
    if draft.barred:
        return barred_remedy(case, draft, goal)
    stuck = _without_context(case, draft)
    if stuck:
        return None, stuck
    found = wider(case, path, account.place.number)
    for limits in found:
        if goal(case.under(limits)):
            return smallest(case, goal, (), limits), ""
    for limits in found:
        if remedy := smallest(case, goal, knobs, limits):
            return remedy, ""
    return None, (
        f"no rule reaches it: it is no signature, shares no name nearby, and stands more than "
        f"{MOST_LINES:,} lines from the changed lines"
        if not found
        else "no setting was found that shows it"
    )


def _unused(case: Case, path: str, knobs: Sequence[Knob], goal: Goal) -> tuple[Remedy | None, str]:
    if not case.limits.policy.dependencies:
        remedy = smallest(case, goal, [caps(case.now, path)["dependencies"], *knobs])
        if remedy:
            return remedy, ""
    return None, (
        "the file is not changed, and the line is no part of what is shown of a definition "
        "that changed lines use"
    )


def _without_context(case: Case, draft: Draft) -> str:
    """Why a file has no lines beyond its diff's own, whatever the settings."""
    if draft.says:
        return f"one sentence stands for the file: {draft.says}"
    if draft.in_one_line:
        return "an earlier review read all that changed in the file, so it has no context"
    if not draft.pieces:
        return f"files of tier {draft.kind.tier.label} get no context beyond the diff's own"
    structure = case.structure(draft.path)
    if structure is None and case.now.prepared.change.source is SourceKind.PATCH:
        return "a patch holds no lines beyond its own: give the commits instead"
    if structure is None:
        return "its text at the head could not be read, so it has no context beyond the diff's own"
    if not agrees(draft.file, structure.lines):
        return "its text at the head is not what the diff says"
    return ""
