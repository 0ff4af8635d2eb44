"""One suite for all sources of changes: a clone, the server by git, and GitHub's REST API.

They tell the same of the same commits. What the API does not give is listed here, once.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from pr_review.adapters.git import LocalSource, RemoteSource
from pr_review.adapters.github import Client
from pr_review.adapters.github.rest_source import RestSource
from pr_review.adapters.syntax import TreeSitter
from pr_review.adapters.tokens import token_counter
from pr_review.change.ports import ChangeSource
from pr_review.domain.diff import Change, FileChange, Hunk, Line
from pr_review.domain.pull_request import Repository
from pr_review.errors import SnapshotError
from pr_review.snapshot.fit import fit
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.prepare import Tools, prepare
from tests.adapters.test_git_local import BASE as LOCAL_BASE
from tests.adapters.test_git_local import HEAD as LOCAL_HEAD
from tests.adapters.test_git_remote import BASE as REMOTE_BASE
from tests.adapters.test_git_remote import HEAD as REMOTE_HEAD
from tests.shared import SHARED, shared
from tests.snapshot.repository import Blob, Files, make
from tests.snapshot.taking import scanner
from tests.standins.github import GitHubServer
from tests.standins.github_git import clean_environment
from tests.standins.github_sample import sample

PASSED = {"PATH": os.environ["PATH"]}
MAX = 100_000_000
TOKEN = "ghs_standin"

EVERY_KIND = (
    {
        b"run.sh": Blob(b"#!/bin/sh\necho 1\n"),
        b"link": Blob(b"run.sh", "120000"),
        b"was-file": Blob(b"one\ntwo\n"),
        b"was-link": Blob(b"run.sh", "120000"),
        b"old.bin": Blob(b"\0\1\2" * 400),
        b"kept.bin": Blob(b"\0\7" * 400),
        b"same.py": Blob(b"".join(b"y = %d\n" % n for n in range(40))),
        b"drain.txt": Blob(b"x\n"),
        b"gone-empty": Blob(b""),
        b"lib": Blob(b"1" * 40, "160000"),
        b"lib2": Blob(b"3" * 40, "160000"),
        b"was-lib": Blob(b"3" * 40, "160000"),
    },
    {
        b"run.sh": Blob(b"#!/bin/sh\necho 1\n", "100755"),
        b"link": Blob(b"was-file", "120000"),
        b"was-file": Blob(b"run.sh", "120000"),
        b"was-link": Blob(b"one\ntwo\n"),
        b"old.bin": None,
        b"new.bin": Blob(b"\0\1\2" * 400 + b"\3"),
        b"kept.bin": None,
        b"moved.bin": Blob(b"\0\7" * 400),
        b"same.py": None,
        b"d/same.py": Blob(b"".join(b"y = %d\n" % n for n in range(39)) + b"y = 0\n", "100755"),
        b"drain.txt": Blob(b""),
        b"gone-empty": None,
        b"new-empty": Blob(b""),
        b"lib": Blob(b"2" * 40, "160000"),
        b"lib2": None,
        b"lib3": Blob(b"4" * 40, "160000"),
        b"was-lib": Blob(b"text\n"),
    },
)


@dataclass(frozen=True)
class Sources:
    local: LocalSource
    remote: RemoteSource
    rest: RestSource


@contextmanager
def opened(bare: Path, *, base: str = "base", head: str = "head") -> Iterator[Sources]:
    """The three sources of the change between two branches of a bare repository."""
    with GitHubServer(bare, token=TOKEN) as github:
        pull = github.open_pull(7, base=base, head=head)
        merge_base = github.api.merge_base(pull)
        client = Client(github.api_url, TOKEN, Repository("acme", "widgets"), max_wait=0)
        local = LocalSource(bare, base=base, head=head, max_bytes=MAX, passed=PASSED)
        remote = RemoteSource(
            server_url=github.url, repository=github.repository, number=7, merge_base=merge_base,
            head=pull.head_sha, token=TOKEN, max_bytes=MAX, passed=PASSED,
        )  # fmt: skip
        rest = RestSource(
            client, number=7, merge_base=merge_base, head=pull.head_sha, max_bytes=MAX
        )
        with local, remote, rest:
            yield Sources(local, remote, rest)


def unbundled(case: str, folder: Path) -> Path:
    bundle = shared(f"cases/{case}/repo.bundle")
    bare = folder / "origin.git"
    subprocess.run(
        ["git", "clone", "-q", "--bare", str(bundle), str(bare)],
        check=True, capture_output=True, env=clean_environment(),
    )  # fmt: skip
    return bare


def in_utf8(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def as_text(file: FileChange) -> FileChange:
    return replace(
        file,
        path=in_utf8(file.path),
        old_path=None if file.old_path is None else in_utf8(file.old_path),
        hunks=tuple(_hunk_as_text(hunk) for hunk in file.hunks),
    )


def _hunk_as_text(hunk: Hunk) -> Hunk:
    lines = tuple(
        Line(line.old, line.new, in_utf8(line.text), line.ends_without_newline)
        for line in hunk.lines
    )
    return replace(hunk, section=in_utf8(hunk.section), lines=lines)


def without_sign(file: FileChange) -> FileChange:
    unchanged = file.binary and file.old_oid == file.new_oid
    return replace(file, binary=False) if unchanged else file


def kept_back(file: FileChange) -> FileChange:
    large = file.additions + file.deletions > 20_000
    return replace(file, hunks=(), withheld=True) if large else file


# All that the REST source may tell of a file otherwise than git, why, and what it tells then.
DIFFERENCES: Mapping[str, tuple[str, Callable[[FileChange], FileChange]]] = {
    "bytes": ("JSON is text: what is not UTF-8 arrives as U+FFFD", as_text),
    "binary": ("the API has no word for it, and unchanged content no other sign", without_sign),
    "withheld": ("GitHub gives no patch of a large file and no large diff", kept_back),
}
# All that it may tell of a change otherwise, and why.
OF_A_CHANGE = {
    "source": "it is another kind, which the digest covers",
    "raw_bytes": "the API gives patches without git's headers",
    "generated": "only git reads `.gitattributes` as git does",
}


def differences(rest: Change, git: Change) -> set[str]:
    """Names of the differences that occur; fails for any that is not in the tables."""
    plain: dict[str, Any] = dict.fromkeys(("files", *OF_A_CHANGE))
    assert replace(rest, **plain) == replace(git, **plain)
    found = set()
    assert len(rest.files) == len(git.files)
    for told, by_git in zip(rest.files, git.files, strict=True):
        want = by_git
        for name, (_, otherwise) in DIFFERENCES.items():
            before, want = want, otherwise(want)
            if before != want:
                found.add(name)
        assert told == want
    return found


CASES = sorted(path.parent.name for path in SHARED.glob("cases/a*/repo.bundle"))
IN_CASES = {"a18-legacy-encodings": {"bytes"}, "a23-huge-lockfile": {"withheld"}}


@pytest.mark.parametrize("case", CASES)
def test_a_reported_case(case: str, tmp_path: Path) -> None:
    with opened(unbundled(case, tmp_path)) as sources:
        git = sources.local.change()
        assert sources.remote.change() == git
        assert differences(sources.rest.change(), git) == IN_CASES.get(case, set())


def test_there_are_cases() -> None:
    shared("cases/README.md")
    assert len(CASES) >= 20
    assert {*IN_CASES} <= {*CASES}


@pytest.mark.parametrize(
    ("base", "head", "allowed"),
    [(LOCAL_BASE, LOCAL_HEAD, {"bytes"}), (REMOTE_BASE, REMOTE_HEAD, set())],
    ids=["attributes-modes-bytes", "submodule-rename"],
)
def test_a_repository_of_the_other_tests(
    base: Files, head: Files, allowed: set[str], tmp_path: Path
) -> None:
    with opened(make(tmp_path / "origin.git", base, head).folder) as sources:
        git = sources.local.change()
        assert sources.remote.change() == git
        assert differences(sources.rest.change(), git) == allowed


def test_every_kind_of_change(tmp_path: Path) -> None:
    """Types, modes, links, submodules, empty and binary files, in every direction."""
    with opened(make(tmp_path / "origin.git", *EVERY_KIND).folder) as sources:
        git, rest = sources.local.change(), sources.rest.change()
        assert sources.remote.change() == git
        assert differences(rest, git) == {"binary"}
        assert {file.status.value for file in rest.files} == {
            "added", "deleted", "modified", "renamed", "mode", "type",
        }  # fmt: skip


def test_b09_a_base_that_moved_on_is_no_part_of_the_change(tmp_path: Path) -> None:
    with opened(sample(tmp_path / "origin.git"), base="main", head="feature") as sources:
        git = sources.local.change()
        assert "later.txt" not in {file.path for file in git.files}
        assert sources.remote.change() == git
        assert differences(sources.rest.change(), git) == set()


def test_a_model_reads_the_same_text_whatever_the_source(tmp_path: Path) -> None:
    """Context and dependencies included, and with the same account; the digest tells them apart."""
    library = b"".join(b"def helper_%d(x):\n    return x + %d\n\n\n" % (n, n) for n in range(30))
    used = b"from lib import helper_7\n\n\ndef run(x):\n    y = 1\n    return y\n"
    base = {b"lib.py": Blob(library), b"app.py": Blob(used)}
    head = {b"app.py": Blob(used.replace(b"y = 1", b"y = helper_7(x)")), b"n.py": Blob(b"n = 1\n")}
    policy, counter = SnapshotPolicy(), token_counter()
    with opened(make(tmp_path / "origin.git", base, head).folder) as sources:
        made = [
            fit(prepare(s.change(), policy, Tools(s, TreeSitter(), scanner())), policy, counter)
            for s in (sources.local, sources.remote, sources.rest)
        ]
    local, remote, rest = made
    assert local.ledger.dependencies
    assert local == remote
    assert (rest.text, rest.ledger, rest.sent) == (local.text, local.ledger, local.sent)
    assert rest.digest != local.digest


@pytest.mark.parametrize("which", ["local", "remote", "rest"])
def test_contents_and_the_files_of_the_head(which: str, tmp_path: Path) -> None:
    bare = make(tmp_path / "origin.git", REMOTE_BASE, REMOTE_HEAD).folder
    with opened(bare) as sources:
        source: ChangeSource = getattr(sources, which)
        change = source.change()
        files = {file.path: file for file in change.files}
        old, new = files["src/a.py"].old_oid, files["src/a.py"].new_oid
        gone = "9" * 40
        if which != "remote":  # git is asked for what is known to be there
            assert set(source.blobs([old, new, "0" * 40, gone, old])) == {old, new}
        assert b"changed\n" in source.blobs([new])[new]
        head = source.head_files()
        assert sorted(head) == sorted(sources.local.head_files())
        assert "lib" not in head
        tree = getattr(sources, which).tree
        assert tree.read("untouched.py") == b"kept = 1\n"
        assert tree.blob(old) == source.blobs([old])[old]
        assert tree.exists("newé.py")
        assert not tree.exists("old.py")
        assert tree.read("old.py") is None


def test_what_a_source_cannot_tell_is_an_error_of_the_port(tmp_path: Path) -> None:
    bare = make(tmp_path / "origin.git", REMOTE_BASE, REMOTE_HEAD).folder
    with opened(bare) as sources, pytest.raises(SnapshotError, match="cannot be told over"):
        sources.rest.touched_since(sources.rest.merge_base)
