"""A pull request's commits, fetched over HTTP from a server that asks for a token."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from pr_review.adapters.git import LocalSource, RemoteSource, local_file
from pr_review.domain.diff import Change
from pr_review.errors import SnapshotError
from tests.snapshot.repository import Blob, Repo, make
from tests.standins.github import GitHubServer
from tests.standins.github_git import clean_environment

PASSED = {"PATH": os.environ["PATH"]}
MAX = 8_000_000
TOKEN = "ghs_a5ecretThatMustNotShow"
LINES = [b"line %d\n" % n for n in range(1, 31)]
BASE = {
    b"src/a.py": Blob(b"".join(LINES)),
    b"untouched.py": Blob(b"kept = 1\n"),
    b"package.json": Blob(b'{"name": "x"}\n'),
    b"old.py": Blob(b"".join(b"x = %d\n" % n for n in range(30))),
    b"logo.png": Blob(b"\x89PNG\0\1"),
    b".gitattributes": Blob(b"gen/** linguist-generated\n"),
    b"gen/deep/.gitattributes": Blob(b"*.md linguist-vendored\n"),
    b"gen/a.ts": Blob(b"a\n"),
    b"gen/deep/b.md": Blob(b"a\n"),
    b"lib": Blob(b"1" * 40, "160000"),
}
HEAD = {
    b"src/a.py": Blob(b"".join([*LINES[:9], b"changed\n", *LINES[10:]])),
    b"old.py": None,
    b"moved.py": BASE[b"old.py"],
    b"logo.png": Blob(b"\x89PNG\0\2"),
    b"gen/a.ts": Blob(b"b\n"),
    b"gen/deep/b.md": Blob(b"b\n"),
    b"lib": Blob(b"2" * 40, "160000"),
    b"new\xc3\xa9.py": Blob(b"a = 1\n"),
}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return make(tmp_path / "origin.git", BASE, HEAD)


@pytest.fixture
def github(repo: Repo) -> Iterator[GitHubServer]:
    with GitHubServer(repo.folder, token=TOKEN) as server:
        server.open_pull(7, base="base", head="head")
        yield server


def _commits(repo: Repo) -> tuple[str, str]:
    base, head = repo.git("rev-parse", "base", "head").decode().split()
    return base, head


def _source(
    github: GitHubServer, repo: Repo, *, token: str = TOKEN, head: str = "", seconds: float = 60.0
) -> RemoteSource:
    base, tip = _commits(repo)
    return RemoteSource(
        server_url=github.url,
        repository=github.repository,
        number=7,
        merge_base=base,
        head=head or tip,
        token=token,
        max_bytes=MAX,
        passed=PASSED,
        seconds=seconds,
    )


def _local(repo: Repo) -> LocalSource:
    return LocalSource(repo.folder, base="base", head="head", max_bytes=MAX, passed=PASSED)


def _requests(github: GitHubServer) -> int:
    return sum(".git/" in request.path for request in github.requests)


def test_both_sources_tell_the_same(github: GitHubServer, repo: Repo) -> None:
    """One conformance suite for both: change, blobs, and the tree of the head."""
    with _local(repo) as local, _source(github, repo) as remote:
        change = local.change()
        assert remote.change() == change
        assert change.generated == {"gen/a.ts", "gen/deep/b.md"}
        oids = [oid for file in change.files for oid in (file.old_oid, file.new_oid)]
        text = [o for o in oids if o not in ("1" * 40, "2" * 40)]
        assert remote.blobs(text) == local.blobs(text)
        for path in ("src/a.py", "untouched.py", "package.json", "newé.py", "old.py", "lib", "src"):
            assert remote.tree.exists(path) == local.tree.exists(path)
            assert remote.tree.read(path) == local.tree.read(path)
        assert remote.tree.read("untouched.py") == b"kept = 1\n"


def test_a_fork_is_fetched_from_the_pull_requests_ref(github: GitHubServer, repo: Repo) -> None:
    with _local(repo) as local:
        wanted = local.change()
    _, head = _commits(repo)
    with _source(github, repo, head=head) as source:
        repo.git("update-ref", "-d", "refs/heads/head")
        assert source.change() == wanted


def test_few_requests_however_many_files(tmp_path: Path) -> None:
    counts = []
    for size in (3, 300):
        base = {b"d%d/f%d.py" % (n % 7, n): Blob(b"a = %d\n" % n) for n in range(size)}
        head = {path: Blob(blob.content + b"b = 1\n") for path, blob in base.items()}
        repo = make(tmp_path / f"{size}.git", base, head)
        with GitHubServer(repo.folder, token=TOKEN) as github:
            github.open_pull(7, base="base", head="head")
            with _source(github, repo) as source:
                change = source.change()
                assert len(change.files) == size
                blobs = source.blobs([o for f in change.files for o in (f.old_oid, f.new_oid)])
                assert len(blobs) == len({o for f in change.files for o in (f.old_oid, f.new_oid)})
            counts.append(_requests(github))
    assert counts[0] == counts[1] <= 8


def test_nested_attributes_cost_no_request_each(tmp_path: Path) -> None:
    counts = []
    for size in (2, 40):
        base: dict[bytes, Blob | None] = {}
        for n in range(size):
            base[b"p%d/.gitattributes" % n] = Blob(b"*.g%d linguist-generated\n" % n)
            base[b"p%d/a.g%d" % (n, n)] = Blob(b"%d\n" % n)
        head = {path: Blob(b"x\n") for path in base if b".g" in path and b"attr" not in path}
        repo = make(tmp_path / f"{size}.git", base, head)
        with GitHubServer(repo.folder, token=TOKEN) as github:
            github.open_pull(7, base="base", head="head")
            with _source(github, repo) as source:
                assert len(source.change().generated) == size
            counts.append(_requests(github))
    assert counts[0] == counts[1]


def test_a_wrong_token(github: GitHubServer, repo: Repo) -> None:
    with (
        _source(github, repo, token="ghs_wrongAndSecret") as source,
        pytest.raises(SnapshotError) as info,
    ):
        source.change()
    assert "ghs_wrong" not in repr(info.value)
    assert "git fetch failed" in str(info.value)
    assert "\n" not in str(info.value)


def test_the_token_stands_in_no_argument_url_or_file(
    github: GitHubServer, repo: Repo, tmp_path: Path
) -> None:
    """A wrapper around git writes down how it was started."""
    log = tmp_path / "log"
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    real = subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout
    wrapper.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> {log}\nexec {real.strip()} "$@"\n')
    wrapper.chmod(0o755)
    base, head = _commits(repo)
    source = RemoteSource(
        server_url=github.url, repository=github.repository, number=7, merge_base=base, head=head,
        token=TOKEN, max_bytes=MAX, passed={"PATH": f"{wrapper.parent}:{os.environ['PATH']}"},
    )  # fmt: skip
    with source:
        source.change()
        basic = next(r.headers["authorization"] for r in github.requests).removeprefix("basic ")
        files = [p for p in source._folder.path.rglob("*") if p.is_file()]
        assert any(path.name == "config" for path in files)
        for path in files:
            assert TOKEN.encode() not in path.read_bytes()
            assert basic.encode() not in path.read_bytes()
    arguments = log.read_text()
    assert "fetch" in arguments
    assert TOKEN not in arguments
    assert basic not in arguments
    assert all("@" not in request.path for request in github.requests)


class _Elsewhere(BaseHTTPRequestHandler):
    """Sends every request to another server."""

    target = ""
    seen: list[str] = []  # noqa: RUF012 - one list for a server's requests

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Says nothing."""

    def do_GET(self) -> None:
        self.seen.append(self.headers.get("Authorization", ""))
        self.send_response(302)
        self.send_header("Location", self.target + self.path)
        self.send_header("Content-Length", "0")
        self.end_headers()


def test_a_redirect_is_refused_and_the_other_server_gets_nothing(
    github: GitHubServer, repo: Repo
) -> None:
    server = HTTPServer(("127.0.0.1", 0), _Elsewhere)
    _Elsewhere.target = github.url
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    base, head = _commits(repo)
    source = RemoteSource(
        server_url=f"http://127.0.0.1:{server.server_port}", repository=github.repository, number=7,
        merge_base=base, head=head, token=TOKEN, max_bytes=MAX, passed=PASSED,
    )  # fmt: skip
    try:
        with source, pytest.raises(SnapshotError, match="git fetch failed"):
            source.change()
    finally:
        server.shutdown()
        server.server_close()
    assert _Elsewhere.seen
    assert _requests(github) == 0


def test_a_commit_that_the_server_does_not_have(github: GitHubServer, repo: Repo) -> None:
    with _source(github, repo, head="1" * 40) as source, pytest.raises(SnapshotError):
        source.change()


def test_a_server_that_is_not_there(repo: Repo) -> None:
    base, head = _commits(repo)
    source = RemoteSource(
        server_url="http://127.0.0.1:9", repository="a/b", number=1, merge_base=base, head=head,
        token=TOKEN, max_bytes=MAX, passed=PASSED,
    )  # fmt: skip
    with source, pytest.raises(SnapshotError, match="git fetch failed") as info:
        source.change()
    assert TOKEN not in str(info.value)


def test_the_folder_is_gone_afterwards(github: GitHubServer, repo: Repo) -> None:
    with _source(github, repo) as source:
        change: Change = source.change()
        assert source.change() == change
        fetched = _requests(github)
        source.change()
        assert _requests(github) == fetched, "what was fetched once is not fetched again"
        folder = source._folder.path
    assert not folder.exists()


def test_a_partial_clone_of_the_users_fetches_nothing_for_us(
    github: GitHubServer, repo: Repo, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    header = f"http.extraHeader=Authorization: bearer {TOKEN}"
    subprocess.run(
        ["git", "-c", header, "clone", "-q", "--bare", "--filter=blob:none",
         f"{github.url}/{github.repository}.git", str(clone)],
        env=clean_environment(), check=True,
    )  # fmt: skip
    before = _requests(github)
    assert local_file(clone, "head", "moved.py", passed=PASSED) is None
    with (
        LocalSource(clone, base="base", head="head", max_bytes=MAX, passed=PASSED) as source,
        pytest.raises(SnapshotError, match="partial clone"),
    ):
        source.change()
    assert _requests(github) == before


def test_a_server_that_does_not_answer_in_time_leaves_no_process(repo: Repo) -> None:
    base, head = _commits(repo)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        source = RemoteSource(
            server_url=url,
            repository="a/b",
            number=7,
            merge_base=base,
            head=head,
            token=TOKEN,
            max_bytes=MAX,
            passed=PASSED,
            seconds=1,
        )
        began = time.monotonic()
        late = pytest.raises(SnapshotError, match=r"git fetch was not done in 1 s .*deadline")
        with source, late:
            source.change()
    assert time.monotonic() - began < 10
    assert _processes_with(url) == []


def _processes_with(word: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            command = path.read_bytes().decode("utf-8", "replace")
            if word in command and "git" in command:
                found.append(command)
    return found
