"""The smallest change of settings that shows something: found by running the stages with it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from pr_review.snapshot.explain.case import Case, Limits, Outcome
from pr_review.snapshot.explain.model import Remedy
from pr_review.snapshot.policy import SnapshotPolicy

Goal = Callable[[Outcome], bool]

_SETTINGS = {
    "token_budget": "diff-token-budget",
    "max_file_bytes": "max-file-bytes",
    "include": "include",
    "exclude": "exclude",
    "context_bytes": "max-context-bytes",
    "dependencies": "max-dependencies",
    "lines_before": "context-lines-before",
    "lines_after": "context-lines-after",
    "dynamic": "dynamic-context",
    "scope_lines": "max-scope-lines",
    "skip_suffixes": "context-skip-suffixes",
    "since": "since",
    "passes": "max-passes",
}
# Worked out from distances: with one line less it is out of reach.
_EXACT = frozenset(["lines_before", "lines_after", "scope_lines"])
MOST_LINES = 1_000
MOST_DEPENDENCIES = 100
_MOST_PASSES = 4


@dataclass(frozen=True, slots=True)
class Knob:
    """A number among the settings that may be raised up to `most`, in steps."""

    field: str
    most: int
    step: int = 1

    def get(self, limits: Limits) -> int:
        value = getattr(limits.policy, self.field)
        assert isinstance(value, int)
        return value

    def at(self, limits: Limits, value: int) -> Limits:
        changed: dict[str, Any] = {self.field: value}
        return replace(limits, policy=replace(limits.policy, **changed))

    def relaxed(self, limits: Limits) -> Limits:
        return self.at(limits, max(self.most, self.get(limits)))


def caps(outcome: Outcome, path: str) -> dict[str, Knob]:
    """The limits of choice, each with a value at which it binds nothing any more."""
    sheets = outcome.sheets.values()
    size = sum(sheet.size for sheet in sheets)
    names = sum(len(sheet.name) for sheet in sheets)
    mine = outcome.sheets[path].size if path in outcome.sheets else 0
    # No text has more tokens than bytes; a header has fewer than 200 beside its names.
    room = 2 * (size + 2 * names + 200 * len(outcome.prepared.drafts)) + 2_000
    return {
        "token_budget": Knob("token_budget", _up(room, 100), 100),
        "max_file_bytes": Knob("max_file_bytes", _up(mine, 100), 100),
        "context_bytes": Knob("context_bytes", _up(size, 100), 100),
        "dependencies": Knob("dependencies", MOST_DEPENDENCIES),
    }


def smallest(
    case: Case, goal: Goal, knobs: Sequence[Knob], start: Limits | None = None
) -> Remedy | None:
    """The first knob that reaches a goal alone, turned no further than it must be; else the
    fewest of them together. None if all of them do not reach it.

    `start` holds limits that differ in other ways already.
    """
    before = start or case.limits
    if start is not None and goal(case.under(start)):
        return _told(case.limits, start, {})
    for knob in knobs:
        if goal(case.under(knob.relaxed(before))):
            after, fails = _least(case, goal, knob, before, knob.relaxed(before))
            return _told(case.limits, after, {knob.field: fails})
    after = before
    for knob in knobs:
        after = knob.relaxed(after)
    if not knobs or not goal(case.under(after)):
        return None
    failing: dict[str, int | None] = {}
    for knob in knobs:
        after, failing[knob.field] = _least(case, goal, knob, before, after)
    return _told(case.limits, after, failing)


def in_passes(case: Case, goal: Goal, remedy: Remedy | None) -> Remedy | None:
    """The remedy with the fewest passes that reach the goal in its place, if more of them do: where
    a larger budget alone is what it takes.
    """
    if remedy is None or [setting for setting, _ in remedy.changes] != ["diff-token-budget"]:
        return remedy
    policy = case.limits.policy
    for count in range(policy.passes + 1, _MOST_PASSES + 1):
        if goal(case.under(replace(case.limits, policy=replace(policy, passes=count)))):
            return replace(remedy, passes=count)
    return remedy


def without_since(case: Case, goal: Goal, path: str) -> Remedy | None:
    """What reaches a goal where no earlier review counts; None where nothing does."""
    start = replace(case.limits, policy=replace(case.limits.policy, since=""))
    known = caps(case.under(start), path)
    return smallest(case, goal, [known["token_budget"], known["max_file_bytes"]], start)


def _least(
    case: Case, goal: Goal, knob: Knob, before: Limits, after: Limits
) -> tuple[Limits, int | None]:
    """The limits `after`, with one knob at the least value that still reaches the goal, and the
    next smaller one that does not."""
    low, high = knob.get(before), knob.get(after)
    if goal(case.under(knob.at(after, low))):
        return knob.at(after, low), None
    while True:
        # Values near the present one are likelier, and cost less to try.
        tried = min(_up(max(2 * low, low + knob.step), knob.step), high)
        if tried >= high or goal(case.under(knob.at(after, tried))):
            high = tried
            break
        low = tried
    while _up(low + 1, knob.step) < high:
        middle = _up((low + high) // 2, knob.step)
        middle = middle if middle < high else middle - knob.step
        if goal(case.under(knob.at(after, middle))):
            high = middle
        else:
            low = middle
    return knob.at(after, high), low


def _up(number: int, step: int) -> int:
    return -(-number // step) * step


def _told(before: Limits, after: Limits, failing: Mapping[str, int | None]) -> Remedy:
    changed = list(_changed(before.policy, after.policy))
    settings = [(_SETTINGS[name], _value(getattr(after.policy, name))) for name in changed]
    fails = [
        getattr(after.policy, name) - 1 if name in _EXACT else failing.get(name) for name in changed
    ]
    if before.diff_bytes != after.diff_bytes:
        settings.append(("max-diff-bytes", str(after.diff_bytes)))
        fails.append(after.diff_bytes - 1)
    return Remedy(tuple(settings), tuple(fails))


def _changed(before: SnapshotPolicy, after: SnapshotPolicy) -> Iterator[str]:
    for field in fields(SnapshotPolicy):
        if getattr(before, field.name) != getattr(after, field.name):
            yield field.name


def _value(value: object) -> str:
    """As somebody would give it to a flag: a list with commas; nothing for a switch."""
    if isinstance(value, bool):
        return ""
    return shlex.quote(",".join(value)) if isinstance(value, tuple) else str(value)
