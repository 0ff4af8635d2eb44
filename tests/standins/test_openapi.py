"""The kept description is the published one with our corrections, and it does refuse."""

from __future__ import annotations

import json

import pytest

from tests.shared import shared
from tests.standins.openapi import COPY, corrected, filled, violations

NAMES = {"owner": "acme", "repo": "widgets", "pull_number": "7"}
REVIEWS = "/repos/{owner}/{repo}/pulls/{pull_number}/reviews"


def test_copy_is_the_published_description_corrected() -> None:
    published = json.loads(shared("openapi/github.json").read_text(encoding="utf-8"))

    assert json.loads(COPY.read_text(encoding="utf-8")) == corrected(published)


@pytest.mark.parametrize(
    ("sent", "word"),
    [
        ({"colour": "red"}, "colour"),
        ({"event": "MERGE"}, "MERGE"),
        ({"comments": [{"path": "a", "body": "b", "side": "right"}]}, "right"),
        ({"comments": [{"path": "a", "body": "b", "length": 3}]}, "length"),
        ({"comments": [{"path": "a"}]}, "body"),
    ],
)
def test_requests_outside_the_description_are_named(sent: object, word: str) -> None:
    answer = json.dumps(filled("pull-request-review", author_association="NONE")).encode()

    found = violations("POST", REVIEWS, NAMES, {}, json.dumps(sent).encode(), 200, answer)

    assert len(found) == 1
    assert found[0].startswith("POST /repos/acme/widgets/pulls/7/reviews request: ")
    assert word in found[0]


def test_answers_outside_the_description_are_named() -> None:
    found = violations("POST", REVIEWS, NAMES, {}, b'{"body": "x"}', 200, b'{"id": "seven"}')

    assert len(found) == 1
    assert "answer 200" in found[0]


def test_filled_objects_hold_to_their_schema() -> None:
    answer = json.dumps(filled("pull-request", number=7, title="x")).encode()

    template = REVIEWS.removesuffix("/reviews")
    assert violations("GET", template, NAMES, {}, b"", 200, answer) == []
