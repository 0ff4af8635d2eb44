"""Settings of context under which an unchanged line would be a candidate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pr_review.snapshot.explain.case import Case, Limits
from pr_review.snapshot.explain.remedy import MOST_LINES
from pr_review.snapshot.pieces import Run
from pr_review.snapshot.policy import DIFF_CONTEXT, SnapshotPolicy
from pr_review.snapshot.structure import Structure


def wider(case: Case, path: str, number: int) -> list[Limits]:
    """Limits that make a line of a changed file a candidate, each in the least measure that
    does: those that bring the fewest lines first."""
    structure = case.structure(path)
    if structure is None:
        return []
    policy = _with_context(case.limits.policy, path)
    found = [] if policy == case.limits.policy else [(0, 0, policy)]
    if not policy.dynamic:
        found.append((1, 0, replace(policy, dynamic=True)))
    for order, reach in enumerate((_before, _after, _scope)):
        steps = [step for run in structure.runs for step in reach(structure, run, number, policy)]
        if steps:
            cost, reached = min(steps, key=lambda step: step[0])
            found.append((cost, order, reached))
    found.sort(key=lambda step: step[:2])
    return [replace(case.limits, policy=policy) for _, _, policy in found]


def _with_context(policy: SnapshotPolicy, path: str) -> SnapshotPolicy:
    """The policy without the suffixes that a path has."""
    kept = tuple(s for s in policy.skip_suffixes if not path.lower().endswith(s))
    return replace(policy, skip_suffixes=kept)


_Step = Iterator[tuple[int, SnapshotPolicy]]


def _before(_: Structure, run: Run, number: int, policy: SnapshotPolicy) -> _Step:
    lines = run.start - DIFF_CONTEXT - number
    if policy.lines_before < lines <= MOST_LINES:
        yield lines - policy.lines_before, replace(policy, lines_before=lines)


def _after(_: Structure, run: Run, number: int, policy: SnapshotPolicy) -> _Step:
    lines = number - run.last_new - DIFF_CONTEXT
    if policy.lines_after < lines <= MOST_LINES:
        yield lines - policy.lines_after, replace(policy, lines_after=lines)


def _scope(structure: Structure, run: Run, number: int, policy: SnapshotPolicy) -> _Step:
    """Growth to the start of the definition around a run, where the line stands on the way."""
    around = structure.outline.around(min(run.start, len(structure.lines)))
    if not around or not around[-1].start <= number < run.start:
        return
    lines = run.start - around[-1].start
    if lines <= MOST_LINES and (lines > policy.scope_lines or not policy.dynamic):
        needed = max(lines, policy.scope_lines)
        yield needed - policy.scope_lines, replace(policy, dynamic=True, scope_lines=needed)
