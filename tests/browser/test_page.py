"""The page in a real browser: it loads, filters, holds no way out, and stays quick."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pr_review.domain.coverage import CoverageReport, Mark, MarkedFile, MarkedLine
from pr_review.domain.finding import Judged, Place
from pr_review.domain.review import Run, RunStatus
from pr_review.domain.snapshot import StageRecord
from pr_review.report.html import page
from tests.browser.chromium import Browser, Tab, browser
from tests.report.coverage import added, finding, large_review, report, reviewed, sample

VISIBLE_ROWS = "document.querySelectorAll('.file:not([hidden])').length"
PAYLOADS = (
    "<script>document.title='ran'</script>",
    "</pre></style></script><script>document.title='ran'</script>",
    "<img src=x onerror=\"document.title='ran'\">",
    '"><svg onload="document.title=\'ran\'">',
    "' autofocus onfocus='document.title=1'",
    "<a href=\"javascript:document.title='ran'\">x</a>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    "<style>body{display:none}</style>",
    "{{ 7*7 }}{% raw %}",
    "<!--<script>",
    "&lt;script&gt;",
)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def tab(chromium: Browser) -> Iterator[Tab]:
    opened = Tab(chromium)
    yield opened
    opened.close()


def written(
    tmp_path: Path, shown: CoverageReport, fragment: str = "", run: Run | None = None
) -> str:
    path = tmp_path / "page.html"
    text = page(shown, run=run, verdict="Some findings." if run else "")
    path.write_text(text, encoding="utf-8", newline="\n")
    return path.as_uri() + fragment


def test_it_loads_without_a_word_and_asks_for_nothing(tab: Tab, tmp_path: Path) -> None:
    url = written(tmp_path, sample())
    tab.open(url)
    assert tab.evaluate("document.title") == "Coverage of a review"
    assert tab.evaluate("document.querySelector('#count').value") == "7 of 7 files"
    assert tab.complaints() == []
    assert tab.requests() == [url]


def test_its_style_applies(tab: Tab, tmp_path: Path) -> None:
    tab.open(written(tmp_path, sample()))
    size = "getComputedStyle(document.querySelector('rect.shown')).fill"
    assert tab.evaluate(size) == "rgb(47, 111, 183)"
    tab.call(
        "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}]
    )
    assert tab.evaluate(size) == "rgb(77, 148, 224)"


def test_text_of_the_change_cannot_run(tab: Tab, tmp_path: Path) -> None:
    hostile = [
        MarkedFile(
            file.path,
            file.entry,
            tuple(MarkedLine(None, n, text, Mark.OMITTED, text) for n in (1, 2)),
        )
        for text in PAYLOADS
        for file in [added(f"src/{text}", "XX")]
    ]
    made = report(*hostile)
    run = hostile_review(made)
    stages = tuple(StageRecord(text, text) for text in PAYLOADS)
    text = "\n".join(PAYLOADS)
    url = written(
        tmp_path, replace(made, snapshot=replace(made.snapshot, stages=stages, text=text)), run=run
    )
    tab.open(url)
    tab.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true })")
    assert tab.evaluate("document.title") == "Coverage of a review"
    assert tab.evaluate("document.scripts.length") == 1
    assert tab.evaluate("document.images.length") == 0
    assert tab.evaluate("document.querySelectorAll('[onload],[onerror],[onfocus]').length") == 0
    assert tab.evaluate("document.querySelectorAll('a:not([href^=\"#\"])').length") == 0
    titles = tab.evaluate("[...document.querySelectorAll('.card h3')].map((h) => h.textContent)")
    assert sorted(titles) == sorted(f"high {text}" for text in PAYLOADS)
    lines = "document.querySelectorAll('.lines > pre:not(.about)')"
    printed = tab.evaluate(f"[...{lines}].map((p) => p.textContent)")
    assert [text.split("\n")[0][len("1 X+") :] for text in printed] == sorted_as_listed()
    assert tab.complaints() == []
    assert tab.requests() == [url]


def hostile_review(made: CoverageReport) -> Run:
    """A review in which models, tools and warnings say nothing but what would like to run."""
    judged = tuple(
        Judged(
            finding(
                f"src/{text}", 2, text, body=f"{text}\n```{text}\n{text}\n```", suggestion=text,
                category=text, sources=(text,),
            ),
            Place.INLINE, text,
        )
        for text in PAYLOADS
    )  # fmt: skip
    return Run(
        RunStatus.REVIEWED, snapshot=made.snapshot, judged=judged, model=PAYLOADS[0],
        warnings=PAYLOADS, tools=PAYLOADS, guidelines=PAYLOADS, review_url="javascript:alert(1)",
    )  # fmt: skip


def sorted_as_listed() -> list[str]:
    """The payloads as the tree lists them: folders (a slash in the name) before files."""
    folders = sorted(text for text in PAYLOADS if "/" in text)
    return folders + sorted(text for text in PAYLOADS if "/" not in text)


def test_its_policy_forbids_what_is_not_its_own(tab: Tab, tmp_path: Path) -> None:
    tab.open(written(tmp_path, sample()))
    tab.evaluate(
        "document.body.append(Object.assign(document.createElement('script'),"
        "{textContent: \"document.title='ran'\"}))"
    )
    tab.evaluate("document.body.append(Object.assign(new Image(), {src: 'http://127.0.0.1:9/'}))")
    assert tab.evaluate("document.title") == "Coverage of a review"
    assert len(tab.complaints()) == 2
    assert all("Content Security Policy" in text for text in tab.complaints())


def test_files_are_found_as_one_types(tab: Tab, tmp_path: Path) -> None:
    tab.open(written(tmp_path, sample()))
    assert tab.evaluate(VISIBLE_ROWS) == 7
    tab.type("input[name=path]", "Shop/")
    assert tab.evaluate(VISIBLE_ROWS) == 4
    assert tab.evaluate("document.querySelector('#count').value") == "4 of 7 files"
    choose = "Object.assign(document.querySelector('[name=state]'), {value: 'folded'})"
    tab.evaluate(f"{choose}.dispatchEvent(new Event('input', {{bubbles: true}}))")
    assert tab.evaluate(VISIBLE_ROWS) == 1
    assert tab.evaluate("document.querySelectorAll('.folder:not([hidden])').length") == 1
    tab.evaluate("document.querySelector('[type=reset]').click()")
    assert tab.evaluate(VISIBLE_ROWS) == 7


@pytest.mark.parametrize(
    ("fragment", "rows"),
    [
        ("#state=omitted", ["poetry.lock", "tests/test_total.py"]),
        ("#tier=test&path=total", ["tests/test_total.py"]),
        ("#sort=omitted", ["poetry.lock", "tests/test_total.py", "src/shop/total.py"]),
        ("#sort=nonsense&state=partial", ["src/shop/total.py"]),
    ],
)
def test_a_link_can_hold_a_filter(tab: Tab, tmp_path: Path, fragment: str, rows: list[str]) -> None:
    tab.open(written(tmp_path, sample(), fragment))
    names = "[...document.querySelectorAll('.file:not([hidden])')].map((f) => f.dataset.path)"
    found = tab.evaluate(names)[: len(rows)]
    assert (found if "sort=omitted" in fragment else sorted(found)) == rows


def test_sorting_comes_back_to_the_folders(tab: Tab, tmp_path: Path) -> None:
    tab.open(written(tmp_path, sample()))
    names = "[...document.querySelectorAll('.file')].map((f) => f.dataset.path)"
    before = tab.evaluate(names)
    sort = "Object.assign(document.querySelector('[name=sort]'), {value: '%s'})"
    event = ".dispatchEvent(new Event('input', {bubbles: true}))"
    tab.evaluate(sort % "tokens" + event)
    tokens = tab.evaluate("[...document.querySelectorAll('.file')].map((f) => +f.dataset.tokens)")
    assert tokens == sorted(tokens, reverse=True)
    assert tab.evaluate(names) != before
    tab.evaluate(sort % "path" + event)
    assert tab.evaluate(names) == before


def test_a_link_to_a_file_opens_it(tab: Tab, tmp_path: Path) -> None:
    tab.open(written(tmp_path, sample(), "#state=omitted"))
    tab.evaluate("document.querySelector('#dependencies').parentElement.querySelector('a').click()")
    assert tab.evaluate("document.querySelector('.file:has(#f6)').open")
    assert not tab.evaluate("document.querySelector('.file:has(#f6)').hidden")


def test_without_script_everything_can_be_opened(tab: Tab, tmp_path: Path) -> None:
    tab.call("Emulation.setScriptExecutionDisabled", value=True)
    tab.open(written(tmp_path, sample()))
    assert tab.at_once("document.querySelector('#controls').hidden")
    assert not tab.at_once("document.querySelector('#f1').checkVisibility()")
    tab.at_once("document.querySelector('.file:has(#f1) > summary').focus()")
    tab.press("Enter", "\r")
    assert tab.at_once("document.querySelector('#f1').checkVisibility()")


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_itself_never_scrolls_sideways(tab: Tab, tmp_path: Path, width: int) -> None:
    wide = added("src/" + "deep/" * 20 + "n" * 200 + ".py", "SX", text="x" * 900)
    tab.size(width, 800)
    tab.open(written(tmp_path, report(*sample().files, wide)))
    tab.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true })")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.evaluate(
        "[...document.querySelectorAll('.lines')]"
        ".some((box) => { box.scrollLeft = 50; return box.scrollLeft > 0 })"
    )


def in_view(selector: str) -> str:
    """Whether an element's top is on the screen."""
    return (
        f"(() => {{ const top = document.querySelector('{selector}').getBoundingClientRect().top;"
        "return top >= 0 && top < innerHeight })()"
    )


@pytest.mark.parametrize("width", [390, 1280])
def test_a_finding_is_one_step_from_its_lines_and_back(
    tab: Tab, tmp_path: Path, width: int
) -> None:
    tab.size(width, 800)
    made, run = reviewed()
    tab.open(written(tmp_path, made, "#state=omitted", run))
    assert tab.evaluate("document.querySelector('.file:has(#n2)').hidden")
    tab.evaluate("document.querySelector('.findings a[href=\"#n2\"]').click()")
    assert tab.evaluate("document.querySelector('.file:has(#n2)').open")
    assert tab.evaluate(in_view("#n2"))
    tab.evaluate("document.querySelector('#n2 .also a').click()")
    assert tab.evaluate(in_view("#f2-2"))
    tab.evaluate("document.querySelector('.file:has(#f2-2) .pointer a').click()")
    assert tab.evaluate(in_view("#n2"))
    tab.evaluate("document.querySelector('#n2 a[href=\"#review\"]').click()")
    assert tab.evaluate(in_view("#review"))
    assert tab.complaints() == []


def test_files_are_sorted_by_their_findings(tab: Tab, tmp_path: Path) -> None:
    made, run = reviewed()
    tab.open(written(tmp_path, made, "#sort=findings", run))
    names = "[...document.querySelectorAll('.file')].map((file) => file.dataset.path)"
    assert tab.evaluate(names)[:3] == ["src/shop/total.py", "src/shop/new.py", "art/logo.png"]


def test_a_finding_is_reached_without_script_and_by_keyboard(tab: Tab, tmp_path: Path) -> None:
    tab.call("Emulation.setScriptExecutionDisabled", value=True)
    made, run = reviewed()
    tab.open(written(tmp_path, made, run=run))
    tab.at_once("document.querySelector('.findings a[href=\"#n1\"]').focus()")
    tab.press("Enter", "\r")
    assert tab.at_once("document.querySelector('#n1').checkVisibility()")
    assert tab.at_once(in_view("#n1"))


def test_a_card_stays_in_view_where_long_lines_are_pushed_aside(tab: Tab, tmp_path: Path) -> None:
    tab.size(390, 800)
    wide = report(added("a.py", "SSS", text="x" * 900))
    judged = (Judged(finding("a.py", 2, "T" * 300, body="b" * 500), Place.INLINE),)
    run = Run(RunStatus.REVIEWED, snapshot=wide.snapshot, judged=judged)
    tab.open(written(tmp_path, wide, "#n1", run))
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    tab.evaluate("document.querySelector('.lines').scrollLeft = 3000")
    box = "document.querySelector('#n1').getBoundingClientRect()"
    assert tab.evaluate("document.querySelector('.lines').scrollLeft") == 3000
    assert tab.evaluate(f"{box}.left >= 0 && {box}.right <= 390 && {box}.width > 300")


def timed(action: str) -> str:
    """How many milliseconds something takes, its layout included."""
    return (
        f"(() => {{ const start = performance.now(); {action};"
        "document.body.offsetHeight; return performance.now() - start; })()"
    )


def test_a_thousand_files_with_three_hundred_findings_stay_usable(tab: Tab, tmp_path: Path) -> None:
    made, run = large_review(1_000, 60, 300)
    assert tab.open(written(tmp_path, made, run=run)) < 15
    assert tab.evaluate(VISIBLE_ROWS) == 1_000
    assert tab.metric("Nodes") < 280_000
    assert tab.metric("LayoutObjects") < 40_000
    last = "document.querySelector('.findings a[href=\"#n300\"]').click()"
    assert tab.evaluate(timed(last)) < 2_000
    assert tab.evaluate(in_view("#n300"))
    find = (
        "const field = document.querySelector('[name=path]'); field.value = 'module07';"
        "field.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    assert tab.evaluate(timed(find)) < 2_000
    assert tab.evaluate(VISIBLE_ROWS) == 100
    assert tab.complaints() == []
