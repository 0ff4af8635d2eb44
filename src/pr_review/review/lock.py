"""The pending review that is our lock against two runs at once: taking it and giving it back."""

from __future__ import annotations

import contextlib
import re
import threading
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from pr_review.domain.review import Review
from pr_review.errors import PrReviewError, PublishError
from pr_review.review.ports import InDoubt, Pending, PendingStands, ReviewGone, ReviewHost

# longer than the longest run: whatever is older was left behind
STALE_SECONDS = 15 * 60
# the runner kills ten seconds after its first signal
_CANCELLED_SECONDS = 5.0
_LINE = re.compile(r"<!-- pr-review:lock run=([0-9A-Za-z-]{1,64}) started=(\d{1,12}) -->")


@dataclass(frozen=True, slots=True)
class LockLine:
    """Whose lock it is: the id of a run (letters, digits, hyphens) and when it took the lock, in
    seconds since 1970.
    """

    run: str
    started: int

    @classmethod
    def read(cls, body: str) -> LockLine | None:
        """From a pending review's body; None for a draft of a person or of another tool."""
        match = _LINE.fullmatch(body.strip())
        return cls(match[1], int(match[2])) if match else None

    def __str__(self) -> str:
        return f"<!-- pr-review:lock run={self.run} started={self.started} -->"

    @property
    def stale(self) -> bool:
        """Whether its run must have ended. Clocks differ, but none by that much."""
        return abs(time.time() - self.started) > STALE_SECONDS


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds: for another pending review to go away, between two looks at it, and for taking
    our own away in the end; before each try to do that, and to find what a lost request brings.

    A run that is cancelled has less for the end. Another has enough for a rate limit of a minute:
    while our pending review stands, GitHub refuses the reviews of every tool with our token.
    """

    waiting: float = 20.0
    step: float = 2.0
    cleaning: float = 90.0
    looks: tuple[float, ...] = (0.0, 0.5, 1.5)


@dataclass
class Lock:
    """One run's pending review. As a context it leaves none behind, whatever ends it early.

    It is not `_sure` while a lost request for it may still take effect.
    """

    host: ReviewHost
    run_id: str
    patience: Patience = field(default_factory=Patience)
    _id: int | None = None
    _sure: bool = True

    def __post_init__(self) -> None:
        self._line = LockLine(self.run_id, int(time.time()))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        interrupted = error is not None and not isinstance(error, PrReviewError)
        if isinstance(error, InDoubt) or (interrupted and self._id is None):
            self._sure = False
        if error is None and self._sure:
            return
        cleared = threading.Event()
        limit = self.patience.cleaning
        brief = min(limit, _CANCELLED_SECONDS)
        try:
            threading.Thread(target=self._clear, args=(cleared,), daemon=True).start()
            cleared.wait(brief if interrupted else limit)
        except BaseException:  # cancelled meanwhile
            cleared.wait(brief)
            raise

    def take(self, review: Review) -> None:
        """Makes the pending review with the comments of `review`, when no other is in the way.

        Raises `AnchorRefused` if GitHub refuses a comment, `PublishError` and `GitHubError`.
        """
        until = time.monotonic() + self.patience.waiting
        while self._id is None:
            try:
                proposed = self.host.propose(review, str(self._line))
                self._id = proposed.id
                self._sure = self._sure and proposed.sure
            except PendingStands:
                self._id = self._wait(until)

    def submit(self, body: str, *, request_changes: bool) -> str:
        """Makes the review visible, which gives the lock back; returns its URL."""
        assert self._id is not None
        url = self.host.submit(self._id, body, request_changes=request_changes)
        self._id = None
        return url

    def give_back(self) -> None:
        """Takes the pending review away. Raises `PublishError`."""
        assert self._id is not None
        self.host.withdraw(self._id)
        self._id = None

    def _wait(self, until: float) -> int | None:
        """Until nothing bars the way; the id if it is our own review that does."""
        while True:
            pending = self.host.standing().pending
            line = LockLine.read(pending.body) if pending else None
            if pending and line == self._line:
                return pending.id  # from a request whose answer was lost
            if pending and line and (line.stale or line.run == self.run_id):
                with contextlib.suppress(ReviewGone):
                    self.host.withdraw(pending.id)
                return None
            if time.monotonic() > until:
                raise _barred(line)
            time.sleep(self.patience.step)
            if pending is None:
                return None

    def _clear(self, cleared: threading.Event) -> None:
        """Takes our pending review away; tries again after a failure, and looks for a late one."""
        for pause in self.patience.looks:
            time.sleep(pause)
            with contextlib.suppress(Exception):  # the error that ended the run is the one to tell
                self._take_away()
                if self._sure:
                    break
        cleared.set()

    def _take_away(self) -> None:
        if self._id is None:
            pending = self.host.standing().pending
            if pending is None or not self._ours(pending):
                return
            self._id = pending.id
        with contextlib.suppress(ReviewGone):
            self.host.withdraw(self._id)
        self._id = None

    def _ours(self, pending: Pending) -> bool:
        line = LockLine.read(pending.body)
        return line is not None and line.run == self.run_id


def _barred(line: LockLine | None) -> PublishError:
    if line is None:
        return PublishError(
            "a pending review by the same user stands on the pull request, and GitHub allows one",
            remedy="submit or discard it, or give pr-review a token of its own",
        )
    return PublishError(
        f"another run ({line.run}) is about to post its review",
        remedy="let the workflow run once at a time for a pull request: set `concurrency`; "
        f"what a run leaves behind is taken away after {STALE_SECONDS // 60} minutes",
    )
