"""The findings of a run among those that earlier reviews told: each is told once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from pr_review.domain.finding import Finding, Judged, Place, Voice
from pr_review.domain.ledger import Coverage
from pr_review.domain.review import Run, RunStatus, Told, ToldState
from pr_review.review.earlier import Earlier
from pr_review.review.fingerprint import Fingerprint, Places
from pr_review.review.policy import ReviewPolicy

TOLD = "told by an earlier review and still open"
WITHHELD = "told by an earlier review, and resolved or ignored by people since"
GREW = "a new place of a pattern that an earlier review told"
GONE = "its lines are not in the change any more"
NOT_CHECKED = "its check does not find it any more"
NOT_FOUND = "a whole review did not find it again"
REFUTED = "a whole review found it again, and its verification refuted it"


def settle(run: Run, earlier: Earlier, policy: ReviewPolicy) -> Run:
    """The run with what earlier reviews told taken into account.

    A finding that was told before is not told again: it is placed `told` while it is open,
    `withheld` if people closed it, also if it is `minor` to this run. One that matters more now
    than it did then is told again, and so is what a tool alone told, once an agent says it. The
    places of a pattern are followed each by itself: what is told anew lists the new ones alone.
    `run.earlier` says what became of each earlier finding. One that this run did not meet again
    is open while its lines stand in the change; but a check sees everything each time, so do other
    tools if any was heard, and a whole review ends what no comment of ours holds for people to
    resolve. What was merged into another finding was met all the same.
    """
    if policy.marker_key is None or not earlier.told:
        return run
    sought = [Fingerprint.parse(told.fingerprint) for told in earlier.told]
    places = Places(run.change, policy.marker_key, sought)
    matcher = _Matcher(earlier, places, heard=bool(run.tools))
    judged = matcher.judge(run.judged)
    told = sorted([*matcher.met, *matcher.unmet(whole=_whole(run))], key=_order)
    return replace(run, judged=judged, earlier=tuple(told))


class _Matcher:
    """Matches the findings of one run with those told before, each at most once."""

    def __init__(self, earlier: Earlier, places: Places, *, heard: bool) -> None:
        self._heard = heard
        self._left = list(earlier.told)
        self._commented = earlier.commented
        self._places = places
        self._moved: defaultdict[Finding, list[tuple[Place, str]]] = defaultdict(list)
        self._quiet: dict[Place, list[Finding]] = defaultdict(list)
        self.met: list[Told] = []

    def judge(self, judged: Sequence[Judged]) -> tuple[Judged, ...]:
        """All findings, those placed anew that were told before."""
        placed = [self._judge(item) for item in judged]
        for item in judged:
            self._quiet[item.place].append(item.finding)
        return tuple(self._place_of_a_pattern(item) for item in placed)

    def _judge(self, item: Judged) -> Judged:
        """A finding, and a pattern without its places that were told before."""
        if not item.place.tells and item.place is not Place.MINOR:
            return item
        before = self._meet(item.finding, item.place)
        new = []
        for other in item.also:
            place = self._meet(other, item.place)
            if place is None:
                new.append(other)
            else:
                self._moved[other].append(place)
        if before is None:
            return replace(item, also=tuple(new))
        for other in new:
            self._moved[other].append((Place.BODY, GREW))
        return Judged(item.finding, *before, merged=item.merged)

    def _place_of_a_pattern(self, item: Judged) -> Judged:
        if item.place is not Place.MERGED or not self._moved[item.finding]:
            return item
        return Judged(item.finding, *self._moved[item.finding].pop())

    def _meet(self, finding: Finding, place: Place) -> tuple[Place, str] | None:
        """Where a finding belongs that was told before and matters no more than then."""
        told = self._match(finding)
        if told is None:
            return None
        self._left.remove(told)
        said = finding.voice is Voice.AGENT and told.voice is Voice.TOOL
        more = finding.severity > told.severity or said
        if more and place.tells:
            return None
        self.met.append(
            replace(
                told,
                voice=Voice.AGENT if told.voice is Voice.AGENT else finding.voice,
                path=finding.path,
                side=finding.side,
                start=finding.start,
                end=finding.end,
                title=finding.title,
            )
        )
        closed = told.state is ToldState.CLOSED
        return (Place.WITHHELD, WITHHELD) if closed else (Place.TOLD, TOLD)

    def unmet(self, *, whole: bool) -> Iterator[Told]:
        """What became of those that no finding of this run was matched with."""
        for told in self._left:
            fingerprint = Fingerprint.parse(told.fingerprint)
            spots = self._places.find(fingerprint)
            gone = not spots and self._places.complete
            if told.state is ToldState.CLOSED:
                if not gone:
                    yield self._placed(told, fingerprint)
            elif reason := self._resolved(told, gone=gone, whole=whole):
                yield replace(told, state=ToldState.RESOLVED, reason=reason)
            else:
                yield self._placed(told, fingerprint)

    def _match(self, finding: Finding) -> Told | None:
        """The earlier finding that this one repeats: an equal fingerprint before lines that
        overlap, an open one before one that people closed. What they closed says nothing of
        lines beyond its own."""
        exact = str(self._places.fingerprint(finding))
        candidates = [told for told in self._left if self._repeats(finding, exact, told)]
        return min(
            candidates,
            key=lambda told: (told.fingerprint != exact, told.state is ToldState.CLOSED),
            default=None,
        )

    def _repeats(self, finding: Finding, exact: str, told: Told) -> bool:
        before, closed = Fingerprint.parse(told.fingerprint), told.state is ToldState.CLOSED
        return told.fingerprint == exact or self._places.same(finding, before, alone=closed)

    def _resolved(self, told: Told, *, gone: bool, whole: bool) -> str:
        """Why an open one stands no longer; empty if it stands."""
        if told.voice is Voice.CHECK or (told.voice is Voice.TOOL and self._heard):
            merged = self._met_again(told, Place.MERGED)
            return NOT_CHECKED if self._places.complete and not merged else ""
        if gone:
            return GONE
        ended = whole and told.voice is Voice.AGENT and told.fingerprint not in self._commented
        if not ended or self._met_again(told, Place.MERGED):
            return ""
        return REFUTED if self._met_again(told, Place.REFUTED) else NOT_FOUND

    def _met_again(self, told: Told, place: Place) -> bool:
        """Whether one that was placed there repeats what was told."""
        return any(self._repeats(one, exact, told) for exact, one in self._named[place].items())

    @cached_property
    def _named(self) -> Mapping[Place, Mapping[str, Finding]]:
        name = self._places.fingerprint
        return {
            place: {str(name(finding)): finding for finding in self._quiet[place]}
            for place in (Place.MERGED, Place.REFUTED)
        }

    def _placed(self, told: Told, fingerprint: Fingerprint) -> Told:
        spots = self._places.find(fingerprint)
        spot = self._places.the_spot(fingerprint)
        if spot is not None:
            return replace(told, path=spot.path, side=spot.side, start=spot.start, end=spot.end)
        return replace(told, path=spots[0].path) if spots else told


def _whole(run: Run) -> bool:
    """Whether every agent saw all source and tests of the change in this very run."""
    reviewed = run.status is RunStatus.REVIEWED and bool(run.agents)
    return reviewed and not run.since and run.coverage_source is Coverage.FULL


def _order(told: Told) -> tuple[int, str, int, str]:
    return -told.severity, told.path, told.start or 0, told.fingerprint
