"""Whole reviews, byte for byte, and the words that each may not hold.

Write them anew with PR_REVIEW_WRITE_GOLDEN=1 and read the difference.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from pr_review import __version__
from pr_review.domain.review import Review
from pr_review.review import ReviewPolicy, compose, derive_key
from tests.review.scenarios import SCENARIOS
from tests.review.test_neutral import MARKDOWN, inlines

GOLDEN = Path(__file__).parent / "golden"
POLICY = ReviewPolicy(settings_digest="5e77", marker_key=derive_key("not a real key"))

NEVER = {
    "clean": ["received", "Not shown", "not see"],
    "clean-without-lockfile": ["received"],
    "findings": ["No findings", "@ada", "#12", "```suggestion"],
    "partial-source": ["No findings."],
    "failed-agent": ["No findings."],
    "checks-alone": ["No findings.", "No findings**.", "received"],
    "not-reviewed": ["No findings", "answered"],
    "refused": ["No findings", "answered"],
    "incremental": ["No findings", "No new findings", "#12"],
    "incremental-clean": ["No findings.", "No findings**", "earlier", "Resolved"],
    "incremental-open": ["No findings", "No new findings.", "No new findings**"],
    "incremental-partial": ["No findings", "No new findings.", "No new findings**"],
}


def written(review: Review) -> str:
    parts = [review.body]
    for comment in review.comments:
        place = f"{comment.path} {comment.side} {comment.start_line or comment.line}-{comment.line}"
        parts.append(f"===== {place} =====\n{comment.body}")
    return "\n\n".join(parts).replace(__version__, "VERSION") + "\n"


@pytest.mark.parametrize("name", SCENARIOS)
def test_golden(name: str) -> None:
    text = written(compose(SCENARIOS[name], POLICY))
    path = GOLDEN / f"{name}.md"
    if os.environ.get("PR_REVIEW_WRITE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    assert path.read_bytes().decode() == text


@pytest.mark.parametrize("name", SCENARIOS)
def test_words_that_may_not_appear(name: str) -> None:
    body = compose(SCENARIOS[name], POLICY).body
    for words in NEVER[name]:
        assert words not in body


def test_every_scenario_has_a_golden_file_and_forbidden_words() -> None:
    assert {path.stem for path in GOLDEN.glob("*.md")} == set(SCENARIOS) == set(NEVER)


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_only_html_is_our_own(name: str) -> None:
    review = compose(SCENARIOS[name], POLICY)
    for text in (review.body, *(comment.body for comment in review.comments)):
        tags = [t.content for t in MARKDOWN.parse(text) if t.type == "html_block"]
        tags += [t.content for t in inlines(text) if t.type == "html_inline"]
        ours = r"</?(details|sub)>|<summary>[^<]*</summary>|<!-- pr-review:(v3|finding).*-->"
        assert not re.sub(ours, "", "".join(tags)).strip()
