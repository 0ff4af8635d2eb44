"""Which checks run."""

from __future__ import annotations

from dataclasses import dataclass

from pr_review.checks.catalogue import CHECKS, NAMES
from pr_review.checks.check import Check
from pr_review.errors import ConfigurationError, unknown_name

ALL = "all"
NONE = "none"
OFF = "-"


@dataclass(frozen=True, slots=True)
class ChecksPolicy:
    """Names of the checks to run, or, each with a hyphen in front, of those of all that do not;
    `all` (the default) and `none` stand alone.
    """

    names: tuple[str, ...] = (ALL,)


def select(policy: ChecksPolicy, *, setting: str = "checks") -> tuple[Check, ...]:
    """The checks that a policy names, each once, in the order of the catalogue; `setting` is what
    holds the names, in errors.

    Raises `ConfigurationError`, with the nearest name, for a check that does not exist, and where
    some are named to run and others not to.
    """
    if policy.names == (NONE,):
        return ()
    if policy.names == (ALL,):
        return CHECKS
    off = [name.removeprefix(OFF) for name in policy.names if name.startswith(OFF)]
    if off and len(off) < len(policy.names):
        raise ConfigurationError(
            f"{setting}: some are named to run and others, with a hyphen, not to",
            remedy="name either those that run, or those of all that do not",
        )
    for name in off or policy.names:
        if name not in NAMES:
            remedy = f"use {', '.join(NAMES)}, or {ALL} or {NONE} alone"
            raise unknown_name(setting, "check", name, (*NAMES, ALL, NONE), remedy=remedy)
    return tuple(c for c in CHECKS if (c.name not in off if off else c.name in policy.names))
