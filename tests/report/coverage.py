"""Coverage reports made by hand, for the tests of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pr_review.domain.coverage import CoverageReport, Mark, MarkedFile, MarkedLine
from pr_review.domain.diff import Side, SourceKind, Status
from pr_review.domain.finding import AgentOutcome, Confidence, Finding, Judged, Place, Severity
from pr_review.domain.ledger import (
    Dependency,
    DependencyState,
    Entry,
    Ledger,
    Reason,
    Redaction,
    Tier,
)
from pr_review.domain.quote import AgentQuote, Quote
from pr_review.domain.review import Run, RunStatus, Told, ToldState
from pr_review.domain.snapshot import Snapshot, StageRecord

QUOTE = Quote(
    "openai/gpt-x", 12, 15_600, 24_000, 0.05, (AgentQuote("bugs", 6, 7_800, 12_000, 0.025),)
)
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


def finding(path: str, start: int | None, title: str, **changes: object) -> Finding:
    plain = Finding(
        path, start, start, Side.RIGHT, Severity.HIGH, Confidence.HIGH, "logic", title,
        f"Why: {title}.", sources=("bugs", "ruff:E711"),
    )  # fmt: skip
    return replace(plain, **changes)  # type: ignore[arg-type]


def reviewed() -> tuple[CoverageReport, Run]:
    """A review of the sample with findings of every place, on lines of every mark and none."""
    total, new, moved = "src/shop/total.py", "src/shop/new.py", "src/shop/moved.py"
    low = {"severity": Severity.LOW, "confidence": Confidence.LOW}
    again = finding(moved, 2, "A cause in three places")
    there = finding("poetry.lock", 30, "A cause in three places")
    gone = {
        "side": Side.LEFT,
        "severity": Severity.CRITICAL,
        "suggestion": "    return 0\n    # `x`",
    }
    told = finding(total, 22, "Told before", severity=Severity.MEDIUM)
    judged = (
        Judged(finding(total, 21, "The rate is `lost`", **gone), Place.INLINE),
        Judged(finding(new, 1, "A cause in three places", end=2), Place.INLINE, "", (again, there)),
        Judged(
            finding(total, 90, "Far away"),
            Place.BODY,
            "its line is not in the diff",
            merged=(finding(total, 90, "In other <b>`words`", sources=("security", "<i>")),),
        ),
        Judged(finding("art/logo.png", None, "Heavy"), Place.BODY, "its file has no lines"),
        Judged(finding(new, 3, "Unsure", **low), Place.NOTED, "its source is not sure of it"),
        Judged(told, Place.TOLD, "told by an earlier review and still open"),
        Judged(finding(total, 23, "Ignored"), Place.WITHHELD, "ignored by people since"),
        Judged(again, Place.MERGED, "another place of a pattern"),
        Judged(there, Place.MERGED, "another place of a pattern"),
        Judged(finding(total, 30, "Refuted", body="No."), Place.REFUTED, "line 8 tests for it"),
        Judged(finding(new, 3, "Small", **low), Place.MINOR, "below min-severity"),
        Judged(finding("no/such.py", 4, "Nowhere"), Place.REJECTED, "names no file of the change"),
    )
    earlier = (
        Told("1", Severity.MEDIUM, path=total, start=22, end=22, title="Told before",
             url="https://host.invalid/pull/7#pullrequestreview-1"),
        Told("2", Severity.LOW, state=ToldState.RESOLVED, path=new, title="Gone", reason="fixed"),
    )  # fmt: skip
    report = sample()
    run = Run(
        RunStatus.REVIEWED,
        snapshot=report.snapshot,
        files=report.files,
        model="openai/gpt-x",
        quote=QUOTE,
        agents=(
            AgentOutcome("bugs", (again,), calls=1, input_tokens=1300, cost_usd=0.0042),
            AgentOutcome("security", failure="the provider answered 500", calls=3),
        ),
        verifier=AgentOutcome("verify", calls=1, cost_usd=0.001),
        judged=judged,
        earlier=earlier,
        warnings=("the token could be read",),
        guidelines=("AGENTS.md",),
        tools=("ruff: 1 of 9 results on changed lines",),
        review_url="https://host.invalid/pull/7#pullrequestreview-2",
    )
    return report, run


def large_review(files: int, lines: int, findings: int) -> tuple[CoverageReport, Run]:
    """A large report with findings all over it, every fifth of them a pattern over four places."""
    report = large(files, lines)
    paths = [file.path for file in report.files]
    judged = []
    for index in range(findings):
        at = paths[index * 7 % files]
        body = "It is read twice, and the second time it is empty.\n\n```python\nx = 1\n```"
        made = finding(at, index % lines + 1, f"Problem {index}", body=body * 3)
        also = tuple(
            replace(made, path=path) for path in paths[index : index + 3 * (not index % 5)]
        )
        judged.append(Judged(made, Place.INLINE if index < 10 else Place.BODY, "", also))
        judged += [Judged(other, Place.MERGED, "another place of a pattern") for other in also]
    return report, Run(RunStatus.REVIEWED, snapshot=report.snapshot, judged=tuple(judged))
