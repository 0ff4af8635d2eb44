"""A place is known again by its text, wherever it moves to, and only there."""

from __future__ import annotations

import re
import time
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.diff import Change, FileChange, Hunk, Line, Side
from pr_review.domain.finding import Finding
from pr_review.review.fingerprint import FINGERPRINT, Fingerprint, Places, Spot
from tests.review.pushes import added, change, removed
from tests.review.scenarios import finding

KEY = b"k" * 32
A = "src/a.py"


def places(*files: FileChange, sought: Fingerprint | None = None) -> Places:
    return Places(change("1" * 40, *files), KEY, [sought] if sought else [])


def find(sought: Fingerprint, *files: FileChange) -> tuple[Spot, ...]:
    return places(*files, sought=sought).find(sought)


def the_spot(sought: Fingerprint, *files: FileChange) -> Spot | None:
    return places(*files, sought=sought).the_spot(sought)


def on(path: str, start: int | None, end: int | None = None, side: Side = Side.RIGHT) -> Finding:
    return finding(path=path, start=start, end=end or start, side=side)


def test_a_place_is_found_again_where_it_moved_to() -> None:
    print_ = places(added(A, ["x", "y = 1", "z"])).fingerprint(on(A, 2, 3))
    later = added(A, ["new", "x", "    y = 1  ", "z", "w"])
    assert find(print_, later) == (Spot(A, Side.RIGHT, 3, 4),)
    assert the_spot(print_, later) == Spot(A, Side.RIGHT, 3, 4)


def test_another_path_side_or_text_is_another_place() -> None:
    print_ = places(added(A, ["x", "y"])).fingerprint(on(A, 1, 2))
    for other in (added("src/b.py", ["x", "y"]), removed(A, ["x", "y"]), added(A, ["x", "Y"])):
        assert find(print_, other) == ()
    assert find(print_, added(A, ["x", "new", "y"])) == ()


def test_lines_of_two_hunks_are_no_place() -> None:
    lines = (Line(None, 1, "x"),), (Line(None, 2, "y"),)
    hunks = tuple(Hunk(0, 0, n, 1, "", part) for n, part in enumerate(lines, 1))
    file = replace(added(A, ["x", "y"]), hunks=hunks)
    print_ = places(added(A, ["x", "y"])).fingerprint(on(A, 1, 2))
    assert find(print_, file) == ()
    assert places(file).fingerprint(on(A, 1, 2)).lines == 0


def test_unchanged_lines_inside_a_hunk_are_places_of_both_sides() -> None:
    hunk = Hunk(4, 2, 9, 3, "", (Line(4, 9, "x"), Line(None, 10, "new"), Line(5, 11, "y")))
    file = replace(added(A, ["x"]), hunks=(hunk,))
    new = places(file).fingerprint(on(A, 9, 11))
    old = places(file).fingerprint(on(A, 4, 5, Side.LEFT))
    assert find(new, file) == (Spot(A, Side.RIGHT, 9, 11),)
    assert find(old, file) == (Spot(A, Side.LEFT, 4, 5),)


def test_a_long_range_is_known_by_its_first_lines() -> None:
    texts = [f"line {n}" for n in range(40)]
    print_ = places(added(A, texts)).fingerprint(on(A, 3, 30))
    assert print_.lines == 5
    assert the_spot(print_, added(A, texts)) == Spot(A, Side.RIGHT, 3, 7)


def test_where_an_equal_text_came_or_went_no_spot_is_sure() -> None:
    print_ = places(added(A, ["x", "y", "x"])).fingerprint(on(A, 3))
    assert (print_.nth, print_.of) == (1, 2)
    assert the_spot(print_, added(A, ["a", "x", "y", "x"])) == Spot(A, Side.RIGHT, 4, 4)
    for texts in (["x", "y"], ["x", "y", "x", "x"], ["y"]):
        later = added(A, texts)
        assert the_spot(print_, later) is None
        assert len(find(print_, later)) == texts.count("x")


def test_a_finding_without_lines_is_known_by_what_was_quoted_or_said() -> None:
    here = places(added(A, ["x"]))
    whole = replace(on(A, None), quote="", title="Too  long")
    print_ = here.fingerprint(whole)
    assert find(print_, added(A, ["x"])) == (Spot(A),)
    assert here.fingerprint(replace(whole, title="too long")) == print_
    assert here.fingerprint(replace(whole, title="other")) != print_
    assert here.fingerprint(replace(whole, category="other")) != print_
    assert here.fingerprint(replace(whole, quote="q")) != print_
    assert here.fingerprint(on(A, 7)).lines == 0, "a line that the change does not hold"
    assert here.fingerprint(on("src/none.py", 1)).lines == 0
    assert not places(added(A, ["x"]), sought=print_).same(whole, print_)


def test_only_what_was_read_whole_can_lack_a_line() -> None:
    file = added(A, ["x"])
    assert places(file).complete
    assert places(replace(file, binary=True, hunks=(), additions=0)).complete
    for unread in (
        replace(file, defect="cut"),
        replace(file, withheld=True),
        replace(file, additions=2),
        replace(file, deletions=1),
    ):
        assert not places(file, unread).complete
    whole = change("1" * 40, file)
    for cut in (replace(whole, oversize=True), replace(whole, unlisted=1), None):
        assert not Places(cut, KEY).complete


def test_a_fingerprint_depends_on_the_key_and_on_nothing_of_the_run() -> None:
    one = change("1" * 40, added(A, ["x"]))
    other = change("2" * 40, added(A, ["x"]), added("b", ["y"]))
    print_ = Places(one, KEY).fingerprint(on(A, 1))
    assert Places(other, KEY).fingerprint(on(A, 1)) == print_
    assert Places(one, b"another").fingerprint(on(A, 1)).place != print_.place


def test_no_character_of_a_line_makes_two_places_one() -> None:
    for sign in "\0", '"', ",", "\\":
        here = places(added(A, [sign, "", sign]))
        assert here.fingerprint(on(A, 1, 2)).place != here.fingerprint(on(A, 2, 3)).place


TEXTS = st.lists(
    st.sampled_from(["", "  ", "x", "\tx", "y\x0cz", "\udce9", "\x00", "é", "\ud800"]), min_size=1
)


@given(TEXTS, st.integers(1, 9), st.integers(0, 9), st.text(max_size=5))
def test_what_was_told_is_found_in_the_same_change(
    texts: list[str], start: int, more: int, said: str
) -> None:
    start = min(start, len(texts))
    end = min(start + more, len(texts))
    here = places(added(A, texts))
    print_ = here.fingerprint(replace(on(A, start, end), category=said))
    later = places(added(A, texts), sought=print_)
    assert later.the_spot(print_) == Spot(A, Side.RIGHT, start, min(end, start + 4))
    assert later.same(replace(on(A, end), category=said), print_) == (end - start < 5)
    assert Fingerprint.parse(str(print_)) == print_
    assert re.fullmatch(FINGERPRINT, str(print_))


def test_equal_lines_cost_no_more_than_others() -> None:
    def seconds(texts: list[str]) -> float:
        here: Change = change("1" * 40, added(A, texts))
        started = time.process_time()
        print_ = Places(here, KEY).fingerprint(on(A, 1))
        assert Places(here, KEY, [print_]).find(print_)
        return time.process_time() - started

    count = 20_000
    assert seconds(["}"] * count) < 5 * seconds([str(n) for n in range(count)]) + 0.05


def test_many_findings_on_one_large_file_cost_little_more_than_one() -> None:
    """A model that is made to talk must not make a run last until its time is up."""
    here = change("1" * 40, added(A, [f"value_{n} = compute({n})" for n in range(20_000)]))

    def seconds(count: int) -> float:
        started = time.process_time()
        places = Places(here, KEY)
        assert len({str(places.fingerprint(on(A, n + 1, n + 3))) for n in range(count)}) == count
        return time.process_time() - started

    # to read the file anew for each takes 100 times as long; counting coverage alone, up to 35
    assert seconds(100) < 60 * seconds(1)
