"""An explanation as lines of plain text: the answer first, then the numbers behind it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from pr_review.domain.coverage import Mark
from pr_review.domain.diff import Side
from pr_review.domain.ledger import Entry, Reason, State
from pr_review.domain.text import visible_line
from pr_review.domain.words import counted, ranges
from pr_review.snapshot.explain.model import (
    Answer,
    Explanation,
    FileAccount,
    LineAccount,
    Needed,
    Part,
    Remedy,
    Role,
    Turn,
)

_WIDTH, _LABEL = 100, 11
_MOST_RANGES = 8
_MOST_VALUES = 6
_MOST_USERS = 3

_Fact = tuple[str, str]

_STAGES = {
    Reason.BUDGET: "truncate",
    Reason.FILE_CAP: "truncate",
    Reason.CONTEXT_CAP: "truncate",
    Reason.DEPENDENCY_CAP: "truncate",
    Reason.LONG_LINE: "render",
    Reason.EXCLUDED: "settings",
    Reason.DIFF_CAP: "reading the diff",
    Reason.UNPARSABLE: "reading the diff",
    Reason.DEADLINE: "prepare",
    Reason.REVIEWED: "reviewed",
}


def lines(found: Explanation) -> tuple[str, ...]:
    """The text, at most 100 columns wide but for long names; no line holds a hidden character."""
    about = found.about
    head, facts = (
        (_file_head(about), _file_facts(about))
        if isinstance(about, FileAccount)
        else (_line_head(about), _line_facts(about))
    )
    told = [head, *_table([*facts, *_ends(about.remedy, about.stuck), *_run(found)])]
    if found.needed is not None:
        told += ["", *_needed(found.needed)]
    return tuple(visible_line(line) for line in told)


def _run(found: Explanation) -> Iterator[_Fact]:
    yield "snapshot", found.size
    if found.refused:
        yield "refused", f"a review of this change would not run: {found.refused}"


def _ends(remedy: Remedy | None, stuck: str) -> Iterator[_Fact]:
    if remedy is not None:
        yield "to show it", _remedy(remedy)
    elif stuck:
        yield "to show it", stuck


def _remedy(remedy: Remedy) -> str:
    """`--diff-token-budget 8300 (smallest found: with 8200 it is not shown)`."""
    given = [(setting, value) for setting, value in remedy.changes if setting != "since"]
    flags = " ".join(f"--{setting} {value}".rstrip() for setting, value in given)
    if len(given) < len(remedy.changes):
        flags = f"leave --since away{f' and give {flags}' if flags else ''}"
    fails = [
        f"{failing}" if len(remedy.changes) == 1 else f"{setting} {failing}"
        for (setting, _), failing in zip(remedy.changes, remedy.fails, strict=True)
        if failing is not None
    ]
    told = f"{flags} (smallest found: not with {' or '.join(fails)})" if fails else flags
    return f"{told}, or --max-passes {remedy.passes}" if remedy.passes else told


def _table(facts: Iterable[_Fact]) -> Iterator[str]:
    for label, text in facts:
        rows = textwrap.wrap(
            text, _WIDTH - _LABEL - 2, break_long_words=False, break_on_hyphens=False
        )
        for number, row in enumerate(rows or [""]):
            yield f"  {label if not number else '':{_LABEL}}{row}".rstrip()


def _file_head(about: FileAccount) -> str:
    entry = about.entry
    why = f": {_why(entry)}" if entry.reason else ""
    match entry.state:
        case State.SHOWN:
            return f"{about.name} is shown: all {counted(entry.changed, 'changed line')}"
        case State.FOLDED if entry.shown:
            read = f"{entry.folded:,} of {counted(entry.changed, 'changed line')}"
            return f"{about.name} is shown but for {read}{why}"
        case State.FOLDED:
            return f"{about.name} is folded{why}"
        case State.PARTIAL:
            seen = entry.shown + entry.folded
            return f"{about.name} is shown in part, {seen:,} of {entry.changed:,} lines{why}"
        case State.OMITTED:
            return f"{about.name} is not shown{why}"


def _why(entry: Entry) -> str:
    assert entry.reason is not None
    if entry.reason is Reason.REVIEWED:
        return f"{entry.reason.words}, at {entry.since[:12]}"
    return entry.says if entry.state is State.FOLDED and entry.says else entry.reason.words


def _file_facts(about: FileAccount) -> Iterator[_Fact]:
    entry = about.entry
    yield "tier", f"{entry.tier.label}: {about.tier_why}"
    if about.order:
        yield "loss order", _order(about)
    yield "tokens", f"{entry.tokens:,} of about {entry.full_tokens:,}"
    yield from _passes(entry.passes)
    if about.own_bytes > about.cap_bytes:
        yield "bytes", f"{about.own_bytes:,} of diff, over max-file-bytes ({about.cap_bytes:,})"
    yield from _share("shown", entry.shown_added, entry.shown_removed)
    yield from _share("folded", entry.folded_added, entry.folded_removed)
    yield from _share("omitted", *_omitted(entry))
    if entry.context:
        yield "context", f"unchanged {ranges(entry.context, _MOST_RANGES)}"
    yield "structure", about.structure
    if about.turns:
        yield "pieces", _pieces(about.turns)
    elif about.whole:
        number, of, shown = about.whole
        yield (
            "in turn",
            f"whole or not at all: number {number} of {of}, smallest first; {shown} fit",
        )


def _order(about: FileAccount) -> str:
    """From the files that go first to those that go last."""
    ranks = [
        f"{rank.label} {rank.in_sight:,}/{rank.files:,}{' (this one)' if rank.mine else ''}"
        for rank in about.order
    ]
    return f"{', '.join(ranks)} (files in full sight/all; the first named go first)"


def _omitted(entry: Entry) -> tuple[Sequence[int], Sequence[int]]:
    seen = {*entry.shown_added, *entry.folded_added}
    gone = {*entry.shown_removed, *entry.folded_removed}
    return (
        [number for number in entry.added_lines if number not in seen],
        [number for number in entry.removed_lines if number not in gone],
    )


def _share(label: str, added: Sequence[int], removed: Sequence[int]) -> Iterator[_Fact]:
    sides = [f"+ {ranges(added, _MOST_RANGES)}"] if added else []
    sides += [f"- {ranges(removed, _MOST_RANGES)}"] if removed else []
    if sides:
        yield label, "   ".join(sides)


def _pieces(turns: Sequence[Turn]) -> str:
    one = turns[0]
    inside = sum(turn.rank <= one.dealt for turn in turns)
    ranks = ranges(sorted(turn.rank for turn in turns), _MOST_RANGES)
    whose = f"{counted(len(turns), 'piece')}, {inside:,} before the cut: {_fitting(one)}"
    return f"{whose}; its own are numbers {ranks}"


def _fitting(turn: Turn) -> str:
    capped = turn.dealt - turn.shown
    shown = f"the first {turn.dealt:,} of {turn.of:,} by score are shown"
    if not turn.dealt:
        shown = f"none of {turn.of:,} is shown"
    if capped:
        shown += f" but for {capped:,} over the cap of their file"
    return f"{shown}, {turn.along:,} more come along" if turn.along else shown


def _line_head(about: LineAccount) -> str:
    where = str(about.place)
    if about.asked:
        where = f"{about.place.name}:-{about.asked} did not change, and as {where} it"
    match about.mark:
        case Mark.SHOWN:
            sign = "removed" if about.place.side is Side.LEFT else "added"
            return f"{where} is shown: it is {'an' if sign == 'added' else 'a'} {sign} line"
        case Mark.CONTEXT:
            role = _role(_best(about.roles)) if about.roles else "an unchanged line"
            return f"{where} is shown as context: {role}"
        case Mark.FOLDED:
            return f"{where} is folded: {about.says}"
        case Mark.REDACTED | Mark.CUT:
            return f"{where} is shown in part: {about.says}"
        case Mark.OMITTED:
            return f"{where} is not shown: {_not_shown(about)}"


def _not_shown(about: LineAccount) -> str:
    words = " and ".join(reason.words for reason in about.because)
    if about.changed:
        return words
    if about.roles:
        return f"unchanged, {_role(_best(about.roles))}" + (f", {words}" if words else "")
    if about.remedy and not words:
        return "unchanged, and beyond the context of these settings"
    return f"unchanged, {words}" if words else "unchanged, and no rule reaches it"


def _best(roles: Sequence[Role]) -> Role:
    """The first role of a piece that is shown."""
    return next((role for role in roles if role.piece_shown), roles[0])


def _role(role: Role) -> str:
    if role.part is Part.DEFINITION:
        users = ", ".join(str(user) for user in role.users[:_MOST_USERS])
        more = len(role.users) - _MOST_USERS
        return f"definition of `{role.names[0]}`, used by {users}" + (
            f" and {more} more" if more > 0 else ""
        )
    names = " and ".join(f"`{name}`" for name in role.names)
    joined = {Part.NAMED: f" {names}", Part.SIGNATURE: f" of {names}", Part.SCOPE: f" {names}"}
    named = joined.get(role.part, "") if names else ""
    return f"{role.part}{named}" + (f", for {role.of}" if role.of else "")


def _passes(numbers: Sequence[int]) -> Iterator[_Fact]:
    if numbers:
        yield "pass", " and ".join(str(number) for number in numbers)


def _line_facts(about: LineAccount) -> Iterator[_Fact]:
    yield from _passes(about.passes)
    if about.because:
        stages = dict.fromkeys(_STAGES.get(reason, "prepare") for reason in about.because)
        yield "stage", ", ".join(stages)
    if about.entry is not None:
        yield "file", _file(about.entry)
    if about.turn is not None:
        yield from _turn(about.turn)
    for number, role in enumerate(about.roles):
        shown = "" if role.piece_shown else ", which is not shown itself"
        yield "" if number else "as", f"{_role(role)}{shown}"


def _file(entry: Entry) -> str:
    seen = entry.shown + entry.folded
    state = f"{entry.state}, tier {entry.tier.label}"
    return f"{state}: {seen:,} of {counted(entry.changed, 'changed line')}, {entry.tokens:,} tokens"


def _turn(turn: Turn) -> Iterator[_Fact]:
    yield "piece", f"{turn.lines}: number {turn.rank:,}; {_fitting(turn)}"
    shown = [f"{number}: {worth:g}" for number, worth in turn.values[:_MOST_VALUES]]
    more = ["…"] if len(turn.values) > _MOST_VALUES else []
    values = f" ({', '.join([*shown, *more])})" if shown else ""
    yield "value", f"{turn.worth:g}{values} in {turn.tokens:,} tokens"
    last = f", the last one shown {turn.last:.3f}" if turn.shown else ""
    yield "score", f"{turn.score:.3f}{last}"


def _needed(found: Needed) -> Iterator[str]:
    heads = {
        Answer.YES: "yes, shown",
        Answer.COULD: "could be",
        Answer.NO: "no",
    }
    yield f"{found.target} needs {found.place}? {heads[found.answer]}: {found.why}"
    facts = [("stage", found.stage)] if found.stage else []
    yield from _table([*facts, *_ends(found.remedy, "")])
