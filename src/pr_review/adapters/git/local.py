"""Changes between commits of a clone on this machine, read without touching it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

from pr_review.adapters.git.command import Git
from pr_review.adapters.git.folder import PrivateFolder
from pr_review.adapters.git.reading import HeadTree, read_blobs, read_change
from pr_review.adapters.git.touched import touched
from pr_review.adapters.git.worktree import Uncommitted, WorkTree
from pr_review.domain.diff import Change
from pr_review.errors import SnapshotError


class LocalSource:
    """A `ChangeSource` over a clone: `base` and `head` are anything git can name. `top` is the
    folder that holds its files, None for a bare one.

    The clone's objects are borrowed by a private bare repository, so that neither its
    configuration nor its attributes nor its hooks count, and nothing is written to it.
    Raises `SnapshotError` if the folder is no repository, or a commit is not there.

    With `uncommitted`, `head` of this class is a commit in the private repository: what is staged
    or stands in the files, on top of the commit that is named. Then `user` leads to the
    configuration that says what is ignored, and `left_out` tells what is not part of it.
    """

    left_out: tuple[str, ...] = ()

    def __init__(
        self,
        repo: Path,
        *,
        base: str,
        head: str,
        max_bytes: int,
        passed: Mapping[str, str],
        uncommitted: Uncommitted | None = None,
        user: Mapping[str, str] | None = None,
    ) -> None:
        self._repo = repo
        self._max_bytes = max_bytes
        self._folder = PrivateFolder()
        try:
            clone = _clone(repo, passed)
            self.top = clone.git_dir.parent if clone.git_dir.name == ".git" else None
            self.base = _commit(clone, repo, base)
            self.head = _commit(clone, repo, head)
            self._partial = clone.ok("config", "--get-regexp", r"^remote\..*\.promisor$")
            self._git = _borrow(clone, self._folder.path, passed)
            self.merge_base = self._merge_base(base, head, shallow=_is_shallow(clone))
            if uncommitted is not None:
                tree = WorkTree(clone, self._git, passed=passed, user=user or {})
                self.head = tree.commit(uncommitted, self.head)
                if uncommitted is Uncommitted.WORKTREE:
                    self.left_out = tree.nested
        except BaseException:
            self._folder.remove()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.remove()

    def change(self) -> Change:
        return self._change

    @cached_property
    def _change(self) -> Change:
        try:
            return read_change(
                self._git, self.merge_base, self.head,
                max_bytes=self._max_bytes, whole=self._partial,
            )  # fmt: skip
        except SnapshotError as error:
            if not self._partial:
                raise
            raise SnapshotError(
                f"{self._repo} is a partial clone that lacks files of the change: {error.message}",
                remedy=f"run git -C {self._repo} fetch --refetch --no-filter origin",
            ) from error

    def blobs(self, oids: Sequence[str]) -> Mapping[str, bytes]:
        return read_blobs(self._git, oids)

    def head_files(self) -> Mapping[str, str]:
        return self.tree.files

    def touched_since(self, commit: str) -> Mapping[str, tuple[range, ...]]:
        if commit.startswith("-") or not self._git.ok("cat-file", "-e", f"{commit}^{{commit}}"):
            raise SnapshotError(
                f"commit {commit[:12]} is not in {self._repo}",
                remedy=f"run git -C {self._repo} fetch origin {commit[:64]}",
            )
        return touched(self._git, commit, self.change(), max_bytes=self._max_bytes)

    @cached_property
    def tree(self) -> HeadTree:
        """The files of the head commit."""
        return HeadTree(self._git, self.head)

    def messages(self) -> tuple[str, ...]:
        """Messages of the commits between merge base and head, oldest first."""
        out = self._git.run(
            "log", "--reverse", "--format=%B%x00", f"{self.merge_base}..{self.head}"
        )
        return tuple(m.strip() for m in out.decode("utf-8", "replace").split("\0") if m.strip())

    def _merge_base(self, base: str, head: str, *, shallow: bool) -> str:
        out = self._git.run("merge-base", self.base, self.head, check=False).decode().strip()
        if out:
            return out
        remedy = "run git fetch --unshallow" if shallow else "check that the two are related"
        raise SnapshotError(f"{base} and {head} have no merge base in this clone", remedy=remedy)


def commit_id(repo: Path, name: str, *, passed: Mapping[str, str]) -> str:
    """Full id of a commit that a clone can name. Raises `SnapshotError` if there is none."""
    return _commit(_clone(repo, passed), repo, name)


def local_file(repo: Path, commit: str, path: str, *, passed: Mapping[str, str]) -> str | None:
    """Text of a file at a commit of a clone, or of the file there that a link leads to, as GitHub's
    API has it; None if there is no such file or commit."""
    asked = f"{commit}:{path}\n".encode("utf-8", "surrogateescape")
    reading = ("cat-file", "--batch", "--follow-symlinks")
    found = _clone(repo, passed).run(*reading, stdin=asked, check=False)
    head, _, rest = found.partition(b"\n")
    about = re.fullmatch(rb"[0-9a-f]+ blob (\d+)", head)
    return rest[: int(about[1])].decode("utf-8", "replace") if about else None


def default_branch(repo: Path, *, passed: Mapping[str, str]) -> str:
    """What `origin/HEAD` points at, such as `origin/main`; empty if the clone does not say."""
    clone = _clone(repo, passed)
    out = clone.run("rev-parse", "--abbrev-ref", "origin/HEAD", check=False).decode().strip()
    return out if out != "origin/HEAD" else ""


def _clone(repo: Path, passed: Mapping[str, str]) -> Git:
    """The clone's own repository, for questions that need its refs; found from a folder in it.

    A clone without all blobs would fetch the missing ones, and write them: it may not.
    """
    if not repo.is_dir():
        raise SnapshotError(f"no such folder: {repo}", remedy="give --repo the folder of a clone")
    above = [parent / ".git" for parent in repo.resolve().parents]
    for candidate in (repo / ".git", repo, *above):
        git = Git(candidate, passed=passed)
        if candidate.exists() and git.ok("rev-parse", "--git-dir"):
            return git
    raise SnapshotError(
        f"{repo} is not a git repository", remedy="give --repo the folder of a clone"
    )


def _commit(clone: Git, repo: Path, name: str) -> str:
    spec = f"{name}^{{commit}}"
    if name == "HEAD" and not clone.ok("rev-parse", "--verify", "--quiet", spec):
        raise SnapshotError(f"{repo} holds no commit yet", remedy="commit something first")
    if name.startswith("-") or not clone.ok(
        "rev-parse", "--verify", "--quiet", "--end-of-options", spec
    ):
        raise SnapshotError(
            f"commit {name} is not in {repo}", remedy=_where_from(clone, repo, name)
        )
    out = clone.run("rev-parse", "--verify", "--end-of-options", spec)
    return out.decode().strip().split("\n")[-1]


def _where_from(clone: Git, repo: Path, name: str) -> str:
    """How to get a commit; one that is counted from another, as `HEAD~5`, no server knows."""
    if not set("~^@{:") & set(name):
        return f"run git -C {repo} fetch origin {name.removeprefix('origin/')}"
    if _is_shallow(clone):
        return f"run git -C {repo} fetch --unshallow"
    return f"name one that git -C {repo} log lists"


def _is_shallow(clone: Git) -> bool:
    return clone.run("rev-parse", "--is-shallow-repository").strip() == b"true"


def _borrow(clone: Git, folder: Path, passed: Mapping[str, str]) -> Git:
    """A bare repository with the clone's objects as alternates, and its shallow boundary."""
    form = clone.run("rev-parse", "--show-object-format").decode().strip()
    printed = clone.run("rev-parse", "--git-path", "objects").removesuffix(b"\n")
    objects = Path(os.fsdecode(printed)).resolve()
    git = Git(folder / "repo.git", passed=passed)
    git.run("init", "--quiet", "--bare", f"--object-format={form}", "--template=", str(git.git_dir))
    (git.git_dir / "objects/info").mkdir(parents=True, exist_ok=True)
    (git.git_dir / "objects/info/alternates").write_bytes(_alternate(objects))
    shallow = objects.parent / "shallow"
    if shallow.is_file():
        shutil.copyfile(shallow, git.git_dir / "shallow")
    return git


def _alternate(objects: Path) -> bytes:
    """A line of `info/alternates`, C-quoted: a folder's name may hold any byte."""
    quoted = b"".join(
        bytes([byte]) if 32 <= byte < 127 and byte not in b'"\\' else b"\\%03o" % byte
        for byte in os.fsencode(objects)
    )
    return b'"%s"\n' % quoted
