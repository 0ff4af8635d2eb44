"""How a run that ends early takes its lock away, and for how long it tries."""

from __future__ import annotations

import os
import signal
import time

import pytest

from pr_review.domain.review import Review
from pr_review.errors import PublishError
from pr_review.review import lock
from pr_review.review.lock import Lock, Patience
from tests.review.hosting import Host


def end(host: Host, error: BaseException, patience: Patience) -> float:
    """Ends a run under its lock; the seconds that its clean-up took."""
    begun = time.monotonic()
    with pytest.raises(type(error)), Lock(host, "run-1", patience) as held:  # noqa: PT012
        held.take(Review("", ""))
        begun = time.monotonic()
        raise error
    return time.monotonic() - begun


def refuse() -> None:
    raise PublishError("GitHub's rate limit is reached")


@pytest.mark.parametrize("error", [PublishError("refused"), SystemExit(143)], ids=str)
def test_what_cannot_be_taken_away_is_tried_again(error: BaseException) -> None:
    host = Host()
    host.plan("withdraw", refuse, refuse)
    end(host, error, Patience(looks=(0.0, 0.01, 0.01)))
    assert host.calls.count("withdraw") == 3
    assert host.pending is None


def test_a_cancelled_run_ends_before_the_runner_kills_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lock._CANCELLED_SECONDS < 10
    monkeypatch.setattr(lock, "_CANCELLED_SECONDS", 0.05)
    host = Host()
    host.plan("withdraw", lambda: time.sleep(0.3))
    assert end(host, SystemExit(143), Patience()) < 0.25


def test_a_run_that_failed_has_more_time_than_a_cancelled_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Enough for a secondary rate limit, which takes a minute."""
    assert Patience().cleaning > 60
    monkeypatch.setattr(lock, "_CANCELLED_SECONDS", 0.05)
    host = Host()
    host.plan("withdraw", lambda: time.sleep(0.2))
    end(host, PublishError("refused"), Patience())
    assert host.pending is None


def test_a_signal_while_cleaning_up_does_not_end_it() -> None:
    """The clean-up has a thread of its own, which would end with the process."""
    host = Host()

    def signalled() -> None:
        os.kill(os.getpid(), signal.SIGUSR1)  # to the main thread, which waits
        time.sleep(0.1)

    def cancelled(*_: object) -> None:
        raise SystemExit(143)

    host.plan("withdraw", signalled)
    before = signal.signal(signal.SIGUSR1, cancelled)
    try:
        with pytest.raises(SystemExit), Lock(host, "run-1", Patience()) as held:  # noqa: PT012
            held.take(Review("", ""))
            raise PublishError("refused")
        assert host.pending is None
    finally:
        signal.signal(signal.SIGUSR1, before)
