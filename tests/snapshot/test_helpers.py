"""Definitions that changed lines use: how much of each is shown, and on which sheet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pr_review.domain.ledger import DependencyState, Reason
from pr_review.snapshot.dependencies import Definition, Resolved
from pr_review.snapshot.draft import Sheet, rows
from pr_review.snapshot.helpers import by_path, helpers, shown_lines, unchanged, unplaced
from pr_review.snapshot.outline import ScopeKind
from pr_review.snapshot.screen import Screened

BLOB = b"".join(b"line %d\n" % n for n in range(1, 61))


def _definition(start: int, line: int, head: int, end: int, path: str = "lib.py") -> Definition:
    return Definition(
        "load", path, start, line, head, end, ScopeKind.FUNCTION, (("main.py", 2), ("main.py", 9))
    )


@pytest.mark.parametrize(
    ("definition", "shown"),
    [
        (_definition(5, 5, 5, 16), range(5, 17)),
        (_definition(5, 5, 5, 5), range(5, 6)),
        (_definition(5, 5, 5, 50), range(5, 14)),
        (_definition(5, 7, 8, 50), range(5, 16)),
        (_definition(5, 5, 18, 50), range(5, 19)),
        (_definition(5, 30, 31, 60), range(30, 39)),
        (_definition(5, 5, 40, 60), range(5, 25)),
    ],
)
def test_short_ones_whole_of_long_ones_the_signature_and_head(
    definition: Definition, shown: range
) -> None:
    assert shown_lines(definition) == shown


def _resolved(*definitions: Definition) -> Resolved:
    texts = {d.path: BLOB for d in definitions if d.path != "main.py"}
    return Resolved(definitions, (), texts, len(texts))


def test_an_unchanged_file_is_a_change_of_nothing_with_its_definitions_as_context() -> None:
    near, far = _definition(5, 5, 5, 8), _definition(30, 30, 30, 31)
    own = _definition(1, 1, 1, 3, "main.py")
    [(file, blob)] = unchanged(_resolved(near, far, own), {"main.py"})
    assert (file.path, blob, file.additions, file.deletions) == ("lib.py", BLOB, 0, 0)
    assert [(h.new_start, h.new_count, h.old_start) for h in file.hunks] == [(5, 4, 5), (30, 2, 30)]
    assert all(line.text == f"line {line.new}" and line.old == line.new for line in file.lines)
    assert unchanged(_resolved(near), {"lib.py"}) == []


def test_lines_wanted_of_each_file() -> None:
    first, second = _definition(5, 5, 5, 6), _definition(6, 6, 6, 7)
    assert by_path([first, second, _definition(1, 1, 1, 1, "b.py")]) == {
        "lib.py": {5, 6, 7}, "b.py": {1},
    }  # fmt: skip


def _sheet(path: str, resolved: Resolved) -> Sheet:
    [file] = [file for file, _ in unchanged(resolved, ()) if file.path == path]
    made, hunk_of = rows(file, Screened(), crlf=False)
    return Sheet(path=path, printed=path, rows=made, hunk_of=hunk_of)


def test_a_helper_stands_on_rows_of_its_sheet_and_knows_the_rows_that_use_it() -> None:
    definition = _definition(5, 5, 5, 8)
    user = replace(_definition(2, 2, 2, 2, "main.py"), users=(("lib.py", 5),))
    both = Resolved((definition, user), (), {"lib.py": BLOB, "main.py": BLOB}, 2)
    sheets = {path: _sheet(path, both) for path in ("lib.py", "main.py")}
    first, second = helpers(both, sheets)
    assert [sheets["lib.py"].rows[i].line.new for i in first.rows] == [5, 6, 7, 8]
    assert first.users == (("main.py", 0),), "line 9 of main.py stands on no row"
    assert first.definition.state is DependencyState.SHOWN
    assert second.users == (("lib.py", 0),)


def test_no_helper_without_rows_or_without_a_user_that_is_there() -> None:
    resolved = _resolved(_definition(5, 5, 5, 8))
    assert helpers(resolved, {}) == ()
    assert helpers(resolved, {"lib.py": _sheet("lib.py", resolved)}) == ()


def test_every_definition_has_one_entry_with_or_without_a_place() -> None:
    near, far = _definition(5, 5, 5, 8), _definition(30, 30, 30, 31)
    user = replace(_definition(2, 2, 2, 2, "main.py"), users=(("lib.py", 5),))
    both = Resolved((near, far, user), (), {"lib.py": BLOB, "main.py": BLOB}, 2)
    lib = {"lib.py": _sheet("lib.py", both)}
    every = lib | {"main.py": _sheet("main.py", both)}
    for sheets, left in ((every, []), (lib, [5, 30, 2]), ({}, [5, 30, 2])):
        placed = helpers(both, sheets)
        others = unplaced(both, sheets, placed, screened=False)
        assert [d.start for d in others] == left
        assert len(placed) + len(others) == 3
        assert {d.state for d in others} <= {DependencyState.OMITTED}
    reasons = [d.reason for d in unplaced(both, lib, (), screened=False)]
    assert reasons == [Reason.DEADLINE, Reason.DEADLINE, Reason.NO_CONTEXT]
    names = {d.name for d in unplaced(both, lib, (), screened=True)}
    assert names == {"(not screened)"}, "it may be a credential, and nothing looked at its lines"
