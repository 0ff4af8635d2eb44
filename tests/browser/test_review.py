"""Reviews on a phone: nothing need be pushed aside to be read."""

from __future__ import annotations

from pathlib import Path

from tests.browser.chromium import Tab, browser
from tests.review.pictures import UNFOLD, WIDTHS, show
from tests.review.scenarios import SCENARIOS

# what is wider than its place: a table can be pushed, all else would push the page
_TOO_WIDE = """[document.documentElement, ...document.querySelectorAll('table')]
    .filter((part) => part.scrollWidth > part.clientWidth).map((part) => part.innerText)"""


def test_a_review_fits_the_width_of_a_phone(tmp_path: Path) -> None:
    with browser(tmp_path / "profile") as opened:
        tab = Tab(opened)
        for name, run in SCENARIOS.items():
            show(tab, run, tmp_path)
            tab.size(WIDTHS[0], 900)
            tab.at_once(UNFOLD)
            assert tab.evaluate(_TOO_WIDE) == [], name
