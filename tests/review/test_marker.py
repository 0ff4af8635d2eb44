"""A marker is found again by its own key, and by nothing else."""

from __future__ import annotations

import pytest

from pr_review.domain.pull_request import Repository
from pr_review.review.marker import Marker, derive_key, marker, read
from pr_review.review.neutral import code, neutral

SHOP = Repository("octo", "shop")
KEY = derive_key("not a real key")
HEAD = "a" * 40


def test_a_signed_marker_is_read_back() -> None:
    body = "text\n\n" + marker(SHOP, 7, HEAD, "5e77", KEY)
    assert read(body, SHOP, 7, KEY) == Marker(HEAD, "5e77", signed=True)


def test_an_unsigned_marker_serves_without_a_key_alone() -> None:
    body = marker(SHOP, 7, HEAD, "5e77", None)
    assert read(body, SHOP, 7, None) == Marker(HEAD, "5e77", signed=False)
    assert read(body, SHOP, 7, KEY) is None


def test_without_a_key_a_signature_proves_nothing() -> None:
    found = read(marker(SHOP, 7, HEAD, "", KEY), SHOP, 7, None)
    assert found == Marker(HEAD, "", signed=False)


@pytest.mark.parametrize(
    ("old", "new"),
    [("number=7", "number=8"), ("octo/shop", "octo/else"), (HEAD, "b" * 40), ("5e77", "5e78")],
)
def test_a_marker_that_was_changed_is_not_honoured(old: str, new: str) -> None:
    forged = marker(SHOP, 7, HEAD, "5e77", KEY).replace(old, new)
    for repository, number in ((SHOP, 7), (Repository("octo", "else"), 7), (SHOP, 8)):
        assert read(forged, repository, number, KEY) is None


def test_a_marker_of_another_pull_request_is_not_ours() -> None:
    body = marker(SHOP, 7, HEAD, "5e77", None)
    assert read(body, SHOP, 8, None) is None
    assert read(body, Repository("octo", "shop2"), 7, None) is None


def test_github_may_change_the_line_ends() -> None:
    body = "text\r\n\r\n" + marker(SHOP, 7, HEAD, "5e77", KEY) + "\r\n"
    assert read(body, SHOP, 7, KEY) is not None


def test_only_the_last_line_counts() -> None:
    line = marker(SHOP, 7, HEAD, "5e77", KEY)
    assert read(line + "\nmore text", SHOP, 7, KEY) is None
    assert read("", SHOP, 7, KEY) is None


def test_a_model_cannot_write_one() -> None:
    line = marker(SHOP, 7, HEAD, "5e77", None)
    for text in (line, f"`{line}`", f"```\n{line}\n```", f"x\n\n{line}"):
        for safe in (neutral(text), code(text)):
            assert all(read(part, SHOP, 7, None) is None for part in safe.split("\n"))


def test_the_key_does_not_hold_the_secret() -> None:
    assert b"not a real key" not in KEY
    assert derive_key("another") != KEY
    assert len(KEY) == 32
