"""Several passes: what source and tests do not fit into one text, in more of them."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.adapters.tokens import token_counter
from pr_review.domain.diff import Status
from pr_review.domain.ledger import Entry, Reason, Tier
from pr_review.domain.snapshot import Snapshot
from pr_review.domain.text import visible_line
from pr_review.snapshot.fit import fit
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.prepare import Prepared
from tests.snapshot.programs import History, changes, earlier, few
from tests.snapshot.repository import Blob, Files, Repo, make, shown_rows
from tests.snapshot.taking import Printed, printed, ready, taken

fewer = settings(few, max_examples=6)
policies = st.builds(
    SnapshotPolicy,
    token_budget=st.sampled_from([1_000, 1_200, 2_000, 4_000]),
    max_file_bytes=st.sampled_from([3_000, 65_536]),
    context_bytes=st.sampled_from([300, 262_144]),
    dependencies=st.sampled_from([0, 8]),
    passes=st.sampled_from([2, 3, 4]),
)


@st.composite
def large(draw: st.DrawFn) -> tuple[Files, Files]:
    """Changes of programs in four folders, most of them over the smaller budgets."""
    base: dict[bytes, Blob | None] = {}
    head: dict[bytes, Blob | None] = {}
    for folder in (b"one/", b"one/two/", b"three/", b"tests/"):
        for tree, files in zip((base, head), draw(changes()), strict=True):
            tree.update({folder + path: blob for path, blob in files.items()})
    return base, head


@st.composite
def histories(draw: st.DrawFn) -> History:
    change = draw(large())
    return *change, draw(earlier(change))


def code(name: str, lines: int) -> Blob:
    text = "".join(f"{name}_{n} = compute({n}, {n * 7 % 13}, other)\n" for n in range(lines))
    return Blob(text.encode())


BASE: Files = {b"keep.md": Blob(b"kept\n")}
HEAD: Files = {
    **{f"src/cart/part_{n}.py".encode(): code(f"cart_{n}", 20) for n in range(4)},
    **{f"src/mail/part_{n}.py".encode(): code(f"mail_{n}", 20) for n in range(4)},
    b"tests/test_cart.py": code("test", 20),
    b"yarn.lock": Blob(b"".join(b'"package-%d@^1": "%d"\n' % (n, n * n) for n in range(20))),
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """Two folders of source, a test and a lockfile."""
    return ready(make(tmp_path_factory.mktemp("passes") / "repo.git", BASE, HEAD), SnapshotPolicy())


def fitted(prepared: Prepared, budget: int, passes: int, *, cap: int = 65_536) -> Snapshot:
    policy = SnapshotPolicy(token_budget=budget, max_file_bytes=cap, passes=passes)
    return fit(prepared, policy, token_counter())


def numbers(found: Snapshot) -> dict[str, tuple[int, ...]]:
    return {entry.path: entry.passes for entry in found.ledger.entries}


def test_what_fits_is_read_at_once_however_many_passes_there_may_be(prepared: Prepared) -> None:
    one, many = fitted(prepared, 50_000, 1), fitted(prepared, 50_000, 4)
    assert many == replace(one, max_passes=4)
    assert not many.parts
    assert len(many.passes) == 1
    assert not any(entry.passes for entry in many.ledger.entries)


def test_a_lockfile_alone_is_not_worth_a_second_pass(prepared: Prepared) -> None:
    whole = fitted(prepared, 50_000, 1)
    budget = whole.tokens - whole.ledger.by_path["yarn.lock"].tokens // 2
    many = fitted(prepared, budget, 4)
    assert many.ledger.by_path["yarn.lock"].reason is Reason.BUDGET
    assert not many.parts


def test_the_fewest_passes_that_hold_source_and_tests(prepared: Prepared) -> None:
    counts = [len(fitted(prepared, budget, 4).passes) for budget in (2_200, 2_600, 6_000)]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == 1
    assert len(set(counts)) > 1
    for most in (2, 3):
        assert len(fitted(prepared, 2_200, most).passes) <= most


def test_a_folder_stays_together(prepared: Prepared) -> None:
    found = fitted(prepared, 2_600, 4)
    assert len(found.passes) > 1
    by_folder: dict[str, set[tuple[int, ...]]] = {}
    for path, passes in numbers(found).items():
        if path.startswith("src/"):
            by_folder.setdefault(path.rpartition("/")[0], set()).add(passes)
    assert [len(passes) for passes in by_folder.values()] == [1, 1]
    assert by_folder["src/cart"] != by_folder["src/mail"]
    assert found.ledger.coverage_source == "full"


def test_each_pass_is_told_what_the_others_hold(prepared: Prepared) -> None:
    found = fitted(prepared, 2_600, 4)
    for number, part in enumerate(found.passes, 1):
        head, _, body = part.text.partition("<<<diff")
        assert f"read in {len(found.passes)} passes, and this is pass {number}:" in head
        for path, passes in numbers(found).items():
            here = f"## {path} (" in body
            assert here == (number in passes)
            [line] = [x for x in head.split("\n") if x.startswith(f"- {path} (")] or [""]
            assert bool(line) != here
            assert not passes or here or line.endswith(f": read in pass {passes[0]}")
        shown = sum(entry.shown for entry in part.ledger.entries)
        assert f"{shown} of {sum(e.changed for e in found.ledger.entries)} changed lines" in head


def test_what_is_in_no_pass_is_told_in_each(prepared: Prepared) -> None:
    found = fitted(prepared, 1_300, 2)
    lost = [e for e in found.ledger.entries if not e.passes and e.tier is not Tier.SOURCE]
    assert lost
    assert all(entry.reason is Reason.BUDGET for entry in lost)
    for part in found.passes:
        for entry in lost:
            assert part.ledger.by_path[entry.path].reason is Reason.BUDGET
        assert "over the token budget" in part.text.partition("<<<diff")[0]


def test_where_not_all_fits_little_of_a_pass_is_left_over(tmp_path: Path) -> None:
    head: Files = {
        f"{folder}/part_{n}.py".encode(): code(f"{folder}_{n}", 20)
        for folder in ("cart", "mail", "shop")
        for n in range(8)
    }
    prepared = ready(make(tmp_path / "repo.git", BASE, head), SnapshotPolicy())
    found = fitted(prepared, 2_000, 3)
    assert [part.tokens > 1_700 for part in found.parts] == [True] * 3
    assert found.ledger.coverage_source == "partial"


def test_a_file_over_its_cap_alone_takes_no_second_pass(tmp_path: Path) -> None:
    head: Files = {b"src/large.py": code("large", 200)}
    prepared = ready(make(tmp_path / "repo.git", BASE, head), SnapshotPolicy(max_file_bytes=3_000))
    found = fitted(prepared, 50_000, 4, cap=3_000)
    assert found.ledger.by_path["src/large.py"].reason is Reason.FILE_CAP
    assert not found.parts


def test_a_file_that_is_over_a_budget_alone_goes_on_in_the_next_pass(tmp_path: Path) -> None:
    head: Files = {b"src/large.py": code("large", 110), b"src/small.py": code("small", 3)}
    prepared = ready(make(tmp_path / "repo.git", BASE, head), SnapshotPolicy())
    found = fitted(prepared, 1_200, 4)
    passes = numbers(found)
    assert len(passes["src/large.py"]) > 1
    assert len(passes["src/small.py"]) == 1
    assert found.ledger.coverage_source == "full"
    shown = [part.ledger.by_path["src/large.py"].shown_added for part in found.passes]
    assert sorted(n for some in shown for n in some) == list(range(1, 111))
    assert f"src/large.py (added, source, +{len(shown[0])} of 110" in found.passes[0].text


def test_the_cap_of_a_file_holds_for_all_passes_together(tmp_path: Path) -> None:
    head: Files = {b"src/large.py": code("large", 200)}
    prepared = ready(make(tmp_path / "repo.git", BASE, head), SnapshotPolicy(max_file_bytes=4_000))
    found = fitted(prepared, 1_200, 4, cap=4_000)
    assert len(found.parts) > 1
    rows = [row for part in found.parts for row in shown_rows(part.text)["src/large.py"]]
    assert 2_000 < sum(len(row) + 1 for row in rows if row[0] != "…") <= 4_000
    assert found.ledger.by_path["src/large.py"].reason is Reason.FILE_CAP


def test_a_definition_stands_in_the_pass_of_its_users(tmp_path: Path) -> None:
    """Also where it is one of a changed file, whose own changes are read in another pass."""
    tools = [f"def tool_{n}(value):\n    return value + {n}\n\n" for n in range(2)]
    filler = code("filler", 45).content
    base: Files = {b"a/tools.py": Blob("".join(tools).encode()), b"b/app.py": Blob(b"x = 1\n")}
    head: Files = {
        b"a/tools.py": Blob("".join(tools).encode() + filler),
        b"b/app.py": Blob(b"from a.tools import tool_0\n\ny = tool_0(1)\n" + filler),
    }
    prepared = ready(make(tmp_path / "repo.git", base, head), SnapshotPolicy())
    found = fitted(prepared, 1_200, 2)
    passes = numbers(found)
    assert passes["a/tools.py"] != passes["b/app.py"]
    [used] = [d for d in found.ledger.dependencies if d.name == "tool_0"]
    assert used.state == "shown"
    [number] = passes["b/app.py"]
    part = found.passes[number - 1]
    assert "\n1  def tool_0(value):\n2      return value + 0\n" in part.text
    assert not part.ledger.by_path["a/tools.py"].shown


@fewer
@given(histories(), policies, st.sampled_from(["", "then"]))
def test_every_line_has_one_place_in_one_pass(
    history: History, policy: SnapshotPolicy, review: str
) -> None:
    """Against git: what the passes print, all together, is what the ledger says is shown."""
    with tempfile.TemporaryDirectory() as folder:
        base, head, then = history
        repo = make(Path(folder) / "repo.git", base, head, then=then)
        policy = replace(policy, since=repo.object(review) if review else "")
        prepared = ready(repo, policy)
        found = fit(prepared, policy, token_counter())
        rows = repo.rows
    _within_budget(found, policy)
    new = {f.path for f in prepared.change.files if f.status is Status.ADDED}
    sections = [
        {
            path: printed(part_rows, new=path in new)
            for path, part_rows in _sections(part.text, found)
        }
        for part in found.passes
    ]
    for entry in found.ledger.entries:
        row = rows[entry.path]
        assert (entry.additions, entry.deletions) == (row.added, row.removed)
        mine = [part[entry.path] for part in sections if entry.path in part]
        _once(entry, mine)
        for one in mine:
            _adds_up(entry, one)


def _within_budget(found: Snapshot, policy: SnapshotPolicy) -> None:
    assert 1 <= len(found.passes) <= policy.passes
    assert found.text == "".join(part.text for part in found.passes)
    assert found.tokens == sum(part.tokens for part in found.passes)
    for part in found.passes:
        assert token_counter().count(part.text) == part.tokens <= policy.token_budget


def _sections(text: str, found: Snapshot) -> Iterator[tuple[str, list[str]]]:
    paths = {visible_line(entry.path): entry.path for entry in found.ledger.entries}
    for name, rows in shown_rows(text).items():
        if name in paths:
            yield paths[name], rows


def _once(entry: Entry, passes: list[list[Printed]]) -> None:
    """No changed line is printed twice, and those printed whole are the ones that are shown."""
    added = Counter(row.number for rows in passes for row in rows if row.sign == "+")
    assert set(added.values()) <= {1}
    cut = {
        row.number
        for rows in passes
        for row in rows
        if row.sign == "+" and "[line cut: " in row.text
    }
    assert set(added) - cut <= set(entry.shown_added) <= set(added)
    removed = [row for rows in passes for row in rows if row.sign == "-"]
    long = sum("… [line cut: " in row.text for row in removed)
    assert len(removed) - long <= len(entry.shown_removed) <= len(removed)


def _adds_up(entry: Entry, rows: list[Printed]) -> None:
    """Each pass says of a file how much of it is missing there."""
    if not rows:
        return
    for sign, total in (("+", entry.additions), ("-", entry.deletions)):
        hidden = sum(row.added if sign == "+" else row.removed for row in rows)
        assert sum(row.sign == sign for row in rows) + hidden == total


@fewer
@given(large(), policies)
def test_several_passes_show_all_that_one_shows(
    change: tuple[Files, Files], policy: SnapshotPolicy
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        prepared = ready(make(Path(folder) / "repo.git", *change), policy)
    one = fit(prepared, replace(policy, passes=1), token_counter()).ledger.by_path
    many = fit(prepared, policy, token_counter())
    for path, entry in many.ledger.by_path.items():
        assert set(entry.shown_added) >= set(one[path].shown_added)
        assert set(entry.shown_removed) >= set(one[path].shown_removed)
        assert not (one[path].in_sight and not entry.in_sight)
    if many.parts:
        gained = [e.path for e in many.ledger.entries if e.omitted < one[e.path].omitted]
        assert any(many.ledger.by_path[path].reviewable for path in gained)
        _whole_files(many, policy)


def _whole_files(found: Snapshot, policy: SnapshotPolicy) -> None:
    """A file is in one pass, unless it takes more than what a pass plans with."""
    for entry in found.ledger.entries:
        if len(entry.passes) > 1:
            assert entry.tokens > policy.token_budget // 2
        holding = [part for part in found.parts if part.ledger.by_path[entry.path].shown]
        assert len(holding) <= max(1, len(entry.passes))


@fewer
@given(histories(), policies)
def test_equal_commits_and_settings_give_equal_passes(
    history: History, policy: SnapshotPolicy
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        one = _repository(Path(folder) / "one.git", history)
        other = _repository(Path(folder) / "other.git", [_reversed(files) for files in history])
        assert taken(other, policy) == taken(one, policy)


def _repository(folder: Path, history: History | list[Mapping[bytes, Blob | None]]) -> Repo:
    base, head, _ = history
    return make(folder, base, head)


def _reversed(files: Files) -> Mapping[bytes, Blob | None]:
    return dict(reversed(list(files.items())))
