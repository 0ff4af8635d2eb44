"""What stands around a change: the diff's own context and more, setting by setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from pr_review.adapters.git import LocalSource
from pr_review.adapters.syntax import TreeSitter
from pr_review.adapters.tokens import token_counter
from pr_review.domain.ledger import DependencyState, Reason
from pr_review.domain.snapshot import Snapshot
from pr_review.errors import SnapshotError
from pr_review.snapshot.fit import fit
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.prepare import Tools, prepare
from tests.snapshot.repository import Blob, Files, Repo, make, shown_rows
from tests.snapshot.taking import printed, ready, scanner, source, taken

PLAIN = SnapshotPolicy()
# Nothing but the diff's own three lines on either side.
BARE = replace(PLAIN, lines_before=0, lines_after=0, dynamic=False, dependencies=0)
PROGRAM = b"""\
import os
from helpers import helper_1, helper_2


class Store:
    limit = 10

    @decorated
    def load(self, key, amount):
        first = 1
        second = 2
        third = 3
        amount = amount + first
        fifth = 5
        sixth = 6
        seventh = 7
        eighth = 8
        ninth = 9
        tenth = 10
        result = BEFORE(amount)
        after_1 = 1
        after_2 = 2
        after_3 = 3
        after_4 = 4
        after_5 = 5
        return result


def elsewhere():
    return 0
"""
CHANGED, CLASS, DECORATOR, SIGNATURE, NAMED = 20, 5, 8, 9, 13
HELPERS = b"".join(
    b"def helper_%d(value):\n    return value * %d\n\n\n" % (n, n) for n in (1, 2, 3)
)
AFTER = PROGRAM.replace(b"BEFORE(amount)", b"helper_1(amount) + helper_2(1)")


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    base = {b"store.py": Blob(PROGRAM), b"helpers.py": Blob(HELPERS)}
    return make(tmp_path_factory.mktemp("context") / "repo.git", base, {b"store.py": Blob(AFTER)})


def _around(found: Snapshot, path: str = "store.py") -> set[int]:
    """The numbers of the unchanged lines that are printed of a file."""
    rows = shown_rows(found.text).get(path, [])
    return {row.number for row in printed(rows) if row.sign == " "}


def test_without_any_more_the_context_is_the_diffs_own(repo: Repo) -> None:
    found = taken(repo, BARE)
    assert _around(found) == {17, 18, 19, 21, 22, 23}
    assert list(shown_rows(found.text)) == ["store.py"]
    assert "\n… class Store:\n17  " in found.text, "git's own header tells where it is"


def test_lines_before_and_after_are_added_to_the_diffs_own(repo: Repo) -> None:
    assert _around(taken(repo, replace(BARE, lines_before=2))) == {15, 16, 17, 18, 19, 21, 22, 23}
    assert _around(taken(repo, replace(BARE, lines_after=2))) == {17, 18, 19, *range(21, 26)}


def test_dynamic_context_grows_to_the_start_of_the_definition(repo: Repo) -> None:
    found = taken(repo, replace(BARE, dynamic=True))
    assert _around(found) == {CLASS, *range(DECORATOR, 20), *range(21, 24), 26}


def test_a_start_that_is_too_far_is_shown_by_its_signature(repo: Repo) -> None:
    found = taken(repo, replace(BARE, dynamic=True, scope_lines=11))
    shown = _around(found)
    assert {CLASS, DECORATOR, SIGNATURE, NAMED} <= shown, "and the lines that share names"
    assert not {10, 11, 12} & shown
    assert {10, 11, 12} <= _around(taken(repo, replace(BARE, dynamic=True, scope_lines=12)))


def test_definitions_that_changed_lines_use_up_to_a_number(repo: Repo) -> None:
    everything = taken(repo, PLAIN)
    assert _around(everything, "helpers.py") == {1, 2, 5, 6}
    assert "helper_3" not in everything.text
    one = taken(repo, replace(PLAIN, dependencies=1))
    assert _around(one, "helpers.py") == {1, 2}
    assert [(d.name, d.state, d.reason) for d in one.ledger.dependencies if d.end] == [
        ("helper_1", DependencyState.SHOWN, None),
        ("helper_2", DependencyState.OMITTED, Reason.DEPENDENCY_CAP),
    ]
    none = taken(repo, replace(PLAIN, dependencies=0))
    assert (none.ledger.dependencies, _around(none, "helpers.py")) == ((), set())


def test_no_definition_is_taken_from_what_is_excluded(repo: Repo) -> None:
    shown = taken(repo, PLAIN)
    assert "## helpers.py (unchanged" in shown.text
    hidden = taken(repo, replace(PLAIN, exclude=("helpers.py",)))
    assert "helpers.py (unchanged" not in hidden.text
    assert {d.state for d in hidden.ledger.dependencies if d.name.startswith("helper")} == {
        DependencyState.OUTSIDE
    }


def test_the_bytes_of_context_are_capped(repo: Repo) -> None:
    wide, own = _around(taken(repo, PLAIN)), _around(taken(repo, BARE))
    assert own < wide
    for cap in (0, 100, 250):
        found = taken(repo, replace(PLAIN, context_bytes=cap))
        beyond = [
            row
            for path, rows in shown_rows(found.text).items()
            for row in rows
            if row[0].isdigit() and " +" not in row[:5]
            if path != "store.py" or int(row.split(" ")[0]) not in own
        ]
        assert sum(len(row.encode()) + 1 for row in beyond) <= cap
        assert bool(beyond) == bool(cap)
        assert own <= _around(found), "the diff's own context is not counted"


@pytest.mark.parametrize(("suffixes", "grows"), [((".md",), False), ((".txt",), True), ((), True)])
def test_suffixes_without_context(
    tmp_path: Path, suffixes: tuple[str, ...], *, grows: bool
) -> None:
    lines = [b"# Title", *[b"  sentence %d" % n for n in range(15)], b"  last"]
    base, head = b"\n".join(lines), b"\n".join([*lines[:-1], b"  changed"])
    repo = make(tmp_path / "repo.git", {b"GUIDE.MD": Blob(base)}, {b"GUIDE.MD": Blob(head)})
    found = taken(repo, replace(PLAIN, skip_suffixes=suffixes))
    assert (len(_around(found, "GUIDE.MD")) > 3) == grows


def test_context_goes_before_any_changed_line(repo: Repo) -> None:
    """The smaller the budget the less context, down to none, and the change stays whole."""
    prepared, sizes = ready(repo, PLAIN), []
    for budget in (1_000, 320, 280, 240):
        found = fit(prepared, replace(PLAIN, token_budget=budget), token_counter())
        assert found.ledger.entries[0].shown_added == (CHANGED,)
        assert found.tokens <= budget
        sizes.append(len(_around(found)) + len(_around(found, "helpers.py")))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


def test_a_diff_that_fits_is_shown_whole_before_any_context(repo: Repo) -> None:
    bare = taken(repo, replace(PLAIN, context_bytes=0, lines_before=0, lines_after=0))
    assert bare.ledger.coverage == "full"
    tight = replace(PLAIN, token_budget=max(bare.tokens + 60, 1_000))
    assert taken(repo, tight).ledger.coverage == "full"


def test_the_cap_of_a_file_takes_context_before_lines(repo: Repo) -> None:
    bare = taken(repo, replace(PLAIN, context_bytes=0))
    assert bare.ledger.coverage == "full"
    size = sum(len(row.encode()) + 1 for row in bare.text.split("\n") if row[:1] in "-0123456789")
    capped = taken(repo, replace(PLAIN, max_file_bytes=size))
    assert capped.ledger.coverage == "full"


def test_what_is_not_included_gives_no_definition_either(repo: Repo) -> None:
    found = taken(repo, replace(PLAIN, include=("main.py", "program.py", "*.py"), exclude=()))
    assert "## helpers.py (unchanged" in found.text
    changed = [entry.path for entry in found.ledger.entries]
    assert "## helpers.py" not in taken(repo, replace(PLAIN, include=tuple(changed))).text


class _Failing:
    """A server that has the change, and fails at anything else."""

    def __init__(self, opened: LocalSource, own: set[str]) -> None:
        self._opened, self._own = opened, own

    def blobs(self, oids: Sequence[str]) -> Mapping[str, bytes]:
        if not set(oids) <= self._own:
            raise SnapshotError("git fetch failed: 503")
        return self._opened.blobs(oids)

    def head_files(self) -> Mapping[str, str]:
        return self._opened.head_files()


def test_a_server_that_fails_at_context_costs_the_context_alone(repo: Repo) -> None:
    with source(repo) as opened:
        change = opened.change()
        own = {oid for file in change.files for oid in (file.old_oid, file.new_oid)}
        tools = Tools(_Failing(opened, own), TreeSitter(), scanner())
        found = fit(prepare(change, PLAIN, tools), PLAIN, token_counter())
    assert found.ledger.coverage == "full"
    assert found.ledger.dependencies == ()
    assert not found.reproducible


@pytest.mark.parametrize("shown", [True, False])
def test_a_credential_beside_the_diff_counts_where_it_is_sent(tmp_path: Path, shown: bool) -> None:
    key = f"token = 'ghp_{'wJalrXUtnFEMI0K7MDENGbPxRfiCYqz1Ab9d'}'\n".encode()
    base: Files = {b"a.py": Blob(key + b"\n" * 4 + b"x = 1\n")}
    head: Files = {b"a.py": Blob(key + b"\n" * 4 + b"x = 2\n")}
    repo = make(tmp_path / "r.git", base, head)
    policy = replace(PLAIN, context_bytes=262_144 if shown else 0)
    found = taken(repo, policy)
    assert ("[REDACTED:" in found.text) is shown
    assert bool(found.ledger.redactions) is shown
