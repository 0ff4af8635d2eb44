"""How patient a run is with GitHub."""

from __future__ import annotations

from dataclasses import dataclass, field

from pr_review.review.lock import Patience


@dataclass(frozen=True)
class Pace:
    """All in seconds.

    `max_wait` is enough for a secondary rate limit that does not say when it ends, which takes a
    minute. `settle` is how long GitHub gets to show what a write in doubt did.
    """

    timeout: float = 15.0
    max_wait: float = 70.0
    settle: float = 2.0
    lock: Patience = field(default_factory=Patience)
