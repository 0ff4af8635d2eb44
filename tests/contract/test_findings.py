"""docs/findings.md tells every end of a finding, and how sure who makes us."""

from __future__ import annotations

import re

from pr_review.agents.verify import MOST_CANDIDATES
from pr_review.domain.finding import Place
from pr_review.judge import merge
from tests.contract import documents

PAGE = "docs/findings.md"


def test_every_place_is_told_and_whether_the_review_says_it() -> None:
    rows = documents.table("Ends", PAGE)
    assert [row[0].strip("`") for row in rows] == [place.value for place in Place]
    left_out = {row[0].strip("`") for row in rows if "`left_out`" in row[-1]}
    assert left_out == {place.value for place in Place if place.left_out}


def test_confidence_is_told_as_the_judge_says_it() -> None:
    promised = re.findall(r"^ *\| (.+?) \| (.+?) \|$", merge.merge.__doc__ or "", re.MULTILINE)
    told = [tuple(row) for row in documents.table("Confidence", PAGE)]
    assert told == [row for row in promised if row[0] not in ("said by", "--")]


def test_what_a_model_is_asked_to_compare_is_told_as_it_is_bounded() -> None:
    text = " ".join(documents.text(PAGE).split())
    assert f"At most {MOST_CANDIDATES} findings are in that request" in text
    assert merge.MERGED != merge.TAKEN_FOR_ONE, "the report says who took them for one"


def test_the_readme_leads_there() -> None:
    assert f"]({PAGE})" in documents.text("README.md")
