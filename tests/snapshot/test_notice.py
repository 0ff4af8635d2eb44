"""What the notice says of the files that the model does not see."""

from __future__ import annotations

import re

from pr_review.domain.diff import Side, Status
from pr_review.domain.ledger import Entry, Ledger, Reason, Redaction, Tier
from pr_review.snapshot.notice import notice


def _gone(path: str, tier: Tier, lines: int = 3, reason: Reason = Reason.BUDGET) -> Entry:
    return Entry(path, None, Status.ADDED, tier, lines, 0, reason=reason, full_tokens=10 * lines)


def _words(text: str) -> int:
    return len(text.split())


def _rows(text: str) -> list[str]:
    return [line.removeprefix("- ") for line in text.split("\n") if line.startswith("- ")]


MANY = [
    *(_gone(f"vendor/lib{n % 3}/deep/f{n}.go", Tier.GENERATED) for n in range(30)),
    *(_gone(f"tests/unit/test_{n}.py", Tier.TEST) for n in range(10)),
    *(_gone(f"src/core/m{n}.py", Tier.SOURCE) for n in range(10)),
    _gone("Makefile", Tier.SOURCE),
]


def test_every_file_by_name_with_tier_lines_tokens_and_reason() -> None:
    entries = (
        _gone("b/yarn.lock", Tier.GENERATED, 900),
        _gone("src/a b.py", Tier.SOURCE, 7, Reason.FILE_CAP),
    )
    text = notice(Ledger(entries), max_tokens=10_000, count=_words)
    assert _rows(text) == [
        "`src/a b.py` (source, 7 lines, 70 tokens): over the size cap of one file",
        "b/yarn.lock (generated, 900 lines, 9000 tokens): over the token budget",
    ]
    assert text.startswith(
        "This is what you see of the change: 0 of 907 changed lines, in 2 files."
    )
    assert "do not conclude that it is fine" in text


def test_folds_generated_first_and_source_last() -> None:
    """At every size: a tier folds only when the lower ones have folded to their top folders."""
    seen = []
    for room in range(700, 60, -10):
        text = notice(Ledger(tuple(MANY)), max_tokens=room, count=_words)
        rows = _rows(text)
        folded = {
            tier: not any(f"({tier}, 3 lines" in row and "/ " not in row for row in rows)
            for tier in ("generated", "test")
        }
        source = any(row.startswith("src/core/m0.py ") for row in rows)
        seen.append((folded["generated"], folded["test"], not source))
        assert _words(text) <= room or room < 100
    assert seen[0] == (False, False, False)
    assert seen[-1] == (True, True, True)
    for generated, test, source in seen:
        assert generated >= test >= source


def test_a_fold_counts_files_lines_and_tokens_and_loses_none() -> None:
    for room in range(700, 60, -20):
        rows = _rows(notice(Ledger(tuple(MANY)), max_tokens=room, count=_words))
        assert _sum(r"/ (\d+) files", rows, otherwise=1) == len(MANY)
        assert _sum(r"(\d+) lines", rows) == 3 * len(MANY)
        assert _sum(r"(\d+) tokens", rows) == 30 * len(MANY)


def _sum(pattern: str, rows: list[str], otherwise: int = 0) -> int:
    found = (re.search(pattern, row) for row in rows)
    return sum(int(match[1]) if match else otherwise for match in found)


def test_folders_fold_step_by_step() -> None:
    shapes = {
        tuple(row.split(" ")[0] for row in _rows(text) if "(generated" in row)
        for room in range(700, 60, -10)
        for text in [notice(Ledger(tuple(MANY)), max_tokens=room, count=_words)]
    }
    assert ("vendor/lib0/deep/", "vendor/lib1/deep/", "vendor/lib2/deep/") in shapes
    assert ("vendor/",) in shapes
    assert ("./",) in shapes


def test_reasons_do_not_fold_together() -> None:
    entries = (
        _gone("d/a.js", Tier.GENERATED),
        _gone("d/b.js", Tier.GENERATED, reason=Reason.EXCLUDED),
    )
    rows = _rows(notice(Ledger(entries), max_tokens=1, count=_words))
    assert len(rows) == 2
    assert {row.split(": ")[1] for row in rows} == {
        "over the token budget",
        "excluded by settings",
    }


def test_nothing_left_out_is_said_only_when_it_is_true() -> None:
    whole = Entry("a", None, Status.ADDED, Tier.SOURCE, 1, 0, added_lines=(1,), shown_added=(1,))
    assert "Nothing of the change was left out." in notice(
        Ledger((whole,)), max_tokens=99, count=_words
    )
    part = Entry(
        "a", None, Status.ADDED, Tier.SOURCE, 2, 0, added_lines=(1, 2), shown_added=(1,),
        reason=Reason.BUDGET, described=True,
    )  # fmt: skip
    text = notice(Ledger((part,)), max_tokens=99, count=_words)
    assert "Nothing of the change was left out" not in text
    assert "1 files are shown in part" in text
    assert not _rows(text)


def test_redactions_and_folds_are_said() -> None:
    fold = Entry(
        "a", None, Status.MODIFIED, Tier.SOURCE, 1, 1, added_lines=(1,), removed_lines=(1,),
        folded_added=(1,), folded_removed=(1,), reason=Reason.LINE_ENDINGS, described=True,
    )  # fmt: skip
    text = notice(
        Ledger((fold,), (Redaction("a", 1, Side.RIGHT, "x"),)), max_tokens=99, count=_words
    )
    assert "2 changed lines are described in one sentence" in text
    assert "[REDACTED:rule]" in text
    assert "Nothing of the change was left out." in text
