"""What an earlier review has read: hunks in which no line differs from what stood there then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from pr_review.domain.diff import Change, FileChange, Hunk
from pr_review.errors import SnapshotError
from pr_review.snapshot.policy import SnapshotPolicy

# New-side lines of what the change to an earlier commit did not hold, by path. A deletion is an
# empty range at the line it stood before; of a path that is not named nothing is new.
Touched = Mapping[str, tuple[range, ...]]
Hunks = frozenset[int]


def new_since(
    policy: SnapshotPolicy, touched_since: Callable[[str], Touched]
) -> tuple[SnapshotPolicy, Touched | None, tuple[str, ...]]:
    """What differs from the commit that was reviewed before. Where that cannot be told, the policy
    is to show the whole change, and a warning says so.
    """
    if not policy.since:
        return policy, None, ()
    try:
        return policy, touched_since(policy.since), ()
    except SnapshotError as error:
        words = f"all of the change is reviewed, not what is new alone: {error}"
        return replace(policy, since=""), None, (words,)


def reviewed_hunks(change: Change, touched: Touched) -> dict[str, Hunks]:
    """Indices of the hunks that stand as they stood at the earlier commit, by path.

    All of a file that is the same at both; none of a file that differs in no line, or that
    came from a path which differs: then something other than a line is new.
    """
    found = {file.path: frozenset(_same(file, touched)) for file in change.files}
    return {path: hunks for path, hunks in found.items() if hunks}


def _same(file: FileChange, touched: Touched) -> Iterable[int]:
    if file.old_path is not None and file.old_path in touched:
        return ()
    ranges = touched.get(file.path)
    if ranges is None:
        return range(len(file.hunks))
    if not ranges:
        return ()
    return (i for i, hunk in enumerate(file.hunks) if not any(_meet(hunk, r) for r in ranges))


def _meet(hunk: Hunk, lines: range) -> bool:
    """Whether some lines stand in a hunk. A deletion at its edge counts too: at the start or
    the end of a file there is no context that would part them.
    """
    start = hunk.new_start + (not hunk.new_count)
    end = start + hunk.new_count
    if not lines:
        return start <= lines.start <= end
    return start in lines if start == end else lines.start < end and start < lines.stop


def positions(file: FileChange, hunks: Hunks) -> Iterator[int]:
    """Positions of the lines of some hunks among all lines of a file."""
    bounds = [0]
    for hunk in file.hunks:
        bounds.append(bounds[-1] + len(hunk.lines))
    for index, (low, high) in enumerate(pairwise(bounds)):
        if index in hunks:
            yield from range(low, high)


def without(file: FileChange, hunks: Hunks) -> Iterator[Hunk]:
    """The other hunks of a file."""
    return (hunk for index, hunk in enumerate(file.hunks) if index not in hunks)
