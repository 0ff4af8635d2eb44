"""Fetching on the days when neither the server nor the checkout is as in the book."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from pr_review import app
from pr_review.adapters.git import LocalSource, RemoteSource
from pr_review.adapters.github import Client, GitHubPullRequests
from pr_review.domain.diff import Change
from pr_review.domain.pull_request import Repository
from pr_review.errors import HeadMoved, ServerUnreachable, SnapshotError
from tests.shared import shared
from tests.snapshot import repository
from tests.snapshot.repository import ENVIRON, Blob, Files, Repo, make
from tests.standins.github import GitHubServer
from tests.standins.github_git import GitRules, clean_environment
from tests.standins.proxy import proxy
from tests.standins.tls import self_signed

PASSED = {"PATH": os.environ["PATH"]}
MAX = 8_000_000
TOKEN = "ghs_a5ecretThatMustNotShow"
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n"
BASE: Files = {
    b"src/a.py": Blob(b"".join(b"line %d\n" % n for n in range(1, 31))),
    b"kept.py": Blob(b"kept = 1\n"),
    b"model.bin": Blob(POINTER % (b"1" * 64, 12)),
    b".gitattributes": Blob(
        b"*.bin filter=lfs diff=lfs merge=lfs -text\n*.gen linguist-generated\n"
    ),
    b".lfsconfig": Blob(b"[lfs]\n\turl = http://127.0.0.1:9/lfs\n"),
    b".gitmodules": Blob(b'[submodule "lib"]\n\tpath = lib\n\turl = http://127.0.0.1:9/lib.git\n'),
    b"lib": Blob(b"1" * 40, "160000"),
}
HEAD: Files = {
    b"src/a.py": Blob(b"".join(b"line %d\n" % n for n in range(2, 32))),
    b"model.bin": Blob(POINTER % (b"2" * 64, 99)),
    b"lib": Blob(b"2" * 40, "160000"),
    b"new.py": Blob(b"a = 1\n"),
}


def _add(repo: Repo, branch: str, files: Files, *, count: int = 1) -> str:
    """More commits on a branch; the id of the last one."""
    start = _id(repo, branch)
    stream = repository._commit(branch, files, start)
    more = repository._commit(branch, {}, f"refs/heads/{branch}^0").replace(
        f"from refs/heads/{branch}^0\n\n".encode(), b"\n"
    )
    repo.git("fast-import", "--quiet", stdin=stream + more * (count - 1))
    return _id(repo, branch)


def _id(repo: Repo, name: str) -> str:
    return repo.git("rev-parse", name).decode().strip()


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """`base` has moved on since `head` left it at `fork-point`."""
    repo = make(tmp_path / "origin.git", BASE, HEAD)
    repo.git("branch", "-q", "fork-point", "base")
    _add(repo, "base", {b"landed.py": Blob(b"later = 1\n")})
    return repo


@pytest.fixture
def github(repo: Repo) -> Iterator[GitHubServer]:
    with GitHubServer(repo.folder, token=TOKEN) as server:
        server.open_pull(7, base="base", head="head")
        yield server


def _source(github: GitHubServer, repo: Repo, **changes: Any) -> RemoteSource:
    given: dict[str, Any] = {
        "server_url": github.url + github.git.prefix,
        "repository": github.repository,
        "number": 7,
        "merge_base": changes.get("merge_base") or _id(repo, "fork-point"),
        "head": changes.get("head") or _id(repo, "head"),
        "token": TOKEN,
        "max_bytes": MAX,
        "passed": PASSED,
        "seconds": 60.0,
        "pause": 0.05,
    }
    return RemoteSource(**{**given, **changes})


def _wanted(repo: Repo) -> Change:
    """What a full clone tells."""
    with LocalSource(repo.folder, base="base", head="head", max_bytes=MAX, passed=PASSED) as source:
        return source.change()


def _error(github: GitHubServer, repo: Repo, **changes: Any) -> SnapshotError:
    """How reading the change ends; whatever it is, it is one line and tells no secret."""
    with _source(github, repo, **changes) as source, pytest.raises(SnapshotError) as info:
        source.change()
    assert "\n" not in str(info.value)
    assert TOKEN not in repr(info.value)
    assert info.value.remedy
    return info.value


def _git(*arguments: str, cwd: Path | None = None) -> None:
    subprocess.run(
        ["git", *arguments], cwd=cwd, env=clean_environment(), capture_output=True, check=True
    )


# what GITHUB_WORKSPACE may hold


def _nothing(repo: Repo, workspace: Path) -> None:
    workspace.mkdir()


def _shallow(repo: Repo, workspace: Path) -> None:
    _git("clone", "-q", "--depth=1", "-b", "head", f"file://{repo.folder}", str(workspace))


def _full(repo: Repo, workspace: Path) -> None:
    _git("clone", "-q", f"file://{repo.folder}", str(workspace))


def _merge_ref(repo: Repo, workspace: Path) -> None:
    """As `actions/checkout` leaves it: one commit, the merge of head and base."""
    tree = _id(repo, "head^{tree}")
    author = ("-c", "user.name=T", "-c", "user.email=t@example.invalid")
    merge = repo.git(*author, "commit-tree", tree, "-p", "base", "-p", "head", "-m", "m")
    repo.git("update-ref", "refs/pull/7/merge", merge.decode().strip())
    _git("init", "-q", str(workspace))
    _git("remote", "add", "origin", f"file://{repo.folder}", cwd=workspace)
    _git("fetch", "-q", "--depth=1", "origin", "+refs/pull/7/merge", cwd=workspace)
    _git("checkout", "-q", "FETCH_HEAD", cwd=workspace)


def _foreign(repo: Repo, workspace: Path) -> None:
    _full(repo, workspace)
    for path in [workspace, *workspace.rglob("*")]:
        os.lchown(path, 12345, 12345)


def _hostile(repo: Repo, workspace: Path) -> None:
    """A checkout whose settings would send git elsewhere, and run what the change brings."""
    _full(repo, workspace)
    for key, value in {
        "url.http://127.0.0.1:9/.insteadOf": "http://127.0.0.1",
        "http.proxy": "http://127.0.0.1:9",
        "core.fsmonitor": "false",
        "diff.external": "false",
        "fetch.fsckObjects": "true",
        "uploadpack.packObjectsHook": "false",
        "filter.lfs.process": "false",
        "filter.lfs.required": "true",
        "submodule.recurse": "true",
        "fetch.recurseSubmodules": "true",
        "core.gitProxy": "false",
    }.items():
        _git("config", key, value, cwd=workspace)


def _broken(repo: Repo, workspace: Path) -> None:
    workspace.mkdir()
    (workspace / ".git").write_text("gitdir: /nowhere\n")


WORKSPACES = [
    pytest.param(_nothing, id="no-checkout"),
    pytest.param(_shallow, id="b18-shallow"),
    pytest.param(_full, id="b18-full"),
    pytest.param(_merge_ref, id="b09-merge-ref"),
    pytest.param(_foreign, id="b17-another-owner", marks=AS_ROOT),
    pytest.param(_hostile, id="hostile-settings"),
    pytest.param(_broken, id="broken"),
]


def _tree(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.parametrize("checkout", WORKSPACES)
def test_whatever_the_workspace_holds_is_neither_needed_nor_touched(
    github: GitHubServer,
    repo: Repo,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    checkout: Callable[[Repo, Path], None],
) -> None:
    wanted = _wanted(repo)
    workspace = tmp_path / "workspace"
    checkout(repo, workspace)
    before = _tree(workspace)
    monkeypatch.chdir(workspace)
    monkeypatch.setenv("HOME", str(workspace))
    with _source(github, repo, passed={**PASSED, "HOME": str(workspace)}) as source:
        assert source.change() == wanted
        assert source.tree.read("kept.py") == b"kept = 1\n"
    assert _tree(workspace) == before


@AS_ROOT
def test_b17_a_clone_of_another_user_is_read_and_errors_are_no_empty_diff(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The case's own script makes the clone; git alone refuses it."""
    script = shared("cases/b17-container-git-ownership/make.sh")
    subprocess.run(["sh", str(script), str(tmp_path)], capture_output=True, check=False)
    workspace, home = tmp_path / "ws", tmp_path / "home"
    environ = {**clean_environment(), "HOME": str(home)}
    (tmp_path / "ws/a").write_text("b\n")
    refused = subprocess.run(
        ["git", "-C", str(workspace), "rev-parse", "HEAD"],
        env=environ, capture_output=True, check=False,
    )  # fmt: skip
    assert b"dubious ownership" in refused.stderr
    trusted = ("-c", "safe.directory=*", "-c", "user.name=T", "-c", "user.email=t@example.invalid")
    _git("-C", str(workspace), *trusted, "commit", "-qam", "2")
    monkeypatch.setenv("HOME", str(home))
    with LocalSource(workspace, base="HEAD~1", head="HEAD", max_bytes=MAX, passed=PASSED) as source:
        assert [(file.path, file.added_lines) for file in source.change().files] == [("a", (1,))]
    assert list(home.iterdir()) == [], "nothing is written to the user's configuration"
    commits = ("--base", "HEAD~9", "--head", "HEAD")
    assert app.main(["snapshot", "--repo", str(workspace), *commits], ENVIRON) == 5
    assert "HEAD~9" in capsys.readouterr().err


@pytest.fixture
def case(tmp_path: Path) -> Repo:
    """B09's repository: `topic` left `main` before its tip, which edits the same file."""
    script = shared("cases/b09-merge-base-not-base-tip/make.sh")
    subprocess.run(["sh", str(script), str(tmp_path / "case")], capture_output=True, check=True)
    return Repo(tmp_path / "case/.git")


def test_b09_the_merge_base_and_not_the_tip_of_the_base(case: Repo) -> None:
    """From what the event and the API say to the hunk, as the action goes."""
    with GitHubServer(case.folder, token=TOKEN) as github:
        pull = github.open_pull(7, base="main", head="topic")
        client = Client(github.api_url, TOKEN, Repository("acme", "widgets"))
        merge_base = GitHubPullRequests(client).merge_base(pull.base_sha, pull.head_sha)
        with _source(github, case, merge_base=merge_base, head=pull.head_sha) as remote:
            change = remote.change()
    assert change.merge_base != pull.base_sha
    (file,) = change.files
    (hunk,) = file.hunks
    assert file.path == "f.txt"
    assert (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count) == (12, 7, 12, 7)
    with LocalSource(case.folder, base="main", head="topic", max_bytes=MAX, passed=PASSED) as local:
        assert local.change() == change


@pytest.mark.parametrize(
    ("branch", "depth", "head", "says"),
    [
        ("topic", 1, "origin/topic", "fetch origin main"),
        ("pr-merge", 1, "HEAD", "fetch origin main"),
    ],
)
def test_b18_a_shallow_clone_stops_with_the_command_that_gets_the_rest(
    case: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    branch: str, depth: int, head: str, says: str,
) -> None:  # fmt: skip
    clone = tmp_path / "clone"
    _git("clone", "-q", f"--depth={depth}", "-b", branch, f"file://{case.folder}", str(clone))
    flags = ("--repo", str(clone), "--base", "origin/main", "--head", head)
    assert app.main(["snapshot", *flags], ENVIRON) == 5
    assert says in capsys.readouterr().err
    _git("fetch", "-q", "--depth=1", "origin", "main:refs/remotes/origin/main", cwd=clone)
    assert app.main(["snapshot", *flags], ENVIRON) == 5, "no two-dot diff in its place"
    assert "git fetch --unshallow" in capsys.readouterr().err


# what a change may hold


def test_lfs_pointers_are_read_as_they_stand_and_submodules_left_alone(
    github: GitHubServer, repo: Repo
) -> None:
    with _source(github, repo) as source:
        found = {file.path: file for file in source.change().files}
    model = found["model.bin"]
    assert [line.text for line in model.lines if line.added] == [
        f"oid sha256:{'2' * 64}", "size 99",
    ]  # fmt: skip
    assert not model.binary
    assert found["lib"].submodule
    assert (found["lib"].old_oid, found["lib"].new_oid) == ("1" * 40, "2" * 40)
    asked = {request.path.removeprefix("/acme/widgets.git") for request in github.requests}
    assert asked == {"/info/refs", "/git-upload-pack"}


def test_thousands_of_files(tmp_path: Path) -> None:
    """More than the 3,000 at which GitHub's list of files ends."""
    base = {b"d%d/f%d.py" % (n % 40, n): Blob(b"a = %d\n" % n) for n in range(3_200)}
    head = {path: Blob(blob.content + b"b = 1\n") for path, blob in base.items()}
    repo = make(tmp_path / "big.git", base, head)
    repo.git("branch", "-q", "fork-point", "base")
    with GitHubServer(repo.folder, token=TOKEN) as github:
        github.open_pull(7, base="base", head="head")
        with _source(github, repo) as source:
            change = source.change()
            before = len(github.requests)
            assert len(source.blobs([file.new_oid for file in change.files])) == 3_200
        assert len(github.requests) == before <= 8
    assert len(change.files) == 3_200
    assert all(file.added_lines == (2,) for file in change.files)


# where the head stands


@pytest.mark.parametrize("ids", [True, False], ids=["by-id", "by-ref"])
def test_a_fork_and_a_deleted_one_are_in_the_pull_requests_ref(
    github: GitHubServer, repo: Repo, ids: bool
) -> None:
    wanted, head = _wanted(repo), _id(repo, "head")
    repo.git("update-ref", "-d", "refs/heads/head")
    github.git = GitRules(ids=ids)
    with _source(github, repo, head=head) as source:
        assert source.change() == wanted


def test_a_head_that_was_pushed_over_is_still_read_while_the_server_has_it(
    github: GitHubServer, repo: Repo
) -> None:
    """Ids do not move. Whether the head is still the pull request's is asked before posting."""
    wanted, head = _wanted(repo), _id(repo, "head")
    repo.git("update-ref", "refs/heads/head", "base")
    github.push(7, "base")
    with _source(github, repo, head=head) as source:
        assert source.change() == wanted


@pytest.mark.parametrize("rules", [GitRules(), GitRules(ids=False)], ids=["pruned", "refused"])
def test_a_head_that_was_pushed_over_and_is_gone(
    github: GitHubServer, repo: Repo, rules: GitRules
) -> None:
    head = _id(repo, "head")
    repo.git("update-ref", "refs/heads/head", "base")
    github.push(7, "base")
    if rules.ids:
        repo.git("repack", "-adq")
        repo.git("prune", "--expire=now")
    github.git = rules
    error = _error(github, repo, head=head)
    assert isinstance(error, HeadMoved)
    assert re.search("pull request 7 moved .*the run for the new head reviews it", str(error))


def test_a_head_that_moved_on_but_is_in_the_history_has_moved_too(
    github: GitHubServer, repo: Repo
) -> None:
    head = _id(repo, "head")
    _add(repo, "head", {b"more.py": Blob(b"1\n")})
    github.push(7, "head")
    github.git = GitRules(ids=False)
    assert isinstance(_error(github, repo, head=head), HeadMoved)


def test_a_pull_request_without_a_ref(github: GitHubServer, repo: Repo) -> None:
    repo.git("update-ref", "-d", "refs/pull/7/head")
    error = _error(github, repo, head="1" * 40)
    assert not isinstance(error, ServerUnreachable | HeadMoved)
    assert "not our ref" in str(error)
    assert "no longer on the server" in str(error)


def test_a_push_while_the_change_is_read_changes_nothing(github: GitHubServer, repo: Repo) -> None:
    wanted = _wanted(repo)
    with _source(github, repo) as source:
        assert source.head_files()
        _add(repo, "head", {b"more.py": Blob(b"1\n")})
        github.push(7, "head")
        assert source.change() == wanted


def test_the_base_branch_is_not_asked_for(github: GitHubServer, repo: Repo) -> None:
    """It may have been renamed or deleted meanwhile."""
    wanted, merge_base = _wanted(repo), _id(repo, "fork-point")
    repo.git("branch", "-qm", "base", "renamed")
    repo.git("update-ref", "-d", "refs/heads/fork-point")
    with _source(github, repo, merge_base=merge_base) as source:
        assert source.change() == wanted


# servers that can less


def test_a_server_without_partial_clone(github: GitHubServer, repo: Repo) -> None:
    """git warns and gets everything."""
    wanted = _wanted(repo)
    github.git = GitRules(partial=False)
    with _source(github, repo) as source:
        assert source.change() == wanted
        assert source.blobs([file.new_oid for file in wanted.files if not file.submodule])
        assert source.tree.read("kept.py") == b"kept = 1\n"
        assert set(source.touched_since(wanted.merge_base)) == {f.path for f in wanted.files}


@pytest.mark.parametrize("partial", [True, False], ids=["partial", "whole"])
@pytest.mark.parametrize("tip", [True, False], ids=["a-branch-is-there", "no-branch-is-there"])
@pytest.mark.parametrize("commits", [1, 80])
def test_a_server_that_hands_out_no_object_by_its_id(
    github: GitHubServer, repo: Repo, *, partial: bool, tip: bool, commits: int
) -> None:
    """What a branch points at can be had by its id all the same, but not its contents."""
    _add(repo, "head", {b"more.py": Blob(b"1\n")}, count=commits)
    github.push(7, "head")
    wanted = _wanted(repo)
    if not tip:
        repo.git("branch", "-qD", "fork-point")
    github.git = GitRules(partial=partial, ids=False)
    with _source(github, repo, merge_base=wanted.merge_base) as source:
        assert source.change() == wanted
        asked = len(github.requests)
        assert source.blobs([file.new_oid for file in wanted.files if not file.submodule])
        assert source.tree.read("kept.py") == b"kept = 1\n"
        assert set(source.touched_since(wanted.merge_base)) == {f.path for f in wanted.files}
        assert len(github.requests) == asked <= 12, "all that is asked for came with the history"


def test_contents_that_the_server_has_lost(github: GitHubServer, repo: Repo) -> None:
    """Which files they belong to cannot be told file by file without asking for each."""
    lost = _id(repo, "head:src/a.py")
    for pack in (repo.folder / "objects/pack").glob("*.pack"):
        data = pack.read_bytes()
        for part in pack.parent.glob(f"{pack.stem}.*"):
            part.unlink()
        repo.git("unpack-objects", "-q", stdin=data)
    (repo.folder / "objects" / lost[:2] / lost[2:]).unlink()
    error = _error(github, repo)
    assert "git fetch failed" in str(error)
    assert len(github.requests) <= 12


def test_no_end_of_a_history_is_asked_for(github: GitHubServer, repo: Repo) -> None:
    _add(repo, "head", {b"more.py": Blob(b"1\n")}, count=1_100)
    github.push(7, "head")
    merge_base = _id(repo, "fork-point")
    repo.git("branch", "-qD", "fork-point")
    github.git = GitRules(ids=False)
    error = _error(github, repo, merge_base=merge_base)
    assert re.search("not among the last 1,000 commits .*rebase", str(error))


def test_a_repository_that_was_renamed(github: GitHubServer, repo: Repo) -> None:
    """The token does not go along to where the server points."""
    with GitHubServer(repo.folder, token=TOKEN) as new_home:
        github.git = GitRules(moved_to=new_home.url)
        error = _error(github, repo)
        assert new_home.requests == []
    assert isinstance(error, ServerUnreachable)
    assert not error.passing
    assert re.search("301 .*not followed .*renamed or moved", str(error))


@pytest.mark.parametrize("prefix", ["", "/git", "/code/v1"])
def test_b19_a_server_under_a_path(github: GitHubServer, repo: Repo, prefix: str) -> None:
    github.git = GitRules(prefix=prefix)
    wanted = _wanted(repo)
    with _source(github, repo, server_url=f"{github.url}{prefix}/") as source:
        assert source.change() == wanted
    other = _error(github, repo, server_url=f"{github.url}/elsewhere")
    assert isinstance(other, ServerUnreachable)


# the way to the server


def test_a_proxy(github: GitHubServer, repo: Repo) -> None:
    wanted = _wanted(repo)
    with proxy() as way:
        with _source(github, repo, passed={**PASSED, "http_proxy": way.url}) as source:
            assert source.change() == wanted
        assert {target.split("?")[0] for _, target, _ in way.seen} == {
            f"{github.url}/acme/widgets.git/{name}" for name in ("info/refs", "git-upload-pack")
        }


def test_a_proxy_that_is_not_for_this_server(github: GitHubServer, repo: Repo) -> None:
    with proxy() as way:
        around = {**PASSED, "http_proxy": way.url, "no_proxy": "127.0.0.1"}
        with _source(github, repo, passed=around) as source:
            assert source.change().files
        assert way.seen == []


def test_a_tunnel_of_a_proxy_does_not_see_the_token(repo: Repo, tmp_path: Path) -> None:
    bundle, context = self_signed(tmp_path)
    with GitHubServer(repo.folder, token=TOKEN, tls=context) as github, proxy() as way:
        github.open_pull(7, base="base", head="head")
        passed = {**PASSED, "https_proxy": way.url}
        with _source(github, repo, passed=passed, ca_bundle=bundle) as source:
            assert source.change().files
    assert {method for method, _, _ in way.seen} == {"CONNECT"}
    assert not any("authorization" in headers for _, _, headers in way.seen)


@pytest.mark.parametrize(
    ("status", "remedy"),
    [(407, "the proxy asks for a name and a password"), (403, "check http_proxy, https_proxy")],
)
def test_a_proxy_that_refuses(repo: Repo, tmp_path: Path, status: int, remedy: str) -> None:
    bundle, context = self_signed(tmp_path)
    with GitHubServer(repo.folder, token=TOKEN, tls=context) as github, proxy(status) as way:
        passed = {**PASSED, "https_proxy": way.url}
        error = _error(github, repo, passed=passed, ca_bundle=bundle)
    assert isinstance(error, ServerUnreachable)
    assert remedy in error.remedy


def test_a_server_of_an_authority_of_its_own(repo: Repo, tmp_path: Path) -> None:
    bundle, context = self_signed(tmp_path)
    with GitHubServer(repo.folder, token=TOKEN, tls=context) as github:
        github.open_pull(7, base="base", head="head")
        untrusted = _error(github, repo)
        assert isinstance(untrusted, ServerUnreachable)
        assert "ca-bundle" in untrusted.remedy
        assert github.requests == []
        with _source(github, repo, ca_bundle=bundle) as source:
            assert source.change() == _wanted(repo)
        variable = {**PASSED, "GIT_SSL_CAINFO": "/nowhere.pem"}
        with _source(github, repo, ca_bundle=bundle, passed=variable) as source:
            assert source.change().files, "what was asked for wins over the environment"
        no_pem = tmp_path / "no.pem"
        no_pem.write_text("not a certificate\n")
        assert "ca-bundle" in _error(github, repo, ca_bundle=no_pem).remedy


def test_https_to_a_server_that_speaks_http(github: GitHubServer, repo: Repo) -> None:
    error = _error(github, repo, server_url=github.url.replace("http:", "https:"))
    assert isinstance(error, ServerUnreachable)
    assert "not one for https" in error.remedy


# answers that are none

REFUSALS = [
    (401, "`contents: read`"),
    (403, "`contents: read`"),
    (404, "check GITHUB_REPOSITORY"),
    (410, "check GITHUB_REPOSITORY"),
    (418, "does not speak git"),
    (429, "too many requests"),
]


@pytest.mark.parametrize(("status", "remedy"), REFUSALS)
def test_a_refusal_is_not_asked_for_twice(
    github: GitHubServer, repo: Repo, status: int, remedy: str
) -> None:
    github.fault("GET", "info/refs", status, {"message": "no"}, times=99)
    error = _error(github, repo)
    assert isinstance(error, ServerUnreachable)
    assert not error.passing
    assert remedy in error.remedy
    assert str(status) in str(error) or "Authentication" in str(error) or "not found" in str(error)
    # after a 401 git asks for a password once more
    assert len(github.calls("GET", "info/refs")) <= 2


TROUBLE: list[Mapping[str, Any]] = [
    {"status": 500},
    {"status": 502},
    {"status": 503},
    {"drop": True},
]


@pytest.mark.parametrize("trouble", TROUBLE, ids=str)
@pytest.mark.parametrize("call", [("GET", "info/refs"), ("POST", "git-upload-pack")], ids=str)
def test_trouble_that_passes_costs_one_more_try(
    github: GitHubServer, repo: Repo, trouble: Mapping[str, Any], call: tuple[str, str]
) -> None:
    github.fault(*call, **trouble)
    with _source(github, repo) as source:
        assert source.change() == _wanted(repo)


@pytest.mark.parametrize("trouble", TROUBLE, ids=str)
@pytest.mark.parametrize("when", ["commits", "contents"])
def test_trouble_that_stays_is_told_and_takes_no_file_for_gone(
    github: GitHubServer, repo: Repo, trouble: Mapping[str, Any], when: str
) -> None:
    with _source(github, repo) as source:
        if when == "contents":
            assert source.head_files()
        github.fault("POST", "git-upload-pack", times=99, **trouble)
        with pytest.raises(ServerUnreachable) as info:
            source.change()
    assert info.value.passing
    assert "run again" in info.value.remedy


def test_a_page_in_the_place_of_git(github: GitHubServer, repo: Repo) -> None:
    page = "<html>Please sign in</html>"
    github.fault("GET", "info/refs", 200, page, {"Content-Type": "text/html"}, times=99)
    error = _error(github, repo)
    assert isinstance(error, ServerUnreachable)
    assert "speak git" in error.remedy


def test_nobody_is_there(github: GitHubServer, repo: Repo) -> None:
    error = _error(github, repo, server_url="http://127.0.0.1:9")
    assert isinstance(error, ServerUnreachable)
    assert "check the network" in error.remedy


def test_a_server_that_says_nothing_leaves_time_for_another_source(
    github: GitHubServer, repo: Repo
) -> None:
    github.fault("GET", "info/refs", delay=6, times=9)
    began = time.monotonic()
    error = _error(github, repo, seconds=6.0)
    assert time.monotonic() - began < 5
    assert isinstance(error, ServerUnreachable)
    assert "says nothing" in error.remedy


# the token


def test_no_other_process_sees_the_token_in_arguments_while_git_runs(
    github: GitHubServer, repo: Repo
) -> None:
    """Anybody on the machine can read `/proc/*/cmdline`, of git's own helpers too."""
    github.fault("GET", "info/refs", 503, delay=0.4)
    seen: set[bytes] = set()
    with _source(github, repo) as source:
        reader = Thread(target=source.change)
        reader.start()
        while reader.is_alive():
            for path in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    seen.add(path.read_bytes())
                except OSError:
                    continue
            time.sleep(0.02)
        reader.join()
    basic = github.requests[0].headers["authorization"].removeprefix("basic ").encode()
    commands = b"\n".join(seen)
    assert github.url.encode() in commands, "git's helper was running"
    assert TOKEN.encode() not in commands
    assert basic not in commands


def test_git_would_send_the_token_to_no_other_address(github: GitHubServer, repo: Repo) -> None:
    """Asked of git itself: which settings hold for an address."""
    github.git = GitRules(prefix="/git")
    ask = ("config", "--get-urlmatch", "http.extraHeader")
    with _source(github, repo) as source:
        assert source.change().files
        assert source._git.ok(*ask, f"{github.url}/git/acme/widgets.git/info/refs")
        for other in (
            f"{github.url}/gitlab/acme/widgets.git",
            f"{github.url}/",
            "http://127.0.0.1:9/git/acme/widgets.git",
            f"{github.url}/git/".replace("http:", "https:"),
            f"{github.url}.example.invalid/git/",
        ):
            assert not source._git.ok(*ask, other)


def test_without_a_token_no_header_is_sent(github: GitHubServer, repo: Repo) -> None:
    assert isinstance(_error(github, repo, token=""), ServerUnreachable)
    assert not any("authorization" in request.headers for request in github.requests)
