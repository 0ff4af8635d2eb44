"""In which order pieces are shown, and what a row is counted as."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pr_review.adapters.tokens import token_counter
from pr_review.domain.diff import FileChange
from pr_review.snapshot.draft import Draft
from pr_review.snapshot.pieces import runs
from pr_review.snapshot.ranking import Prices, Turn, ranked
from tests.snapshot.listing import Words, added, change, file, hunk, prepared

# Indented: a line at the left margin would start a new piece.
BUSY = "    if ready(value): total = spend(value)"
DULL = "    # nothing much to say"


def _drafts(*files: FileChange) -> tuple[Draft, ...]:
    return prepared(change(*files)).drafts


def _order(*files: FileChange) -> list[Turn]:
    return ranked(_drafts(*files), Prices(Words().count))


def _place(turn: Turn) -> tuple[str, int]:
    return turn.draft.path, turn.draft.rows[turn.piece.changed[0]].line.number


def test_what_does_something_comes_before_what_does_not() -> None:
    texts = [*[DULL] * 12, *[BUSY] * 12]
    order = _order(file("src/a.py", hunk("+" * 24, texts)))
    assert [_place(turn)[1] for turn in order] == [13, 1]


def test_no_file_is_starved() -> None:
    """A file that had a turn waits: of equal pieces the files take turns."""
    files = [added(f"src/{name}.py", 48, BUSY) for name in "abc"]
    order = [_place(turn)[0] for turn in _order(*files)]
    assert [set(order[n : n + 3]) for n in range(0, 12, 3)] == [{f.path for f in files}] * 4


def test_of_equal_worth_the_shorter_one_comes_first() -> None:
    long = BUSY.replace("value", "a_word " * 9)
    order = _order(file("src/a.py", hunk("+" * 13, [long] * 6 + [""] + [BUSY] * 6)))
    assert [_place(turn)[1] for turn in order] == [7, 1]


@given(st.permutations([added(f"src/{name}.py", 30, BUSY) for name in "abcd"]))
def test_the_order_depends_on_the_change_and_not_on_the_order_it_comes_in(
    files: list[FileChange],
) -> None:
    order = _order(*files)
    assert [_place(turn) for turn in order] == [_place(turn) for turn in _order(*files[::-1])]
    assert all(first.score >= second.score for first, second in pairwise(order))
    assert sorted(map(_place, order)) == sorted(
        (draft.path, draft.rows[piece.changed[0]].line.number)
        for draft in _drafts(*files)
        for piece in draft.pieces
    )


def test_the_tokens_of_a_text_are_those_of_its_rows() -> None:
    """What `Prices` rests on: no token of the encoding spans two rows."""
    texts = [
        BUSY,
        "",
        "    ",
        "\t\tdeep",
        "1234",
        "}",
        "'text'",
        "caf\u00e9 \u8def",
        "...",
        "  x  ",
    ]
    draft = _drafts(file("src/a.py", hunk("+" * 30 + "-" * 30, texts * 6)))[0]
    count = token_counter().count
    rows = Prices(count).rows(draft)
    assert count("".join(row.text for row in draft.rows)) == sum(rows)


def test_a_run_holds_its_neighbours_and_numbers_of_the_new_side() -> None:
    changed = file("a.py", hunk(" - ++ ", list("abcdef"), old=10, new=10))
    [run] = runs(changed)
    assert (run.low, run.first, run.last, run.high) == (0, 1, 4, 5)
    assert (run.start, run.end) == (11, 13)
    [removed] = runs(file("a.py", hunk(" - ", list("abc"), old=10, new=10)))
    assert (removed.start, removed.end) == (11, 11), "those of the line behind it"


def test_runs_do_not_reach_into_one_another_or_another_hunk() -> None:
    signs = "+" * 12 + " " * 2 + "+" * 3 + " " * 9 + "+"
    found = runs(file("a.py", hunk(signs, ["  x"] * len(signs)), hunk("-", ["y"], old=99, new=99)))
    assert [(run.hunk, run.first, run.last) for run in found] == [
        (0, 0, 11), (0, 14, 16), (0, 26, 26), (1, 27, 27),
    ]  # fmt: skip
    assert [(run.low, run.high) for run in found] == [(0, 12), (13, 17), (25, 26), (27, 27)]
