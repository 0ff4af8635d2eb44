"""Exit codes: each has one meaning, and both docs/inputs.md and `--help` tell it."""

from __future__ import annotations

import re

import pytest

from pr_review import errors
from pr_review.commands import flags
from tests.contract import documents

OURS = {kind.exit_code: kind.cause for kind in errors.PrReviewError.__subclasses__()}
VERDICTS = (
    errors.BUG_EXIT_CODE,
    errors.FINDING_EXIT_CODE,
    errors.INCOMPLETE_EXIT_CODE,
    errors.CANCELLED_EXIT_CODE,
)


def test_no_two_causes_share_a_code() -> None:
    codes = [kind.exit_code for kind in errors.PrReviewError.__subclasses__()]
    assert len({*codes, *VERDICTS, 0}) == len(codes) + len(VERDICTS) + 1


def test_a_narrower_error_keeps_the_code_of_its_cause() -> None:
    assert errors.AnchorRefused.exit_code == errors.PublishError.exit_code


def test_the_page_lists_every_code() -> None:
    rows = documents.table("Exit codes", "docs/inputs.md")
    assert [int(code) for code, _ in rows] == sorted([0, *OURS, *VERDICTS])
    for code, meaning in rows:
        assert OURS.get(int(code), "").lower() in meaning.lower()


@pytest.mark.parametrize("code", [0, *OURS, *VERDICTS[:3]])
def test_help_lists_every_code(code: int, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        flags.parse(["--help"])
    said = capsys.readouterr().out.partition("Exit codes:")[2]
    assert re.search(rf"\b{code} {OURS.get(code, '')}", said)
