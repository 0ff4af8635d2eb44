"""A clone as people have them: read without a trace, whatever its configuration says."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from pr_review.adapters.git import LocalSource, default_branch, local_file
from pr_review.adapters.git.command import Git
from pr_review.domain.diff import Change
from pr_review.errors import SnapshotError
from tests.snapshot.repository import Blob, Repo, make
from tests.standins.github_git import clean_environment

PASSED = {"PATH": os.environ["PATH"]}
MAX = 8_000_000
NUMBERS = [b"line %d\n" % n for n in range(1, 41)]
BASE = {
    b"src/a.py": Blob(b"".join(NUMBERS)),
    b"old.py": Blob(b"".join(b"x = %d\n" % n for n in range(30))),
    b"gone.txt": Blob(b"one\n"),
    b"logo.png": Blob(b"\x89PNG\0\1"),
    b"na\xc3\xafve.md": Blob(b"a\n"),
    b".gitattributes": Blob(b"gen/** linguist-generated\n*.py diff=upper\n"),
    b"gen/out.ts": Blob(b"a\n"),
    b"gen/kept/.gitattributes": Blob(b"*.ts -linguist-generated\n*.md linguist-vendored=true\n"),
    b"gen/kept/in.ts": Blob(b"a\n"),
    b"gen/kept/x.md": Blob(b"a\n"),
}
HEAD = {
    b"src/a.py": Blob(b"".join([*NUMBERS[:4], b"changed\n", *NUMBERS[5:]]), "100755"),
    b"old.py": None,
    b"moved.py": BASE[b"old.py"],
    b"gone.txt": None,
    b"logo.png": Blob(b"\x89PNG\0\2"),
    b"na\xc3\xafve.md": Blob(b"b\n"),
    b"bad\xff.txt": Blob(b"raw bytes \xff\n"),
    b".gitattributes": Blob(b"src/** linguist-generated\nnew.ts linguist-generated\n"),
    b"new.ts": Blob(b"a\n"),
    b"gen/out.ts": Blob(b"b\n"),
    b"gen/kept/in.ts": Blob(b"b\n"),
    b"gen/kept/x.md": Blob(b"b\n"),
}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return make(tmp_path / "origin.git", BASE, HEAD)


def _git(*arguments: str, cwd: Path | None = None) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=cwd, env=clean_environment(), capture_output=True, check=True
    )
    return done.stdout.decode()


def _clone(repo: Repo, to: Path, *flags: str) -> Path:
    _git("clone", "-q", *flags, f"file://{repo.folder}", str(to))
    return to


def _change(repo: Path, base: str = "base", head: str = "head") -> Change:
    with LocalSource(repo, base=base, head=head, max_bytes=MAX, passed=PASSED) as source:
        return source.change()


def test_plain(repo: Repo) -> None:
    change = _change(repo.folder)
    found = {file.path: file for file in change.files}
    assert list(found) == list(repo.rows)
    assert found["src/a.py"].added_lines == (5,)
    assert found["src/a.py"].new_mode == "100755"
    assert (found["moved.py"].status, found["moved.py"].old_path) == ("renamed", "old.py")
    assert found["logo.png"].binary
    assert "bad\udcff.txt" in found
    assert change.raw_bytes == len(repo.git("diff", "-M", "--full-index", "base", "head"))


def test_attributes_are_those_of_the_base_nested_ones_included(repo: Repo) -> None:
    """The change's own `.gitattributes` would mark src/ and new.ts, and unmark gen/."""
    assert _change(repo.folder).generated == {"gen/out.ts", "gen/kept/x.md"}


@pytest.mark.parametrize("cap", [10, 200, 1_200, 2_000])
def test_a_diff_over_the_cap_keeps_every_file_and_its_counts(repo: Repo, cap: int) -> None:
    """What has hunks all the same has the right ones."""
    whole = {file.path: file for file in _change(repo.folder).files}
    with LocalSource(repo.folder, base="base", head="head", max_bytes=cap, passed=PASSED) as source:
        change = source.change()
    assert change.oversize
    assert change.raw_bytes == cap + 1
    assert [f.path for f in change.files] == list(repo.rows)
    for file in change.files:
        row = repo.rows[file.path]
        assert (file.additions, file.deletions) == (row.added, row.removed)
        assert file.hunks in ((), whole[file.path].hunks)
        assert not file.defect


def test_one_huge_file_does_not_take_the_hunks_of_the_others(tmp_path: Path) -> None:
    head = {b"yarn.lock": Blob(b"resolved\n" * 9_000), b"src/a.py": Blob(b"a = 1\n")}
    repo = make(tmp_path / "r.git", {}, head)
    with LocalSource(
        repo.folder, base="base", head="head", max_bytes=5_000, passed=PASSED
    ) as source:
        change = source.change()
    assert change.oversize
    assert [(f.path, f.additions, f.added_lines) for f in change.files] == [
        ("src/a.py", 1, (1,)),
        ("yarn.lock", 9_000, ()),
    ]


HOSTILE_SETTINGS = {
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.external": "false",
    "diff.renames": "false",
    "diff.algorithm": "patience",
    "diff.context": "9",
    "diff.interHunkContext": "20",
    "diff.orderFile": "/dev/null",
    "diff.suppressBlankEmpty": "true",
    "diff.submodule": "log",
    "diff.ignoreSubmodules": "all",
    "diff.wsErrorHighlight": "all",
    "diff.colorMoved": "zebra",
    "diff.upper.textconv": "tr a-z A-Z <",
    "diff.upper.xfuncname": "^line 1.*",
    "diff.upper.binary": "true",
    "diff.relative": "true",
    "color.ui": "always",
    "core.quotePath": "false",
    "core.abbrev": "4",
    "core.pager": "false",
    "core.fsmonitor": "false",
    "core.ignoreCase": "true",
    "core.precomposeUnicode": "true",
}


def test_no_setting_of_the_user_or_the_clone_counts(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = _change(repo.folder)
    clone = _clone(repo, tmp_path / "clone", "--mirror")
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for key, value in HOSTILE_SETTINGS.items():
        _git("-C", str(clone), "config", key, value)
        _git("config", "--file", str(home / ".gitconfig"), key, value)
    (clone / "info").mkdir(exist_ok=True)
    (clone / "info/attributes").write_text("*.py binary\n* diff=upper linguist-generated\n")
    order = tmp_path / "order"
    order.write_text("src/*\n")
    _git("-C", str(clone), "config", "diff.orderFile", str(order))
    assert _change(clone) == wanted


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GIT_DIR", "/nowhere"),
        ("GIT_OBJECT_DIRECTORY", "/nowhere"),
        ("GIT_EXTERNAL_DIFF", "false"),
        ("GIT_DIFF_OPTS", "--unified=0"),
        ("GIT_CONFIG_PARAMETERS", "'diff.noprefix=true'"),
        ("GIT_INDEX_FILE", "/nowhere/index"),
        ("GIT_TRACE", "2"),
        ("GIT_NAMESPACE", "other"),
    ],
)
def test_no_variable_of_git_in_our_environment_counts(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    wanted = _change(repo.folder)
    monkeypatch.setenv(name, value)
    assert _change(repo.folder) == wanted


def test_replaced_objects_and_hooks_do_not_count(repo: Repo, tmp_path: Path) -> None:
    wanted = _change(repo.folder)
    old = repo.git("rev-parse", "head:src/a.py").decode().strip()
    new = repo.git("rev-parse", "base:gone.txt").decode().strip()
    repo.git("replace", old, new)
    text = local_file(repo.folder, "head", "src/a.py", passed=PASSED)
    assert text
    assert text.startswith("line 1\n")
    ran = tmp_path / "ran"
    for hook in ("post-checkout", "reference-transaction", "pre-auto-gc"):
        path = repo.folder / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch {ran}\n")
        path.chmod(0o755)
    assert _change(repo.folder) == wanted
    assert not ran.exists()


def _tree(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(path.relative_to(folder)): (
            path.stat().st_mode,
            path.stat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }


def test_nothing_is_written_into_the_clone(repo: Repo, tmp_path: Path) -> None:
    clone = _clone(repo, tmp_path / "clone", "-b", "head")
    (clone / "src/a.py").write_bytes(b"an edit that is not committed\n")
    before = _tree(clone)
    with LocalSource(
        clone, base="origin/base", head="HEAD", max_bytes=MAX, passed=PASSED
    ) as source:
        change = source.change()
        assert source.blobs([f.new_oid for f in change.files])
        assert source.tree.exists("moved.py")
        assert source.messages() == ("x",)
        folder = source._folder.path
        assert folder.is_dir()
    assert not folder.exists()
    assert local_file(clone, "HEAD", "moved.py", passed=PASSED)
    assert _tree(clone) == before


@pytest.fixture
def clones(repo: Repo, tmp_path: Path) -> list[Path]:
    """The same repository in all the forms that it takes on people's machines."""
    full = _clone(repo, tmp_path / "full", "-b", "head")
    _git("branch", "-q", "base", "origin/base", cwd=full)
    _git("worktree", "add", "-q", "--detach", str(tmp_path / "worktree"), cwd=full)
    shared_objects = tmp_path / "shared"
    _git("clone", "-q", "--bare", "--shared", str(repo.folder), str(shared_objects))
    odd = tmp_path / 'an "odd"\nfolder é'
    shutil.copytree(repo.folder, odd)
    return [repo.folder, full, full / "src", tmp_path / "worktree", shared_objects, odd]


def test_every_form_of_a_clone_gives_the_same_change(clones: list[Path]) -> None:
    first, *others = [_change(clone) for clone in clones]
    assert all(other == first for other in others)


def test_a_relative_folder(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = _change(repo.folder)
    monkeypatch.chdir(repo.folder)
    assert _change(Path()) == wanted


def test_sha256(tmp_path: Path, repo: Repo) -> None:
    other = make(tmp_path / "sha256.git", BASE, HEAD, form="sha256")
    change, wanted = _change(other.folder), _change(repo.folder)
    assert len(change.head) == len(change.files[0].new_oid) == 64
    assert [(f.path, f.status, f.hunks) for f in change.files] == [
        (f.path, f.status, f.hunks) for f in wanted.files
    ]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_clone_that_belongs_to_somebody_else(repo: Repo, tmp_path: Path) -> None:
    wanted = _change(repo.folder)
    clone = _clone(repo, tmp_path / "clone", "--mirror")
    for path in [clone, *clone.rglob("*")]:
        os.chown(path, 12345, 12345)
    assert _change(clone) == wanted


def test_a_shallow_clone_says_how_to_get_the_rest(repo: Repo, tmp_path: Path) -> None:
    clone = _clone(repo, tmp_path / "clone", "--depth=1", "-b", "head")
    with pytest.raises(SnapshotError, match=r"commit origin/base is not in .* fetch origin base"):
        _change(clone, base="origin/base", head="HEAD")
    with pytest.raises(SnapshotError, match=r"commit HEAD~5 is not in .* fetch --unshallow\)"):
        _change(clone, base="HEAD~5", head="HEAD")
    with pytest.raises(SnapshotError, match=r"commit HEAD~99 is not in .* log lists\)"):
        _change(repo.folder, base="HEAD~99", head="HEAD")
    _git("fetch", "-q", "--depth=1", "origin", "base:base", cwd=clone)
    with pytest.raises(SnapshotError, match=r"no merge base .*git fetch --unshallow"):
        _change(clone, head="HEAD")


def test_a_shallow_clone_that_holds_the_merge_base(repo: Repo, tmp_path: Path) -> None:
    wanted = _change(repo.folder)
    clone = _clone(repo, tmp_path / "clone", "--depth=2", "-b", "head", "--no-single-branch")
    assert _change(clone, base="origin/base", head="HEAD") == wanted


def test_the_diff_is_against_the_merge_base(repo: Repo) -> None:
    wanted = _change(repo.folder)
    tree = repo.git("rev-parse", "base^{tree}").decode().strip()
    env = ("-c", "user.name=T", "-c", "user.email=t@example.invalid")
    later = repo.git(*env, "commit-tree", tree, "-p", "base", "-m", "later").decode().strip()
    repo.git("update-ref", "refs/heads/base", later)
    assert _change(repo.folder) == wanted


def test_no_merge_base(repo: Repo) -> None:
    tree = repo.git("rev-parse", "base^{tree}").decode().strip()
    env = ("-c", "user.name=T", "-c", "user.email=t@example.invalid")
    other = repo.git(*env, "commit-tree", tree, "-m", "unrelated").decode().strip()
    with pytest.raises(SnapshotError, match=r"no merge base .*related"):
        _change(repo.folder, head=other)


def test_a_partial_clone_that_lacks_blobs(repo: Repo, tmp_path: Path) -> None:
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = _clone(repo, tmp_path / "clone", "--filter=blob:none", "--bare")
    before = _tree(clone)
    with pytest.raises(
        SnapshotError, match=r"partial clone .* fetch --refetch --no-filter"
    ) as info:
        _change(clone)
    assert "\n" not in str(info.value)
    assert local_file(clone, "head", "moved.py", passed=PASSED) is None
    assert _tree(clone) == before, "missing objects are not fetched behind the user's back"


@pytest.mark.parametrize("name", ["nowhere", "--help", "-n1", "HEAD:src", "", "base^{tree}"])
def test_a_name_that_is_no_commit(repo: Repo, name: str) -> None:
    with pytest.raises(SnapshotError, match="is not in"):
        _change(repo.folder, head=name)


def test_no_repository(tmp_path: Path) -> None:
    with pytest.raises(SnapshotError, match="not a git repository"):
        _change(tmp_path)
    with pytest.raises(SnapshotError, match="no such folder"):
        _change(tmp_path / "missing")


def test_git_is_not_installed(repo: Repo) -> None:
    with pytest.raises(SnapshotError, match="git is not installed"):
        LocalSource(
            repo.folder, base="base", head="head", max_bytes=MAX, passed={"PATH": "/nowhere"}
        )


def test_a_command_that_takes_too_long_is_ended(repo: Repo, tmp_path: Path) -> None:
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 30\n")
    slow.chmod(0o755)
    git = Git(repo.folder, passed={"PATH": f"{slow.parent}:{os.environ['PATH']}"}, timeout=0.2)
    for call in (
        lambda: git.run("status"),
        lambda: git.ok("status"),
        lambda: git.read("status", limit=10),
    ):
        with pytest.raises(SnapshotError, match=r"git status was not done in"):
            call()


def test_what_git_started_ends_with_it(repo: Repo, tmp_path: Path) -> None:
    """A helper that holds the output open must neither hold us nor live on."""
    mark = f"sleep 3{os.getpid()}"
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text(f"#!/bin/sh\n{mark} &\nexec {mark}\n")
    slow.chmod(0o755)
    git = Git(repo.folder, passed={"PATH": f"{slow.parent}:{os.environ['PATH']}"}, timeout=0.3)
    began = time.monotonic()
    with pytest.raises(SnapshotError, match="was not done"):
        git.read("status", limit=10)
    assert time.monotonic() - began < 5
    commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")]
    assert mark.encode().replace(b" ", b"\0") not in b" ".join(commands)


def test_no_command_of_the_clones_configuration_is_run(repo: Repo, tmp_path: Path) -> None:
    """A promisor remote names a program, and a missing object makes git ask that remote."""
    ran = tmp_path / "ran"
    for key, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "evil",
        "remote.evil.url": f"ext::sh -c touch% {ran}",
        "remote.evil.promisor": "true",
        "remote.evil.partialCloneFilter": "blob:none",
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
    }.items():
        repo.git("config", key, value)
    tree = repo.git("rev-parse", "head^{tree}").decode().strip()
    missing = f"100644 blob {'1' * 40}\tmissing.yml\n"
    listed = repo.git("ls-tree", tree).decode() + missing
    hollow = repo.git("mktree", "--missing", stdin=listed.encode()).decode().strip()
    author = ("-c", "user.name=T", "-c", "user.email=t@example.invalid")
    commit = repo.git(*author, "commit-tree", hollow, "-m", "hollow").decode().strip()
    assert local_file(repo.folder, commit, "missing.yml", passed=PASSED) is None
    assert not ran.exists()


def test_much_on_stderr_does_not_stop_a_read(repo: Repo, tmp_path: Path) -> None:
    loud = tmp_path / "bin" / "git"
    loud.parent.mkdir()
    loud.write_text(
        "#!/bin/sh\nhead -c 300000 /dev/zero | tr '\\0' x >&2\necho >&2\necho why >&2\nexit 3\n"
    )
    loud.chmod(0o755)
    git = Git(repo.folder, passed={"PATH": f"{loud.parent}:{os.environ['PATH']}"}, timeout=20)
    with pytest.raises(SnapshotError, match="why"):
        git.read("diff", limit=1_000)


def test_blobs(repo: Repo) -> None:
    with LocalSource(repo.folder, base="base", head="head", max_bytes=MAX, passed=PASSED) as source:
        row = repo.rows["src/a.py"]
        wanted = [row.new_oid, row.old_oid, row.new_oid, "0" * 40, "f" * 40, source.head]
        assert source.blobs(wanted) == {
            row.new_oid: HEAD[b"src/a.py"].content,  # type: ignore[union-attr]
            row.old_oid: BASE[b"src/a.py"].content,
        }
        assert source.blobs([]) == {}


def test_the_tree_of_the_head(tmp_path: Path) -> None:
    base = {b"a": Blob(b"1\n"), b"link": Blob(b"a", "120000"), b"sub": Blob(b"1" * 40, "160000")}
    repo = make(tmp_path / "r.git", base, {b"b/c.txt": Blob(b"2\n", "100755"), b"a": None})
    with LocalSource(repo.folder, base="base", head="head", max_bytes=MAX, passed=PASSED) as source:
        tree = source.tree
        assert tree.read("b/c.txt") == b"2\n"
        assert tree.exists("b/c.txt")
        for absent in ("a", "b", "link", "sub", "../a", ""):
            assert not tree.exists(absent)
            assert tree.read(absent) is None
        assert tree.blob("f" * 40) is None


def test_default_branch(repo: Repo, tmp_path: Path) -> None:
    clone = _clone(repo, tmp_path / "clone")
    assert default_branch(clone, passed=PASSED) == "origin/base"
    assert default_branch(repo.folder, passed=PASSED) == ""


def test_a_file_is_read_through_links_within_the_commit_and_no_further(tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("outside")
    files = {
        b"docs/rules.md": Blob(b"Use tabs.\n"),
        b"AGENTS.md": Blob(b"docs/rules.md", "120000"),
        b"out.md": Blob(b"../outside.md", "120000"),
        b"loop.md": Blob(b"loop.md", "120000"),
        b"gone.md": Blob(b"nothing.md", "120000"),
    }
    repo = make(tmp_path / "r.git", {}, files)
    names = ("AGENTS.md", "docs/rules.md", "out.md", "loop.md", "gone.md", "docs", "none.md")
    found = [local_file(repo.folder, "head", name, passed=PASSED) for name in names]
    assert found == ["Use tabs.\n", "Use tabs.\n", None, None, None, None, None]
    assert local_file(repo.folder, "nowhere", "AGENTS.md", passed=PASSED) is None
