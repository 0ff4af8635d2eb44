"""The page tells what the ledger tells, line by line, and nothing of it is markup of others."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from pr_review.domain.coverage import CoverageReport, Mark, MarkedFile, MarkedLine
from pr_review.domain.diff import Change, Side, SourceKind, Status
from pr_review.domain.finding import AgentOutcome, Judged, Place, Severity
from pr_review.domain.ledger import Entry, Ledger, Reason, Redaction, Tier
from pr_review.domain.review import Run, RunStatus
from pr_review.domain.snapshot import Part
from pr_review.report.html import page
from pr_review.report.html.amounts import Amount
from pr_review.report.html.asked import facts
from pr_review.report.html.files import Folder, file_view, tree
from pr_review.report.html.lines import runs
from pr_review.report.html.notes import Notes
from pr_review.report.html.prose import Block, Span, blocks, spans
from tests.report.coverage import (
    NOTICE,
    QUOTE,
    added,
    finding,
    large,
    modified,
    report,
    reviewed,
    sample,
)

VOID = {"meta", "input", "link", "br", "img"}


class Balance(HTMLParser):
    """Collects tags that were not closed in order, ids and links."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids += [value for value in [values.get("id")] if value]
        self.links += [value for value in [values.get("href")] if value]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def words(html: str) -> str:
    """The page's text without markup, blanks collapsed."""
    body = re.sub(r"<(style|script)>.*?</\1>", "", html, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", "", re.sub(r"</t[dh]>", " ", body)).split())


def told() -> str:
    """The page of a review."""
    made, run = reviewed()
    return page(made, run=run, verdict="4 findings in what `bugs` received.")


@pytest.fixture(params=[lambda: page(sample()), told], ids=["snapshot", "review"])
def html(request: pytest.FixtureRequest) -> str:
    made: str = request.param()
    return made


def test_equal_reports_give_equal_bytes() -> None:
    assert page(sample()).encode() == page(sample()).encode()
    assert told().encode() == told().encode()
    assert page(sample()).endswith("</html>\n")


def test_its_markup_is_balanced_and_its_links_lead_somewhere(html: str) -> None:
    read = Balance()
    read.feed(html)
    assert (read.open, read.wrong) == ([], [])
    assert len(read.ids) == len(set(read.ids))
    inside = {link for link in read.links if link.startswith("#")}
    assert inside
    assert {link.removeprefix("#") for link in inside} <= set(read.ids)
    outside = set(read.links) - inside
    assert all(link.startswith("https://host.invalid/pull/7#") for link in outside)


def test_its_policy_names_its_own_style_and_script_alone(html: str) -> None:
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    for tag in ("style", "script"):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src &#39;sha256-{digest}&#39;" in policy
    assert policy.startswith("default-src &#39;none&#39;")
    assert "unsafe" not in policy
    assert not re.search(r"\s(style|on\w+)=", html)
    assert not re.search(r"src=|href=\"(?!#|https://host.invalid/pull/7#)", html)


def test_lines_that_were_reviewed_before_are_told_from_exact_descriptions() -> None:
    made = sample()
    later = replace(made, snapshot=replace(made.snapshot, since="5" * 40))
    text = words(page(later))
    assert "; 4 more are described exactly or were reviewed before" in text
    assert "folded: described exactly, or reviewed before" in text
    assert f"--base BASE --head HEAD --since {'5' * 40} --diff-token-budget 8000" in text


def test_the_pass_of_each_file_and_every_notice_are_told_where_there_are_several() -> None:
    made = sample()
    first, *others = made.files
    assert first.entry is not None
    several = replace(first, entry=replace(first.entry, passes=(1, 3)))
    parts = tuple(Part(f"Notice {n}.\n\n<<<diff", 2_000, made.snapshot.ledger) for n in (1, 2, 3))
    snapshot = replace(made.snapshot, tokens=6_000, parts=parts, max_passes=4)
    text = words(page(replace(made, snapshot=snapshot, files=(several, *others))))
    assert text.count("; read in pass") == 1
    assert "; read in passes 1 and 3" in text
    assert "Notice 1. Notice 2. Notice 3." in text
    assert "6,000 tokens in 3 passes of up to 8,000 by o200k_base" in text
    assert "--diff-token-budget 8000 --max-passes 4 --format json" in text


def test_it_says_what_the_ledger_says() -> None:
    text = words(page(sample()))
    assert "The snapshot shows 5 of 46 changed lines in 6 files" in text
    assert "; 4 more are described exactly" in text
    assert "37 were left out" in text
    assert "partial 2 files not seen in full" in text
    assert "partial 3 files not seen in full" in text
    assert "7,990 of 8,000 by o200k_base" in text
    assert "d" * 64 in text
    assert NOTICE in text
    assert "<<<diff" not in text
    assert "truncate 1 file omitted" in text
    assert "In place of its lines stands: binary, 2 KiB" in text
    assert "several definitions, none taken" in text
    assert "over the cap of dependencies" in text
    assert "rates.py unchanged context only – –" in text, "its tokens are not counted by file"
    assert "pr-review snapshot --base BASE --head HEAD --diff-token-budget 8000 --format" in text
    assert "aws src/shop/total.py:21 new side, on an added line" in text


def test_full_sight_is_said_only_of_full_sight() -> None:
    full = words(page(report(added("a.py", "SS"))))
    assert "nothing was left out" in full
    assert full.count("no changed line was withheld") == 2
    partial = words(page(report(added("a.py", "SX"))))
    assert "nothing was left out" not in partial
    assert "no changed line was withheld" not in partial


def test_a_snapshot_that_a_deadline_cut_short_says_so() -> None:
    made = sample()
    late = replace(made, snapshot=replace(made.snapshot, reproducible=False))
    assert "This snapshot cannot be rebuilt" in words(page(late))
    assert "cannot be rebuilt" not in words(page(made))


def test_every_line_shows_its_numbers_its_letter_and_its_sign() -> None:
    found = [
        (run.mark, run.skipped, [f"{row.gutter}|{row.text}" for row in run.rows])
        for run in runs(modified().lines)
    ]
    assert found == [
        (Mark.CONTEXT, 7, [" 8  8 C| def total(items):"]),
        (Mark.CONTEXT, 11, ["20 20 C|     rate = 1"]),
        (Mark.SHOWN, 0, ["21    S|-    return rate"]),
        (Mark.REDACTED, 0, ["   21 R|+    key = [REDACTED:aws]"]),
        (Mark.CUT, 0, ["   22 T|+    table = 'xxxx… [line cut: 900 more bytes]"]),
        (Mark.OMITTED, 0, ["   23 X|+    return rate * key"]),
        (Mark.CONTEXT, 8, ["30 32 C| # end"]),
    ]


def test_lines_with_one_reason_stand_together() -> None:
    found = runs(added("a.py", "SSXXXF").lines)
    assert [(run.mark, len(run.rows), run.labelled) for run in found] == [
        (Mark.SHOWN, 2, 0),
        (Mark.OMITTED, 3, 3),
        (Mark.FOLDED, 1, 1),
    ]
    assert found[0].rows[0].gutter == "1 S"


def test_lines_of_an_unchanged_file_are_no_additions() -> None:
    (run,) = runs([MarkedLine(None, 7, "def f():", Mark.CONTEXT)])
    assert (run.skipped, run.rows[0].text) == (6, " def f():")


def test_a_line_without_numbers_is_printed_all_the_same() -> None:
    (run,) = runs([MarkedLine(None, None, "text", Mark.OMITTED, "why")])
    assert [(row.gutter, row.text) for row in run.rows] == [("X", " text")]


@pytest.mark.parametrize(
    ("amount", "share", "widths"),
    [
        (Amount(), "–", []),
        (Amount(1, 1, 2), "50%", ["25.00", "25.00", "50.00"]),
        (Amount(999, 0, 1), "99%", ["99.90", "0.10"]),
        (Amount(1, 0, 999), "<1%", ["0.10", "99.90"]),
        (Amount(0, 3, 0), "100%", ["100.00"]),
        (Amount(0, 0, 3), "0%", ["100.00"]),
    ],
)
def test_a_share_never_rounds_to_more_than_was_seen(
    amount: Amount, share: str, widths: list[str]
) -> None:
    assert amount.share == share
    assert [segment.width for segment in amount.segments] == widths


def folders(folder: Folder) -> Iterator[Folder]:
    for below in folder.folders:
        yield below
        yield from folders(below)


def test_files_stand_in_a_tree_of_folders() -> None:
    paths = ["b.py", "src/a/deep/x.py", "src/a/deep/y.py", "src/z.py", "lone/chain/of/w.py"]
    top = tree([file_view(i, added(path, "S"), {}) for i, path in enumerate(paths)])
    assert [file.name for file in top.files] == ["b.py"]
    assert [(folder.name, folder.count) for folder in folders(top)] == [
        ("lone/chain/of", 1),
        ("src", 3),
        ("a/deep", 2),
    ]
    assert top.count == 5


def test_thousands_of_folders_in_a_path_do_no_harm() -> None:
    stairs = ["d/" * depth + "f.py" for depth in range(1, 1_500, 30)]
    top = tree([file_view(i, added(path, "S"), {}) for i, path in enumerate(stairs)])
    found = list(folders(top))
    assert len(found) <= 12
    listed = [file for folder in [top, *found] for file in folder.files]
    assert sorted(file.path for file in listed) == sorted(stairs)
    assert all(file.folder + file.name == file.path for file in listed)
    assert page(report(*(added(path, "S") for path in stairs)))


def test_in_a_large_change_folders_with_something_left_out_are_open() -> None:
    files = [added(f"seen/{n}.py", "S") for n in range(120)] + [added("unseen/a.py", "X")]
    top = tree([file_view(i, file, {}) for i, file in enumerate(files)])
    assert [(folder.name, folder.open) for folder in top.folders] == [
        ("seen", False),
        ("unseen", True),
    ]


def test_hidden_characters_and_broken_bytes_are_made_visible() -> None:
    odd = added("src/\u202ex\udcff\n.py", "X", text="a\u200bb\udcff\r\nc")
    lines = tuple(replace(line, why="why\u2066\udcff") for line in odd.lines)
    html = page(report(replace(odd, lines=lines)), title="t\u202e\udcff\n")
    html.encode("utf-8")
    assert not re.search("[\u200b\u202e\u2066\udcff\r]", html)
    text = words(html)
    assert "src/\\u{202e}x\ufffd\\u{a}.py" in text
    assert "+a\\u{200b}b\ufffd\\u{d}\\u{a}c" in text
    assert "why\\u{2066}\ufffd" in text


def test_markup_in_any_text_is_text() -> None:
    bad = "</pre><script>alert(1)</script>\"'"
    file = added(f"src/{bad}", "X", text=bad)
    lines = tuple(replace(line, why=bad) for line in file.lines)
    html = page(report(replace(file, lines=lines)), title=bad)
    assert html.count("<script>") == 1
    assert html.count("</script>") == 1
    assert bad not in html


def test_a_path_that_holds_a_credential_is_not_printed() -> None:
    secret, old = "src/ghp_secret.py", "src/ghp_older.py"
    entry = Entry(
        secret,
        old,
        Status.RENAMED,
        Tier.SOURCE,
        0,
        0,
        described=True,
        reason=Reason.RENAME,
        says="renamed without a change",
        printed="src/[REDACTED:github].py",
    )
    made = report(MarkedFile(secret, entry, ()))
    hidden = tuple(Redaction(path, 0, Side.RIGHT, "file-name") for path in (secret, old))
    ledger = Ledger(made.snapshot.ledger.entries, hidden)
    html = page(CoverageReport(replace(made.snapshot, ledger=ledger), made.files))
    assert "ghp_" not in html
    assert "src/[REDACTED:github].py" in html
    assert "from <code>[REDACTED:file-name]</code>" in html


def test_lines_that_were_never_read_are_counted() -> None:
    entry = Entry("big.sql", None, Status.ADDED, Tier.SOURCE, 70_000, 0, reason=Reason.DIFF_CAP)
    text = words(page(report(MarkedFile("big.sql", entry, ()))))
    assert "70,000 changed lines are not listed here" in text
    assert "omitted: the diff is over its size cap" in text


def test_a_change_without_files_is_a_page_too() -> None:
    assert "The change holds no files." in words(page(report()))


def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb` or `#rgb`: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance"""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_text_has_contrast_in_light_and_dark() -> None:
    (style,) = re.findall(r"<style>(.*?)</style>", page(sample()), flags=re.DOTALL)
    schemes = re.findall(r":root \{(.*?)\}", style, flags=re.DOTALL)
    assert len(schemes) == 2
    for scheme in schemes:
        colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]+)", scheme))
        grounds = [name for name in colours if name.endswith(("ground", "panel"))]
        pairs = [(text, ground) for text in ("text", "dim") for ground in grounds]
        pairs += [("omitted", "ground"), ("omitted", "omitted-ground"), ("omitted", "panel")]
        pairs += [(name, f"{name}-ground") for name in ("redacted", "cut")]
        severities = [severity.label for severity in Severity]
        pairs += [(name, on) for name in ("link", *severities) for on in ("ground", "panel")]
        pairs += [(name, "folded-ground") for name in severities]  # under the pointer
        for text, ground in pairs:
            low, high = sorted([luminance(colours[text]), luminance(colours[ground])])
            assert (high + 0.05) / (low + 0.05) >= 4.5, (text, ground)


def card(html: str, title: str) -> str:
    """The words of the card of that title."""
    cards = re.findall(r"<article.*?</article>", html, flags=re.DOTALL)
    [found] = [words(card) for card in cards if title in words(card)]
    return found


def test_the_head_of_a_review_tells_how_it_went() -> None:
    text = words(told())
    assert (
        "Coverage of a review 4 findings in what bugs received. The snapshot shows 5 of 46" in text
    )
    assert "Review critical 1high 3medium 1low 1" in text
    assert "Warning: the token could be read security failed: the provider answered 500" in text
    assert "Agents1 of 2 answered" in text
    assert "Verification1 refuted and withheld" in text
    assert "Costunknown; at most $0.0500 was quoted" in text
    assert "GuidelinesAGENTS.md" in text
    assert "Other toolsruff: 1 of 9 results on changed lines" in text
    assert "bugs 1 found 1 request, 1,300 in, 0 out $0.0042; at most $0.0250 was quoted" in text
    assert "verify 1 refuted 1 request, 0 in, 0 out $0.0010" in text
    assert "Review" not in words(page(sample())).replace("Coverage of a review", "")


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"verifier": AgentOutcome("verify", failure="no answer")}, "failed: no answer"),
        ({"verifier": None, "agents": (), "quote": QUOTE}, QUOTE.words),
        (
            {"change": Change(SourceKind.GIT, "a" * 40, "b" * 40, (), 1)},
            f"{'a' * 12} to {'b' * 12}",
        ),
    ],
    ids=["not verified", "refused", "commits"],
)
def test_what_is_known_of_a_run_is_told(change: dict[str, Any], line: str) -> None:
    _, run = reviewed()
    assert line in [words for _, words in facts(replace(run, **change)).lines]


def test_an_answer_that_is_not_whole_is_told() -> None:
    halting = AgentOutcome("bugs", failure="no answer in pass 2", in_part=True, cut_short=True)
    unread = AgentOutcome("bugs", dropped=2, model="other/model", cached_tokens=1_200)
    made = facts(Run(RunStatus.REVIEWED, agents=(halting, unread))).agents
    assert [agent.outcome for agent in made] == [
        "failed in part; its answer was cut short",
        "0 found; 2 could not be read; answered by other/model",
    ]
    assert made[1].tokens == "0 requests, 0 in (1,200 from the cache), 0 out"


def test_every_finding_is_listed_with_what_became_of_it() -> None:
    text = words(told())
    for line in (
        "critical The rate is lost src/shop/total.py:21 (old side)",
        "high A cause in three places src/shop/new.py:1-2 and 2 more places",
        "For the reviewer: 1 finding, unsure or small low Unsure src/shop/new.py:3",
        "Still open from earlier reviews: 1 medium Told before src/shop/total.py:22 · told earlier",
        "Resolved since the last review: 1 low Gone src/shop/new.py · fixed",
        "Left out: 6 findings",
        "Refuted by the verify pass 1 high Refuted src/shop/total.py:30 No. line 8 tests for it",
        "confidence high Not repeated 1 high Ignored src/shop/total.py:23",
        "Below min-severity 1 low Small src/shop/new.py:3",
        "Did not hold 1 high Nowhere no/such.py:4",
        "Part of another finding 2 high A cause in three places src/shop/moved.py:2 another place",
    ):
        assert line in text, line


def test_a_finding_stands_behind_the_last_of_its_lines() -> None:
    html = told()
    before, _, behind = html.partition('<article class="card critical" id="n1"')
    assert before.rstrip().endswith("<b>21    S</b>-    return rate\n</pre>")
    assert re.match(r".*?</article>\s*<p class=\"why redacted\">", behind, re.DOTALL)
    text = card(html, "The rate is lost")
    assert "Why: The rate is lost. Instead of these lines: return 0 # `x` src/shop" in text
    assert "logic · said by bugs, ruff:E711 · confidence high · all findings" in text
    two = html.partition('id="n2"')[0]
    assert (
        '<pre class="shown about" id="f1-1"><b>1 S</b>+value 1\n<b>2 S</b>+value 2\n</pre>' in two
    )
    assert "still open" in card(html, "Told before")


def test_a_finding_on_no_line_of_the_page_stands_above_them_and_says_why() -> None:
    html = told()
    lines = html.index('aria-label="Lines of src/shop/total.py"')
    assert html.index('id="f0"') < html.index('id="n3"') < lines
    assert "its line is not in the diff; its lines are not on this page" in card(html, "Far away")
    assert "its file has no lines · all findings" in card(html, "Heavy")


def test_what_was_taken_for_the_same_is_named() -> None:
    text = card(told(), "Far away")
    assert "taken for the same In other &lt;b&gt;words (security, &lt;i&gt;)" in text


def test_a_file_tells_how_many_findings_it_has_and_the_worst() -> None:
    text = words(told())
    assert "total.py 3 findings, worst critical source" in text
    assert "logo.png 1 finding, high asset" in text
    assert "moved.py source" in text, "another place of a pattern is no finding of its own"


def test_a_pattern_and_its_other_places_lead_to_each_other() -> None:
    html = told()
    places = html[html.index('<article class="card high" id="n2"') :].partition("</article>")[0]
    assert '<li><a href="#f2-2">src/shop/moved.py:2</a></li>' in places
    assert '<li><a href="#f4-30">poetry.lock:30</a></li>' in places
    assert html.count('The same here: <a href="#n2">A cause in three places</a>') == 2


def test_what_a_review_cuts_apart_keeps_one_label() -> None:
    lines = added("a.py", "XXXX").lines
    notes = Notes({(Side.RIGHT, 2): "x"}, frozenset({(Side.RIGHT, 2), (Side.RIGHT, 3)}))
    found = [(len(run.rows), run.labelled, run.id, run.about) for run in runs(lines, notes)]
    assert found == [(1, 4, "", False), (2, 0, "x", True), (1, 0, "", False)]


def test_a_run_without_findings_has_no_lists() -> None:
    made = report(added("a.py", "S"))
    html = page(made, run=Run(RunStatus.REVIEWED, snapshot=made.snapshot), verdict="No findings.")
    assert "No findings." in words(html)
    assert "Modelnone; the checks alone" in words(html)
    assert "findings" not in words(html).replace("No findings.", "").replace("most findings", "")


def test_a_review_url_that_is_no_address_is_no_link() -> None:
    made, run = reviewed()
    earlier = tuple(replace(told, url="javascript:alert(1)") for told in run.earlier)
    html = page(made, run=replace(run, review_url="javascript:alert(1)", earlier=earlier))
    assert "javascript:" not in html


def test_a_finding_in_a_file_with_a_credential_in_its_name_does_not_print_it() -> None:
    entry = replace(added("src/ghp_secret.py", "S").entry, printed="src/[REDACTED:github].py")  # type: ignore[type-var]
    made = report(MarkedFile("src/[REDACTED:github].py", entry, added("a", "S").lines))
    judged = (Judged(finding("src/ghp_secret.py", 1, "Bad"), Place.INLINE),)
    html = page(made, run=Run(RunStatus.REVIEWED, snapshot=made.snapshot, judged=judged))
    assert "ghp_" not in html
    assert '<a href="#f0-1">src/[REDACTED:github].py:1</a>' in html


def test_code_is_told_from_prose() -> None:
    assert spans("a `b` ``c`d`` e` \u202e") == (
        Span("a "), Span("b", code=True), Span(" "), Span("c`d", code=True), Span(" e` \\u{202e}"),
    )  # fmt: skip
    assert blocks("Do:\n```py\nx = `1`\n~~~\n```\n\nthen\n```\nopen") == (
        Block((Span("Do:"),)),
        Block((Span("x = `1`\n~~~", code=True),), fenced=True),
        Block((Span("then"),)),
        Block((Span("open", code=True),), fenced=True),
    )
    assert blocks(" \n ") == ()


def test_a_line_costs_little_beyond_its_text() -> None:
    made = large(20, 300)
    text = sum(len(line.text) for file in made.files for line in file.lines)
    lines = 20 * 300
    bare = len(page(large(20, 1)).encode())
    assert (len(page(made).encode()) - bare - text) / lines < 40
