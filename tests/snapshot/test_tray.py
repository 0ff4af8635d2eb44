"""What is chosen: tokens, bytes of a file and bytes of context are held, whatever is added."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.ledger import Reason
from pr_review.snapshot.draft import Draft, Sheet
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.ranking import GAP_TOKENS, Prices
from pr_review.snapshot.render import section
from pr_review.snapshot.tray import Tray
from tests.snapshot.listing import NEW, Words, added, change, file, hunk, prepared

TEXT = [f"line {n}" for n in range(1, 31)]


def _draft(path: str = "src/a.py") -> Draft:
    """One changed line, the diff's own context, and three more lines before it."""
    changed = hunk("   +   ", TEXT[11:18], old=12, new=12)
    blob = "".join(f"{line}\n" for line in TEXT).encode()
    return prepared(change(file(path, changed)), blobs={NEW: blob}).drafts[0]


def _tray(room: int = 1_000, **limits: int) -> Tray:
    return Tray(SnapshotPolicy(**limits), Prices(Words().count), room)  # type: ignore[arg-type]


def _size(draft: Sheet, rows: list[int]) -> int:
    return sum(len(draft.rows[i].text) for i in rows)


def test_rows_are_added_once_and_never_taken_back() -> None:
    draft, tray = _draft(), _tray()
    assert tray.add(draft, [3, 4]) is None
    used = tray.used
    assert tray.add(draft, [4, 3]) is None
    assert tray.used == used
    assert tray.holds(draft, [3, 4])
    assert not tray.holds(draft, [3, 5])
    assert not tray.holds(_draft("src/b.py"), [3])


def test_a_gap_costs_and_closing_one_gives_it_back() -> None:
    draft, tray = _draft(), _tray()
    words = [len(row.text.split()) for row in draft.rows]
    tray.add(draft, [2])
    before = tray.used
    tray.add(draft, [4])
    assert tray.used - before == words[4] + GAP_TOKENS
    before = tray.used
    tray.add(draft, [3])
    assert tray.used - before == words[3] - GAP_TOKENS


def test_rows_of_two_hunks_have_a_gap_between_them() -> None:
    hunks = [hunk("++", ["first one", "second"], old=n, new=n) for n in (1, 40)]
    draft = prepared(change(file("src/a.py", *hunks))).drafts[0]
    words = [len(row.text.split()) for row in draft.rows]
    together = ([[1], [2]], [[2], [1]], [[1, 2]], [[2], [1, 3]], [[1], [0, 2]])
    for order, runs in (*((one, 2) for one in together), ([[0], [1]], 1), ([[3], [2]], 1)):
        tray = _tray()
        for rows in order:
            tray.add(draft, rows)
        chosen = sum(words[i] for i in tray.kept[draft.path])
        assert tray.used == tray.prices.header(draft) + chosen + runs * GAP_TOKENS


def test_the_room_is_never_passed_and_a_refusal_is_remembered() -> None:
    draft = _draft()
    whole = _tray()
    whole.add(draft, range(len(draft.rows)))
    tray = _tray(whole.used - 1)
    assert tray.add(draft, range(len(draft.rows))) is Reason.BUDGET
    assert (tray.kept, tray.used, tray.refused) == ({}, 0, True)
    assert tray.add(draft, [0], upto=1) is Reason.BUDGET
    assert tray.add(draft, [0]) is None


def test_bytes_of_one_file() -> None:
    draft, other = _draft(), _draft("src/b.py")
    tray = _tray(max_file_bytes=_size(draft, [3, 4]))
    assert tray.add(draft, [3]) is None
    assert tray.add(draft, [2, 4]) is Reason.FILE_CAP
    assert tray.add(draft, [4]) is None
    assert tray.add(draft, [5]) is Reason.FILE_CAP
    assert tray.add(other, [3, 4]) is None
    assert not tray.refused, "room is not what was missing"


def test_bytes_of_context_are_those_that_the_diff_itself_does_not_hold() -> None:
    draft = _draft()
    beyond = [i for i in range(len(draft.rows)) if i not in draft.own_rows]
    assert beyond
    tray = _tray(context_bytes=_size(draft, beyond[:1]))
    assert tray.add(draft, sorted(draft.own_rows)) is None
    assert tray.add(draft, beyond[:1]) is None
    assert tray.add(draft, beyond[1:2]) is Reason.CONTEXT_CAP
    plain = Sheet(path="lib.py", printed="lib.py", rows=draft.rows, hunk_of=draft.hunk_of)
    assert tray.add(plain, [3]) is Reason.CONTEXT_CAP, "all of an unchanged file is context"


def test_what_fills_a_limit_to_the_last_token_or_byte_fits() -> None:
    draft = _draft()
    whole = _tray()
    whole.add(draft, range(len(draft.rows)))
    assert _tray(whole.used).add(draft, range(len(draft.rows))) is None
    plain = Sheet(path="lib.py", printed="lib.py", rows=draft.rows, hunk_of=draft.hunk_of)
    assert _tray(max_file_bytes=_size(plain, [3])).add(plain, [3]) is None


def test_bytes_that_stand_elsewhere_count_for_their_file() -> None:
    draft, other = _draft(), _draft("src/b.py")
    most = _size(draft, [3, 4])
    policy = SnapshotPolicy(max_file_bytes=most)
    tray = Tray(policy, Prices(Words().count), 1_000, spent={draft.path: _size(draft, [3])})
    assert tray.add(draft, [3, 4]) is Reason.FILE_CAP
    assert tray.add(draft, [4]) is None
    assert tray.emptied().add(draft, [3, 4]) is Reason.FILE_CAP
    assert tray.add(other, [3, 4]) is None


def test_context_of_a_file_leaves_room_for_its_diff_that_is_not_there_yet() -> None:
    draft = _draft()
    first, second, *_ = (i for i in range(len(draft.rows)) if i not in draft.own_rows)
    tray = _tray(max_file_bytes=draft.own_size + _size(draft, [first]))
    assert tray.add(draft, [first]) is None
    assert tray.add(draft, [second]) is Reason.FILE_CAP
    assert tray.add(draft, sorted(draft.own_rows)) is None


def test_a_folded_file_takes_its_header() -> None:
    draft, tray = _draft(), _tray()
    assert tray.add(draft, ()) is None
    assert tray.used == tray.prices.header(draft)
    assert tray.kept == {draft.path: set()}


@given(st.lists(st.lists(st.integers(0, 19), max_size=6), max_size=12), st.integers(20, 120))
def test_the_text_is_never_larger_than_what_was_counted(adds: list[list[int]], room: int) -> None:
    draft = prepared(change(added("src/a.py", 20))).drafts[0]
    tray = _tray(room)
    for rows in adds:
        tray.add(draft, rows)
    assert tray.used <= room
    kept = tray.kept.get(draft.path)
    if kept is not None:
        assert Words().count(section(draft, kept)) <= tray.used
