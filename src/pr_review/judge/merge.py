"""The same issue said twice is one finding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from pr_review.domain.finding import MOST_SAID, Confidence, Finding, Judged, Place, Voice
from pr_review.judge.anchor import NOT_QUOTED
from pr_review.judge.meaning import Meaning
from pr_review.judge.rank import unranked

MERGED = "merged with another finding that says the same"
TAKEN_FOR_ONE = "merged with another finding, which the verifying model took for the same problem"
# Beyond them a place, or a file, has so many findings that nobody reads them.
_MOST_COMPARED = 64
_MOST_IN_A_FILE = 1_000


def merge(judged: Sequence[Judged]) -> tuple[Judged, ...]:
    """One finding for each issue: of findings that mean the same at overlapping or touching lines
    of one file the best stays, with all sources named and the worst severity.

    As many come out as went in: those merged into another are placed `merged`, and it holds those
    whose titles differ from its own, as many as readers are shown: no flood hides a title. No two
    others that stay mean the same in one place. How sure a finding is comes out of who said it:

    | said by | confidence |
    | -- | -- |
    | a tool and an agent, two agents, or two tools | high |
    | one tool or check | as it says |
    | one agent, on lines of the diff that its quote proves | as it says |
    | one agent, without such lines | as it says, medium at most |
    | one agent, by a quote that stands nowhere | low |

    A check's words stand before an agent's, and these before those of another tool, of whose
    finding the category stays: it is told again at every push, and has to be known again. Of
    agents the words of the worst stand, at the place of the best.

    The result holds the same findings in whatever order they came.
    """
    held = sorted((j for j in judged if not j.place.left_out), key=_worth)
    files: defaultdict[str, list[_Group]] = defaultdict(list)
    for item in held:
        meaning = Meaning(item.finding)
        groups = files[item.finding.path]
        first = islice(groups, _MOST_IN_A_FILE)
        near = (group for group in first if group.best.finding.near(item.finding))
        compared = islice(near, _MOST_COMPARED)
        alike = (group for group in compared if _same(group.meaning, meaning))
        group = next((group for group in alike if group.takes(meaning)), None)
        if group is None:
            groups.append(_Group(item, meaning))
        else:
            group.add(item, meaning)
    rejected = [j for j in judged if j.place.left_out]
    found = [[group.best, *group.others] for groups in files.values() for group in groups]
    merged = [one for every in found for one in _united(every, _confidence(every), MERGED)]
    return tuple(sorted(merged + rejected, key=repr))


def unite(judged: Sequence[Judged], same: Iterable[tuple[Judged, Judged]]) -> tuple[Judged, ...]:
    """The same findings, those that a model took for one problem told as one.

    Each pair of `same` is two told findings of agents, and no second is the first of an earlier
    pair. Nothing is one with what it does not stand near: a finding joins others only where it
    stands near all of them, and readers see its title below the one that is told; it stays as it
    was otherwise. As many come out as went in. What two agents say is of high confidence; no other
    is less sure, or less severe, than each was.
    """
    groups: dict[Judged, list[Judged]] = {}
    for first, second in same:
        group = groups.setdefault(first, [first])
        if second not in groups and _joins(group, second):
            group.append(second)
            groups[second] = group
    united = [g for g in {id(group): group for group in groups.values()}.values() if len(g) > 1]
    rest = list(judged)
    for one in (one for group in united for one in group):
        rest.remove(one)
    found = [sorted(map(unranked, group), key=_worth) for group in united]
    told = (one for every in found for one in _united(every, _surest(every), TAKEN_FOR_ONE))
    return (*told, *rest)


def _joins(group: Sequence[Judged], second: Judged) -> bool:
    others = sum(1 + len(j.merged) for j in group) + len(second.merged)
    return others <= MOST_SAID and all(second.finding.near(one.finding) for one in group)


@dataclass
class _Group:
    """Findings that mean the same as the best of them."""

    best: Judged
    meaning: Meaning
    others: list[Judged] = field(default_factory=list)
    titles: set[str] = field(default_factory=set)  # other than that of the best

    def add(self, other: Judged, meaning: Meaning) -> None:
        self.others.append(other)
        self.titles |= {meaning.headline} - {self.meaning.headline}

    def takes(self, meaning: Meaning) -> bool:
        """Whether one that means the same as the best joins it. Of several agents all must mean
        the same: one alone is told in its words, and a tool may speak of many lines at once."""
        known = meaning.headline in {self.meaning.headline, *self.titles}
        if not known and len(self.titles) >= MOST_SAID:
            return False
        agents = (j.finding for j in self.others if j.finding.voice is Voice.AGENT)
        first = next(agents, None)
        if first is None or Voice.AGENT is self.best.finding.voice:
            return True
        return first.near(meaning.finding) and _same(Meaning(first), meaning)


def _same(one: Meaning, other: Meaning) -> bool:
    lines = (one.finding.start, other.finding.start)
    return one.same_here(other) if None not in lines else one.same_file(other)


def _united(every: Sequence[Judged], confidence: Confidence, reason: str) -> Iterator[Judged]:
    """Of findings, the best first, the one that is told with what the others add, then the others
    as merged."""
    best = _told(every)
    alike = (j for j in every if j.finding.voice is best.finding.voice)
    at = next((j for j in (best, *alike) if j.place is Place.INLINE), every[0])
    finding = replace(
        best.finding,
        sources=tuple(sorted({source for j in every for source in j.finding.sources})),
        severity=max(j.finding.severity for j in every),
        confidence=confidence,
        deterministic=any(j.finding.deterministic for j in every),
        category=(every[0] if every[0].finding.voice is Voice.TOOL else best).finding.category,
        suggestion=_suggestion([best, *every], at.finding),
        side=at.finding.side,
        start=at.finding.start,
        end=at.finding.end,
    )
    yield replace(at, finding=finding, merged=_in_other_words(best, every))
    yield from (Judged(j.finding, Place.MERGED, reason) for j in every if j is not best)


def _in_other_words(told: Judged, every: Sequence[Judged]) -> tuple[Finding, ...]:
    """Those that say it by other titles, one of each title: those of tools last, the worst first,
    since readers see but the first few."""
    said = [finding for j in every for finding in (j.finding, *j.merged)]
    said.sort(key=lambda finding: (finding.voice, -finding.severity))
    titles = {Meaning(finding).headline: finding for finding in reversed(said)}
    titles.pop(Meaning(told.finding).headline)
    return tuple(reversed(titles.values()))


def _told(every: Sequence[Judged]) -> Judged:
    """The one in whose words all are told: a check's, else those of an agent that calls it worst,
    a tool's only where no agent says the same."""
    best = every[0]
    by_agents = [j for j in every if j.finding.voice is Voice.AGENT]
    if best.finding.voice is Voice.CHECK:
        return best
    return max(by_agents, key=lambda j: j.finding.severity, default=best)


def _confidence(every: Sequence[Judged]) -> Confidence:
    """By the table of `merge`: of several voices, or of the best of one."""
    said = {(s, j.finding.deterministic) for j in every for s in j.finding.sources}
    best = every[0]
    if len(said) > 1:
        return Confidence.HIGH
    if best.finding.deterministic:
        return best.finding.confidence
    if best.reason == NOT_QUOTED:
        return Confidence.LOW
    proved = best.place is Place.INLINE and best.finding.quote.strip()
    return min(best.finding.confidence, Confidence.HIGH if proved else Confidence.MEDIUM)


def _surest(every: Sequence[Judged]) -> Confidence:
    """Of findings that were weighed, and perhaps verified, one by one."""
    several = len({source for j in every for source in j.finding.sources}) > 1
    return Confidence.HIGH if several else max(j.finding.confidence for j in every)


_FIRST = {Voice.CHECK: 0, Voice.TOOL: 1, Voice.AGENT: 2}


def _worth(judged: Judged) -> tuple[int, bool, int, int, str]:
    """What a check says of a place stands as it is: no model's text takes its place. Tools come
    before agents, for each of their results has a place of its own."""
    finding = judged.finding
    inline = judged.place is Place.INLINE
    first = _FIRST[finding.voice]
    return (first, not inline, -finding.severity, -finding.confidence, repr(judged))


def _suggestion(ordered: Sequence[Judged], at: Finding) -> str | None:
    """The first suggestion that replaces the very lines."""
    place = (at.start, at.end)
    offers = (j.finding for j in ordered if (j.finding.start, j.finding.end) == place)
    return next((f.suggestion for f in offers if f.suggestion is not None), None)
