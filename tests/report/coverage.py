"""Coverage reports made by hand, for the tests of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pr_review.domain.coverage import CoverageReport, Mark, MarkedFile, MarkedLine
from pr_review.domain.diff import Side, SourceKind, Status
from pr_review.domain.ledger import (
    Dependency,
    DependencyState,
    Entry,
    Ledger,
    Reason,
    Redaction,
    Tier,
)
from pr_review.domain.snapshot import Snapshot, StageRecord

NOTICE = "This is what you see of the change: 4 of 9 changed lines."


def snapshot(entries: Sequence[Entry]) -> Snapshot:
    return Snapshot(
        text=f"{NOTICE}\n\n<<<diff 0123456789abcdef\n## a\n0123456789abcdef diff>>>\n",
        digest="d" * 64,
        tokens=7_990,
        counter="o200k_base",
        source=SourceKind.GIT,
        ledger=Ledger(tuple(entries)),
        stages=(StageRecord("classify", "3 source"), StageRecord("truncate", "1 file omitted")),
        budget=8_000,
    )


def report(*files: MarkedFile) -> CoverageReport:
    entries = [file.entry for file in files if file.entry is not None]
    return CoverageReport(snapshot(entries), tuple(files))


def added(path: str, marks: str, *, tier: Tier = Tier.SOURCE, text: str = "value") -> MarkedFile:
    """A new file of which each letter of `marks` is a line: S shown, F folded, X omitted."""
    numbers = {letter: [n for n, m in enumerate(marks, 1) if m == letter] for letter in "SFX"}
    entry = Entry(
        path,
        None,
        Status.ADDED,
        tier,
        len(marks),
        0,
        added_lines=tuple(range(1, len(marks) + 1)),
        shown_added=tuple(numbers["S"]),
        folded_added=tuple(numbers["F"]),
        reason=None if set(marks) <= {"S"} else Reason.BUDGET,
        tokens=10 * len(numbers["S"]),
        full_tokens=10 * len(marks),
    )
    fate = {
        "S": (Mark.SHOWN, ""),
        "F": (Mark.FOLDED, "moved from b.py"),
        "X": (Mark.OMITTED, "over the token budget"),
    }
    lines = [MarkedLine(None, n, f"{text} {n}", *fate[m]) for n, m in enumerate(marks, 1)]
    return MarkedFile(path, entry, tuple(lines))


def modified(path: str = "src/shop/total.py") -> MarkedFile:
    """A modified file with a line of every mark."""
    lines = (
        MarkedLine(8, 8, "def total(items):", Mark.CONTEXT),
        MarkedLine(20, 20, "    rate = 1", Mark.CONTEXT),
        MarkedLine(21, None, "    return rate", Mark.SHOWN),
        MarkedLine(None, 21, "    key = [REDACTED:aws]", Mark.REDACTED, "a credential"),
        MarkedLine(None, 22, "    table = 'xxxx… [line cut: 900 more bytes]", Mark.CUT, "cut"),
        MarkedLine(None, 23, "    return rate * key", Mark.OMITTED, "over the token budget"),
        MarkedLine(30, 32, "# end", Mark.CONTEXT),
    )
    entry = Entry(
        path,
        None,
        Status.MODIFIED,
        Tier.SOURCE,
        3,
        1,
        added_lines=(21, 22, 23),
        removed_lines=(21,),
        shown_added=(21,),
        shown_removed=(21,),
        reason=Reason.BUDGET,
        tokens=40,
        full_tokens=90,
        context=(8, 20, 32),
        structure="syntax",
    )
    return MarkedFile(path, entry, lines)


def sample() -> CoverageReport:
    """Files of every state, a definition of an unchanged file, redactions and dependencies."""
    image = Entry(
        "art/logo.png",
        None,
        Status.ADDED,
        Tier.ASSET,
        0,
        0,
        binary=True,
        described=True,
        reason=Reason.BINARY,
        says="binary, 2 KiB",
        tokens=9,
        full_tokens=9,
    )
    helper = MarkedLine(40, 40, "def rate():", Mark.CONTEXT)
    made = report(
        modified(),
        added("src/shop/new.py", "SSS"),
        added("src/shop/moved.py", "FFFF"),
        added("tests/test_total.py", "XXXXX", tier=Tier.TEST),
        added("poetry.lock", "X" * 30, tier=Tier.GENERATED),
        MarkedFile("art/logo.png", image, ()),
        MarkedFile("src/shop/rates.py", None, (helper,)),
    )
    ledger = replace(
        made.snapshot.ledger,
        redactions=(Redaction("src/shop/total.py", 21, Side.RIGHT, "aws", added=True),),
        dependencies=(
            Dependency("rate", "src/shop/rates.py", 40, 44, DependencyState.SHOWN),
            Dependency("table", "src/far.py", 1, 1, DependencyState.AMBIGUOUS),
            Dependency("big", "src/big.py", 1, 900, DependencyState.OMITTED, Reason.DEPENDENCY_CAP),
        ),
    )
    return replace(made, snapshot=replace(made.snapshot, ledger=ledger))


def large(files: int, lines: int) -> CoverageReport:
    """A report of many files, every third of them omitted."""
    return report(
        *(
            added(
                f"src/part{index % 40:02}/module{index:04}.py",
                ("XSS"[index % 3]) * lines,
                tier=Tier.SOURCE if index % 2 else Tier.TEST,
                text="    result = compute(first, second, third)  # and so on",
            )
            for index in range(files)
        )
    )
