"""A marker is found again by its own key, and by nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from pr_review.domain.finding import Severity, Voice
from pr_review.domain.ledger import Coverage
from pr_review.domain.pull_request import Repository
from pr_review.review.marker import (
    MOST_FINDINGS,
    Marker,
    Mention,
    charged,
    comment_marker,
    derive_key,
    marker,
    read,
    read_comment,
)
from pr_review.review.neutral import code, neutral

SHOP = Repository("octo", "shop")
KEY = derive_key("not a real key")
HEAD = "a" * 40


def test_a_signed_marker_is_read_back() -> None:
    body = "text\n\n" + marker(SHOP, 7, HEAD, "5e77", KEY)
    assert read(body, SHOP, 7, KEY) == Marker(HEAD, "5e77")


def test_an_unsigned_marker_serves_without_a_key_alone() -> None:
    body = marker(SHOP, 7, HEAD, "5e77", None)
    assert read(body, SHOP, 7, None) == Marker(HEAD, "5e77")
    assert read(body, SHOP, 7, KEY) is None


def test_without_a_key_a_signature_proves_nothing() -> None:
    found = read(marker(SHOP, 7, HEAD, "", KEY), SHOP, 7, None)
    assert found == Marker(HEAD, "")


FOUND = (
    Mention("00112233445566aa.2.0.1.abcdef", Severity.HIGH),
    Mention("00112233445566ab.0.0.1.abcdef", Severity.LOW, Voice.CHECK),
    Mention("00112233445566ad.1.0.1.abcdef", Severity.CRITICAL, Voice.TOOL),
)


def full(findings: Sequence[Mention] = FOUND, key: bytes | None = KEY) -> str:
    return marker(
        SHOP, 7, HEAD, "5e77", key,
        merge_base="c" * 40, coverage=Coverage.FULL, findings=findings, spent_usd=1.25,
    )  # fmt: skip


def test_what_the_review_saw_and_told_is_read_back() -> None:
    found = read(full(), SHOP, 7, KEY)
    assert found is not None
    assert (found.merge_base, found.coverage, found.findings) == ("c" * 40, Coverage.FULL, FOUND)


@pytest.mark.parametrize(
    ("spent", "told"),
    [(0.0, 0.0), (0.3, 0.3), (12.5, 12.5), (1e-9, 1e-6), (0.12345601, 0.123457), (None, None)],
)
def test_what_was_spent_is_read_back_to_the_millionth_and_never_less(
    spent: float | None, told: float | None
) -> None:
    found = read(marker(SHOP, 7, HEAD, "5e77", KEY, spent_usd=spent), SHOP, 7, KEY)
    assert found is not None
    assert found.spent_usd == told


@pytest.mark.parametrize(
    ("more", "total"), [(0.25, 1.5), (0.0, 1.25), (None, None)], ids=["more", "nothing", "unknown"]
)
@pytest.mark.parametrize("ending", ["", "\r\n"])
def test_what_another_run_spent_is_added_and_signed(
    more: float | None, total: float | None, ending: str
) -> None:
    body = charged(f"text\n\n{full()}{ending}", more, KEY)
    found, before = read(body, SHOP, 7, KEY), read(full(), SHOP, 7, KEY)
    assert found is not None
    assert before is not None
    assert found == replace(before, spent_usd=total)
    assert body.startswith("text\n\n<!--")
    assert read(charged(full(), more, derive_key("another")), SHOP, 7, KEY) is None


def test_an_unknown_amount_stays_unknown() -> None:
    line = marker(SHOP, 7, HEAD, "5e77", KEY, spent_usd=None)
    found = read(charged(line, 1.0, KEY), SHOP, 7, KEY)
    assert found is not None
    assert found.spent_usd is None


def test_what_has_no_room_is_not_vouched_for() -> None:
    low = Mention("00112233445566ac.1.0.1.abcdef", Severity.LOW)
    most = read(full([low] * MOST_FINDINGS), SHOP, 7, KEY)
    more = read(full([FOUND[2], *[low] * MOST_FINDINGS, FOUND[0]]), SHOP, 7, KEY)
    assert most is not None
    assert more is not None
    assert (len(most.findings), most.coverage) == (MOST_FINDINGS, Coverage.FULL)
    assert (len(more.findings), more.coverage) == (MOST_FINDINGS, Coverage.PARTIAL)
    assert more.findings[0] == FOUND[0], "the worst are named"
    assert FOUND[2] not in more.findings, "no flood of a forged report takes the room"
    assert len(full([low] * 999)) < 10_000


def test_a_comment_names_its_finding_in_its_last_line_alone() -> None:
    names = tuple(mention.fingerprint for mention in FOUND)
    line = comment_marker(names)
    assert read_comment(f"text\r\n\r\n{line}\r\n") == names
    for body in (f"{line}\nmore", "", line.replace("aa", "zz"), line.replace("finding", "v2")):
        assert read_comment(body) == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("number=7", "number=8"),
        ("octo/shop", "octo/else"),
        (HEAD, "b" * 40),
        ("5e77", "5e78"),
        ("base=cc", "base=cd"),
        ("coverage=full", "coverage=partial"),
        ("ha.", "la."),
        (",lc.00112233445566ab.0.0.1.abcdef", ""),
        ("signature=", "signature=none"),
        ("spent=1250000", "spent=0"),
        ("spent=1250000", "spent=unknown"),
        ("spent=1250000 ", ""),
        ("pr-review:v3", "pr-review:v2"),
    ],
)
def test_a_marker_that_was_changed_is_not_honoured(old: str, new: str) -> None:
    assert old in full()
    forged = full().replace(old, new)
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
