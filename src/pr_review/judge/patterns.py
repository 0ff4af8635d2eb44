"""The same cause at many places is one entry that lists them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from pr_review.domain.finding import Finding, Judged, Place, Voice
from pr_review.judge.meaning import Meaning, voices

ONE_OF_A_PATTERN = "another place of a pattern, which is one entry with all its places"
_LEAST_PLACES = 3
_MOST_COMPARED = 64


def patterns(judged: Sequence[Judged]) -> tuple[Judged, ...]:
    """Findings of one cause at three or more places as one, placed at the first of them.

    The first is the worst that has a place in the diff, by path and line. It says how bad and how
    sure the worst and the surest are, names all sources, and lists the other places in `also`;
    each of these is placed `merged` itself. What was merged into any of them it holds too. Two
    places stay two findings. The result does not depend on the order.
    """
    clusters: list[_Cluster] = []
    by_word: defaultdict[str, list[_Cluster]] = defaultdict(list)
    for item in sorted((j for j in judged if j.place.tells), key=_first):
        meaning = Meaning(item.finding)
        words = (meaning.plain_title, *meaning.topic)
        known = {id(c): c for word in words for c in islice(by_word[word], _MOST_COMPARED)}
        cluster = next((c for c in known.values() if _one_cause(c.meaning, meaning)), None)
        if cluster is None:
            cluster = _Cluster(meaning)
            clusters.append(cluster)
            for word in words:
                by_word[word].append(cluster)
        cluster.places.append(item)
    told = [one for cluster in clusters for one in _entry(cluster.places)]
    return (*told, *(j for j in judged if not j.place.tells))


@dataclass
class _Cluster:
    """Places of one cause; `meaning` is that of the first."""

    meaning: Meaning
    places: list[Judged] = field(default_factory=list)


def _one_cause(one: Meaning, other: Meaning) -> bool:
    """Of tools, one tool's alone: nobody's report may put its words over another's."""
    mine, theirs = one.finding, other.finding
    alike = (mine.voice, mine.deterministic) == (theirs.voice, theirs.deterministic)
    by_tools = mine.voice is Voice.TOOL and not voices(mine) & voices(theirs)
    return alike and not by_tools and one.same_cause(other)


def _entry(places: Sequence[Judged]) -> Iterator[Judged]:
    if len(places) < _LEAST_PLACES:
        yield from places
        return
    first, *others = places
    finding = replace(
        first.finding,
        severity=max(j.finding.severity for j in places),
        confidence=max(j.finding.confidence for j in places),
        sources=tuple(sorted({source for j in places for source in j.finding.sources})),
    )
    also = sorted((j.finding for j in others), key=_where)
    merged = tuple(other for j in places for other in j.merged)
    yield replace(first, finding=finding, also=tuple(also), merged=merged)
    yield from (Judged(j.finding, Place.MERGED, ONE_OF_A_PATTERN) for j in others)


def _first(judged: Judged) -> tuple[bool, int, str, int, str]:
    inline = judged.place is Place.INLINE
    return (not inline, -judged.finding.severity, *_where(judged.finding))


def _where(finding: Finding) -> tuple[str, int, str]:
    return finding.path, finding.start or 0, repr(finding)
