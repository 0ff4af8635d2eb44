"""Which pull requests are ours to review."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EventPolicy:
    """What a user asked for.

    `drafts` reviews drafts too. `bots` names bot authors to review all the same, with or
    without `[bot]`. A pull request with one of `skip_labels` is left alone; with
    `require_label` set, so is every other without it. Logins and labels are compared
    without regard to case, as GitHub does. `pull_request` is the number to review when the
    event does not bring one of its own.
    """

    drafts: bool = False
    bots: tuple[str, ...] = ()
    skip_labels: tuple[str, ...] = ()
    require_label: str = ""
    pull_request: int | None = None
