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
from pr_review.domain.text import visible
from pr_review.review import ReviewPolicy, compose, derive_key
from tests.review.harmless import LIVE, MARKDOWN, RENDERED, inlines
from tests.review.scenarios import SCENARIOS

GOLDEN = Path(__file__).parent / "golden"
POLICY = ReviewPolicy(settings_digest="5e77", marker_key=derive_key("not a real key"))

NEVER = {
    "clean": ["received", "Not shown", "not see"],
    "clean-without-lockfile": ["received"],
    "findings": ["No findings", "@ada", "#12", "```suggestion"],
    "pattern": ["No findings"],
    "noted": ["No findings", "```suggestion"],
    "verified": ["No findings.", "No findings.**", "@ada"],
    "unverified": ["No findings", "Verified:"],
    "huge": ["No findings"],
    "hostile": ["No findings.\n", "\n# Approved", "\n```suggestion", "](https://evil", "\u202e"],
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
        place = f"{visible(comment.path)} {comment.side} {comment.start_line or comment.line}"
        place += f"-{comment.line}"
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
def test_nothing_that_others_wrote_is_live(name: str) -> None:
    """Links lead to the server of the run alone; nobody is named, and nothing else is loaded."""
    review = compose(SCENARIOS[name], POLICY)
    for text in (review.body, *(comment.body for comment in review.comments)):
        assert not {"heading_open", "lheading_open"} & {t.type for t in MARKDOWN.parse(text)}
        for token in inlines(text):
            assert token.type != "image"
            assert not (token.type == "text" and LIVE.search(token.content)), token.content
            if token.type == "link_open":
                assert str(token.attrs["href"]).startswith("https://host.invalid/")
        rendered = [t for t in MARKDOWN.parse(text) if t.type == "fence" and t.info in RENDERED]
        assert len(rendered) <= (text is not review.body), "a suggestion of ours alone"


def _numbers(pattern: str, text: str) -> int:
    """The sum of the numbers that a pattern's groups match."""
    found = re.finditer(pattern, text, re.MULTILINE)
    return sum(int(number) for match in found for number in match.groups() if number)


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_finding_stands_in_the_review_once_or_is_counted(name: str) -> None:
    """What is told inline stands in one comment, what is not in one entry, what is left out in
    the counts of the run details."""
    run = SCENARIOS[name]
    review = compose(run, POLICY)
    entries = len(re.findall(r"^<sub>", review.body, re.MULTILINE))
    unfitting = _numbers(r"^(\d+) findings? did not fit", review.body)
    assert len(review.comments) + entries + unfitting == len(run.findings)
    counted = _numbers(r"^- (\d+) findings? left out|^- Verified: (\d+) finding", review.body)
    assert counted == len(run.left_out) + sum(agent.dropped for agent in run.agents)


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_only_html_is_our_own(name: str) -> None:
    review = compose(SCENARIOS[name], POLICY)
    for text in (review.body, *(comment.body for comment in review.comments)):
        tags = [t.content for t in MARKDOWN.parse(text) if t.type == "html_block"]
        tags += [t.content for t in inlines(text) if t.type == "html_inline"]
        ours = r"</?(details|sub)>|<br>|<summary>[^<]*</summary>|<!-- pr-review:(v3|finding).*-->"
        assert not re.sub(ours, "", "".join(tags)).strip()
