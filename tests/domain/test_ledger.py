"""An entry that does not balance cannot be made; states and coverage follow from the lines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pr_review.domain.diff import Side, Status
from pr_review.domain.ledger import Coverage, Entry, Ledger, Reason, Redaction, State, Tier


def _entry(tier: Tier = Tier.SOURCE, **facts: Any) -> Entry:
    return Entry("a.py", None, Status.MODIFIED, tier, **{"additions": 2, "deletions": 1, **facts})


LINES: dict[str, Any] = {"added_lines": (3, 4), "removed_lines": (3,)}


@pytest.mark.parametrize(
    ("facts", "state", "omitted"),
    [
        ({**LINES, "shown_added": (3, 4), "shown_removed": (3,)}, State.SHOWN, 0),
        ({**LINES, "shown_added": (3,), "reason": Reason.BUDGET}, State.PARTIAL, 2),
        ({**LINES, "reason": Reason.BUDGET}, State.OMITTED, 3),
        ({"reason": Reason.DIFF_CAP}, State.OMITTED, 3),
        (
            {**LINES, "folded_added": (3, 4), "folded_removed": (3,), "reason": Reason.LFS},
            State.FOLDED,
            0,
        ),
        (
            {**LINES, "shown_added": (3,), "folded_added": (4,), "folded_removed": (3,)}
            | {"reason": Reason.LINE_ENDINGS},
            State.FOLDED,
            0,
        ),
        ({**LINES, "folded_added": (3,), "reason": Reason.BUDGET}, State.PARTIAL, 2),
        (
            {"additions": 0, "deletions": 0, "described": True, "reason": Reason.MODE},
            State.FOLDED,
            0,
        ),
        ({"additions": 0, "deletions": 0, "reason": Reason.EXCLUDED}, State.OMITTED, 0),
    ],
)
def test_state(facts: dict[str, Any], state: State, omitted: int) -> None:
    entry = _entry(**facts)
    assert (entry.state, entry.omitted) == (state, omitted)
    assert entry.in_sight is (state in (State.SHOWN, State.FOLDED))


@pytest.mark.parametrize(
    "facts",
    [
        {**LINES, "shown_added": (5,), "reason": Reason.BUDGET},
        {**LINES, "shown_removed": (4,), "reason": Reason.BUDGET},
        {**LINES, "shown_added": (3,), "folded_added": (3,), "reason": Reason.BUDGET},
        {**LINES, "shown_added": (3, 3), "reason": Reason.BUDGET},
        {**LINES, "folded_removed": (3, 3), "reason": Reason.BUDGET},
        {"added_lines": (1, 2, 3), "reason": Reason.BUDGET},
        {"removed_lines": (1, 2), "reason": Reason.BUDGET},
        {**LINES},
        {**LINES, "shown_added": (3,)},
        {"additions": 0, "deletions": 0, "described": True},
    ],
)
def test_an_entry_that_does_not_balance_is_refused(facts: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"ledger of 'a\.py'"):
        _entry(**facts)


WHOLE = {**LINES, "shown_added": (3, 4), "shown_removed": (3,)}
GONE = {**LINES, "reason": Reason.BUDGET}


@pytest.mark.parametrize(
    ("entries", "full", "source"),
    [
        ([], Coverage.FULL, Coverage.FULL),
        ([_entry(**WHOLE)], Coverage.FULL, Coverage.FULL),
        ([_entry(**WHOLE), _entry(Tier.GENERATED, **GONE)], Coverage.PARTIAL, Coverage.FULL),
        ([_entry(**WHOLE), _entry(Tier.SNAPSHOT, **GONE)], Coverage.PARTIAL, Coverage.FULL),
        ([_entry(Tier.TEST, **GONE)], Coverage.PARTIAL, Coverage.PARTIAL),
        ([_entry(**GONE)], Coverage.PARTIAL, Coverage.PARTIAL),
    ],
)
def test_coverage(entries: list[Entry], full: Coverage, source: Coverage) -> None:
    ledger = Ledger(tuple(entries))
    assert (ledger.coverage, ledger.coverage_source) == (full, source)
    assert ledger.any_line_shown is any(entry.shown for entry in entries)


@pytest.mark.parametrize(
    ("unlisted", "words"),
    [
        (0, ""),
        (1, "3 files changed, 2 listed: the last one was never seen"),
        (5, "7 files changed, 2 listed: the last 5 were never seen"),
    ],
)
def test_files_that_nobody_can_name_make_all_sight_partial(unlisted: int, words: str) -> None:
    ledger = Ledger((_entry(**WHOLE), _entry(**WHOLE)), unlisted=unlisted)
    wanted = Coverage.PARTIAL if unlisted else Coverage.FULL
    assert (ledger.coverage, ledger.coverage_source) == (wanted, wanted)
    assert ledger.unlisted_words == words


def test_an_entry_says_no_more_than_it_was_told() -> None:
    entry = _entry(**WHOLE)
    said = (entry.binary, entry.submodule, entry.described, entry.marker)
    assert said == (False, False, False, "")
    assert (entry.tokens, entry.full_tokens, entry.why) == (0, 0, "no reason recorded")
    assert not Redaction("a.py", 3, Side.RIGHT, "aws").added


def test_what_is_omitted_is_told_with_its_count_and_reason() -> None:
    entry = _entry(**LINES, shown_added=(3,), reason=Reason.BUDGET)
    assert entry.omission == "a.py (source): 2 of 3 changed lines: over the token budget"


def test_what_is_withheld_is_listed_as_it_changed_and_source_first() -> None:
    assert list(Tier) == sorted(Tier)
    assert [tier.label for tier in Tier] == ["generated", "asset", "snapshot", "test", "source"]
    gone = [replace(_entry(tier, **GONE), path=f"{tier.label}.x") for tier in Tier]
    ledger = Ledger((*gone, replace(gone[-1], path="a.x"), _entry(**WHOLE)))
    assert ledger.withheld == ledger.entries[:-1]
    assert [entry.path for entry in ledger.withheld_by_tier] == [
        *("a.x", "source.x", "test.x", "snapshot.x", "asset.x", "generated.x")
    ]
    assert ledger.by_path == {entry.path: entry for entry in ledger.entries}


def test_every_reason_has_words() -> None:
    assert all(reason.words for reason in Reason)
    assert len({reason.words for reason in Reason}) == len(Reason)
