"""What the model did not see: file by file, or by folder where there is no room."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from pr_review.domain.ledger import Entry, State, Tier
from pr_review.review.fit import Measure, units
from pr_review.review.neutral import code
from pr_review.review.verdict import counted

_MOST_RANGES = 6

Folder = Callable[[Entry], str]


def omissions(entries: Sequence[Entry], room: int, measure: Measure = units) -> str:
    """A Markdown list of files that were not shown in full, in at most `room` of a measure.

    Source stands first. While the list is too long, files fold into their folders with
    counts, generated ones first and source last; then into top-level folders; then into
    one line for each tier, which always stands even if there is no room for it.
    """
    text = ""
    for lines in _views(entries):
        text = "\n".join(lines)
        if measure(text) <= room:
            break
    return text


def summary_line(entries: Sequence[Entry]) -> str:
    """`12 files, 3,400 changed lines`."""
    lines = counted(sum(entry.omitted for entry in entries), "changed line")
    return f"{counted(len(entries), 'file')}, {lines}"


def _views(entries: Sequence[Entry]) -> Iterator[list[str]]:
    """The same entries told ever more briefly."""
    for lowest_unfolded in range(Tier.GENERATED, Tier.SOURCE + 2):
        folded = [entry for entry in entries if entry.tier < lowest_unfolded]
        files = [entry for entry in entries if entry.tier >= lowest_unfolded]
        yield [line for _, line in sorted([*map(_file, files), *_folders(folded, _parent)])]
    yield [line for _, line in sorted(_folders(entries, _top))]
    yield [line for _, line in sorted(_folders(entries, lambda _: ""))]


Ordered = tuple[tuple[int, str], str]


def _file(entry: Entry) -> Ordered:
    parts = [_lines(entry)]
    if entry.state is State.PARTIAL and (ranges := _ranges(_unseen(entry))):
        parts.append(f"new lines {ranges}")
    parts.append(_tokens(entry))
    why = entry.reason.words if entry.reason else "no reason recorded"
    text = f"- {code(entry.path)} ({entry.tier.label}): {', '.join(p for p in parts if p)}: {why}"
    return (-entry.tier, entry.path), text


def _folders(entries: Sequence[Entry], folder: Folder) -> Iterator[Ordered]:
    groups: defaultdict[tuple[Tier, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        groups[entry.tier, folder(entry)].append(entry)
    for (tier, name), members in groups.items():
        # a folder of one file saves nothing: the file is named
        place = members[0].path if len(members) == 1 else f"{name}/"
        where = f"{code(place)}: " if name else ""
        reasons = Counter(entry.reason.words for entry in members if entry.reason)
        why = ", ".join(f"{words} ({count:,})" for words, count in sorted(reasons.items()))
        tokens = sum(entry.full_tokens for entry in members)
        what = f"{tier.label} {'file' if len(members) == 1 else 'files'}"
        lines = counted(sum(entry.omitted for entry in members), "changed line")
        about = f", about {tokens:,} tokens" if tokens else ""
        yield (-tier, name), f"- {where}{len(members):,} {what}, {lines} not shown{about}: {why}"


def _lines(entry: Entry) -> str:
    if entry.state is State.PARTIAL:
        return f"{entry.omitted:,} of {counted(entry.changed, 'changed line')} not shown"
    return f"{counted(entry.changed, 'changed line')} not shown"


def _tokens(entry: Entry) -> str:
    missing = entry.full_tokens - entry.tokens
    return f"about {missing:,} tokens" if missing > 0 else ""


def _unseen(entry: Entry) -> list[int]:
    seen = {*entry.shown_added, *entry.folded_added}
    return [number for number in entry.added_lines if number not in seen]


def _ranges(numbers: Sequence[int]) -> str:
    """`4-9, 12, 20-31`, and how many more."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    shown = [f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs[:_MOST_RANGES]]
    more = len(runs) - len(shown)
    return ", ".join(shown) + (f" and {more} more ranges" if more else "")


def _parent(entry: Entry) -> str:
    return entry.path.rpartition("/")[0] or "."


def _top(entry: Entry) -> str:
    head, slash, _ = entry.path.partition("/")
    return head if slash else "."
