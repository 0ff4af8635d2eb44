"""What became of every line agrees with the ledger, and no text is in it that was not screened."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.adapters.git import LocalSource
from pr_review.adapters.secrets import Kingfisher
from pr_review.adapters.syntax import TreeSitter
from pr_review.adapters.tokens import token_counter
from pr_review.domain.coverage import CoverageReport, Mark, MarkedFile, MarkedLine
from pr_review.domain.diff import Change, Status
from pr_review.domain.ledger import DependencyState
from pr_review.snapshot.fit import fit
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.prepare import Prepared, Tools, prepare
from pr_review.snapshot.view import coverage_report
from tests.snapshot.credentials import random_looking
from tests.snapshot.listing import added, change, file, hunk, prepared, tools
from tests.snapshot.repository import Blob, make

SECRET = f"ghp_{random_looking('view', 36)}"
POLICY = SnapshotPolicy()


def report(ready: Prepared, policy: SnapshotPolicy = POLICY) -> CoverageReport:
    made = coverage_report(ready, fit(ready, policy, token_counter()))
    for one in made.files:
        agrees(one)
    return made


def of(given_change: Change, policy: SnapshotPolicy = POLICY) -> CoverageReport:
    return report(prepared(given_change, policy), policy)


def agrees(one: MarkedFile) -> None:
    """Marks and ledger tell the same of a file, line by line, and lines stand in order."""
    numbers = [line.new for line in one.lines if line.new is not None]
    assert numbers == sorted(set(numbers))
    if one.entry is None:
        assert not any(line.mark in (Mark.SHOWN, Mark.OMITTED, Mark.FOLDED) for line in one.lines)
        return
    entry = one.entry
    seen = {Mark.SHOWN, Mark.REDACTED}
    for side, every, shown, folded in (
        ("new", entry.added_lines, entry.shown_added, entry.folded_added),
        ("old", entry.removed_lines, entry.shown_removed, entry.folded_removed),
    ):
        lines = [x for x in one.lines if x.changed and getattr(x, side) is not None]
        marked = {getattr(line, side): line.mark for line in lines}
        assert tuple(sorted(marked)) == every
        assert {n for n, mark in marked.items() if mark in seen} == set(shown)
        assert {n for n, mark in marked.items() if mark is Mark.FOLDED} == set(folded)
    around = [x for x in one.lines if not x.changed and x.mark is not Mark.CUT]
    assert tuple(line.new for line in around) == entry.context
    assert all(line.why for line in one.lines if line.mark not in (Mark.SHOWN, Mark.CONTEXT))


def marks(one: MarkedFile) -> Mapping[str, int]:
    return Counter(line.mark.value for line in one.lines)


def test_lines_are_marked_shown_cut_and_omitted_with_the_reason() -> None:
    texts = ["kept", "old", "new", "x" * 2_500, "kept too"]
    (one,) = of(change(file("src/a.py", hunk(" -++ ", texts, old=9, new=9)))).files
    cut = "x" * 2_000 + "… [line cut: 500 more bytes]"
    assert one.lines == (
        MarkedLine(9, 9, "kept", Mark.CONTEXT),
        MarkedLine(10, None, "old", Mark.SHOWN),
        MarkedLine(None, 10, "new", Mark.SHOWN),
        MarkedLine(None, 11, cut, Mark.CUT, "lines over 2,000 bytes are cut"),
        MarkedLine(11, 12, "kept too", Mark.CONTEXT),
    )


def test_what_a_budget_leaves_out_is_listed_with_its_text() -> None:
    policy = SnapshotPolicy(token_budget=1_000)
    (first, second) = of(change(added("src/a.py", 200), added("b.lock", 900)), policy).files
    assert set(marks(first)) == {"shown", "omitted"}
    assert marks(second) == {"omitted": 900}
    assert {line.why for line in second.lines} == {"over the token budget"}
    assert second.lines[-1].text == "value = 900"


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    st.lists(
        st.lists(st.sampled_from([*" +-+-", "long"]), min_size=1, max_size=40),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from([1_000, 1_200, 2_000, 9_000]),
)
def test_marks_agree_with_the_ledger_whatever_the_budget(
    files: list[list[str]], budget: int
) -> None:
    given_change = change(
        *(
            file(
                f"src/{index}.py",
                hunk(
                    "".join("+" if kind == "long" else kind for kind in kinds),
                    [f"f({n})" + "z" * 2_200 * (kind == "long") for n, kind in enumerate(kinds)],
                ),
            )
            for index, kinds in enumerate(files)
        )
    )
    of(given_change, SnapshotPolicy(token_budget=budget))


def test_a_file_described_in_a_sentence_is_folded_and_the_sentence_is_said() -> None:
    flipped = hunk("-+", [SECRET, SECRET + "\r"])
    (one,) = of(change(file("conf.ini", flipped))).files
    says = "line endings alone changed, LF to CRLF, 1 lines"
    assert one.lines == (
        MarkedLine(1, None, "", Mark.FOLDED, says),
        MarkedLine(None, 1, "", Mark.FOLDED, says),
    )


def test_what_was_never_screened_is_listed_without_its_text() -> None:
    clock = iter([False, False, False, True])
    policy = SnapshotPolicy(exclude=("*.lock",))
    changed = change(
        added("src/a.py", 1), added("x.lock", 2, SECRET), added("src/late.py", 1, SECRET)
    )
    ready = prepare(changed, policy, tools(late=lambda: next(clock)))
    made = report(ready, policy)
    assert [(line.text, line.why) for one in made.files[1:] for line in one.lines] == [
        ("", "excluded by settings"),
        ("", "excluded by settings"),
        ("", "not ready before the deadline"),
    ]


def test_a_file_that_was_never_read_has_no_lines() -> None:
    (one,) = of(change(file("a.py", counts=(4, 2), defect="unreadable"))).files
    assert (one.lines, one.entry and one.entry.omitted) == ((), 6)


def test_lines_that_were_reviewed_before_are_folded_and_their_text_is_there() -> None:
    texts = [f"line {n}" for n in range(20)]
    made = change(
        file("src/a.py", hunk("-+", texts[:2]), hunk("++", texts[2:4], old=9, new=9)),
    )
    policy = SnapshotPolicy(since="5" * 40)
    (one,) = report(
        prepare(made, policy, tools(touched={"src/a.py": (range(9, 10),)})), policy
    ).files
    why = "reviewed before, at 555555555555"
    assert [(line.text, line.mark, line.why) for line in one.lines] == [
        ("line 0", Mark.FOLDED, why),
        ("line 1", Mark.FOLDED, why),
        ("line 2", Mark.SHOWN, ""),
        ("line 3", Mark.SHOWN, ""),
    ]


BASE = f"""\
import os


def price(item):
    key = "{SECRET}"
    return item.cost * rate(key)
"""
APP = """\
from shop.util import price


def total(items):
    result = 0
    for item in items:
        result += item.cost
    return result
"""


@pytest.fixture
def repository(tmp_path: Path) -> CoverageReport:
    """A changed line uses a definition of an unchanged file that holds a credential."""
    base = {
        b"shop/util.py": Blob(BASE.encode()),
        b"shop/app.py": Blob(APP.encode()),
        f"conf/{SECRET}.txt".encode(): Blob(b"a\n"),
    }
    changed = APP.replace("item.cost", "price(item)").replace("result = 0", f'key = "{SECRET}"')
    head = {
        b"shop/app.py": Blob(changed.encode()),
        f"conf/{SECRET}.txt".encode(): Blob(b"b\n"),
    }
    repo = make(tmp_path / "repo.git", base, head)
    passed = {"PATH": os.environ["PATH"]}
    with LocalSource(
        repo.folder, base="base", head="head", max_bytes=8_000_000, passed=passed
    ) as source:
        return report(prepare(source.change(), POLICY, Tools(source, TreeSitter(), Kingfisher())))


def test_definitions_of_unchanged_files_stand_behind_the_changed_ones(
    repository: CoverageReport,
) -> None:
    *_, app, util = repository.files
    assert (app.path, util.path, util.entry) == ("shop/app.py", "shop/util.py", None)
    assert [(line.new, line.mark) for line in util.lines] == [
        (4, Mark.CONTEXT),
        (5, Mark.REDACTED),
        (6, Mark.CONTEXT),
    ]
    (found,) = (d for d in repository.snapshot.ledger.dependencies if d.name == "price")
    assert (found.path, found.start, found.end) == ("shop/util.py", 4, 6)
    assert found.state is DependencyState.SHOWN


def test_credentials_are_named_by_their_rule_and_nowhere_told(repository: CoverageReport) -> None:
    texts = [f"{one.path}{line.text}{line.why}" for one in repository.files for line in one.lines]
    assert SECRET not in "\n".join(texts)
    hidden = [x for one in repository.files for x in one.lines if x.mark is Mark.REDACTED]
    assert len(hidden) == 2
    assert all(line.why.startswith("holds a credential (") for line in hidden)
    places = {(r.path, r.line) for r in repository.snapshot.ledger.redactions if r.line}
    assert places == {("shop/app.py", 5), ("shop/util.py", 5)}


def test_a_rename_without_lines_is_a_file_of_the_report() -> None:
    moved = file("b.py", status=Status.RENAMED, old_path="a.py")
    (one,) = of(change(moved)).files
    assert (one.path, one.lines) == ("b.py", ())
