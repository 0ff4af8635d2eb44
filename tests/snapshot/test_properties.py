"""What holds of every snapshot, over generated repositories of programs: real git, real parsers.

`test_balance.py` holds the ledger against git; here the text is held against the blobs, the
budgets, the order of pieces, and a second look at the same commits.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from string import digits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.adapters.tokens import token_counter
from pr_review.domain.diff import FileChange, Status
from pr_review.domain.ledger import Entry, Reason, State
from pr_review.domain.snapshot import Snapshot
from pr_review.domain.text import visible, visible_line
from pr_review.snapshot.fit import fit
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.prepare import Prepared
from pr_review.snapshot.ranking import Prices, Turn
from pr_review.snapshot.truncate import groups
from tests.snapshot.programs import (
    STYLES,
    History,
    blob,
    blocks,
    changes,
    edited,
    few,
    histories,
    programs,
    written,
)
from tests.snapshot.repository import Blob, Files, Repo, make, shown_rows
from tests.snapshot.taking import Printed, printed, ready, taken

policies = st.builds(
    SnapshotPolicy,
    token_budget=st.sampled_from([1_000, 2_000, 4_000, 100_000]),
    max_file_bytes=st.sampled_from([600, 3_000, 65_536]),
    context_bytes=st.sampled_from([0, 300, 262_144]),
    dependencies=st.sampled_from([0, 1, 8]),
    lines_before=st.sampled_from([0, 3, 40]),
    lines_after=st.sampled_from([0, 1, 40]),
    dynamic=st.booleans(),
    scope_lines=st.sampled_from([0, 20]),
)


# The commit up to which an earlier review read the change; or none.
reviews = st.sampled_from(["", "", "then", "then", "head", "base"])


def repository(folder: Path, history: History) -> Repo:
    base, head, then = history
    return make(folder, base, head, then=then)


def after(repo: Repo, review: str, policy: SnapshotPolicy) -> SnapshotPolicy:
    """The policy of a run after a review of this commit."""
    return replace(policy, since=repo.object(review)) if review else policy


@few
@given(histories(), policies, reviews)
def test_the_text_is_what_the_blobs_say(
    history: History, policy: SnapshotPolicy, review: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        repo = repository(Path(folder) / "repo.git", history)
        policy = after(repo, review, policy)
        prepared = ready(repo, policy)
        found = fit(prepared, policy, token_counter())
        assert token_counter().count(found.text) == found.tokens <= policy.token_budget
        sections = shown_rows(found.text)
        entries = found.ledger.by_path
        for file in prepared.change.files:
            new = file.status is Status.ADDED
            rows = printed(sections.pop(visible_line(file.path), []), new=new)
            _lines_of_the_blob(rows, repo.lines(file.new_oid))
            _removed_in_order(rows, repo.lines(file.old_oid))
            if rows:
                _gaps_add_up(rows, entries[file.path], file)
        for path, unchanged in sections.items():
            _lines_of_the_blob(printed(unchanged), _at_head(repo, path))
        _context_within_its_caps(found, prepared, policy)


def _at_head(repo: Repo, path: str) -> list[bytes]:
    return repo.lines(repo.object(f"head:{path}"))


def _lines_of_the_blob(rows: Sequence[Printed], lines: Sequence[bytes]) -> None:
    """Every numbered line is the one that stands there, and none stands twice."""
    numbers = [row.number for row in rows if row.number]
    assert numbers == sorted(set(numbers))
    for row in rows:
        if row.number:
            assert _same(row.text, lines[row.number - 1]), row


def _removed_in_order(rows: Sequence[Printed], lines: Sequence[bytes]) -> None:
    """The removed lines are lines of the old side, in its order."""
    left = iter(lines)
    for row in rows:
        if row.sign == "-":
            assert any(_same(row.text, line) for line in left), row


def _same(text: str, line: bytes) -> bool:
    """A printed line is the blob's made visible; a file of CRLF alone says so in its header."""
    whole = visible(line.decode("utf-8", "surrogateescape"))
    bare = visible(line.removesuffix(b"\r").decode("utf-8", "surrogateescape"))
    start, cut, _ = text.partition("… [line cut: ")
    return text in (whole, bare) or (bool(cut) and len(start) > 400 and whole.startswith(start))


def _gaps_add_up(rows: Sequence[Printed], entry: Entry, file: FileChange) -> None:
    """What is printed and what the gaps hide is all that changed, each in its place."""
    for sign, total in (("+", file.additions), ("-", file.deletions)):
        hidden = sum(row.added if sign == "+" else row.removed for row in rows)
        assert sum(row.sign == sign for row in rows) + hidden == total
    ends = [0, *(row.number for row in rows if row.number), sys.maxsize]
    counts = [0]
    for row in rows:
        if row.number:
            counts.append(0)
        counts[-1] += row.added
    for (low, high), count in zip(pairwise(ends), counts, strict=True):
        assert sum(low < number < high for number in entry.added_lines) == count
    if entry.since:
        assert sum(row.read_added for row in rows) == len(entry.folded_added)
        assert sum(row.read_removed for row in rows) == len(entry.folded_removed)
    assert set(entry.context) <= {row.number for row in rows if row.sign == " "}


def _context_within_its_caps(found: Snapshot, prepared: Prepared, policy: SnapshotPolicy) -> None:
    beyond = 0
    own = {f.path: {str(line.new) for line in f.lines} for f in prepared.change.files}
    for path, rows in shown_rows(found.text).items():
        sizes = [(row, len(row.encode()) + 1) for row in rows if not row.startswith("…")]
        assert sum(size for _, size in sizes) <= policy.max_file_bytes
        mine = own.get(path, set())
        beyond += sum(
            size for row, size in sizes if row[0] in digits and row.partition(" ")[0] not in mine
        )
    assert beyond <= policy.context_bytes


@few
@given(histories(), policies, reviews)
def test_equal_commits_and_settings_give_equal_bytes(
    history: History, policy: SnapshotPolicy, review: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        one = repository(Path(folder) / "one.git", history)
        other = repository(Path(folder) / "other.git", _reversed(history))
        assert one.object("then") == other.object("then")
        policy = after(one, review, policy)
        assert taken(other, policy) == taken(one, policy)


def _reversed(history: History) -> History:
    """The same trees, told to git in another order."""
    base, head, then = (dict(reversed(list(files.items()))) for files in history)
    return base, head, then


@few
@given(histories())
def test_what_was_reviewed_is_what_no_line_of_git_touches_since(history: History) -> None:
    """By git's own line numbers, and all that is not folded is shown."""
    with tempfile.TemporaryDirectory() as folder:
        repo = repository(Path(folder) / "repo.git", history)
        found = taken(repo, after(repo, "then", SnapshotPolicy()))
        for entry in found.ledger.entries:
            assert entry.in_sight or entry.reason is Reason.LONG_LINE
            if entry.since:
                assert not _touched(repo, entry.path) & set(entry.folded_added)
                assert entry.reviewable


def _touched(repo: Repo, path: str) -> set[int]:
    """New-side numbers of the lines that differ from the reviewed commit, by `git diff`."""
    out = repo.git("diff", "-U0", "--no-renames", "then", "head", "--", f":(literal){path}")
    found: set[int] = set()
    for start, count in re.findall(rb"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", out, re.MULTILINE):
        found.update(range(int(start), int(start) + int(count or 1)))
    return found


@few
@given(changes(), policies)
def test_a_review_of_this_very_head_leaves_nothing_to_read_in_source(
    change: tuple[Files, Files], policy: SnapshotPolicy
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        repo = make(Path(folder) / "repo.git", *change)
        found = taken(repo, after(repo, "head", policy))
    for entry in found.ledger.entries:
        if entry.reviewable and entry.changed and entry.described:
            assert (entry.state, entry.reason) == (State.FOLDED, Reason.REVIEWED)
            assert entry.folded == entry.changed
            assert not entry.context


@few
@given(changes(), policies)
def test_a_review_of_the_merge_base_changes_the_notice_alone(
    change: tuple[Files, Files], policy: SnapshotPolicy
) -> None:
    policy = replace(policy, token_budget=100_000)
    with tempfile.TemporaryDirectory() as folder:
        repo = make(Path(folder) / "repo.git", *change)
        plain = taken(repo, policy)
        found = taken(repo, after(repo, "base", policy))
    head, body = found.text.split("<<<diff")
    plain_head, plain_body = plain.text.split("<<<diff")
    assert body == plain_body
    assert found.ledger == plain.ledger
    told = [line for line in head.split("\n") if line not in plain_head.split("\n")]
    [line] = told
    assert line.startswith("Nothing of this change stands as it was reviewed at ")


@st.composite
def large(draw: st.DrawFn) -> tuple[Files, Files]:
    """Two trees of which the difference is over a small budget."""
    base: dict[bytes, Blob | None] = {}
    head: dict[bytes, Blob | None] = {}
    for number in range(3):
        style = draw(st.sampled_from(STYLES[:5]))
        path = f"src/part_{number}.{style.suffix}".encode()
        lines = written(draw(programs), style)
        base[path] = blob(lines, "\n", whole=True)
        head[path] = blob(edited(lines, draw(blocks)), "\n", whole=True)
    return base, head


@few
@given(large(), st.lists(st.integers(1_000, 4_000), min_size=2, max_size=4))
def test_pieces_are_shown_in_their_order_whatever_the_budget(
    change: tuple[Files, Files], budgets: list[int]
) -> None:
    """So no larger budget drops a piece and shows one of lower rank in its place: others are in
    sight only where their lines help to read those.
    """
    policy = SnapshotPolicy()
    with tempfile.TemporaryDirectory() as folder:
        prepared = ready(make(Path(folder) / "repo.git", *change), policy)
    ranks = groups(prepared.drafts, policy, Prices(token_counter().count))
    for budget in sorted(budgets):
        found = fit(prepared, replace(policy, token_budget=budget), token_counter())
        for rank in ranks:
            shown = [_is_shown(turn, found) for turn in rank.turns]
            first = [*shown, False].index(False)
            helps = _context(rank.turns[:first], prepared)
            for turn, in_sight in zip(rank.turns[first:], shown[first:], strict=True):
                rows = {(turn.draft.path, row) for row in turn.piece.changed}
                assert not in_sight or rows <= helps


def _is_shown(turn: Turn, found: Snapshot) -> bool:
    [sent] = [sent for sent in found.sent if sent.path == turn.draft.path]
    lines = {(line.old, line.new) for line in sent.lines}
    rows = (turn.draft.rows[i].line for i in turn.piece.changed)
    return all((row.old, row.new) in lines for row in rows)


def _context(turns: Sequence[Turn], prepared: Prepared) -> set[tuple[str, int]]:
    """Rows that help to read some pieces, by path: those around them, and definitions."""
    helps = {(helper.sheet.path, row) for helper in prepared.helpers for row in helper.rows}
    for turn in turns:
        piece = turn.piece
        around = (*piece.signature, *piece.named, *piece.own, *piece.near, *piece.scope)
        helps |= {(turn.draft.path, row) for row in (*piece.rows, *around)}
    return helps


def _fixed() -> tuple[Files, Files]:
    """A change in every language of the generator, the same in every run."""
    base: dict[bytes, Blob | None] = {}
    head: dict[bytes, Blob | None] = {}
    kinds = ("function", "say", "say", "type", "say", "function", "say", "say", "end", "say")
    for number, style in enumerate(STYLES):
        program = [(kinds[n % 10], n * 7 % 144) for n in range(90)]
        lines = written(program, style)
        after = edited(lines, [("replace", 11, 3), ("block", 40, 1), ("delete", 70, 20)])
        path = f"src/part_{number}.{style.suffix}".encode()
        for tree, texts in ((base, lines), (head, after)):
            tree[path] = Blob("\n".join(texts).encode("utf-8", "surrogateescape"))
    return base, head


BUDGETS = (2_000, 100_000)
# What every supported Python, locale and machine must give. If the snapshot's text was meant
# to change, this is the place that says so: the test prints the new value.
GOLDEN = "6fc9980a2ad48bb99dd42dd37eb2422d45dfafefcd3a1688343a9838cd0e0368"


def digest(repo: Repo) -> str:
    """One hash of the fixed change's snapshots at all of `BUDGETS`."""
    each = (taken(repo, SnapshotPolicy(token_budget=budget)).digest for budget in BUDGETS)
    return hashlib.sha256(" ".join(each).encode()).hexdigest()


def test_the_digest_is_the_same_everywhere(tmp_path: Path) -> None:
    if token_counter().name != "o200k_base":
        pytest.skip("needs the o200k encoding that ships inside LiteLLM")
    assert digest(make(tmp_path / "repo.git", *_fixed())) == GOLDEN


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return make(tmp_path_factory.mktemp("fixed") / "repo.git", *_fixed())


@pytest.mark.parametrize(
    "world",
    [
        {"PYTHONHASHSEED": "4711", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
        {"PYTHONHASHSEED": "0", "LC_ALL": "C", "PYTHONUTF8": "0", "TZ": "Asia/Tokyo"},
    ],
)
def test_the_digest_is_the_same_in_other_worlds(fixed: Repo, world: dict[str, str]) -> None:
    code = (
        "import sys; from pathlib import Path; from tests.snapshot.repository import Repo;"
        "from tests.snapshot.test_properties import digest; print(digest(Repo(Path(sys.argv[1]))))"
    )
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-c", code, str(fixed.folder)],
        cwd=Path(__file__).parents[2],
        env={**kept, **world},
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout.strip() == digest(fixed)
