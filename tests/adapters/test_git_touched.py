"""What of a change is new since an earlier commit, told alike on disk and over the wire."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.adapters.git import LocalSource, RemoteSource
from pr_review.adapters.git.touched import EVERY_LINE
from pr_review.change.patch_text import PatchText
from pr_review.errors import ServerUnreachable, SnapshotError
from pr_review.snapshot.reviewed import reviewed_hunks
from tests.snapshot import repository
from tests.snapshot.repository import Blob, Files, Repo, make
from tests.standins.github import GitHubServer

PASSED = {"PATH": os.environ["PATH"]}
MAX = 8_000_000
TOKEN = "ghs_a5ecretThatMustNotShow"
TEN = [b"line %d\n" % n for n in range(1, 11)]
ODD = b"na\xc3\xafve\n\x80.py"
BASE: Files = {
    b"a.py": Blob(b"".join(TEN)),
    b"same.py": Blob(b"1\n"),
    b"gone.py": Blob(b"a file like no other\n"),
    b"untouched.py": Blob(b"1\n"),
    b"tool.sh": Blob(b"1\n"),
}
EARLIER: Files = {
    b"a.py": Blob(b"".join([b"new first\n", *TEN])),
    b"same.py": Blob(b"2\n"),
    b"tool.sh": Blob(b"1\n2\n"),
    b"empty": Blob(b""),
    b"logo.png": Blob(b"\0\1"),
    b"lib": Blob(b"1" * 40, "160000"),
    b"kind": Blob(b"a.py", "120000"),
    b"was": Blob(b"1\n"),
    ODD: Blob(b"1\n"),
}
LATER: Files = {
    b"a.py": Blob(
        # line 2 left out, 5 changed, one line added behind 8 and two at the end
        b"".join([b"new first\n", TEN[0], *TEN[2:4], b"five\n", *TEN[5:8], b"8.5\n", *TEN[8:],
                  b"11\n", b"12"])
    ),
    b"gone.py": None,
    b"tool.sh": Blob(b"1\n2\n", "100755"),
    b"empty": Blob(b"full\n"),
    b"logo.png": Blob(b"\0\2"),
    b"lib": Blob(b"2" * 40, "160000"),
    b"kind": Blob(b"one\ntwo\n"),
    b"was": None,
    b"was/file.py": Blob(b"1\n2\n"),
    ODD: Blob(b"2\n"),
    b"fresh.py": Blob(b"1\n2\n3\n"),
}  # fmt: skip
TOUCHED = {
    "a.py": (range(1, 14),),
    "gone.py": (EVERY_LINE,),
    "tool.sh": (),
    "empty": (range(1, 2),),
    "logo.png": (EVERY_LINE,),
    "lib": (EVERY_LINE,),
    "kind": (range(1, 3),),
    "was/file.py": (EVERY_LINE,),
    os.fsdecode(ODD): (range(1, 2),),
    "fresh.py": (EVERY_LINE,),
}


def _add(repo: Repo, branch: str, files: Files) -> None:
    """One more commit on a branch."""
    stream = repository._commit(branch, files, _id(repo, branch))
    repo.git("fast-import", "--quiet", stdin=stream)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """`head` was at `earlier` when it was read before."""
    repo = make(tmp_path / "origin.git", BASE, EARLIER)
    repo.git("branch", "-q", "earlier", "head")
    _add(repo, "head", LATER)
    return repo


def _id(repo: Repo, name: str) -> str:
    return repo.git("rev-parse", name).decode().strip()


@pytest.fixture
def github(repo: Repo) -> Iterator[GitHubServer]:
    with GitHubServer(repo.folder, token=TOKEN) as server:
        server.open_pull(7, base="base", head="head")
        yield server


def _local(repo: Repo, max_bytes: int = MAX) -> LocalSource:
    return LocalSource(repo.folder, base="base", head="head", max_bytes=max_bytes, passed=PASSED)


def _remote(github: GitHubServer, repo: Repo, max_bytes: int = MAX) -> RemoteSource:
    return RemoteSource(
        server_url=github.url, repository=github.repository, number=7,
        merge_base=_id(repo, "base"), head=_id(repo, "head"),
        token=TOKEN, max_bytes=max_bytes, passed=PASSED, pause=0.05,
    )  # fmt: skip


def test_on_disk(repo: Repo) -> None:
    with _local(repo) as source:
        assert source.touched_since(_id(repo, "earlier")) == TOUCHED


def test_over_the_wire_with_one_request_for_the_commit_and_one_for_all_contents(
    repo: Repo, github: GitHubServer
) -> None:
    with _remote(github, repo) as source:
        source.change()
        before = len(github.calls("POST", "git-upload-pack"))
        assert source.touched_since(_id(repo, "earlier")) == TOUCHED
        fetched = len(github.calls("POST", "git-upload-pack")) - before
        # each fetch asks once for refs and once for objects
        assert fetched <= 4
        source.touched_since(_id(repo, "earlier"))
        assert len(github.calls("POST", "git-upload-pack")) == before + fetched


def test_the_head_itself_and_the_merge_base(repo: Repo, github: GitHubServer) -> None:
    with _remote(github, repo) as remote, _local(repo) as local:
        assert remote.touched_since(remote.head) == local.touched_since(local.head) == {}
        whole = remote.touched_since(remote.merge_base)
        assert whole == local.touched_since(local.merge_base)
        assert whole.keys() == {file.path for file in local.change().files}


def test_a_path_that_the_change_does_not_touch_is_not_looked_at(tmp_path: Path) -> None:
    """The earlier head may have changed a file that the change no longer changes."""
    repo = make(tmp_path / "r.git", BASE, {b"untouched.py": Blob(b"2\n"), b"a.py": Blob(b"1\n")})
    repo.git("branch", "-q", "earlier", "head")
    _add(repo, "head", {b"untouched.py": BASE[b"untouched.py"]})
    with _local(repo) as source:
        assert source.touched_since(_id(repo, "earlier")) == {}


MOVED = Blob(b"".join(b"value_%d = compute(%d)\n" % (n, n) for n in range(60)))
EDITED = Blob(MOVED.content.replace(b"value_9 ", b"nine "))


@pytest.mark.parametrize("new", [MOVED, EDITED])
@pytest.mark.parametrize("later", ["deleted", "restored", "renamed since", "renamed then"])
def test_a_rename_that_is_none_any_more_leaves_nothing_known(
    tmp_path: Path, new: Blob, later: str
) -> None:
    """The change to the earlier commit showed a rename, at most with the lines that differ: not
    that the old file is gone, nor what stands in the new one."""
    moved: Files = {b"old.py": None, b"new.py": new, b"lib": Blob(b"1" * 40, "160000")}
    then: Files = {b"new.py": new} if later == "renamed since" else moved
    repo = make(tmp_path / "r.git", {b"old.py": MOVED, b"a.py": Blob(b"1\n")}, then)
    repo.git("branch", "-q", "earlier", "head")
    pushed: Mapping[str, Files] = {
        "deleted": {b"new.py": None},
        "restored": {b"old.py": MOVED},
        "renamed since": {b"old.py": None},
        "renamed then": {b"a.py": Blob(b"2\n")},
    }
    _add(repo, "head", pushed[later])
    with GitHubServer(repo.folder, token=TOKEN) as server:
        server.open_pull(7, base="base", head="head")
        with _remote(server, repo) as remote, _local(repo) as local:
            found = remote.touched_since(_id(repo, "earlier"))
            assert found == local.touched_since(_id(repo, "earlier"))
    new_again = {path for path, ranges in found.items() if ranges == (EVERY_LINE,)}
    assert new_again - {"a.py"} == {
        "deleted": {"old.py"},
        "restored": {"new.py"},
        "renamed since": {"new.py"},
        "renamed then": set(),
    }[later]  # fmt: skip


def test_past_the_cap_no_lines_are_told(repo: Repo) -> None:
    with _local(repo, max_bytes=60) as source:
        found = source.touched_since(_id(repo, "earlier"))
    assert found.keys() == TOUCHED.keys()
    assert found["a.py"] == (EVERY_LINE,)


def test_many_files_do_not_fill_the_arguments(tmp_path: Path) -> None:
    folder = b"d" * 200
    base = {b"%s/%s/%d.py" % (folder, folder, n): Blob(b"1\n") for n in range(450)}
    then = {name: Blob(b"1\n2\n") for name in base}
    repo = make(tmp_path / "r.git", base, {name: Blob(b"1\n3\n") for name in base}, then=then)
    with _local(repo) as source:
        found = source.touched_since(repo.object("then"))
    assert len(found) == 450
    assert set(found.values()) == {(range(1, 3),)}


@pytest.mark.parametrize("commit", ["1" * 40, "--all", "", "HEAD", "1" * 64])
def test_a_commit_that_cannot_be_had(repo: Repo, github: GitHubServer, commit: str) -> None:
    opened: list[Callable[[], AbstractContextManager[LocalSource | RemoteSource]]]
    opened = [lambda: _local(repo), lambda: _remote(github, repo)]
    for open_ in opened:
        with open_() as source, pytest.raises(SnapshotError) as info:
            source.touched_since(commit)
        assert not isinstance(info.value, ServerUnreachable)
        assert "\n" not in str(info.value)


def test_a_patch_cannot_tell() -> None:
    source = PatchText(b"", name="x.diff", max_bytes=MAX)
    with pytest.raises(SnapshotError, match=r"x\.diff is a patch"):
        source.touched_since("1" * 40)


def _hunks(source: LocalSource) -> dict[int, tuple[tuple[str, str], ...]]:
    hunks = (hunk for file in source.change().files if file.path == "a.py" for hunk in file.hunks)
    return {n: tuple((line.sign, line.text) for line in h.lines) for n, h in enumerate(hunks)}


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"\r\n"]), max_size=9)
TEXT = st.lists(st.sampled_from([[b"%d\n" % n for n in range(9)], [b"x\n"] * 4, [b"y\n"]]))


@settings(max_examples=30)
@given(old=LINES, far=TEXT, new=LINES, newer=LINES)
def test_what_is_known_is_a_hunk_of_the_earlier_change(
    old: list[bytes], far: list[list[bytes]], new: list[bytes], newer: list[bytes],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:  # fmt: skip
    """Also where lines moved past each other, and git may take either for the one that moved."""
    apart = [line for part in far for line in part]
    texts = [[*old, *apart, *new], [*new, *apart, *old], [*newer, *apart, *new, *apart, *old]]
    base, then, head = ({b"a.py": Blob(b"".join(lines))} for lines in texts)
    repo = make(tmp_path_factory.mktemp("r"), base, {**head, b"z.py": Blob(b"2\n")}, then=then)
    with _local(repo) as source:
        known = reviewed_hunks(source.change(), source.touched_since(repo.object("then")))
        hunks = _hunks(source)
    with LocalSource(repo.folder, base="base", head="then", max_bytes=MAX, passed=PASSED) as then_:
        before = set(_hunks(then_).values())
    assert {hunks[n] for n in known.get("a.py", ())} <= before


def test_a_block_that_seems_to_have_moved_the_other_way_round_is_new(tmp_path: Path) -> None:
    """The head adds `C` again. From the base that looks as if `B` had moved, which was context
    in the change that was read: nothing of it may count as known."""
    a, b, c = ([b"%s %d\n" % (name, n) for n in range(size)] for name, size in
               ((b"a", 30), (b"b", 40), (b"c", 20)))  # fmt: skip
    texts = [[*c, *a, *b], [*b, *c], [*b, *c, *a]]
    base, then, head = ({b"a.py": Blob(b"".join(lines))} for lines in texts)
    repo = make(tmp_path / "r.git", base, head, then=then)
    with _local(repo) as source:
        change = source.change()
        known = reviewed_hunks(change, source.touched_since(repo.object("then")))
    [file] = change.files
    assert len(file.hunks) == 2, "b moved, from the base"
    assert known == {}
