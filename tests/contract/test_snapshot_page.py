"""docs/snapshot.md and its pictures show what a snapshot of the sample of `make demo` is."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from pr_review.settings import NAMES
from tests.contract import documents, pictures
from tests.contract.pictures import BUDGETS, COMMAND, DOES, FOLDER, Sample

PAGE = "docs/snapshot.md"
TEXT = documents.text(PAGE)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def sample() -> Sample:
    return pictures.taken()


def test_the_pictures_are_what_the_sample_makes(sample: Sample) -> None:
    for name, svg in pictures.pictures(sample).items():
        assert (FOLDER / name).read_text(encoding="utf-8") == svg, f"stale: run `{COMMAND}`"


def test_every_picture_is_shown_with_words_for_who_does_not_see_it() -> None:
    pages = "\n".join(documents.text(f"docs/{path.name}") for path in FOLDER.parent.glob("*.md"))
    shown = dict(re.findall(r"!\[(.*?)\]\(pictures/([^)]+)\)", pages))
    assert sorted(shown.values()) == sorted(path.name for path in FOLDER.iterdir())
    assert all(len(words) > 40 for words in shown)
    for path in FOLDER.iterdir():
        root = ET.parse(path).getroot()
        assert root.get("role") == "img"
        assert all(len(root.findtext(f"{SVG}{kind}") or "") > 10 for kind in ("title", "desc"))
        assert "prefers-color-scheme: dark" in path.read_text(encoding="utf-8")
        assert "href" not in path.read_text(encoding="utf-8"), "it loads nothing"


def test_nothing_in_a_picture_leaves_it() -> None:
    for path in FOLDER.iterdir():
        root = ET.parse(path).getroot()
        width, height = float(root.get("width") or 0), float(root.get("height") or 0)
        for shape in root.iter(f"{SVG}rect"):
            right = float(shape.get("x") or 0) + float(shape.get("width") or 0)
            below = float(shape.get("y") or 0) + float(shape.get("height") or 0)
            assert right <= width, path.name
            assert below <= height, path.name


def test_the_stages_are_those_that_ran(sample: Sample) -> None:
    ran = [stage["name"] for stage in sample.objects[0]["stages"]]
    rows = documents.table("One stage after the other", PAGE)
    assert [row[0].strip("`") for row in rows] == ["git", *ran, "render"]
    assert ran == list(DOES)
    told = {name for row in rows for name in re.findall(r"`([a-z-]+)`", row[-1])}
    assert told <= set(NAMES)


def test_notice_and_section_are_those_of_the_sample(sample: Sample) -> None:
    text = sample.snapshots[BUDGETS.index(2_000)].text
    notice, section = re.findall(r"```text\n(.*?)```", TEXT, re.DOTALL)
    assert text.startswith(notice)
    assert section in text


def test_the_order_of_loss_is_the_samples(sample: Sample) -> None:
    order = ["generated", "asset", "snapshot", "test", "source"]
    for found in sample.objects:
        state = {file["tier"]: file["state"] for file in found["files"]}
        shown = [state[tier] in ("shown", "folded") for tier in order if tier != "asset"]
        assert all(later or not earlier for earlier, later in pairwise(shown)), found["budget"]
    assert (
        "with 2,000 the recorded output goes, with 1,000 tests and pieces of source go too" in TEXT
    )
    large, middle, small = (
        {file["path"]: file["state"] for file in found["files"]} for found in sample.objects
    )
    recorded, tests = "web/__snapshots__/prices.test.js.snap", "tests/test_rates.py"
    assert (large[recorded], middle[recorded]) == ("shown", "omitted")
    assert (middle[tests], small[tests]) == ("shown", "omitted")
    assert "partial" in small.values()
