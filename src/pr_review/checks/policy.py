"""Which checks run."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from pr_review.checks.catalogue import CHECKS, NAMES
from pr_review.checks.check import Check
from pr_review.errors import ConfigurationError

ALL = "all"
NONE = "none"


@dataclass(frozen=True, slots=True)
class ChecksPolicy:
    """Names of the checks to run; `all` (the default) and `none` stand alone."""

    names: tuple[str, ...] = (ALL,)


def select(policy: ChecksPolicy) -> tuple[Check, ...]:
    """The checks that a policy names, each once, in the order of the catalogue.

    Raises `ConfigurationError`, with the nearest name, for a check that does not exist.
    """
    if policy.names == (NONE,):
        return ()
    if policy.names == (ALL,):
        return CHECKS
    for name in policy.names:
        if name not in NAMES:
            raise _unknown(name)
    return tuple(check for check in CHECKS if check.name in policy.names)


def _unknown(name: str) -> ConfigurationError:
    near = difflib.get_close_matches(name, (*NAMES, ALL, NONE), n=1, cutoff=0.0)
    return ConfigurationError(
        f"checks: there is no check {name[:40]!r}, the nearest is {near[0]!r}",
        remedy=f"use {', '.join(NAMES)}, or {ALL} or {NONE} alone",
    )
