"""Signals: the first one ends the run, later ones do not break its end, short things stay whole."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from pr_review.adapters.actions import cancellation

NUMBERS = (signal.SIGTERM, signal.SIGINT)


@pytest.fixture(autouse=True)
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """With our handlers, which are taken away again."""
    monkeypatch.setattr(cancellation._State, "cancelled_at", None)
    before = {number: signal.getsignal(number) for number in NUMBERS}
    cancellation.listen()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_unwinds_with_143(number: signal.Signals) -> None:
    with pytest.raises(SystemExit) as raised:
        signal.raise_signal(number)
    assert raised.value.code == 143
    assert cancellation.cancelled()


def test_more_signals_do_not_break_the_unwinding() -> None:
    with pytest.raises(SystemExit):
        signal.raise_signal(signal.SIGINT)
    for number in NUMBERS:
        signal.raise_signal(number)


def test_a_signal_counts_again_when_the_first_was_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit):
        signal.raise_signal(signal.SIGINT)
    monkeypatch.setattr(cancellation, "_UNWINDING_SECONDS", 0.0)
    with pytest.raises(SystemExit):
        signal.raise_signal(signal.SIGTERM)


def test_what_is_held_is_whole_and_then_ends() -> None:
    done = []

    def write() -> None:
        with cancellation.held():
            with cancellation.held():
                signal.raise_signal(signal.SIGTERM)
                done.append("inner")
            done.append("outer")
        done.append("after")

    with pytest.raises(SystemExit) as raised:
        write()
    assert done == ["inner", "outer"]
    assert raised.value.code == 143


def test_holding_costs_nothing_without_a_signal() -> None:
    with cancellation.held():
        pass
    assert not cancellation.cancelled()


def test_deferred_signals_come_when_somebody_listens() -> None:
    cancellation.defer()
    signal.raise_signal(signal.SIGTERM)
    assert not cancellation.cancelled()
    with pytest.raises(SystemExit):
        cancellation.listen()


def test_every_child_is_killed_with_its_group() -> None:
    """In a process of its own, whose children are ours alone."""
    program = (
        "import subprocess, time\n"
        "from pr_review.adapters.actions import cancellation\n"
        "sleeps = ['sh', '-c', 'sleep 60 & echo $!; wait']\n"
        "own = subprocess.Popen(sleeps, stdout=subprocess.PIPE, start_new_session=True)\n"
        "ours = subprocess.Popen(['sleep', '60'])\n"
        "grandchild = int(own.stdout.readline())\n"
        "cancellation.kill_children()\n"
        "print(own.wait(), ours.wait(), grandchild)\n"
    )
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    own, ours, grandchild = map(int, done.stdout.split())
    assert (own, ours) == (-signal.SIGKILL, -signal.SIGKILL)
    assert time.monotonic() - begun < 30
    assert _gone(grandchild)


def _gone(pid: int) -> bool:
    """Whether a process has ended: it may wait as a zombie for somebody who asks."""
    for _ in range(50):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:  # noqa: PTH123
                state = file.read().rsplit(")", 1)[1].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False
