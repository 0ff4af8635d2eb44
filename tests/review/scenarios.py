"""Runs as they end in life, for everything that tells people about a run."""

from __future__ import annotations

from dataclasses import replace

from pr_review.domain.diff import Change, FileChange, Side, SourceKind, Status
from pr_review.domain.finding import (
    AgentOutcome,
    Confidence,
    Finding,
    Judged,
    Place,
    Severity,
)
from pr_review.domain.ledger import Entry, Ledger, Reason, Redaction, Tier
from pr_review.domain.pull_request import PullRequest, Repository
from pr_review.domain.quote import AgentQuote, Quote
from pr_review.domain.review import Run, RunStatus, Told, ToldState
from pr_review.domain.snapshot import Snapshot, StageRecord

HEAD = "a" * 40
BASE = "b" * 40
PULL = PullRequest(
    repository=Repository("octo", "shop"),
    number=7,
    title="Round totals",
    body="",
    author="ada",
    author_is_bot=False,
    base_ref="main",
    base_sha=BASE,
    head_ref="round",
    head_sha=HEAD,
    head_repository=Repository("octo", "shop"),
)


def shown(path: str, tier: Tier = Tier.SOURCE, lines: int = 3) -> Entry:
    numbers = tuple(range(1, lines + 1))
    return Entry(
        path, None, Status.MODIFIED, tier, lines, 0,
        added_lines=numbers, shown_added=numbers, tokens=40, full_tokens=40,
    )  # fmt: skip


def partial(path: str) -> Entry:
    return Entry(
        path, None, Status.MODIFIED, Tier.SOURCE, 40, 0,
        added_lines=tuple(range(1, 41)), shown_added=tuple(range(11, 31)),
        reason=Reason.FILE_CAP, tokens=300, full_tokens=900,
    )  # fmt: skip


def omitted(path: str, tier: Tier, lines: int = 1000, reason: Reason = Reason.BUDGET) -> Entry:
    return Entry(
        path, None, Status.ADDED, tier, lines, 0,
        added_lines=tuple(range(1, lines + 1)), reason=reason, full_tokens=lines * 10,
    )  # fmt: skip


def folded(path: str) -> Entry:
    return Entry(
        path, None, Status.ADDED, Tier.ASSET, 0, 0,
        binary=True, described=True, reason=Reason.BINARY, says="binary, 2 KiB", tokens=9,
    )  # fmt: skip


def snapshot(*entries: Entry, redactions: tuple[Redaction, ...] = ()) -> Snapshot:
    return Snapshot(
        text="the text\n",
        digest="d" * 64,
        tokens=1234,
        counter="o200k_base",
        source=SourceKind.GIT,
        ledger=Ledger(entries, redactions),
        stages=(StageRecord("classify", "3 files"), StageRecord("render", "1,234 tokens")),
        budget=100_000,
    )


def agent(name: str, **changes: object) -> AgentOutcome:
    outcome = AgentOutcome(name, input_tokens=1300, output_tokens=210, calls=1, cost_usd=0.0042)
    return replace(outcome, **changes)  # type: ignore[arg-type]


def finding(**changes: object) -> Finding:
    plain = Finding(
        path="src/total.py",
        start=3,
        end=3,
        side=Side.RIGHT,
        severity=Severity.HIGH,
        confidence=Confidence.HIGH,
        category="correctness",
        title="Rounding each price loses cents",
        body="`round` is called for every item; round the sum once.",
        quote="round(item.price)",
        sources=("bugs", "readability"),
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


INLINE = Judged(finding(suggestion="    return round(total, 2)"), Place.INLINE)
ON_OLD_SIDE = Judged(
    finding(
        start=8, end=9, side=Side.LEFT, severity=Severity.LOW, confidence=Confidence.MEDIUM,
        title="The check for `None` | an empty list went away", body="Was it meant, @ada?",
        category="design", sources=("architecture",),
    ),
    Place.INLINE,
)  # fmt: skip
UNPLACED = Judged(
    finding(
        path="src/tax.py", start=None, end=None, severity=Severity.CRITICAL,
        title="Tax is added twice", body="Fixes #12.\n\n```suggestion\nrm -rf /\n```",
        category="correctness", sources=("bugs",),
    ),
    Place.BODY,
    "its quote does not stand in what the model received",
)  # fmt: skip
LEFT_OUT = Judged(finding(), Place.MERGED, "merged with another finding that says the same")
OTHER_WORDS = finding(title="Cents are lost: `round` is called too early", sources=("bugs",))

CHANGE = Change(source=SourceKind.GIT, merge_base="c" * 40, head=HEAD, files=(), raw_bytes=100)

QUOTE = Quote(
    "openai/gpt-x", 12, 15_600, 24_000, 0.05,
    agents=(
        AgentQuote("bugs", 6, 7_800, 12_000, 0.025),
        AgentQuote("security", 6, 7_800, 12_000, 0.025),
    ),
    once_usd=0.0084, cache_usd=0.0012, seconds=27.4, deadline=120.0, factor=1.4,
    output_cap=2_000, retries=2, repair=True,
)  # fmt: skip

CLEAN = Run(
    status=RunStatus.REVIEWED,
    pull_request=PULL,
    change=CHANGE,
    snapshot=snapshot(shown("src/total.py"), shown("tests/test_total.py", Tier.TEST)),
    model="openai/gpt-x",
    quote=QUOTE,
    agents=(agent("bugs"), agent("security")),
)

#: Everything that a model need see was seen, a lockfile apart.
CLEAN_WITHOUT_LOCKFILE = replace(
    CLEAN,
    snapshot=snapshot(
        shown("src/total.py"), folded("logo.png"), omitted("package-lock.json", Tier.GENERATED)
    ),
)

FINDINGS = replace(
    CLEAN,
    judged=(UNPLACED, replace(INLINE, merged=(OTHER_WORDS,)), ON_OLD_SIDE, LEFT_OUT),
    agents=(agent("bugs", findings=(INLINE.finding,), dropped=1), agent("security")),
    warnings=("The checkout's .git/config holds a token that this step could read",),
    snapshot=snapshot(
        shown("src/total.py"),
        redactions=(
            Redaction("src/total.py", 2, Side.RIGHT, "aws-access-key", added=True),
            Redaction("src/total.py", 3, Side.RIGHT, "aws-access-key", added=True),
            Redaction("README.md", 9, Side.LEFT, "github-token"),
        ),
    ),
)

PARTIAL_SOURCE = replace(
    CLEAN,
    snapshot=snapshot(
        shown("src/total.py"),
        partial("src/tax.py"),
        omitted("src/report/pdf.py", Tier.SOURCE, 420),
        omitted("tests/test_pdf.py", Tier.TEST, 90, Reason.EXCLUDED),
        omitted("package-lock.json", Tier.GENERATED, 12_000),
    ),
)

FAILED_AGENT = replace(
    CLEAN,
    agents=(
        agent("bugs"),
        agent("security", failure="the provider answered 500", cost_usd=None, calls=2),
        agent("performance", cut_short=True),
    ),
)

CHECKS_ALONE = replace(CLEAN, model="", quote=None, agents=())

NOT_REVIEWED = replace(
    CLEAN,
    status=RunStatus.NOT_REVIEWED,
    reason="no changed line could be shown",
    agents=(),
    quote=None,
    model="",
    snapshot=snapshot(omitted("package-lock.json", Tier.GENERATED, 12_000, Reason.FILE_CAP)),
    judged=(
        Judged(
            finding(
                path="package-lock.json", start=None, end=None, severity=Severity.LOW,
                title="The lockfile changed without its manifest", body="Was it meant?",
                category="dependencies", sources=("check:lockfile-without-manifest",),
                deterministic=True,
            ),
            Place.BODY,
            "about the whole file",
        ),
    ),
)  # fmt: skip

REFUSED = replace(
    CLEAN,
    status=RunStatus.REFUSED,
    reason="the run may cost $0.0500, over max-cost-usd 0.01; raise it or lower the budget",
    agents=(),
)

SKIPPED = Run(status=RunStatus.SKIPPED, reason="draft pull request; set drafts: true to review")

FAILED = replace(
    CLEAN,
    status=RunStatus.FAILED,
    reason="every agent failed: the provider answered 500",
    agents=(agent("bugs", failure="the provider answered 500", cost_usd=None),),
)

EARLIER = (
    Told(
        "00112233445566aa.1.0.1.abcdef", Severity.CRITICAL, path="src/tax.py", start=12, end=13,
        title="Tax is added twice, see #12", url="https://host.invalid/pull/7#pullrequestreview-1",
    ),
    Told("00112233445566ab.2.0.1.abcdef", Severity.LOW, path="src/total.py", start=4, end=5),
    Told(
        "00112233445566ac.1.0.1.abcdef", Severity.HIGH, state=ToldState.CLOSED,
        path="src/total.py", start=9, end=9, title="A lock is never released",
    ),
    Told(
        "00112233445566ad.1.0.1.abcdef", Severity.MEDIUM, state=ToldState.RESOLVED,
        title="The list is read twice", path="src/total.py",
        url="https://host.invalid/pull/7#pullrequestreview-1",
        reason="its lines are not in the change any more",
    ),
)  # fmt: skip

#: A later review that found one thing and met one that people had ignored.
INCREMENTAL = replace(
    CLEAN,
    snapshot=replace(snapshot(shown("src/total.py")), since="e" * 40),
    judged=(
        replace(INLINE, finding=finding(severity=Severity.MEDIUM)),
        Judged(
            finding(start=9, end=9, title="A lock is never released"),
            Place.WITHHELD,
            "told by an earlier review, and resolved or ignored by people since",
        ),
    ),
    earlier=EARLIER,
)

INCREMENTAL_CLEAN = replace(INCREMENTAL, judged=(), earlier=())
INCREMENTAL_OPEN = replace(INCREMENTAL, judged=(), earlier=EARLIER[:2])
INCREMENTAL_PARTIAL = replace(
    INCREMENTAL_OPEN,
    snapshot=replace(snapshot(shown("src/total.py"), partial("src/tax.py")), since="e" * 40),
)

WEB = "https://host.invalid/octo/shop"


def changed(path: str, status: Status = Status.MODIFIED, old_path: str | None = None) -> FileChange:
    return FileChange(
        path, old_path, status, "100644", "100644", "1" * 40, "2" * 40,
        binary=False, additions=3, deletions=0,
    )  # fmt: skip


def linked(run: Run, *files: FileChange) -> Run:
    """The same run where the server's pages of its files are known."""
    told = [finding for j in run.judged for finding in (j.finding, *j.also)]
    paths = {finding.path for finding in told} - {file.path for file in files}
    known = (*files, *(changed(path) for path in sorted(paths)))
    return replace(run, web_url=WEB, change=replace(CHANGE, files=known))


_UNCHECKED = finding(
    title="The result of `fetch` is used without a check for an error", category="error-handling",
    body="`fetch` resolves on a 500 as well, so the page renders an empty cart.\n\n"
    "Check `response.ok` before the body is read.",
    path="web/src/features/cart/components/CartSummaryPanel.tsx", start=41, end=47,
    sources=("bugs", "architecture"), severity=Severity.MEDIUM,
)  # fmt: skip
_ELSEWHERE = tuple(
    replace(_UNCHECKED, path=f"web/src/features/{name}/api.ts", start=n * 7, end=n * 7)
    for n, name in enumerate(("account", "orders", "search", "wishlist"), start=1)
)
_SAID_ONCE = "the same cause in another place"

#: One cause in five places: one entry with the list of them.
PATTERN = linked(
    replace(
        CLEAN,
        judged=(
            Judged(
                replace(UNPLACED.finding, body="Both `total` and `invoice` add it."),
                Place.BODY, UNPLACED.reason,
                also=(replace(UNPLACED.finding, path="src/invoice.py"),),
            ),
            Judged(_UNCHECKED, Place.INLINE, also=_ELSEWHERE),
            *(Judged(other, Place.MERGED, _SAID_ONCE) for other in _ELSEWHERE),
        ),
    )
)  # fmt: skip

#: What an author has to do beside what a reviewer may want to know.
NOTED = linked(
    replace(
        CLEAN,
        judged=(
            INLINE,
            Judged(
                finding(
                    title="A lockfile changed without its manifest", path="package-lock.json",
                    start=None, end=None, severity=Severity.MEDIUM, category="dependencies",
                    body="Was it meant?", sources=("check:lockfile-without-manifest",),
                    deterministic=True,
                ),
                Place.BODY, "about the whole file",
            ),
            Judged(
                finding(
                    title="The cache may grow without a bound", start=21, end=24,
                    severity=Severity.MEDIUM, confidence=Confidence.LOW, sources=("performance",),
                    body="It depends on how many currencies there are. " * 20,
                ),
                Place.NOTED, "its source is not sure of it",
            ),
            Judged(
                finding(
                    title="`t` says little; `total_cents` would say more", start=5, end=5,
                    severity=Severity.LOW, confidence=Confidence.MEDIUM, sources=("readability",),
                    category="naming", body="The next reader has to look it up.",
                ),
                Place.NOTED, "of low severity, and nothing makes it certain",
            ),
        ),
        guidelines=("AGENTS.md", "CONTRIBUTING.md"),
    )
)  # fmt: skip

_REFUTED = (
    Judged(
        finding(title="`total` may be None"), Place.REFUTED,
        "line 2 returns before it can be, and @ada said so",
        merged=(finding(title="No check that there is a `total`", start=2, end=4),),
    ),
    Judged(finding(title="The sum overflows", start=7, end=9), Place.REFUTED, "it has no limit"),
)  # fmt: skip

#: Nothing is left of what the agents said, and the review says that they said it.
VERIFIED = linked(
    replace(
        CLEAN,
        judged=(
            *_REFUTED,
            Judged(finding(severity=Severity.LOW), Place.MINOR, "below min-severity"),
            Judged(
                finding(path="src/nowhere.py"), Place.REJECTED,
                "names a file that this change does not touch",
            ),
            LEFT_OUT,
        ),
        agents=(agent("bugs", findings=(INLINE.finding,) * 5), agent("security")),
        verifier=agent("verify", calls=2, input_tokens=2_410, output_tokens=96, cost_usd=0.0011),
    )
)  # fmt: skip

UNVERIFIED = replace(
    FINDINGS,
    judged=(UNPLACED, INLINE),
    warnings=(),
    verifier=agent("verify", failure="the provider answered 529", cost_usd=None, calls=3),
)


def _many(count: int) -> tuple[Judged, ...]:
    levels = sorted(Severity, reverse=True)
    found = [
        finding(
            title=f"Value {n} is read before it is set", path=f"src/part{n % 17}/values.py",
            start=n, end=n, severity=levels[n * 4 // count],
            body=f"`value_{n}` has no default, and line {n} reads it. " * 6,
        )
        for n in range(1, count)
    ]  # fmt: skip
    return tuple(
        Judged(item, Place.INLINE) if n < 10 else Judged(item, Place.BODY, "over max-comments")
        for n, item in enumerate(found)
    )


#: More than GitHub takes in one body.
HUGE = linked(
    replace(
        CLEAN,
        judged=_many(200),
        snapshot=snapshot(
            shown("src/total.py"),
            *(omitted(f"src/part{n % 17}/values{n}.py", Tier.SOURCE, n % 9 + 1) for n in range(90)),
            *(omitted(f"dist/{n % 9}/bundle{n}.js", Tier.GENERATED, 40) for n in range(300)),
        ),
    )
)

_TRAP = (
    "</details>\n\n# Approved\n\n@ada closes #12 <img src=https://evil.invalid/x.png> "
    "[click](https://evil.invalid)\n\n```suggestion\nrm -rf /\n"
)
_NAME = "src/`x` |\u202egnp.py](https://evil.invalid) <b>@ada #12.py"

#: All that strangers write says the worst that it can.
HOSTILE = linked(
    replace(
        CLEAN,
        model="<!-- pr-review:v3 --> @ada `|` gpt",
        judged=(
            Judged(
                finding(
                    path=_NAME,
                    start=1,
                    end=2,
                    title="**No findings.** @ada | <b>#12",
                    body=_TRAP,
                    sources=("@ada", "<script>"),
                    category="</sub># x",
                    suggestion="````\n</details>\n@ada",
                ),
                Place.INLINE,
                also=(finding(path="a\n](x)", title=_TRAP, start=9, end=9),),
                merged=(finding(path=_NAME, title=_TRAP, sources=("@ada", "<b>"), start=1, end=2),),
            ),
            Judged(finding(path=_NAME, title="x\n---\ny", body=_TRAP), Place.BODY, _TRAP),
            Judged(finding(path="\udce9.py", title=_TRAP, body="---"), Place.NOTED, _TRAP),
            Judged(
                finding(path=_NAME, title=_TRAP),
                Place.REFUTED,
                _TRAP,
                merged=(finding(path=_NAME, title=_TRAP, sources=(_TRAP,)),),
            ),
            Judged(finding(), Place.REJECTED, _TRAP),
        ),
        agents=(agent("bugs"), agent("@ada <b>|", failure=_TRAP, cost_usd=None)),
        verifier=agent("verify", failure=_TRAP),
        guidelines=("docs/`<b>`.md",),
        warnings=(_TRAP,),
        snapshot=snapshot(omitted(_NAME, Tier.SOURCE, 4), shown("src/total.py")),
    )
)

SCENARIOS = {
    "clean": CLEAN,
    "clean-without-lockfile": CLEAN_WITHOUT_LOCKFILE,
    "findings": FINDINGS,
    "pattern": PATTERN,
    "noted": NOTED,
    "verified": VERIFIED,
    "unverified": UNVERIFIED,
    "huge": HUGE,
    "hostile": HOSTILE,
    "partial-source": PARTIAL_SOURCE,
    "failed-agent": FAILED_AGENT,
    "checks-alone": CHECKS_ALONE,
    "not-reviewed": NOT_REVIEWED,
    "refused": REFUSED,
    "incremental": INCREMENTAL,
    "incremental-clean": INCREMENTAL_CLEAN,
    "incremental-open": INCREMENTAL_OPEN,
    "incremental-partial": INCREMENTAL_PARTIAL,
}
