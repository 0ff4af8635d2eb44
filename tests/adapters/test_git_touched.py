"""What differs since an earlier commit, line by line, told alike on disk and over the wire."""

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
    "a.py": (range(3, 3), range(5, 6), range(9, 10), range(12, 14)),
    "gone.py": (range(1, 1),),
    "tool.sh": (),
    "empty": (range(1, 2),),
    "logo.png": (EVERY_LINE,),
    "lib": (EVERY_LINE,),
    "kind": (range(1, 1), range(1, 3)),
    "was/file.py": (range(1, 3),),
    os.fsdecode(ODD): (range(1, 2),),
    "fresh.py": (range(1, 4),),
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
    assert {path for path, ranges in found.items() if ranges == (EVERY_LINE,)} == {
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
    repo = make(tmp_path / "r.git", base, {name: Blob(b"1\n2\n") for name in base})
    with _local(repo) as source:
        found = source.touched_since(source.merge_base)
    assert len(found) == 450
    assert set(found.values()) == {(range(2, 3),)}


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


def _applied(old: list[bytes], new: list[bytes], ranges: tuple[range, ...]) -> bool:
    """Whether the lines outside of the ranges stand in the old file, in order."""
    touched = {number for part in ranges for number in part}
    kept = [line for number, line in enumerate(new, 1) if number not in touched]
    rest = iter(old)
    return all(any(line == other for other in rest) for line in kept)


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\r\n", b"@@ -1 +1 @@\n"]), max_size=12)


@settings(max_examples=30)
@given(old=LINES, new=LINES)
def test_what_is_not_touched_stood_there_before(
    old: list[bytes], new: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    files: Mapping[bytes, Blob] = {b"a.py": Blob(b"".join(new)), b"z.py": Blob(b"2\n")}
    repo = make(tmp_path_factory.mktemp("r"), {b"a.py": Blob(b"".join(old))}, files)
    with _local(repo) as source:
        found = source.touched_since(source.merge_base)
    assert ("a.py" in found) == (old != new)
    ranges = found.get("a.py", ())
    assert _applied(old, new, ranges)
    deletions = len(old) - (len(new) - sum(len(part) for part in ranges))
    assert deletions >= 0
    assert all(part or deletions for part in ranges)
