"""What earlier reviews of a pull request told, and what has become of it since.

Only reviews of our own actor with a signed marker count. Every other workflow of a repository may
be the same bot: what it writes can make a review fuller, never shorter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pr_review.domain.finding import Finding, Judged, Place, Severity, Voice
from pr_review.domain.ledger import Coverage
from pr_review.domain.pull_request import PullRequest
from pr_review.domain.review import Run, RunStatus, Told, ToldState
from pr_review.review import comments
from pr_review.review.fingerprint import Fingerprint, Places
from pr_review.review.marker import Marker, Mention, read, read_comment
from pr_review.review.policy import ReviewPolicy
from pr_review.review.ports import Answer, PostedReview, Standing, Thread

TOLD = "told by an earlier review and still open"
WITHHELD = "told by an earlier review, and resolved or ignored by people since"
GREW = "a new place of a pattern that an earlier review told"
GONE = "its lines are not in the change any more"
NOT_CHECKED = "its check does not find it any more"
NOT_FOUND = "a whole review did not find it again"
_IGNORE = ("/review", "ignore")
_MOST_ASKED = 20

#: Whether a user, by login, has write access to the repository.
MayWrite = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Earlier:
    """What the signed reviews of ours on a pull request say together.

    `head_sha` is the head up to which the latest of them vouches for all source and tests of the
    change from `merge_base`, with the settings of this run; empty if it does not. `told` are the
    findings that stood when it was made, open or closed. `commented` names those on which a
    comment of ours stands. `spent_usd` is what all of them say was spent on the pull request so
    far; None if one of them does not know. `paid_url` leads to the review of this very head and
    settings for which agents were asked; empty if there is none.
    """

    head_sha: str = ""
    merge_base: str = ""
    told: tuple[Told, ...] = ()
    commented: frozenset[str] = frozenset()
    spent_usd: float | None = 0.0
    paid_url: str = ""


def earlier(
    standing: Standing, pull: PullRequest, policy: ReviewPolicy, may_write: MayWrite
) -> Earlier:
    """Reads the reviews that stand on a pull request before it is reviewed at `pull.head_sha`.

    A review of this very head and settings will be edited by this run: it vouches for nothing,
    and of its findings only those count on which a comment stands, since comments stay. Empty
    without a key: an unsigned marker proves nothing. `may_write` is asked about the first
    few users whose word would close a finding, once about each.
    """
    signed = _signed(standing, pull, policy)
    same = (pull.head_sha, policy.settings_digest)
    replaced = [m for _, m in signed if (m.head_sha, m.settings_digest) == same]
    others = [m for _, m in signed if m not in replaced]
    markers = {review.id: marker for review, marker in signed}
    threads = _Threads(standing.threads, markers, _Word(pull, _asked(may_write)))
    mentions = list(others[-1].findings) if others else []
    named = {mention.fingerprint for mention in mentions}
    for mention in (mention for marker in replaced for mention in marker.findings):
        if mention.fingerprint in threads.first and mention.fingerprint not in named:
            mentions.append(mention)
    basis = _basis(others, pull, policy)
    return Earlier(
        basis.head_sha if basis else "",
        basis.merge_base if basis else "",
        tuple(_told(mention, threads, signed) for mention in mentions),
        frozenset(threads.first),
        _spent(signed),
        next((r.url for r, m in reversed(signed) if m in replaced and m.spent_usd != 0), ""),
    )


def since(earlier: Earlier, merge_base: str, commit_ids: Collection[str]) -> str:
    """The commit up to which nothing need be shown again; empty for a whole review.

    `merge_base` and `commit_ids` are the pull request's own now. A head that is not among its
    commits was rewritten. From another merge base the change holds other lines: a merge that
    takes back what happened on the base branch, or a new base branch, would bring in old lines
    that no review has seen as changed.
    """
    same = earlier.merge_base == merge_base and earlier.head_sha in commit_ids
    return earlier.head_sha if same else ""


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
    desk = _Desk(earlier, places, heard=bool(run.tools))
    judged = desk.judge(run.judged)
    told = sorted([*desk.met, *desk.unmet(whole=_whole(run))], key=_order)
    return replace(run, judged=judged, earlier=tuple(told))


def mentions(run: Run, key: bytes) -> tuple[Mention, ...]:
    """What the marker of this run's review names: all that it tells, and all that was told
    before and stands."""
    places = Places(run.change, key)
    fresh = [
        Mention(str(places.fingerprint(f)), f.severity, f.voice)
        for f in (f for judged in run.findings for f in (judged.finding, *judged.also))
    ]
    standing = (told for told in run.earlier if told.state is not ToldState.RESOLVED)
    return (*fresh, *(Mention(t.fingerprint, t.severity, t.voice) for t in standing))


def vouched(run: Run) -> Coverage:
    """What the marker of this run's review may claim of source and tests: full only if nothing
    of it went unseen, by this run or by the review that it builds on."""
    seen = run.status is RunStatus.NOT_REVIEWED or (
        run.status is RunStatus.REVIEWED and bool(run.agents)
    )
    full = seen and run.coverage_source is Coverage.FULL
    return Coverage.FULL if full else Coverage.PARTIAL


Signed = tuple[tuple[PostedReview, Marker], ...]


def _signed(standing: Standing, pull: PullRequest, policy: ReviewPolicy) -> Signed:
    """Our reviews with a marker that holds, oldest first; of equal markers the first alone,
    since anybody who is the same bot can post a copy."""
    if policy.marker_key is None:
        return ()
    found: dict[Marker, PostedReview] = {}
    for review in standing.reviews:
        marker = read(review.body, pull.repository, pull.number, policy.marker_key)
        if marker is not None:
            found.setdefault(marker, review)
    return tuple((review, marker) for marker, review in found.items())


def _spent(signed: Signed) -> float | None:
    amounts = [marker.spent_usd for _, marker in signed]
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None


def _basis(others: list[Marker], pull: PullRequest, policy: ReviewPolicy) -> Marker | None:
    """The latest review of another head, if it saw all that this run would see."""
    latest = next((m for m in reversed(others) if m.head_sha != pull.head_sha), None)
    if latest is None or latest.coverage is not Coverage.FULL or not latest.merge_base:
        return None
    return latest if latest.settings_digest == policy.settings_digest else None


class _Threads:
    """Our comments that count: the signed marker of their review names the same finding."""

    def __init__(
        self, threads: Collection[Thread], markers: dict[int, Marker], word: _Word
    ) -> None:
        self._word = word
        self.first: dict[str, Thread] = {}
        self._closed: defaultdict[str, list[Severity]] = defaultdict(list)
        self._open: defaultdict[str, list[Severity]] = defaultdict(list)
        for thread in threads:
            marker = markers.get(thread.review_id)
            for mention in marker.findings if marker else ():
                if mention.fingerprint in read_comment(thread.body):
                    self._add(thread, mention)

    def _add(self, thread: Thread, mention: Mention) -> None:
        self.first.setdefault(mention.fingerprint, thread)
        closed = self._word.closes(thread)
        (self._closed if closed else self._open)[mention.fingerprint].append(mention.severity)

    def closed(self, mention: Mention) -> bool:
        """Whether people closed it where it mattered as much, and it was not told again since."""
        closed = max(self._closed[mention.fingerprint], default=0)
        again = max(self._open[mention.fingerprint], default=0)
        return closed >= mention.severity > again


@dataclass(frozen=True, slots=True)
class _Word:
    """Whose word closes a finding: that of people who may write, and of nobody else.

    They alone can resolve threads, beside whoever opened the pull request:
    https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/reviewing-changes-in-pull-requests/commenting-on-a-pull-request#resolving-conversations
    A head in the repository itself was pushed by somebody who may write. What GitHub calls the
    author of a comment decides nothing: a `MEMBER` or `COLLABORATOR` may have been given no more
    than to read, and one whose membership is private is called a stranger.
    """

    pull: PullRequest
    may_write: MayWrite

    def closes(self, thread: Thread) -> bool:
        return self._resolved(thread) or any(map(self._ignores, thread.answers))

    def _resolved(self, thread: Thread) -> bool:
        by_author = thread.resolved_by == self.pull.author and self.pull.fork
        return thread.resolved and (not by_author or self.may_write(thread.resolved_by))

    def _ignores(self, answer: Answer) -> bool:
        """`/review ignore` at the start of an answer."""
        words = answer.body.split(maxsplit=2)[:2]
        said = tuple(word.casefold() for word in words) == _IGNORE
        return said and answer.person and self.may_write(answer.author)


def _asked(may_write: MayWrite) -> MayWrite:
    """The same, asked once of each, and of no more than a few: anybody can comment."""
    known: dict[str, bool] = {}

    def ask(login: str) -> bool:
        if login not in known and len(known) < _MOST_ASKED:
            known[login] = may_write(login)
        return known.get(login, False)

    return ask


def _told(mention: Mention, threads: _Threads, signed: Signed) -> Told:
    thread = threads.first.get(mention.fingerprint)
    urls = (r.url for r, m in signed if mention.fingerprint in {f.fingerprint for f in m.findings})
    return Told(
        mention.fingerprint,
        mention.severity,
        mention.voice,
        ToldState.CLOSED if threads.closed(mention) else ToldState.OPEN,
        path=thread.path if thread and mention.fingerprint == read_comment(thread.body)[0] else "",
        title=comments.title(thread.body) if thread else "",
        url=next(urls, ""),
    )


class _Desk:
    """Matches the findings of one run with those told before, each at most once."""

    def __init__(self, earlier: Earlier, places: Places, *, heard: bool) -> None:
        self._heard = heard
        self._left = list(earlier.told)
        self._commented = earlier.commented
        self._places = places
        self._moved: defaultdict[Finding, list[tuple[Place, str]]] = defaultdict(list)
        self._merged: list[Finding] = []
        self.met: list[Told] = []

    def judge(self, judged: Sequence[Judged]) -> tuple[Judged, ...]:
        """All findings, those placed anew that were told before."""
        placed = [self._judge(item) for item in judged]
        self._merged = [item.finding for item in judged if item.place is Place.MERGED]
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
            return NOT_CHECKED if self._places.complete and not self._met_in_another(told) else ""
        if gone:
            return GONE
        ended = whole and told.voice is Voice.AGENT and told.fingerprint not in self._commented
        return NOT_FOUND if ended and not self._met_in_another(told) else ""

    def _met_in_another(self, told: Told) -> bool:
        return any(self._repeats(one, exact, told) for exact, one in self._merged_by_name.items())

    @cached_property
    def _merged_by_name(self) -> dict[str, Finding]:
        return {str(self._places.fingerprint(finding)): finding for finding in self._merged}

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
