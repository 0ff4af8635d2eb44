"""From the SARIF files of other tools to findings on the lines that a change adds.

Everything in such a file is data: a tool quotes the code that it looked at.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from pr_review.checks.ports import Tree
from pr_review.checks.sarif import rules
from pr_review.checks.sarif.fixes import suggestion
from pr_review.checks.sarif.log import Node, dig, nodes, number, runs, text
from pr_review.checks.sarif.message import title_and_body
from pr_review.checks.sarif.places import Places, artifact
from pr_review.checks.sarif.ports import ToolFile
from pr_review.domain.diff import Change, FileChange, Side, Status
from pr_review.domain.finding import Finding
from pr_review.domain.text import quoted_path

MOST_FINDINGS = 500
MOST_RUNS = 200
MOST_RESULTS = 50_000
"""Of a run: a file with more of either was made to keep us busy."""
TRACKED = (
    "the head commit holds it, so whoever opened the pull request may have written it: let a "
    "step of the workflow write it to a path that is in no commit"
)
UNLISTED = "the files of the head are not listed, so it may be the pull request's own"
_UNFIT = re.compile(r"[^A-Za-z0-9_.+/@:-]+")
_MOST_TOOL = 40
_OURS = "check"  # what the sources of our own checks begin with
_MOST_LINES = 30
_MOST_RULE = 100


@dataclass(frozen=True, slots=True)
class ToolResults:
    """What the files say: findings, worst first; a line a tool that counts its results; and
    what could not be taken from them, a line each."""

    findings: tuple[Finding, ...] = ()
    counts: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def read(
    files: Iterable[ToolFile],
    change: Change,
    tree: Tree | None,
    excludes: Callable[[str], bool] = lambda _path: False,
) -> ToolResults:
    """The results on added lines of a change; of a file that it adds, also those on the whole.

    Left out are results in files that a setting `excludes`, and those that the tool itself calls
    suppressed, unchanged since its baseline, or no failure. A file that the head commit holds is
    not read: the pull request may have written it. Raises `SnapshotError` from the tree.
    """
    reader = _Reader(change, tree, excludes)
    for file in files:
        reader.read(file)
    return reader.told()


@dataclass
class _Reader:
    change: Change
    tree: Tree | None
    excludes: Callable[[str], bool]
    found: set[Finding] = field(default_factory=set)
    every: Counter[str] = field(default_factory=Counter)
    warnings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._files = {file.path: file for file in self.change.files}
        files = (file for file in self.change.files if not self.excludes(file.path))
        self._reviewed = {file.path: _Target(file, file.added_lines) for file in files}

    def read(self, file: ToolFile) -> None:
        name = quoted_path(file.name)
        problem = file.problem or self._refused(file.name)
        if not problem:
            assert self.tree is not None
            try:
                found = runs(file.data)
                for run in found[:MOST_RUNS]:
                    self._run(name, run, self.tree)
                self._over(name, len(found), MOST_RUNS, "runs")
            except ValueError as error:
                problem = str(error)
        if problem:
            self.warnings.append(f"sarif-files: {name} is not read: {problem}")

    def told(self) -> ToolResults:
        ranked = sorted(self.found, key=lambda f: (-f.severity, f.path, f.start or 0, repr(f)))
        taken, over = ranked[:MOST_FINDINGS], len(ranked) - MOST_FINDINGS
        warnings = list(self.warnings)
        if over > 0:
            warnings.insert(
                0,
                f"sarif-files: {over:,} results on changed lines are left out, the least severe "
                f"of {len(ranked):,}: no more than {MOST_FINDINGS} are taken",
            )
        here = Counter(finding.sources[0].partition(":")[0] for finding in self.found)
        counts = [
            f"{tool}: {here[tool]:,} of {count:,} results on changed lines"
            for tool, count in sorted(self.every.items())
        ]
        return ToolResults(tuple(taken), _bounded(counts), _bounded(warnings))

    def _refused(self, name: str) -> str:
        """Why a file cannot be trusted to be a tool's; empty if it can."""
        if self.tree is None:
            return UNLISTED
        # the repository may be checked out in any folder of the workspace
        parts = name.split("/")
        ends = ["/".join(parts[count:]) for count in range(len(parts))]
        moved = tuple(f"{file.path}/" for file in self.change.files if file.submodule)
        inside = bool(moved) and any(end.startswith(moved) for end in ends)
        held = any(end in self._files or self.tree.exists(end) for end in ends)
        return TRACKED if inside or held else ""

    def _over(self, name: str, count: int, most: int, what: str) -> None:
        if count > most:
            said = f"of {count:,} {what} the first {most:,} are read"
            self.warnings.append(f"sarif-files: {name}: {said}")

    def _run(self, name: str, run: Node, tree: Tree) -> None:
        tool = _tool(run)
        one = _Run(run, tool, Places(run, tree.exists), rules.Rules(run))
        every = nodes(run.get("results"))
        self._over(name, len(every), MOST_RESULTS, f"results of {tool}")
        results = [result for result in every[:MOST_RESULTS] if _counts(result)]
        self.every[tool] += len(results)
        paths = [path for result in results for path in one.paths(result)]
        for result in results:
            self.found.update(one.findings(result, self._reviewed))
        if results and not paths:
            self.warnings.append(
                f"sarif-files: {name}: none of the {len(results):,} results of {tool} names a "
                "file of the head: run the tool at the top of the repository"
            )
        if any(dig(call, "executionSuccessful") is False for call in nodes(run.get("invocations"))):
            self.warnings.append(
                f"sarif-files: {name}: {tool} says that it failed: results may be missing"
            )


@dataclass(frozen=True)
class _Run:
    """One run of a tool."""

    run: Node
    tool: str
    places: Places
    rules: rules.Rules

    def paths(self, result: Node) -> list[str]:
        found = (self.places.path(artifact(one)) for one in nodes(result.get("locations")))
        return [path for path in found if path is not None]

    def findings(self, result: Node, files: Mapping[str, _Target]) -> Iterator[Finding]:
        """The finding of a result at the first of its places that stands on changed lines."""
        for location in nodes(result.get("locations")):
            target = files.get(self.places.path(artifact(location)) or "")
            region = dig(location, "physicalLocation", "region")
            place = target.changed(region) if target else None
            if target and place:
                yield self._finding(result, target.file, place)
                return

    def _finding(self, result: Node, file: FileChange, place: _Place) -> Finding:
        rule = self.rules.of(result)
        source = f"{self.tool}:{_plain(rules.rule_id(result, rule), _MOST_RULE) or 'result'}"
        title, body = title_and_body(result, rule, self.run, source=source)
        return Finding(
            path=file.path,
            start=place[0],
            end=place[1],
            side=Side.RIGHT,
            severity=rules.severity(result, rule),
            confidence=rules.confidence(result, rule),
            category=rules.category(result, rule, self.tool),
            title=title,
            body=body,
            suggestion=self._suggestion(result, file, place),
            sources=(source,),
            deterministic=True,
        )

    def _suggestion(self, result: Node, file: FileChange, place: _Place) -> str | None:
        start, end = place
        if start is None or end is None or "fixes" not in result:
            return None
        lines = {line.new: line.text for line in file.lines if line.new is not None}
        return suggestion(result, start, end, lines, lambda at: self.places.path(at) == file.path)


_Place = tuple[int | None, int | None]


def _counts(result: Node) -> bool:
    """Whether a result says that something is wrong, now, and that nobody has put it aside."""
    statuses = {text(one.get("status")) for one in nodes(result.get("suppressions"))}
    if statuses and statuses <= {"", "accepted"}:
        return False
    if result.get("baselineState") in ("unchanged", "absent"):
        return False
    return result.get("kind", "fail") == "fail"


@dataclass(frozen=True, slots=True)
class _Target:
    """A changed file, and the numbers of the lines that are added, ascending."""

    file: FileChange
    added: tuple[int, ...]

    def changed(self, region: object) -> _Place | None:
        """The first run of added lines in a region; None if it has none. A result without lines
        is about the whole file, which is new only if the change adds it."""
        start = number(dig(region, "startLine"))
        if start is None:
            return (None, None) if self.file.status is Status.ADDED else None
        end = max(start, number(dig(region, "endLine")) or start)
        if number(dig(region, "endColumn")) == 1 and end > start:  # it ends before that line
            end -= 1
        inside = self.added[bisect_left(self.added, start) : bisect_right(self.added, end)]
        if not inside:
            return None
        last = next((n for n, after in pairwise(inside) if after > n + 1), None)
        return inside[0], last or inside[-1]


def _bounded(lines: list[str]) -> tuple[str, ...]:
    """The lines, the last of them a count where a file names tools without end."""
    more = len(lines) - _MOST_LINES
    return (*lines[:_MOST_LINES], f"and {more:,} more") if more > 0 else tuple(lines)


def _tool(run: Node) -> str:
    name = _plain(text(dig(run, "tool", "driver", "name")), _MOST_TOOL).replace(":", "-") or "tool"
    return f"{name}-tool" if name.lower() == _OURS else name


def _plain(name: str, most: int) -> str:
    """A name that means nothing to Markdown, a shell or a terminal."""
    return _UNFIT.sub("-", name).strip("-")[:most]
