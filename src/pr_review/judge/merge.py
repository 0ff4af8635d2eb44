"""The same issue said twice is one finding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pr_review.domain.finding import Confidence, Finding, Judged, Place
from pr_review.judge.lines import normal

MERGED = "merged with another finding that says the same"


def merge(judged: Sequence[Judged]) -> tuple[Judged, ...]:
    """One finding for each issue: same path, overlapping lines, and the same title, or the same
    category and quote.

    As many come out as went in: those merged into another are placed `merged`.
    The result holds the same findings in whatever order they came.
    """
    held = sorted((j for j in judged if not j.place.left_out), key=repr)
    rejected = [j for j in judged if j.place.left_out]
    merged = [one for group in _groups(held) for one in _united(group)]
    return tuple(sorted(merged + rejected, key=repr))


def _groups(judged: Sequence[Judged]) -> Iterator[list[Judged]]:
    """Connected components of "says the same as"."""
    root = list(range(len(judged)))

    def find(item: int) -> int:
        while root[item] != item:
            item = root[item]
        return item

    for one, other in _pairs(judged):
        first, second = sorted((find(one), find(other)))
        root[second] = first
    groups: defaultdict[int, list[Judged]] = defaultdict(list)
    for index, item in enumerate(judged):
        groups[find(index)].append(item)
    yield from groups.values()


def _pairs(judged: Sequence[Judged]) -> Iterator[tuple[int, int]]:
    """Pairs with one key whose ranges overlap; enough of them to connect all that do."""
    buckets: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for index, item in enumerate(judged):
        for key in _keys(item.finding):
            buckets[key].append(index)
    for members in buckets.values():
        members.sort(key=lambda index: (_range(judged[index].finding), index))
        reach = members[0]
        for index in members[1:]:
            if _range(judged[index].finding)[0] <= _range(judged[reach].finding)[1]:
                yield reach, index
            if _range(judged[index].finding)[1] > _range(judged[reach].finding)[1]:
                reach = index


def _keys(finding: Finding) -> Iterator[tuple[str, ...]]:
    place = (finding.path, "file" if finding.start is None else finding.side.value)
    yield (*place, "title", normal(finding.title).casefold().rstrip(".!"))
    if finding.quote.strip():
        yield (*place, "quote", finding.category, normal(finding.quote))


def _range(finding: Finding) -> tuple[int, int]:
    start = 0 if finding.start is None else finding.start
    return start, start if finding.end is None else finding.end


def _united(group: Sequence[Judged]) -> Iterator[Judged]:
    """The best of a group with what the others add, then the others as merged."""
    ordered = sorted(group, key=_worth)
    best, *others = ordered
    sources = tuple(sorted({source for j in group for source in j.finding.sources}))
    sure = len(others) > 0 and (len(sources) > 1 or any(j.finding.deterministic for j in group))
    confidence = Confidence.HIGH if sure else max(j.finding.confidence for j in group)
    finding = replace(
        best.finding,
        sources=sources,
        severity=max(j.finding.severity for j in group),
        confidence=confidence,
        deterministic=any(j.finding.deterministic for j in group),
        suggestion=_suggestion(ordered),
    )
    yield replace(best, finding=finding)
    yield from (Judged(j.finding, Place.MERGED, MERGED) for j in others)


def _worth(judged: Judged) -> tuple[bool, bool, int, int, str]:
    """What a check says of a place stands as it is: no model's text takes its place."""
    finding = judged.finding
    inline = judged.place is Place.INLINE
    by_model = not finding.deterministic
    return (by_model, not inline, -finding.severity, -finding.confidence, repr(finding))


def _suggestion(ordered: Sequence[Judged]) -> str | None:
    """The first suggestion that replaces the very lines of the best."""
    best = ordered[0].finding
    place = (best.start, best.end)
    offers = (j.finding for j in ordered if (j.finding.start, j.finding.end) == place)
    return next((f.suggestion for f in offers if f.suggestion is not None), None)
