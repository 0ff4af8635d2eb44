"""Which checks run."""

from __future__ import annotations

from dataclasses import dataclass

from pr_review.checks.catalogue import CHECKS, NAMES
from pr_review.checks.check import Check
from pr_review.errors import unknown_name

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
            remedy = f"use {', '.join(NAMES)}, or {ALL} or {NONE} alone"
            raise unknown_name("checks", "check", name, (*NAMES, ALL, NONE), remedy=remedy)
    return tuple(check for check in CHECKS if check.name in policy.names)
