"""Which pull requests are ours to review."""

from __future__ import annotations

from dataclasses import dataclass

from pr_review.errors import unknown_name

ALL = "all"
# https://docs.github.com/en/graphql/reference/enums#commentauthorassociation
ASSOCIATIONS = (
    "OWNER", "MEMBER", "COLLABORATOR", "CONTRIBUTOR", "FIRST_TIME_CONTRIBUTOR", "FIRST_TIMER",
    "MANNEQUIN", "NONE",
)  # fmt: skip
INSIDERS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})


@dataclass(frozen=True, slots=True)
class EventPolicy:
    """What a user asked for.

    `drafts` reviews drafts too. `bots` names bot authors to review all the same, with or
    without `[bot]`. A pull request with one of `skip_labels` is left alone; with
    `require_label` set, so is every other without it. Logins and labels are compared
    without regard to case, as GitHub does. `pull_request` is the number to review when the
    event does not bring one of its own. With `associations` set, only authors of whom GitHub
    says one of these are reviewed; a head in the repository itself counts as a collaborator's.
    """

    drafts: bool = False
    bots: tuple[str, ...] = ()
    skip_labels: tuple[str, ...] = ()
    require_label: str = ""
    pull_request: int | None = None
    associations: frozenset[str] | None = None


def associations(
    names: tuple[str, ...], *, setting: str = "author-associations"
) -> frozenset[str] | None:
    """The associations that a `setting` names, in any case; None for `all`, which stands alone.

    Raises `ConfigurationError`, with the nearest name, for one that does not exist.
    """
    if [name.lower() for name in names] == [ALL]:
        return None
    found = [name.upper().replace("-", "_").replace(" ", "_") for name in names]
    for name in found:
        if name not in ASSOCIATIONS:
            remedy = f"use {', '.join(ASSOCIATIONS)}, or {ALL} alone"
            known = (*ASSOCIATIONS, ALL)
            raise unknown_name(setting, "association", name, known, remedy=remedy)
    return frozenset(found)
