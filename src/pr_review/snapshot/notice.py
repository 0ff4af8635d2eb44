"""The notice: what the model does not see, said where the model reads it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from pr_review.domain.ledger import Entry, Ledger, Reason, State, Tier
from pr_review.domain.text import quoted_path
from pr_review.templates import render

# How many leading folders a name keeps as it folds; before that it is the file's own.
_DEPTHS = (99, 4, 2, 1)


@dataclass(frozen=True, slots=True)
class NoticeLine:
    """One file, or one folder with its count, that the model did not see at all; files whose names
    read alike, since their bytes are not UTF-8, are one with a count, too."""

    where: str
    files: int
    tier: str
    changed: int
    tokens: int
    why: str


@dataclass(frozen=True, slots=True)
class Pass:
    """One of several passes: its number from 1, of how many, and in which other ones each file
    that they hold is read, by path.
    """

    number: int
    of: int
    elsewhere: Mapping[str, tuple[int, ...]]


def notice(
    ledger: Ledger,
    *,
    max_tokens: int,
    count: Callable[[str], int],
    since: str = "",
    place: Pass | None = None,
) -> str:
    """The notice's text, at most `max_tokens` long if folding by folder can make it so.

    Names fold folder by folder while it is over, generated files first, source last. `since` is
    the commit up to which an earlier review read the change, if there is one. `place` is given
    where the ledger is that of one pass of several.
    """
    omitted = [e for e in ledger.entries if _unseen(e)]
    depths: dict[Tier, int | None] = dict.fromkeys(Tier)
    text = _text(ledger, omitted, depths, since, place)
    for tier, depth in _folding({entry.tier for entry in omitted}):
        if count(text) <= max_tokens:
            break
        depths[tier] = depth
        text = _text(ledger, omitted, depths, since, place)
    return text


def _folding(tiers: Collection[Tier]) -> Iterator[tuple[Tier, int]]:
    """Steps of folding: every tier down to its top folders in turn, then to one line each."""
    for tier in sorted(tiers):
        for depth in _DEPTHS:
            yield tier, depth
    for tier in sorted(tiers):
        yield tier, 0


def _unseen(entry: Entry) -> bool:
    """No part of it stands in the text; a file of which all lines are cut does, in part."""
    return entry.state is State.OMITTED and not entry.described


def _text(
    ledger: Ledger,
    omitted: Sequence[Entry],
    depths: Mapping[Tier, int | None],
    since: str,
    place: Pass | None,
) -> str:
    partial = [e for e in ledger.withheld if not _unseen(e)]
    return render(
        "_shared/notice.md.j2",
        files=len(ledger.entries),
        changed=sum(e.changed for e in ledger.entries),
        shown=sum(e.shown for e in ledger.entries),
        folded=sum(e.folded for e in ledger.entries if not e.since),
        reviewed=sum(e.folded for e in ledger.entries if e.since),
        since=since,
        unseen=len(omitted),
        partial=len(partial),
        cut=sum(e.reason is Reason.LONG_LINE for e in ledger.entries),
        redactions=len(ledger.redactions),
        unlisted=ledger.unlisted_words,
        lines=_lines(omitted, depths, place.elsewhere if place else {}),
        number=place.number if place else 1,
        passes=place.of if place else 1,
    )


def _lines(
    omitted: Sequence[Entry],
    depths: Mapping[Tier, int | None],
    elsewhere: Mapping[str, tuple[int, ...]],
) -> list[NoticeLine]:
    groups: dict[tuple[int, str, str], list[Entry]] = {}
    for entry in omitted:
        where = _where(entry.printed or entry.path, depths[entry.tier])
        why = _why(entry, elsewhere.get(entry.path, ()))
        groups.setdefault((-entry.tier, where, why), []).append(entry)
    return [
        NoticeLine(
            where,
            len(members) if where.endswith("/") or len(members) > 1 else 0,
            members[0].tier.label,
            sum(e.changed for e in members),
            sum(e.full_tokens for e in members),
            why,
        )
        for (_, where, why), members in sorted(groups.items())
    ]


def _why(entry: Entry, passes: Sequence[int]) -> str:
    if entry.reason is not Reason.ELSEWHERE:
        return entry.reason.words if entry.reason else ""
    numbers = " and ".join(str(number) for number in passes)
    return f"read in pass{'' if len(passes) == 1 else 'es'} {numbers}"


def _where(path: str, depth: int | None) -> str:
    """The path, or its first folders with a slash; `./` for the top."""
    if depth is None:
        return quoted_path(path)
    folders = PurePosixPath(path).parts[:-1][:depth]
    if not folders and depth:
        return quoted_path(path)
    return f"{'/'.join(quoted_path(f) for f in folders) or '.'}/"
