"""What an earlier review read is folded where it stands; everything else is shown as ever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from pr_review.adapters.tokens import token_counter
from pr_review.domain.diff import Change, FileChange, Hunk, Status
from pr_review.domain.ledger import Coverage, Entry, Reason, State
from pr_review.domain.snapshot import Snapshot
from pr_review.snapshot.fit import fit
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.ports import SecretMatch
from pr_review.snapshot.prepare import prepare
from pr_review.snapshot.reviewed import Touched, positions, reviewed_hunks, without
from tests.snapshot.listing import added, change, file, hunk, prepared, tools
from tests.snapshot.repository import Blob, make, shown_rows
from tests.snapshot.taking import taken as real

SINCE = "1a2b3c4d5e6f" + "0" * 28
POLICY = SnapshotPolicy(since=SINCE)


def taken(
    made: Change, touched: Touched, policy: SnapshotPolicy = POLICY, blob: bytes = b""
) -> Snapshot:
    blobs = {one.new_oid: blob for one in made.files} if blob else {}
    return fit(prepare(made, policy, tools(blobs, touched=touched)), policy, token_counter())


def block(start: int, signs: str = " -++ ", word: str = "line") -> Hunk:
    texts = [f"{word} {start + n}" for n in range(len(signs))]
    return hunk(signs, texts, old=start, new=start)


def hunks_read(made: FileChange, *ranges: range) -> frozenset[int]:
    return reviewed_hunks(change(made), {made.path: ranges}).get(made.path, frozenset())


# The second hunk stands at the lines 20 to 24 of the new side.
@pytest.mark.parametrize(
    ("lines", "known"),
    [
        (range(19, 20), {0, 1, 2}),
        (range(20, 21), {0, 2}),
        (range(22, 23), {0, 2}),
        (range(23, 24), {0, 2}),
        (range(24, 25), {0, 1, 2}),
        (range(1, 100), set()),
        (range(15, 25), {0, 2}),
        # deletions, by the line they stood before
        (range(19, 19), {0, 1, 2}),
        (range(20, 20), {0, 2}),
        (range(22, 22), {0, 2}),
        (range(24, 24), {0, 2}),
        (range(25, 25), {0, 1, 2}),
    ],
)
def test_a_hunk_is_known_if_no_line_of_it_and_none_between_was_touched(
    lines: range, known: set[int]
) -> None:
    made = file("src/a.py", block(5), block(20), block(40))
    assert made.hunks[1].new_count == 4
    assert hunks_read(made, lines) == known


def test_a_pure_deletion_is_known_by_its_place() -> None:
    made = file("src/a.py", Hunk(8, 2, 7, 0, "", hunk("--", ["a", "b"], old=8, new=8).lines))
    assert hunks_read(made, range(1, 7), range(9, 20)) == {0}
    assert hunks_read(made, range(8, 8)) == set()
    assert hunks_read(made, range(8, 9)) == set()


@pytest.mark.parametrize("touched", [(range(1, 1),), (range(1, 2**60),), ()])
def test_a_file_deleted_since_is_new(touched: tuple[range, ...]) -> None:
    gone = file("src/a.py", Hunk(1, 2, 0, 0, "", block(1, "--").lines), status=Status.DELETED)
    assert hunks_read(gone, *touched) == set()
    assert reviewed_hunks(change(gone), {}) == {"src/a.py": {0}}


def test_a_file_of_which_no_line_differs_is_new() -> None:
    """Its mode changed: there is something to say of it."""
    assert hunks_read(file("src/a.py", block(5))) == set()


def test_a_rename_is_known_if_both_of_its_paths_are_the_same() -> None:
    moved = file("src/b.py", block(5), status=Status.RENAMED, old_path="src/a.py")
    assert reviewed_hunks(change(moved), {}) == {"src/b.py": {0}}
    assert reviewed_hunks(change(moved), {"src/a.py": (range(1, 1),)}) == {}
    assert reviewed_hunks(change(moved), {"src/b.py": (range(1, 99),)}) == {}


def test_the_lines_of_some_hunks() -> None:
    made = file("src/a.py", block(5, "+-"), block(20, " + "), block(40, "+"))
    assert list(positions(made, frozenset([0, 2]))) == [0, 1, 5]
    assert list(without(made, frozenset([0, 2]))) == [made.hunks[1]]


def entry(snapshot: Snapshot, path: str) -> Entry:
    return snapshot.ledger.by_path[path]


def test_known_hunks_are_counted_in_their_place_and_the_rest_is_shown() -> None:
    made = change(file("src/a.py", block(5), block(20), block(40, " -- ")))
    found = taken(made, {"src/a.py": (range(21, 22),)})
    assert shown_rows(found.text) == {
        "src/a.py": [
            "… +2 -1 reviewed", "20  line 20", "-line 21", "21 +line 22", "22 +line 23",
            "23  line 24", "… -2 reviewed",
        ]
    }  # fmt: skip
    assert "## src/a.py (modified, source, +2 of 4, -1 of 4, +2 -3 reviewed)\n" in found.text
    told = entry(found, "src/a.py")
    assert (told.state, told.reason, told.since) == (State.FOLDED, Reason.REVIEWED, SINCE)
    assert (told.shown_added, told.shown_removed) == ((21, 22), (21,))
    assert (told.folded_added, told.folded_removed) == ((6, 7), (6, 41, 42))
    assert found.ledger.coverage is found.ledger.coverage_source is Coverage.FULL
    assert found.since == SINCE


def test_a_file_of_known_hunks_is_one_line() -> None:
    made = change(
        file("src/a.py", block(5), block(20)),
        file("run.sh", block(5), new_mode="100755"),
        added("src/new.py", 3),
    )
    found = taken(made, {"src/new.py": (range(1, 2),)})
    assert "## src/a.py (modified, source, +4 -2 reviewed)\n" in found.text
    assert "## run.sh (modified, source, mode 100644 -> 100755, +2 -1 reviewed)\n" in found.text
    assert shown_rows(found.text)["src/a.py"] == []
    assert len(shown_rows(found.text)["src/new.py"]) == 3
    assert entry(found, "src/a.py").state is State.FOLDED
    assert entry(found, "src/new.py").state is State.SHOWN
    assert entry(found, "src/new.py").since == ""


def test_the_notice_names_the_commit_once_and_counts_apart_from_other_folds() -> None:
    crlf = file("win.py", hunk("-+", ["a", "a\r"]))
    found = taken(change(file("src/a.py", block(5), block(20)), crlf), {})
    head = found.text.split("<<<diff")[0]
    assert head.count(SINCE[:12]) == found.text.count(SINCE[:12]) == 1
    assert " 6 changed lines were reviewed at 1a2b3c4d5e6f" in head
    assert "\n2 changed lines are described in one sentence" in head
    assert "Nothing of the change was left out." in head


def test_files_of_lower_tiers_are_processed_as_ever() -> None:
    lock, art = file("yarn.lock", block(5)), file("tests/__snapshots__/a.snap", block(5))
    made = change(lock, art, file("tests/test_a.py", block(5)), file("notes.md", block(5)))
    found = taken(made, {})
    states = {one.path: one.state for one in found.ledger.entries}
    assert states == {
        "yarn.lock": State.SHOWN,
        "tests/__snapshots__/a.snap": State.SHOWN,
        "tests/test_a.py": State.FOLDED,
        "notes.md": State.FOLDED,
    }


def test_code_that_calls_itself_generated_has_known_hunks_too() -> None:
    text = ["# @generated by a tool", "x = 1", "y = 2"]
    made = change(file("src/a.py", hunk("+++", text)))
    found = taken(made, {}, blob="\n".join(text).encode())
    told = entry(found, "src/a.py")
    assert told.marker
    assert (told.state, told.since) == (State.FOLDED, SINCE)


def test_a_known_line_that_helps_to_read_a_new_one_is_shown_as_the_change_it_is() -> None:
    """The signature above a new line was added before: it stands in the text, with its sign."""
    texts = ["import os", "", "def price(item):", *(f"    step_{n}()" for n in range(40))]
    known = hunk("+++ ", texts[:4], old=1, new=1)
    new = hunk(" + ", texts[29:32], old=27, new=30)
    made = change(file("src/a.py", known, new))
    found = taken(made, {"src/a.py": (range(31, 32),)}, blob="\n".join(texts).encode())
    assert "3 +def price(item):" in shown_rows(found.text)["src/a.py"]
    told = entry(found, "src/a.py")
    assert (told.shown_added, told.folded_added) == ((3, 31), (1, 2))
    assert shown_rows(found.text)["src/a.py"][0] == "… +2 reviewed"


def test_a_known_line_is_context_and_counts_as_such() -> None:
    texts = ["def price(item):", *(f"    step_{n}()" for n in range(40))]
    made = change(
        file("src/a.py", hunk("+ ", texts[:2]), hunk(" + ", texts[29:32], old=29, new=30)),
    )
    blob, touched = "\n".join(texts).encode(), {"src/a.py": (range(31, 32),)}
    for size, shown in ((0, (31,)), (100, (1, 31))):
        policy = replace(POLICY, context_bytes=size)
        found = taken(made, touched, policy, blob)
        assert entry(found, "src/a.py").shown_added == shown


def test_what_is_new_may_still_be_left_out_and_what_was_read_is_told_apart() -> None:
    texts = [f"value_{n} = compute({n}, other, more_of_it) or nothing" for n in range(300)]
    made = change(file("src/a.py", block(5), hunk("+" * 300, texts, old=20, new=20)))
    policy = replace(POLICY, token_budget=1_500)
    found = taken(made, {"src/a.py": (range(20, 320),)}, policy)
    told = entry(found, "src/a.py")
    assert (told.state, told.reason) == (State.PARTIAL, Reason.BUDGET)
    assert told.shown + told.omitted + 3 == told.changed == 303
    assert told.folded == 3
    rows = [row for row in shown_rows(found.text)["src/a.py"] if row.startswith("…")]
    gaps = " ".join(rows)
    assert gaps.count("reviewed") == 1
    assert "+2 -1 reviewed" in gaps
    assert found.tokens <= 1_500


def test_a_gap_tells_what_was_read_from_what_was_left_out() -> None:
    long = hunk("+", ["x" * 700], old=20, new=20)
    made = change(file("src/a.py", block(5, "+"), long, block(40), block(60, "+")))
    touched = {"src/a.py": (range(5, 21), range(60, 61))}
    found = taken(made, touched, replace(POLICY, max_file_bytes=400))
    assert shown_rows(found.text)["src/a.py"] == [
        "5 +line 5", "… +1, +2 -1 reviewed", "60 +line 60",
    ]  # fmt: skip
    told = entry(found, "src/a.py")
    assert (told.state, told.reason, told.folded) == (State.PARTIAL, Reason.FILE_CAP, 3)


def test_a_file_that_is_not_in_the_text_folds_nothing() -> None:
    long = "x" * 700
    made = change(file("src/a.py", hunk("+", [long], old=1, new=1), block(9)))
    found = taken(made, {"src/a.py": (range(1, 2),)}, replace(POLICY, max_file_bytes=400))
    told = entry(found, "src/a.py")
    assert told.state is State.OMITTED
    assert not told.folded, "its header is not in the text, so nothing tells of its known lines"


def test_known_lines_take_no_room_of_the_cap_of_a_file() -> None:
    long = [f"value = '{'y' * 300}'"] * 4
    made = change(file("src/a.py", hunk("++++", long), hunk("+", ["x = 1"], old=9, new=9)))
    policy = replace(POLICY, max_file_bytes=200)
    found = taken(made, {"src/a.py": (range(9, 10),)}, policy)
    assert entry(found, "src/a.py").state is State.FOLDED
    assert entry(found, "src/a.py").shown_added == (9,)


def test_credentials_on_known_lines_stay_in_the_account() -> None:
    made = change(file("src/a.py", block(5, " + ", word="secret")))
    found = prepare(made, POLICY, tools(touched={}, scanner=_Secrets()))
    assert [(one.path, one.line) for one in found.redactions] == [("src/a.py", 6)]


class _Secrets:
    def scan(self, texts: Sequence[str]) -> list[SecretMatch]:
        return [
            SecretMatch(i, text.index("secret 6"), text.index("secret 6") + 8, "planted")
            for i, text in enumerate(texts)
            if "secret 6" in text
        ]


def test_settings_and_facts_that_bar_a_file_come_first() -> None:
    made = change(file("src/a.py", block(5)), file("b.py", defect="broken", counts=(1, 1)))
    found = taken(made, {}, replace(POLICY, exclude=("src/**",)))
    assert [(one.reason, one.folded) for one in found.ledger.entries] == [
        (Reason.EXCLUDED, 0),
        (Reason.UNPARSABLE, 0),
    ]
    assert found.ledger.coverage_source is Coverage.PARTIAL


def test_nothing_is_called_reviewed_unless_it_is_told_what_was_touched() -> None:
    with pytest.raises(ValueError, match="is not told"):
        prepared(change(file("src/a.py", block(5))), POLICY)


def test_without_an_earlier_review_what_was_touched_does_not_count() -> None:
    made = change(file("src/a.py", block(5)))
    plain = fit(prepared(made), SnapshotPolicy(), token_counter())
    assert taken(made, {}, SnapshotPolicy()) == plain


def test_the_commit_is_part_of_the_digest() -> None:
    made = change(file("src/a.py", block(5)))
    touched = {"src/a.py": (range(1, 99),)}
    other = replace(POLICY, since="f" * 40)
    digests = {taken(made, touched, policy).digest for policy in (POLICY, other, SnapshotPolicy())}
    assert len(digests) == 3
    assert f"stands as it was reviewed at {SINCE[:12]}" in taken(made, touched).text


def test_a_file_whose_old_path_went_since_is_new(tmp_path: Path) -> None:
    """As a copy all of it was added, and no line of it removed; now it is a rename with an edit."""
    body = [b"value_%d = %d\n" % (n, n) for n in range(20)]
    old, new = Blob(b"".join(body)), Blob(b"".join([*body[:9], b"edited\n", *body[10:]]))
    repo = make(
        tmp_path / "r.git", {b"a.py": old}, {b"a.py": None, b"b.py": new}, then={b"b.py": new}
    )
    found = real(repo, replace(POLICY, since=repo.object("then")))
    (told,) = found.ledger.entries
    assert (told.old_path, told.state, told.since) == ("a.py", State.SHOWN, "")


def test_names_that_known_lines_alone_use_bring_no_definitions(tmp_path: Path) -> None:
    def using(*names: str) -> Blob:
        gap = "".join(f"x_{n} = {n}\n" for n in range(20))
        return Blob(("from lib import one, two\n" + gap.join(f"{n}(1)\n" for n in names)).encode())

    lib = Blob(b"def one(x):\n    return x\n\n\ndef two(x):\n    return x\n")
    repo = make(
        tmp_path / "r.git",
        {b"lib.py": lib, b"a.py": using("zero", "zero")},
        {b"a.py": using("one", "two")},
        then={b"a.py": using("one", "zero")},
    )
    whole = real(repo, SnapshotPolicy())
    later = real(repo, replace(POLICY, since=repo.object("then")))
    assert {found.name for found in whole.ledger.dependencies} == {"one", "two"}
    assert [found.name for found in later.ledger.dependencies] == ["two"]
    assert "def two(x):" in later.text
    assert "def one(x):" not in later.text


def test_a_definition_in_a_file_of_known_hunks_is_still_shown(tmp_path: Path) -> None:
    """New lines use what was added, and reviewed, before: its lines are shown with their sign."""
    lib = Blob(b"def one(x):\n    return x\n\n\ndef two(x):\n    return x + 1\n")
    use = Blob(b"from lib import one\n\nprint(one(1))\n")
    repo = make(tmp_path / "r.git", {}, {b"lib.py": lib, b"a.py": use}, then={b"lib.py": lib})
    found = real(repo, replace(POLICY, since=repo.object("then")))
    assert shown_rows(found.text)["lib.py"] == [
        "1 def one(x):", "2     return x", "… +4 reviewed",
    ]  # fmt: skip
    told = entry(found, "lib.py")
    assert (told.shown_added, told.folded_added) == ((1, 2), (3, 4, 5, 6))
    assert "## lib.py (added, source, +2 of 6, +4 reviewed)\n" in found.text


def test_a_definition_beyond_the_hunks_of_a_known_file_is_shown_too(tmp_path: Path) -> None:
    body = [f"x_{n} = {n}\n" for n in range(30)]
    before = Blob("".join([*body, "def one(x):\n", "    return x\n"]).encode())
    lib = Blob("".join(["x = 1\n", *body[1:], "def one(x):\n", "    return x\n"]).encode())
    use = Blob(b"from lib import one\n\nprint(one(1))\n")
    head = {b"lib.py": lib, b"a.py": use}
    repo = make(tmp_path / "r.git", {b"lib.py": before}, head, then={b"lib.py": lib})
    found = real(repo, replace(POLICY, since=repo.object("then")))
    assert shown_rows(found.text)["lib.py"] == [
        "… +1 -1 reviewed", "31  def one(x):", "32      return x",
    ]  # fmt: skip
    assert entry(found, "lib.py").state is State.FOLDED
