"""What is not committed yet, as a commit that stands in a repository of our own alone.

git reads the files as `git add` would, conversions of line ends included, and runs nothing for it:
the private repository has no filters, hooks or monitors. What it has to be told of the user's own
configuration are values that name no program: which files are ignored, and how text is converted.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from pr_review.adapters.git.command import Git
from pr_review.domain.text import quoted_path
from pr_review.errors import SnapshotError


class Uncommitted(StrEnum):
    """What to compare with a commit: the index, or the files with what is untracked."""

    STAGED = "staged"
    WORKTREE = "worktree"


_FILES = {"excludesfile": "ignore", "attributesfile": "attributes"}
_KEYS = (*_FILES, "autocrlf", "eol", "filemode", "ignorecase", "symlinks", "precomposeunicode")
_REGULAR = ("unspecified", "unset", "")


class WorkTree:
    """The index and the files of a clone, neither of which is written.

    `git` is a bare repository of ours with the clone's objects as alternates; what is new goes
    there. `passed` are variables that git may see, `user` those that lead to the user's own
    configuration, and to the index where git runs a hook. Raises `SnapshotError` if the clone has
    no working tree.
    """

    def __init__(
        self, clone: Git, git: Git, *, passed: Mapping[str, str], user: Mapping[str, str]
    ) -> None:
        if clone.git_dir.name != ".git":
            raise SnapshotError(
                f"{clone.git_dir} has no working tree", remedy="give --repo a clone with files"
            )
        self._clone = clone
        self._top = clone.git_dir.parent.resolve()
        self._passed = passed
        self._user = user
        self._folder = git.git_dir
        self._index = self._copied_index()
        for name in ("info/exclude", "info/attributes"):
            self._copy(self._path(name), self._folder / name)
        told = Git(clone.git_dir, passed=passed, user=user)
        settings = tuple(_conversions(told, user))

        def made(**more: str) -> Git:
            variables = {**passed, "GIT_INDEX_FILE": str(self._index), **more}
            return Git(git.git_dir, passed=variables, extra=settings, work_tree=self._top)

        self._git = made()
        # Without the clone's objects: git sets the time of one that it would have written anew.
        self._writer = made(GIT_OBJECT_DIRECTORY=str(self._objects(git)))

    def commit(self, what: Uncommitted, parent: str) -> str:
        """Id of a commit on `parent` with what is staged or what the files hold.

        Equal content on an equal parent gives an equal id. Raises `SnapshotError` for a merge
        with conflicts, and for a file that git would pass through a program.
        """
        if unmerged := self._listed("ls-files", "--unmerged", "-z"):
            path = unmerged[0].partition("\t")[2]
            raise SnapshotError(
                f"{quoted_path(path)} has conflicts", remedy="resolve them and git add the file"
            )
        # Whole, where it holds folders that are not checked out as one entry each.
        self._git.run("update-index", "--force-write-index")
        if what is Uncommitted.WORKTREE:
            self._add([*self._modified, *self.untracked])
        tree = self._writer.run("write-tree", "--missing-ok").decode().strip()
        return self._committed(tree, parent)

    @cached_property
    def untracked(self) -> tuple[str, ...]:
        """Files that are neither tracked nor ignored, without repositories inside of this one."""
        return tuple(path for path in self._others if not path.endswith("/"))

    @cached_property
    def nested(self) -> tuple[str, ...]:
        """Untracked folders that are repositories of their own; nothing of them is read."""
        return tuple(path for path in self._others if path.endswith("/"))

    @cached_property
    def _others(self) -> list[str]:
        listed = self._listed("ls-files", "--others", "--exclude-standard", "-z")
        own = self._folder.parent.resolve()  # in the working tree, if TMPDIR is
        if not own.is_relative_to(self._top):
            return listed
        return [path for path in listed if not path.startswith(f"{own.relative_to(self._top)}/")]

    @property
    def _modified(self) -> list[str]:
        """Tracked paths whose files may differ from the index, deleted ones included.

        Of a submodule its commit alone counts: to see more, git would run in it.
        """
        return self._listed("diff-files", "--name-only", "--ignore-submodules=dirty", "-z")

    def _add(self, paths: Sequence[str]) -> None:
        if not paths:
            return
        names = _joined(paths)
        self._refuse_filtered(names)
        self._writer.run(
            "update-index", "--add", "--remove", "--replace", "-z", "--stdin", stdin=names
        )

    def _refuse_filtered(self, names: bytes) -> None:
        """What a filter makes of a file (an encrypted one, a pointer) only the filter knows."""
        fields = self._listed("check-attr", "-z", "--stdin", "filter", stdin=names)
        for path, value in zip(fields[0::3], fields[2::3], strict=True):
            if value not in _REGULAR and self._is_regular(path):
                raise SnapshotError(
                    f"{quoted_path(path)} passes through the filter {value[:40]}, which is not run "
                    "here",
                    remedy="git add the file: what is staged has passed it",
                )

    def _is_regular(self, path: str) -> bool:
        return (self._top / path).is_file() and not (self._top / path).is_symlink()

    def _committed(self, tree: str, parent: str) -> str:
        # The parent's date: with an older one, git walks the whole history to order the two.
        date = self._git.run("show", "--no-patch", "--format=%ct", parent).decode().strip()
        who = {"NAME": "pr-review", "EMAIL": "pr-review@localhost", "DATE": f"@{date} +0000"}
        names = {f"GIT_{role}_{k}": v for role in ("AUTHOR", "COMMITTER") for k, v in who.items()}
        git = Git(self._folder, passed={**self._passed, **names})
        return git.run("commit-tree", "-p", parent, tree).decode().strip()

    def _objects(self, git: Git) -> Path:
        """A folder for new objects; the private repository reads them beside its others."""
        folder = self._folder / "written"
        folder.mkdir()
        with (git.git_dir / "objects/info/alternates").open("ab") as file:
            file.write(b"../written\n")
        return folder

    def _copied_index(self) -> Path:
        """The clone's index under another name; git may update ours."""
        index, copied = self._path("index"), self._folder / "worktree-index"
        if given := self._user.get("GIT_INDEX_FILE"):
            index = Path(given)  # `git commit -a` calls its hooks before it has a new one
        self._copy(index, copied)
        for shared in index.parent.glob("sharedindex.*"):
            self._copy(shared, self._folder / shared.name)
        return copied

    def _copy(self, source: Path, target: Path) -> None:
        """A copy as old as the original: git looks again into files that are as new as the
        index, which may have changed within one second."""
        if source.is_file():
            target.parent.mkdir(exist_ok=True)
            shutil.copy2(source, target)

    def _path(self, name: str) -> Path:
        printed = self._clone.run("rev-parse", "--git-path", name).removesuffix(b"\n")
        return Path(os.fsdecode(printed)).resolve()

    def _listed(self, *arguments: str, stdin: bytes = b"") -> list[str]:
        """Fields that end with a zero byte; paths keep bytes that are not UTF-8 as surrogates."""
        out = self._git.run(*arguments, stdin=stdin).decode("utf-8", "surrogateescape")
        return out.split("\0")[:-1]


def _joined(paths: Sequence[str]) -> bytes:
    return b"".join(path.encode("utf-8", "surrogateescape") + b"\0" for path in paths)


def _conversions(clone: Git, user: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Settings that decide what is ignored and how files become blobs, as the user's git has
    them: the last one counts."""
    home = Path(user.get("HOME") or os.devnull)
    folder = Path(user.get("XDG_CONFIG_HOME") or home / ".config") / "git"
    found = {key: str(folder / name) for key, name in _FILES.items()}
    pattern = rf"^core\.({'|'.join(_KEYS)})$"
    out = clone.run("config", "-z", "--show-scope", "--get-regexp", pattern, check=False)
    fields = os.fsdecode(out).split("\0")
    for scope, setting in zip(fields[0::2], fields[1::2], strict=False):
        key, _, value = setting.partition("\n")
        if scope != "command":  # that is ours
            found[key.removeprefix("core.")] = value
    for key, value in found.items():
        path = str(home / value[2:]) if value.startswith("~/") else value
        yield f"core.{key}", path if key in _FILES else value
