"""Which unchanged lines help a reader of a changed one, and that no line stands twice."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.diff import FileChange
from pr_review.snapshot.outline import Outline, Scope, ScopeKind
from pr_review.snapshot.pieces import runs
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.widen import (
    _NAMED_LINES,
    Widener,
    Window,
    agrees,
    widened,
)
from tests.snapshot.listing import file, hunk

FUNCTION, TYPE = ScopeKind.FUNCTION, ScopeKind.TYPE
TEXT = [f"line_{n} = {n}" for n in range(1, 101)]
PLAIN = SnapshotPolicy(lines_before=0, lines_after=0)


def _changed(*numbers: int, text: list[str] = TEXT) -> FileChange:
    """A file of which some lines were added, each in a hunk without context."""
    return file(
        "a.py",
        *(
            hunk("+", [text[number - 1]], old=number - position, new=number)
            for position, number in enumerate(numbers, 1)
        ),
    )


def _windows(
    changed: FileChange,
    *scopes: Scope,
    policy: SnapshotPolicy = PLAIN,
    text: list[str] = TEXT,
) -> list[Window]:
    widener = Widener(changed, text, Outline("python", scopes), policy)
    return [widener.window(run) for run in runs(changed)]


def test_the_signatures_of_all_definitions_around_and_the_way_up_to_the_innermost() -> None:
    outer = Scope("Store", TYPE, 10, 11, 12, 90)
    inner = Scope("load", FUNCTION, 40, 41, 41, 60, parent=0)
    [window] = _windows(_changed(50), outer, inner)
    assert window.signature == (10, 11, 12, 40, 41)
    assert window.scope == tuple(range(40, 50))
    [far] = _windows(_changed(50), outer, inner, policy=replace(PLAIN, scope_lines=9))
    assert (far.signature, far.scope) == (window.signature, ())


def test_of_a_long_signature_the_part_from_the_name_on() -> None:
    long = Scope("load", FUNCTION, 5, 30, 60, 90)
    assert _windows(_changed(80), long)[0].signature == tuple(range(30, 42))


def test_lines_nearby_end_where_the_file_does() -> None:
    first, last = _windows(_changed(2, 99), policy=SnapshotPolicy(lines_before=3, lines_after=9))
    assert first.near == tuple(range(1, 15))
    assert last.near == tuple(range(93, 101))


def test_lines_that_share_a_name_stand_in_the_innermost_function_alone() -> None:
    text = list(TEXT)
    text[49] = "total = price * count"
    for number in (20, 45, 47, 55, 70):
        text[number - 1] = f"price = step({number})"
    function = Scope("load", FUNCTION, 40, 40, 41, 60)
    [window] = _windows(_changed(50, text=text), function, text=text)
    assert set(window.named) == {45, 47, 55}
    assert window.named[0] == 47, "the nearest one comes first"
    whole = replace(function, kind=TYPE)
    assert _windows(_changed(50, text=text), whole, text=text)[0].named == ()


def test_words_of_the_language_join_no_lines() -> None:
    text = ["return None if self else True"] * 30
    function = Scope("load", FUNCTION, 1, 1, 1, 30)
    assert _windows(_changed(15, text=text), function, text=text)[0].named == ()


def test_the_index_of_names_gives_what_a_search_of_every_line_gives() -> None:
    """Runs in functions of very different size, so that what is read goes back and forth."""
    text = [f"name_{n % 7} = other_{n % 11}" for n in range(1, 1_001)]
    scopes = [Scope("outer", FUNCTION, 1, 1, 1, 1_000)]
    scopes += [Scope("f", FUNCTION, n, n, n, n + 9, parent=0) for n in range(50, 900, 100)]
    changed = _changed(55, 61, 155, 400, 455, 459, 700, 999, text=text)
    for run, window in zip(runs(changed), _windows(changed, *scopes, text=text), strict=True):
        around = Outline("python", tuple(scopes)).around(run.start)
        low, high = around[-1].head + 1, around[-1].end
        names = set(text[run.start - 1].split(" = "))
        sharing = {
            n for n in range(max(low, run.start - 400), min(high, run.start + 400) + 1)
            if n != run.start and names & set(text[n - 1].split(" = "))
        }  # fmt: skip
        assert set(window.named) <= sharing
        assert len(window.named) == min(_NAMED_LINES, len(sharing))


def test_fixed_lines_alone() -> None:
    function = Scope("load", FUNCTION, 40, 40, 41, 60)
    [window] = _windows(_changed(50), function, policy=replace(PLAIN, dynamic=False))
    assert window == Window(near=tuple(range(47, 54)))


@given(
    st.lists(st.integers(1, 100), min_size=1, max_size=12, unique=True).map(sorted),
    st.sets(st.integers(-5, 120)),
)
def test_what_is_wanted_stands_once_with_its_number_on_both_sides(
    added: list[int], wanted: set[int]
) -> None:
    changed = _changed(*added)
    wide = widened(changed, TEXT, wanted)
    assert agrees(wide, TEXT)
    numbers = [line.new or 0 for line in wide.lines]
    assert numbers == sorted(set(numbers)) == sorted(set(added) | (wanted & set(range(1, 101))))
    for line in wide.lines:
        if not line.changed:
            assert line.old == (line.new or 0) - sum(number < (line.new or 0) for number in added)
    for one in wide.hunks:
        news = [line.new or 0 for line in one.lines]
        assert news == list(range(one.new_start, one.new_start + one.new_count))
        assert one.old_count == sum(line.old is not None for line in one.lines)
    ends = [(one.new_start, one.new_start + one.new_count) for one in wide.hunks]
    assert all(end < start for (_, end), (start, _) in pairwise(ends))


def test_a_hunk_that_only_removes_is_joined_by_the_lines_around_it() -> None:
    removed = file("a.py", hunk("-", ["gone"], old=50, new=49))
    wide = widened(removed, TEXT, {49, 50, 51})
    [one] = wide.hunks
    assert [(line.old, line.new) for line in one.lines] == [
        (49, 49), (50, None), (51, 50), (52, 51),
    ]  # fmt: skip


def test_the_diffs_own_header_stays_with_its_hunk() -> None:
    changed = file("a.py", hunk("+", [TEXT[49]], old=50, new=50, section="def load():"))
    assert [h.section for h in widened(changed, TEXT, {10, 51}).hunks] == ["", "def load():"]


@pytest.mark.parametrize(
    ("signs", "texts", "agree"),
    [
        ("+", ["line_50 = 50"], True),
        (" +", ["line_50 = 50", "line_51 = 51"], True),
        ("-", ["whatever it was"], True),
        ("+", ["line_50 = 51"], False),
        ("+", ["line_50 = 50\r"], False),
        ("+" * 60, ["line_50 = 50", *TEXT[50:], *["past the end"] * 9], False),
    ],
)
def test_a_text_is_the_new_side_if_every_line_of_the_hunks_is_in_it(
    signs: str, texts: list[str], *, agree: bool
) -> None:
    changed = file("a.py", hunk(signs, texts, old=50, new=50))
    assert agrees(changed, TEXT) is agree
