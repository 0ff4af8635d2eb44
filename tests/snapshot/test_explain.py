"""What `explain` says of lines and files, against the snapshot's own account and text."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pr_review.domain.coverage import Mark
from pr_review.domain.diff import Side
from pr_review.domain.ledger import Reason
from pr_review.report.snapshot_json import snapshot_object
from pr_review.snapshot.explain import LineAccount
from pr_review.snapshot.explain.case import Case
from pr_review.snapshot.explain.files import file_account
from pr_review.snapshot.explain.lines import line_account
from pr_review.snapshot.explain.model import Part, Place, Remedy
from tests.snapshot.explained import LIMITS, PATHS, POLICY, UNCHANGED, case, repository
from tests.snapshot.repository import Repo, shown_rows, snapshot


@pytest.fixture(scope="module")
def made() -> Iterator[Case]:
    with case() as opened:
        yield opened


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return snapshot(repository(), tmp_path_factory.mktemp("told") / "out.json", *LIMITS)


@pytest.fixture(scope="module")
def accounts(made: Case) -> dict[tuple[str, int, Side], LineAccount]:
    """The account of every changed line, and of many unchanged ones."""
    found = {}
    for path in (*PATHS, *UNCHANGED):
        file = made.file(path)
        added = file.added_lines if file else ()
        for number in range(1, len(made.text(path) or ()) + 1):
            if path in UNCHANGED or number in added or number % 40 == 1:
                found[path, number, Side.RIGHT] = line_account(made, Place(path, path, number))
        for number in file.removed_lines if file else ():
            place = Place(path, path, number, Side.LEFT)
            found[path, number, Side.LEFT] = line_account(made, place)
    return found


def _seen(told: Any, path: str, number: int, side: Side) -> bool:
    """Whether a line is printed or folded, by the text and the JSON alone."""
    file: dict[str, Any] = next((f for f in told["files"] if f["path"] == path), {})
    if file.get("state") == "folded":
        return True
    if side is Side.LEFT:
        return number in file["shown_removed_lines"] + file["folded_removed_lines"]
    rows = shown_rows(told["text"]).get(path, [])
    return number in file.get("folded_added_lines", []) or any(
        row.startswith(f"{number} ") for row in rows
    )


def _mark(told: Any, path: str, number: int, side: Side) -> Mark:
    """What became of a line, by the text and the JSON alone."""
    file: dict[str, Any] = next((f for f in told["files"] if f["path"] == path), {})
    what = "removed" if side is Side.LEFT else "added"
    if file.get("state") == "folded" or number in file.get(f"folded_{what}_lines", []):
        return Mark.FOLDED
    if not _seen(told, path, number, side):
        return Mark.OMITTED
    hidden = [(r["path"], r["line"], r["side"]) for r in told["redactions"]]
    if (path, number, side.value) in hidden:
        return Mark.REDACTED
    if number in file.get(f"shown_{what}_lines", []):
        return Mark.SHOWN
    return Mark.CUT if number in file.get(f"{what}_lines", []) else Mark.CONTEXT


def test_after_an_earlier_review_every_known_line_is_folded_and_shown_without_it() -> None:
    """And of the others none is said to be known; by the ledger, line by line."""
    policy = replace(POLICY, since=Repo(repository()).object("then"))
    known = Counter[bool]()
    with case(policy) as made:
        for path in PATHS:
            file, entry = made.file(path), made.now.entry(path)
            assert file is not None
            assert entry is not None
            for line in (line for line in file.lines if line.changed):
                place = Place(path, path, line.number, line.side)
                folded = entry.folded_added if line.added else entry.folded_removed
                read = bool(entry.since) and line.number in folded
                account = line_account(made, place)
                known[read] += 1
                assert (Reason.REVIEWED in account.because) is read, place
                if read:
                    assert account.mark is Mark.FOLDED
                    assert account.says == f"reviewed before, at {policy.since[:12]}"
                    assert account.remedy
                    assert ("since", "") in account.remedy.changes
    assert known[True] > 50
    assert known[False] > 50


def test_the_case_is_what_the_command_takes(made: Case, told: Any) -> None:
    assert json.loads(json.dumps(snapshot_object(made.now.snapshot))) == told


def test_the_verdict_is_the_snapshots(
    accounts: dict[tuple[str, int, Side], LineAccount], told: Any
) -> None:
    wrong = {
        place: (account.mark, _mark(told, *place))
        for place, account in accounts.items()
        if account.mark is not _mark(told, *place)
    }
    assert not wrong
    counts = Counter(account.mark for account in accounts.values())
    assert set(counts) >= set(Mark) - {Mark.FOLDED}, "every fate of a line stands in the change"


def test_a_changed_line_is_one_that_git_counts(
    accounts: dict[tuple[str, int, Side], LineAccount], told: Any
) -> None:
    for file in (file for file in told["files"] if not file["binary"]):
        for side, what in ((Side.RIGHT, "added_lines"), (Side.LEFT, "removed_lines")):
            ours = {
                n
                for (p, n, s), a in accounts.items()
                if (p, s) == (file["path"], side) and a.changed
            }
            assert ours == set(file[what])


def test_every_line_that_is_not_shown_has_a_remedy_or_a_word(
    accounts: dict[tuple[str, int, Side], LineAccount],
) -> None:
    for place, account in accounts.items():
        if account.mark is Mark.OMITTED:
            assert bool(account.remedy) != bool(account.stuck), place
            assert account.because or not account.changed, place
        else:
            assert account.remedy is None, place


def _flags(remedy: Remedy, *, lower: int | None = None) -> list[str]:
    """The flags of a remedy; of the setting `lower` the next smaller value."""
    found = []
    for index, (setting, value) in enumerate(remedy.changes):
        given = str(remedy.fails[index]) if index == lower else value
        found += shlex.split(f"--{setting} {given}")
    return found


def test_every_remedy_shows_the_line_and_less_does_not(
    accounts: dict[tuple[str, int, Side], LineAccount], tmp_path: Path
) -> None:
    """Of each kind of remedy the first and the last are run by the command."""
    kinds: dict[tuple[str, ...], list[tuple[tuple[str, int, Side], Remedy]]] = {}
    for place, account in accounts.items():
        if account.remedy:
            settings = tuple(setting for setting, _ in account.remedy.changes)
            kinds.setdefault(settings, []).append((place, account.remedy))
    single = {kind[0] for kind in kinds if len(kind) == 1}
    assert {"diff-token-budget", "max-dependencies", "max-file-bytes"} <= single
    assert any("context-lines-before" in kind for kind in kinds)
    assert any("exclude" in kind for kind in kinds)

    def run(flags: list[str]) -> Any:
        return snapshot(repository(), tmp_path / "out.json", *LIMITS, *flags)

    for found in kinds.values():
        for place, remedy in (found[0], found[-1]):
            assert _seen(run(_flags(remedy)), *place), (place, remedy)
            for index, fails in enumerate(remedy.fails):
                if fails is not None:
                    lower = run(_flags(remedy, lower=index))
                    assert not _seen(lower, *place), (place, remedy)


@pytest.mark.parametrize("path", PATHS)
def test_the_remedy_of_a_file_shows_all_of_it(
    made: Case, told: Any, path: str, tmp_path: Path
) -> None:
    account = file_account(made, path)
    file = next(f for f in told["files"] if f["path"] == path)
    assert (account.entry.state, account.entry.reason) == (file["state"], file["reason"])
    if file["state"] in ("shown", "folded"):
        assert account.remedy is None
    elif account.remedy is None:
        assert path in ("src/nul.py", "src/long.py")
        assert account.stuck
    else:
        out = tmp_path / "out.json"
        after = snapshot(repository(), out, *LIMITS, *_flags(account.remedy))
        file = next(f for f in after["files"] if f["path"] == path)
        assert file["state"] in ("shown", "folded") or file["reason"] == "long_line"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("src/app.py", "no rule takes its path for anything but code"),
        ("conf.yaml", "its name is that of configuration"),
        ("docs/manual.md", "its name is that of prose"),
        ("yarn.lock", "lockfile of Yarn, by its path (yarn.lock)"),
        ("logo.png", "by its path (*.png)"),
    ],
)
def test_the_rule_behind_a_tier_is_named(made: Case, path: str, words: str) -> None:
    assert words in file_account(made, path).tier_why


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("src/app.py", "syntax, 7 definitions"),
        ("conf.yaml", "indentation, 1 definitions"),
        ("docs/manual.md", "context-skip-suffixes"),
        ("gone.py", "not in the head"),
        ("notes/plan.txt", "the glob notes/** of exclude names it"),
        ("src/nul.py", "not readable as text"),
        ("logo.png", "one sentence stands for the file"),
        ("yarn.lock", "tier generated"),
    ],
)
def test_how_the_structure_was_read_is_said(made: Case, path: str, words: str) -> None:
    assert words in file_account(made, path).structure


def test_pieces_stand_in_the_order_in_which_they_are_shown(made: Case) -> None:
    account = file_account(made, "src/large.py")
    one = account.turns[0]
    assert one.of > one.dealt >= one.shown > 0
    assert sum(len(turn.values) for turn in account.turns) == 250
    for turn in account.turns:
        assert turn.worth == pytest.approx(sum(worth for _, worth in turn.values))
        assert turn.tokens > 0
    ordered = sorted(account.turns, key=lambda turn: turn.rank)
    scores = [turn.score for turn in ordered]
    assert scores == sorted(scores, reverse=True)


def _line(made: Case, path: str, number: int) -> LineAccount:
    return line_account(made, Place(path, path, number))


def test_roles_of_context(made: Case) -> None:
    text = made.text("src/app.py") or []
    signature = text.index("def worker(first, second):") + 1
    change = text.index("    answer = requests.get(first, timeout=second)") + 1
    role = _line(made, "src/app.py", signature).roles[0]
    assert (role.part, role.names) == (Part.SIGNATURE, ("worker",))
    assert role.of
    assert (role.of.first, role.of.last) == (change, change)
    assert _line(made, "src/app.py", change - 1).roles[0].part is Part.NEXT
    assert _line(made, "src/app.py", change - 5).roles[-1].part is Part.NEAR
    helper = _line(made, "lib/tools.py", 1).roles[0]
    assert (helper.part, helper.names) == (Part.DEFINITION, ("helper_0",))
    assert [user.path for user in helper.users] == ["src/app.py"]
