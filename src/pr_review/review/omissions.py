"""What the model did not see, by tier: file by file, or by folder where there is no room."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from pr_review.domain.ledger import Entry, State, Tier
from pr_review.domain.words import counted, ranges
from pr_review.review.fit import Measure, units
from pr_review.review.neutral import code

_MOST_RANGES = 6

Folder = Callable[[Entry], str]


def omissions(entries: Sequence[Entry], room: int, measure: Measure = units) -> str:
    """Markdown lists of files that were not shown in full, by tier, in at most `room` of a measure.

    Source stands first. While the lists are too long, files fold into their folders with
    counts, generated ones first and source last; then into top-level folders; then into
    one line for each tier, which always stands even if there is no room for it.
    """
    text = ""
    for text in _views(entries):
        if measure(text) <= room:
            break
    return text


def summary_line(entries: Sequence[Entry]) -> str:
    """`12 files, 3,400 changed lines`."""
    lines = counted(sum(entry.omitted for entry in entries), "changed line")
    return f"{counted(len(entries), 'file')}, {lines}"


def _views(entries: Sequence[Entry]) -> Iterator[str]:
    """The same entries told ever more briefly."""
    for lowest_unfolded in range(Tier.GENERATED, Tier.SOURCE + 2):
        folded = [entry for entry in entries if entry.tier < lowest_unfolded]
        files = [entry for entry in entries if entry.tier >= lowest_unfolded]
        yield _by_tier(entries, [*map(_file, files), *_folders(folded, _parent)])
    yield _by_tier(entries, [*_folders(entries, _top)])
    tiers = sorted({entry.tier for entry in entries}, reverse=True)
    yield "\n".join(_whole(tier, [e for e in entries if e.tier is tier]) for tier in tiers)


Line = tuple[Tier, str, str]
"""What a line is about, and the line."""


def _by_tier(entries: Sequence[Entry], lines: Sequence[Line]) -> str:
    """A heading with counts for each tier, above its lines."""
    parts = []
    for tier in sorted({entry.tier for entry in entries}, reverse=True):
        about = summary_line([entry for entry in entries if entry.tier is tier])
        told = [line for of, _, line in sorted(lines) if of is tier]
        parts.append("\n".join([f"**{tier.label.capitalize()}**: {about}\n", *told]))
    return "\n\n".join(parts)


def _file(entry: Entry) -> Line:
    count = f"{entry.omitted:,} of " if entry.state is State.PARTIAL else ""
    parts = [f"{count}{counted(entry.changed, 'line')}"]
    if entry.state is State.PARTIAL and (unseen := _unseen(entry)):
        parts.append(f"new lines {ranges(unseen, _MOST_RANGES)}")
    parts += _tokens(entry.full_tokens - entry.tokens)
    return entry.tier, entry.path, f"- {code(entry.path)}: {entry.why}; {', '.join(parts)}"


def _folders(entries: Sequence[Entry], folder: Folder) -> Iterator[Line]:
    groups: defaultdict[tuple[Tier, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        groups[entry.tier, folder(entry)].append(entry)
    for (tier, name), members in groups.items():
        # a folder of one file saves nothing: the file is named
        place = members[0].path if len(members) == 1 else f"{name}/"
        yield tier, name, f"- {code(place)}: {_together(members)}"


def _whole(tier: Tier, members: Sequence[Entry]) -> str:
    return f"- **{tier.label.capitalize()}**: {_together(members)}"


def _together(members: Sequence[Entry]) -> str:
    reasons = Counter(entry.reason.words for entry in members if entry.reason)
    why = ", ".join(f"{words} ({count:,})" for words, count in sorted(reasons.items()))
    lines = counted(sum(entry.omitted for entry in members), "line")
    tokens = _tokens(sum(entry.full_tokens - entry.tokens for entry in members))
    return f"{why}; {', '.join([counted(len(members), 'file'), lines, *tokens])}"


def _tokens(missing: int) -> list[str]:
    return [f"about {missing:,} tokens"] if missing > 0 else []


def _unseen(entry: Entry) -> list[int]:
    seen = {*entry.shown_added, *entry.folded_added}
    return [number for number in entry.added_lines if number not in seen]


def _parent(entry: Entry) -> str:
    return entry.path.rpartition("/")[0] or "."


def _top(entry: Entry) -> str:
    head, slash, _ = entry.path.partition("/")
    return head if slash else "."
