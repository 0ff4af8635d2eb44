"""One write whose end is known: after doubt we look what it did before a second, last try."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from pr_review.adapters.github.failures import (
    CAUGHT,
    is_doubtful,
    is_rate_limit,
    wanted_wait,
)
from pr_review.adapters.github.library import GithubException
from pr_review.errors import GitHubError, PublishError
from pr_review.review.ports import InDoubt

Result = TypeVar("Result")


def write(
    send: Callable[[], Result],
    look: Callable[[], Result | None],
    refused: Callable[[Exception], PublishError],
    *,
    settle: float,
    max_wait: float,
) -> Result:
    """What `send` gives, or what `look` finds of it where its answer was lost.

    `look` returns None while nothing is there; it is asked again after `settle` seconds. A rate
    limit is waited for only if that takes at most `max_wait` seconds. `refused` makes the
    error to raise; it is `InDoubt` where both tries were lost.
    """
    failed: PublishError | None = None
    for _ in range(2):
        try:
            return send()
        except CAUGHT as error:
            failed = refused(error)
            wait = _wait(error, max_wait)
        if wait is None:
            raise failed from None
        time.sleep(wait)
        found = _found(look, settle, failed)
        if found is not None:
            return found
    assert failed is not None
    raise InDoubt(failed.message, remedy=failed.remedy)


def _wait(error: Exception, max_wait: float) -> float | None:
    """Seconds before a look at what the write did; None if it surely did nothing, and a second
    try would do no better.
    """
    asked = wanted_wait(error, 0.0) or 0.0
    if isinstance(error, GithubException) and is_rate_limit(error):
        return asked if asked <= max_wait else None
    return min(asked, max_wait) if is_doubtful(error) else None


def _found(look: Callable[[], Result | None], settle: float, failed: PublishError) -> Result | None:
    for pause in (0.0, settle):
        time.sleep(pause)
        try:
            found = look()
        except GitHubError as unknown:
            message = f"{failed.message}; whether it took effect could not be read"
            raise InDoubt(message, remedy=failed.remedy) from unknown
        if found is not None:
            return found
    return None
