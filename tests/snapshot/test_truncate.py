"""What is given up over budget, in which order, and that the budget holds."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.adapters.tokens import token_counter
from pr_review.domain.diff import FileChange, Status
from pr_review.domain.ledger import Dependency, DependencyState, Entry
from pr_review.domain.snapshot import Snapshot
from pr_review.snapshot.draft import Draft, Helper, Sheet
from pr_review.snapshot.fit import fit
from pr_review.snapshot.outline import ScopeKind
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.ranking import Prices, Turn, ranked
from pr_review.snapshot.tray import Tray
from pr_review.snapshot.truncate import choose, groups, left_to_context
from tests.snapshot.listing import NEW, OLD, added, change, file, hunk, prepared

MIXED = [
    added("yarn.lock", 60, "  resolved package number {}"),
    added("dist/big.js", 120, "var generated = {};"),
    added("data/table.csv", 60, "{},row,of,values"),
    added("tests/__snapshots__/a.snap", 60, "exports line {}"),
    added("tests/test_small.py", 20, "assert value == {}"),
    added("tests/test_large.py", 90, "assert other == {}"),
    added("README.md", 60, "Sentence number {} of prose."),
    added("settings.yml", 60, "key_{}: value"),
    added("src/a.py", 60, "first = call({})"),
    added("src/b.py", 60, "second = call({})"),
]


def _fit(files: list[FileChange], budget: int, **limits: int) -> Snapshot:
    policy = SnapshotPolicy(token_budget=budget, **limits)  # type: ignore[arg-type]
    return fit(prepared(change(*files), policy), policy, token_counter())


def _states(snapshot: Snapshot) -> dict[str, str]:
    return {entry.path: entry.state.value for entry in snapshot.ledger.entries}


def test_everything_fits() -> None:
    found = _fit(MIXED, 100_000)
    assert set(_states(found).values()) == {"shown"}
    assert "Nothing of the change was left out." in found.text
    assert found.ledger.coverage == found.ledger.coverage_source == "full"
    assert found.stages[-1].changed == "everything fits"


def test_lower_tiers_go_before_higher_ones() -> None:
    """At every budget: if a file is whole, no file of a higher tier of its size is missing."""
    order = [f.path for f in MIXED if f.path not in ("tests/test_small.py", "src/b.py")]
    gone: list[str] = []
    for budget in range(6_000, 1_000, -250):
        states = _states(_fit(MIXED, budget))
        for path in order:
            if states[path] != "shown" and path not in gone:
                gone.append(path)
    ranks = {
        "dist/big.js": 0, "yarn.lock": 0, "data/table.csv": 1, "tests/__snapshots__/a.snap": 2,
        "tests/test_large.py": 3, "README.md": 4, "settings.yml": 5, "src/a.py": 6,
    }  # fmt: skip
    assert gone[0] == "dist/big.js", "the largest of the lowest tier goes first"
    lost = [ranks[path] for path in gone]
    assert len(lost) >= 6
    assert all(first <= second for first, second in pairwise(lost))


def test_within_a_tier_the_largest_goes_first() -> None:
    states = _states(_fit([MIXED[4], added("tests/test_large.py", 300)], 1_000))
    assert states == {"tests/test_small.py": "shown", "tests/test_large.py": "omitted"}


def test_source_alone_is_dealt_in_pieces_and_no_file_is_starved() -> None:
    files = [added(f"src/m{n}.py", 200, "value_{} = compute(left, right)") for n in range(8)]
    found = _fit(files, 4_000)
    shown = [entry.shown for entry in found.ledger.entries]
    assert all(count > 0 for count in shown)
    assert max(shown) - min(shown) <= 2 * 12
    assert {entry.reason for entry in found.ledger.entries} == {"budget"}
    assert 3_400 <= found.tokens <= 4_000
    assert "8 files are shown in part" in found.text


def test_what_still_fits_comes_back() -> None:
    """A source file too large for the budget leaves room: the lockfile fills what is left."""
    huge = added("src/huge.py", 1, "x" * 1_900 + "{}")
    small = added("yarn.lock", 5)
    found = _fit([added("data/huge.csv", 900, "{},many,values,in,a,row"), small, huge], 1_500)
    assert _states(found) == {
        "data/huge.csv": "omitted",
        "yarn.lock": "shown",
        "src/huge.py": "shown",
    }


def test_wide_context_goes_before_lines() -> None:
    texts = ["context line that is not changed"] * 3
    hunks = [
        hunk("   +   ", [*texts, f"new_{n} = 1", *texts], old=n * 20 + 1, new=n * 20 + 1)
        for n in range(30)
    ]
    found = _fit([file("src/a.py", *hunks)], 1_500)
    assert found.ledger.coverage == "full"
    context = [line for line in found.sent[0].lines if line.old and line.new]
    assert 60 <= len(context) < 180, "one line next to each piece, more as far as there is room"
    assert found.tokens <= 1_500


@pytest.mark.parametrize(
    ("room", "share"), [(1_000, 150), (10_000, 1_500), (20_000, 3_000), (100_000, 19_000)]
)
def test_the_room_that_code_leaves_to_its_context(room: int, share: int) -> None:
    assert left_to_context(room) == pytest.approx(share)


def _functions(count: int, steps: int) -> tuple[FileChange, bytes]:
    """A file of functions, and a change of the last line of each, far from where it begins."""
    rows: list[str] = []
    hunks = []
    for n in range(count):
        rows += [
            f"def work_{n}(value):",
            *(f"    s_{i} = call_{n}_{i}(value)" for i in range(steps)),
        ]
        texts = [rows[-2], "    old = 1", rows[-1], ""]
        hunks.append(hunk(" -+ ", texts, old=len(rows) - 1, new=len(rows) - 1))
        rows.append("")
    return file("src/work.py", *hunks), "".join(f"{row}\n" for row in rows).encode()


@pytest.mark.parametrize(
    ("budget", "shown", "around", "signed"),
    [
        (1_000, 32, 60, 16),  # pieces, each with where it stands, and a share for more
        (2_000, 68, 128, 34),
        (2_500, 120, 134, 14),  # all of the diff, and of its context what is left
        (3_000, 120, 188, 60),
        (20_000, 120, 958, 60),
    ],
)
def test_pieces_come_with_their_signatures_until_all_of_them_fit(
    budget: int, shown: int, around: int, signed: int
) -> None:
    changed, blob = _functions(60, 30)
    policy = SnapshotPolicy(token_budget=budget)
    found = fit(prepared(change(changed), policy, {NEW: blob}), policy, token_counter())
    [entry] = found.ledger.entries
    signatures = [line for line in found.sent[0].lines if line.text.startswith("def ")]
    assert (entry.shown, len(entry.context), len(signatures)) == (shown, around, signed)
    assert budget == 20_000 or found.tokens > 0.97 * budget


def test_the_header_and_the_gaps_count_what_is_missing() -> None:
    found = _fit([added("src/a.py", 2_000, "value_{} = compute(left, right)")], 2_000)
    entry = found.ledger.entries[0]
    assert f"(added, source, +{entry.shown} of 2000)" in found.text
    gaps = [int(row.split("+")[1].split()[0]) for row in found.text.split("\n") if row[:1] == "…"]
    assert sum(gaps) == entry.omitted


def test_file_cap_keeps_pieces_of_source_and_whole_files_of_the_rest() -> None:
    files = [added("src/a.py", 400), added("yarn.lock", 400), added("src/b.py", 4)]
    found = _fit(files, 100_000, max_file_bytes=2_000)
    capped, lock, small = found.ledger.entries
    assert (capped.state, capped.reason) == ("partial", "file_cap")
    rows = [row for row in found.text.split("\n") if "+value" in row]
    assert sum(len(row) + 1 for row in rows[: capped.shown]) <= 2_000
    assert (lock.state, lock.reason) == ("omitted", "file_cap")
    assert (small.state, small.reason) == ("shown", None)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(
    sizes=st.lists(st.integers(0, 300), min_size=1, max_size=12),
    names=st.lists(
        st.sampled_from(
            ["src/{}.py", "a/{}.md", "t/test_{}.py", "{}.lock", "dist/{}.js", "é {}\n"]
        ),
        min_size=12,
        max_size=12,
    ),
    budget=st.integers(1_000, 50_000),
    cap=st.integers(500, 70_000),
)
def test_the_budget_holds_and_the_account_balances(
    sizes: list[int], names: list[str], budget: int, cap: int
) -> None:
    files = [added(names[n].format(n), size) for n, size in enumerate(sizes)]
    found = _fit(files, budget, max_file_bytes=cap)
    assert token_counter().count(found.text) == found.tokens <= budget
    assert [entry.path for entry in found.ledger.entries] == [f.path for f in files]
    for entry, sent in zip(found.ledger.entries, found.sent, strict=True):
        assert entry.shown + entry.folded + entry.omitted == entry.changed
        printed = tuple(line.new for line in sent.lines if line.old is None)
        assert entry.shown_added == printed
    assert found == _fit(files, budget, max_file_bytes=cap)


@pytest.mark.parametrize("budget", [1_000, 1_003, 2_000])
def test_a_notice_of_many_reasons_and_tiers_holds_a_small_budget(budget: int) -> None:
    files = [
        added(f"{folder}/{n}/a_rather_long_name_{n}{suffix}", 80)
        for n in range(30)
        for folder, suffix in [("src", ".py"), ("tests", ".py"), ("dist", ".js"), ("i", ".csv")]
    ]
    found = _fit(files, budget)
    assert found.tokens <= budget
    assert len(found.ledger.entries) == 120


def _draft(signs: str, texts: list[str]) -> Draft:
    return prepared(change(file("src/a.py", hunk(signs, texts)))).drafts[0]


def test_pieces_hold_every_changed_row_once_and_stay_in_their_hunk() -> None:
    hunks = [hunk("  +++  ", [*"abcdefg"], old=n * 9 + 1, new=n * 12 + 1) for n in range(3)]
    draft = prepared(change(file("src/a.py", *hunks))).drafts[0]
    changed = [i for piece in draft.pieces for i in piece.changed]
    assert changed == [i for i, row in enumerate(draft.rows) if row.line.changed]
    assert all(len({draft.hunk_of[i] for i in piece.rows}) == 1 for piece in draft.pieces)
    assert [len(piece.rows) for piece in draft.pieces] == [5, 5, 5]
    assert [len(piece.own) for piece in draft.pieces] == [4, 4, 4]


def test_pieces_are_cut_at_blank_lines_and_new_blocks() -> None:
    texts = [f"    x = {n}" for n in range(8)] + ["", "def f():"] + ["    y = 1"] * 6
    found = _draft("+" * 16, texts).pieces
    assert [piece.rows[0] for piece in found] == [0, 8]
    long = _draft("+" * 30, ["    z = 1"] * 30).pieces
    assert [len(piece.rows) for piece in long] == [12, 12, 6]
    wide = _draft("+" * 3, ["w" * 1_500] * 3).pieces
    assert [len(piece.rows) for piece in wide] == [1, 1, 1]


def test_the_pieces_shown_are_the_first_of_their_order() -> None:
    """So a larger budget never drops a piece and shows one of lower rank in its place."""
    files = [added(f"src/m{n}.py", 60, "if ready({}): left = take(right)") for n in range(6)]
    ready = prepared(change(*files))
    order = [_lines(turn) for turn in ranked(ready.drafts, Prices(token_counter().count))]
    shown = []
    for budget in range(1_000, 6_000, 250):
        snapshot = fit(ready, SnapshotPolicy(token_budget=budget), token_counter())
        lines = {(e.path, line) for e in snapshot.ledger.entries for line in e.shown_added}
        seen = [piece <= lines for piece in order]
        shown.append(sum(seen))
        assert seen == sorted(seen, reverse=True)
    assert shown == sorted(shown)
    assert shown[0] < shown[-1]


def _lines(turn: Turn) -> set[tuple[str, int]]:
    rows = turn.draft.rows
    return {(turn.draft.path, rows[i].line.number) for i in turn.piece.changed}


def test_a_change_of_3500_files_and_60000_lines_loses_none() -> None:
    suffixes = [".py", ".ts", ".md", ".json", ".snap"]
    files = [
        added(f"pkg{n % 40}/mod{n % 300}/file_{n}{suffixes[n % 5]}", 17 + n % 2)
        for n in range(3_500)
    ]
    start = time.process_time()
    found = _fit(files, 100_000)
    print(f"3,500 files of {sum(f.additions for f in files):,} lines:", time.process_time() - start)
    assert sum(f.additions for f in files) > 60_000
    assert [entry.path for entry in found.ledger.entries] == [f.path for f in files]
    assert found.tokens <= 100_000
    assert _told(found.ledger.entries, found.text)


def _told(entries: tuple[Entry, ...], text: str) -> bool:
    """Every file that is missing stands in the notice: by name, or in a folder's count."""
    missing = [e for e in entries if e.state == "omitted"]
    notice = text.split("<<<diff", maxsplit=1)[0]
    named = 0
    for row in notice.split("\n"):
        if row.startswith("- "):
            words = row.split()
            named += int(words[2]) if words[3] == "files" else 1
    return named == len(missing)


def test_a_file_that_one_line_describes_is_not_given_up_for_pieces_of_others() -> None:
    moved = file("src/z_moved.py", status=Status.RENAMED, old_path="src/old.py", new_oid=OLD)
    found = _fit([added("src/a.py", 2_000, "value_{} = compute(left, right)"), moved], 1_500)
    assert _states(found) == {"src/a.py": "partial", "src/z_moved.py": "folded"}


def test_the_reason_is_the_budget_where_the_cap_of_one_file_had_no_say() -> None:
    files = [added("src/a.py", 900, "value_{} = compute(left, right)"), added("a.yml", 900)]
    code, settings_file = _fit(files, 1_000, max_file_bytes=20_000).ledger.entries
    assert (code.state, code.reason) == ("partial", "budget")
    assert (settings_file.state, settings_file.reason) == ("omitted", "budget")


def test_pieces_that_do_something_go_before_pieces_that_do_not() -> None:
    texts = [f"# remark number {n} about nothing much at all" for n in range(300)]
    texts[200:212] = [f"if check({n}): total = spend(total, {n})" for n in range(12)]
    found = _fit([file("src/a.py", hunk("+" * 300, texts))], 1_000)
    assert set(range(201, 213)) <= set(found.ledger.entries[0].shown_added)


LIB = Sheet(
    path="lib.py",
    printed="lib.py",
    rows=prepared(change(added("lib.py", 20))).drafts[0].rows,
    hunk_of=(0,) * 20,
)
USER = ("src/a.py", 3)


def _helper(
    start: int, end: int, rows: range, *users: tuple[str, int], kind: ScopeKind = ScopeKind.FUNCTION
) -> Helper:
    found = Dependency(f"name_{start}", "lib.py", start, end, DependencyState.SHOWN)
    return Helper(found, kind, LIB, tuple(rows), users or (USER,))


def _chosen(*helpers: Helper, most: int = 8) -> dict[int, tuple[str, str | None]]:
    """What became of definitions, by the line where each begins."""
    policy = SnapshotPolicy(dependencies=most)
    prices = Prices(token_counter().count)
    ranks = groups(prepared(change(added("src/a.py", 24))).drafts, policy, prices)
    chosen = choose(ranks, helpers, Tray(policy, prices, 1_000))
    assert len(chosen.dependencies) == len(helpers)
    return {one.start: (one.state, one.reason) for one in chosen.dependencies}


def test_a_definition_is_shown_in_full_in_part_or_not_and_says_why() -> None:
    assert _chosen(
        _helper(1, 3, range(3)),
        _helper(5, 9, range(4, 6)),
        _helper(10, 12, range(0)),
        _helper(14, 15, range(13, 15), ("src/a.py", 900)),
        _helper(17, 18, range(16, 18), ("gone.py", 3), USER),
    ) == {
        1: ("shown", None),
        5: ("partial", "long_definition"),
        10: ("omitted", "no_context"),
        14: ("omitted", "budget"),
        17: ("shown", None),
    }


def test_of_definitions_those_that_run_and_that_few_lines_use_come_first() -> None:
    value = _helper(1, 2, range(2), kind=ScopeKind.VALUE)
    common = _helper(5, 6, range(4, 6), USER, ("src/a.py", 4))
    rare = _helper(10, 11, range(9, 11))
    inside = _helper(11, 11, range(10, 11))
    capped = ("omitted", "dependency_cap")
    assert _chosen(value, common, rare, most=1) == {1: capped, 5: capped, 10: ("shown", None)}
    assert _chosen(value, common, rare, most=2) == {
        1: capped, 5: ("shown", None), 10: ("shown", None)
    }  # fmt: skip
    assert _chosen(value, common, inside, rare, most=2) == {
        1: capped, 5: ("shown", None), 10: ("shown", None), 11: ("shown", None)
    }, "what is seen anyway is free"  # fmt: skip
    assert set(_chosen(value, most=0).values()) == {capped}


def test_passes_and_a_deadline_stand_in_the_account() -> None:
    files = [added(f"src/m{n}.py", 200, "value_{} = compute(left, right)") for n in range(2)]
    policy = SnapshotPolicy(token_budget=2_500, passes=2)
    ready = prepared(change(*files), policy)
    found = fit(ready, policy, token_counter())
    first, second = found.parts
    words = f"2 passes of {first.tokens:,} + {second.tokens:,} tokens"
    assert (found.stages[-1].name, found.stages[-1].changed) == ("passes", words)
    assert found.reproducible
    assert not fit(replace(ready, overdue=1), policy, token_counter()).reproducible
