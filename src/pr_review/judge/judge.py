"""From what the agents and checks said to what is shown where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from pr_review.domain.finding import Finding, Judged, Place
from pr_review.domain.ledger import State
from pr_review.domain.path_rule import PathRule, reviewers
from pr_review.domain.snapshot import SentFile, Snapshot
from pr_review.judge.anchor import anchor, ordered
from pr_review.judge.lines import FileLines
from pr_review.judge.merge import merge, unite
from pr_review.judge.paths import resolve
from pr_review.judge.patterns import patterns
from pr_review.judge.policy import JudgePolicy
from pr_review.judge.rank import rank

NO_PATH = "names no file"
UNKNOWN_PATH = "names a file that this change does not touch"
NEVER_SENT = "names a file that the model never received"
NOT_THEIRS = "its file is for other agents to review, by paths in the settings"
NOT_UTF8 = "its path is not UTF-8, which no comment can name"
NO_HUNK = "its file has no lines in the diff"


def judge(
    findings: Iterable[Finding], snapshot: Snapshot, policy: JudgePolicy
) -> tuple[Judged, ...]:
    """Anchors, rejects, merges, finds patterns and ranks; each finding that comes in comes out
    once, and with a reason unless it is inline.

    What holds stands first, worst first; what is left out follows. The result does not depend on
    the order of `findings`. Whoever refutes some of them, or makes them more sure, calls `rejudge`.
    """
    bench = _Bench(snapshot, policy.rules)
    placed = [bench.place(finding) for finding in findings]
    return rank(patterns(merge(placed)), policy)


def rejudge(
    judged: Sequence[Judged], same: Iterable[tuple[Judged, Judged]], policy: JudgePolicy
) -> tuple[Judged, ...]:
    """Unites the pairs of `same`, by the rules of `unite`, and ranks what is then told."""
    return rank(unite(judged, same), policy)


class _Bench:
    """Places single findings against one snapshot."""

    def __init__(self, snapshot: Snapshot, rules: Sequence[PathRule] = ()) -> None:
        self._snapshot = snapshot
        self._rules = rules

    @cached_property
    def _lines(self) -> dict[str, FileLines]:
        return {file.path: FileLines(file) for file in self._snapshot.sent}

    def place(self, finding: Finding) -> Judged:
        path = resolve(finding.path, self._snapshot)
        if path is None:
            return _rejected(finding, UNKNOWN_PATH if finding.path.strip() else NO_PATH)
        finding = replace(finding, path=path)
        file = self._lines.get(path, FileLines(SentFile(path, None, (), ())))
        # A check reads the change itself, so it may speak of what no model received.
        if not finding.deterministic and self._omitted(path) and not file.file.lines:
            return _rejected(finding, NEVER_SENT)
        if not finding.deterministic and self._given_to_others(path, finding.sources):
            return _rejected(finding, NOT_THEIRS)
        if any("\ud800" <= c <= "\udfff" for c in path):
            return Judged(replace(ordered(finding), suggestion=None), Place.BODY, NOT_UTF8)
        if not file.file.hunks and not file.file.lines:
            whole = replace(ordered(finding), suggestion=None)
            return Judged(whole, Place.BODY, self._why_no_hunk(path))
        return anchor(finding, file)

    def _omitted(self, path: str) -> bool:
        """Whether no changed line of a changed file was sent."""
        entry = self._snapshot.ledger.by_path.get(path)
        return entry is not None and entry.state is State.OMITTED

    def _given_to_others(self, path: str, sources: Sequence[str]) -> bool:
        named = reviewers(self._rules, path)
        return bool(named) and not set(named) & set(sources)

    def _why_no_hunk(self, path: str) -> str:
        entry = self._snapshot.ledger.by_path.get(path)
        return f"{NO_HUNK}: {entry.reason.words}" if entry and entry.reason else NO_HUNK


def _rejected(finding: Finding, reason: str) -> Judged:
    return Judged(replace(finding, suggestion=None), Place.REJECTED, reason)
