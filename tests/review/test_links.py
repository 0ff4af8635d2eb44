"""Links lead to lines at the commits that were read, and nowhere where nothing would be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pr_review.domain.diff import Side, Status
from pr_review.domain.finding import Finding
from pr_review.review.links import Links
from tests.review.scenarios import BASE, CHANGE, CLEAN, HEAD, WEB, changed, finding

FILES = (
    changed("src/total.py"),
    changed("new.py", Status.ADDED),
    changed("gone.py", Status.DELETED),
    changed("to/b.py", Status.RENAMED, "from/a.py"),
    changed("docs/100% #1?.md"),
    changed("\udce9.py"),
    replace(changed("vendor/lib"), new_mode="160000"),
)
RUN = replace(CLEAN, web_url=WEB, change=replace(CHANGE, merge_base=BASE, files=FILES))


def old(path: str, start: int | None = 8, end: int | None = 9) -> Finding:
    return finding(path=path, start=start, end=end, side=Side.LEFT)


@pytest.mark.parametrize(
    ("place", "address"),
    [
        (finding(), f"{HEAD}/src/total.py?plain=1#L3"),
        (finding(end=5), f"{HEAD}/src/total.py?plain=1#L3-L5"),
        (finding(start=None, end=None), f"{HEAD}/src/total.py"),
        (old("src/total.py"), f"{BASE}/src/total.py?plain=1#L8-L9"),
        (old("to/b.py"), f"{BASE}/from/a.py?plain=1#L8-L9"),
        (finding(path="to/b.py"), f"{HEAD}/to/b.py?plain=1#L3"),
        (old("gone.py"), f"{BASE}/gone.py?plain=1#L8-L9"),
        (finding(path="gone.py", start=None, end=None), f"{BASE}/gone.py"),
        (finding(path="docs/100% #1?.md"), f"{HEAD}/docs/100%25%20%231%3F.md?plain=1#L3"),
        (finding(path="\udce9.py"), f"{HEAD}/%E9.py?plain=1#L3"),
    ],
)
def test_a_place_is_linked_on_its_side(place: Finding, address: str) -> None:
    assert Links(RUN).to(place) == f"{WEB}/blob/{address}"


@pytest.mark.parametrize(
    "place",
    [
        old("new.py"),
        finding(path="gone.py"),
        finding(path="vendor/lib"),
        finding(path="a/[REDACTED:aws].py"),
        finding(path="from/a.py"),
    ],
)
def test_what_stands_nowhere_is_not_linked(place: Finding) -> None:
    assert Links(RUN).to(place) == ""


@pytest.mark.parametrize(
    "run",
    [
        replace(RUN, web_url=""),
        replace(RUN, change=None),
        replace(RUN, change=replace(CHANGE, head="", merge_base="", files=FILES)),
    ],
)
def test_a_run_without_pages_or_commits_links_nothing(run: object) -> None:
    assert Links(run).to(finding()) == ""  # type: ignore[arg-type]
    assert Links().to(finding()) == ""
