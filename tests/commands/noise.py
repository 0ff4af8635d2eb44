"""A hundred problems in a change, and two hundred findings of a model that is right but noisy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.judge.pairs import SAME, Pair, Said
from tests.judge.test_meaning import MISSED

PROBLEMS = 100
# What words tell only of findings that name the same line: some of these here have lost it.
_BY_ITS_LINE = {"blocking call in a coroutine", "a stale comment", "weak hash"}
_AGENTS = ("bugs", "security", "performance", "architecture", "readability")
_FILES = 5
_SEVERITIES = ("critical", "high", "medium", "medium", "low")
_THINGS = (
    "invoice basket ledger refund voucher shipment tariff parcel coupon receipt rebate deposit"
).split()
#: What is wrong with a thing, in two wordings: code, title and text of each.
_FAULTS = (
    ("send_{0}({0}, retries=3)", "The {0} is sent twice",
     "A retry delivers it again after an answer that came late.",
     "Customers get two copies of the {0}",
     "When an answer comes late, the retry delivers it again: it is sent twice."),
    ("total = {0}.amount + other.amount", "The {0} loses its currency",
     "Amounts in euro and dollar are added up.", "Currencies are mixed in the {0}",
     "Euro and dollar amounts are added up, and the currency is lost."),
    ("cache.set('{0}', {0}.key)", "The cached {0} never expires",
     "What support corrects is not seen until the next release.",
     "No expiry for the {0} in the cache",
     "A correction by support is never seen: the cached entry lives until the next release."),
    ("save({0}); check({0})", "The {0} is stored before it is validated",
     "One that is refused stays in the database.", "Validation of the {0} comes too late",
     "It is stored first, so that a refused one stays in the database."),
    ("if {0}.owner is user.id:", "The {0} compares identity, not equality",
     "`is` holds for small integers alone, so most owners are locked out.",
     "`is` compares identity of the {0} owner",
     "Above small integers it is False, and most owners are locked out; test for equality."),
    ("del {0}.parent.children[:]", "Deleting one {0} deletes its siblings",
     "The whole list of the parent is emptied.", "Siblings of the {0} are deleted, too",
     "Deleting one empties the whole list of its parent."),
    ("for row in {0}.rows: {0}.rows.remove(row)", "Every second row of the {0} is skipped",
     "The list shrinks while it is walked.", "The {0} list shrinks while it is iterated",
     "Every second row is skipped, since removing moves the rest."),
)  # fmt: skip


@dataclass(frozen=True)
class Problem:
    """One problem, where it stands, and two ways to say it."""

    path: str
    line: int
    pair: Pair
    severity: str

    @property
    def titles(self) -> frozenset[str]:
        return frozenset({self.pair.one.title, self.pair.other.title})


def problems() -> tuple[Problem, ...]:
    """The ground truth: each on a line of its own, in a few files by turns."""
    pairs = [pair for name, pair in SAME.items() if name not in MISSED | _BY_ITS_LINE]
    by_title = {pair.one.title: pair for pair in pairs}
    every = [*by_title.values(), *_generated()][:PROBLEMS]
    return tuple(
        Problem(f"shop/part{n % _FILES}.py", 2 + 3 * (n // _FILES), pair, _SEVERITIES[n % 7 % 5])
        for n, pair in enumerate(every)
    )


def files(truth: tuple[Problem, ...]) -> Mapping[str, bytes]:
    """The change: each problem's line, with lines between that nobody speaks of."""
    texts: dict[str, list[str]] = {}
    for problem in truth:
        lines = texts.setdefault(problem.path, [])
        lines += ["", problem.pair.quote, f"step_{problem.line}()"]
    return {path: "\n".join([*lines, ""]).encode() for path, lines in texts.items()}


def findings(truth: tuple[Problem, ...]) -> Mapping[str, list[dict[str, Any]]]:
    """Two hundred findings by agent: each problem twice, in other words by another agent. A third
    names a line, a file or a text that is not there."""
    said: dict[str, list[dict[str, Any]]] = {agent: [] for agent in _AGENTS}
    for n, problem in enumerate(truth):
        for turn, words in enumerate((problem.pair.one, problem.pair.other)):
            agent = _AGENTS[(n + turn * (1 + n % 4)) % len(_AGENTS)]
            said[agent].append(_misplaced(_finding(problem, words), 2 * n + turn))
    return said


def _finding(problem: Problem, words: Said) -> dict[str, Any]:
    return {
        "path": problem.path, "start_line": problem.line, "end_line": problem.line,
        "side": "RIGHT", "severity": problem.severity, "confidence": "high",
        "category": words.category, "title": words.title, "body": words.body or words.title,
        "quote": problem.pair.quote, "suggestion": words.suggestion,
    }  # fmt: skip


def _misplaced(finding: dict[str, Any], number: int) -> dict[str, Any]:
    """Every third one, in one of three ways."""
    match number % 9:
        case 0:
            return {**finding, "start_line": 1, "end_line": 1}
        case 3:
            return {**finding, "path": f"lib/{finding['path']}.old"}
        case 6:
            return {**finding, "quote": "never_written(by, anybody)"}
        case _:
            return finding


def _generated() -> Iterator[Pair]:
    for thing in _THINGS:
        for quote, title, body, other, again in _FAULTS:
            yield Pair(
                quote.format(thing),
                Said("bugs", "logic", title.format(thing), body),
                Said("architecture", "contract", other.format(thing), again),
            )
