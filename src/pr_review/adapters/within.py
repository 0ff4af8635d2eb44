"""A bound on a call that has none of its own: looking up a name, a server that drips."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

from requests.exceptions import Timeout

Result = TypeVar("Result")


def within(seconds: float, call: Callable[[], Result]) -> Result:
    """The result of a call that gets so many seconds. Raises `Timeout` when they are over; the
    call goes on in a thread of its own then, since nothing can stop it, and nobody looks.
    """
    future: Future[Result] = Future()
    Thread(target=_fulfil, args=(future, call), daemon=True).start()
    try:
        return future.result(max(0.0, seconds))
    except TimeoutError:
        if future.done():  # the call's own
            raise
        raise Timeout("no whole answer in time") from None


def _fulfil(future: Future[Result], call: Callable[[], Result]) -> None:
    try:
        future.set_result(call())
    except BaseException as error:  # noqa: BLE001 - whoever waits for the result gets it
        future.set_exception(error)
