"""What people did with our comments: whose word closes a finding, and which are closed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass

from pr_review.domain.finding import Severity
from pr_review.domain.pull_request import PullRequest
from pr_review.review.marker import Marker, Mention, read_comment
from pr_review.review.ports import Answer, Thread

_IGNORE = ("/review", "ignore")
_MOST_ASKED = 20

MayWrite = Callable[[str], bool]
"""Whether a user, by login, has write access to the repository."""


class Threads:
    """Our comments that count: the signed marker of their review names the same finding."""

    def __init__(self, threads: Collection[Thread], markers: dict[int, Marker], word: Word) -> None:
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
class Word:
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


def asked(may_write: MayWrite) -> MayWrite:
    """The same, asked once of each, and of no more than a few: anybody can comment."""
    known: dict[str, bool] = {}

    def ask(login: str) -> bool:
        if login not in known and len(known) < _MOST_ASKED:
            known[login] = may_write(login)
        return known.get(login, False)

    return ask
