"""What the GitHub stand-in knows of a repository: it asks git, as GitHub does."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "T": "changed"}


@dataclass(frozen=True)
class HunkSpan:
    """The lines of one hunk on each side, as half-open ranges."""

    left: range
    right: range

    def holds(self, side: str, line: int) -> bool:
        return line in (self.left if side == "LEFT" else self.right)


@dataclass(frozen=True)
class DiffFile:
    """One file of a pull request's diff. `patch` is empty for binary files and pure renames."""

    path: str
    old_path: str | None
    status: str
    oid: str
    additions: int
    deletions: int
    patch: str

    @property
    def hunks(self) -> tuple[HunkSpan, ...]:
        return tuple(_span(match) for match in self._headers())

    def hunk_of(self, side: str, line: int) -> HunkSpan | None:
        return next((hunk for hunk in self.hunks if hunk.holds(side, line)), None)

    def _headers(self) -> list[re.Match[str]]:
        """Headers alone: a line of the body starts with a blank, a sign or a backslash."""
        matches = (_HUNK.match(line) for line in self.patch.split("\n"))
        return [match for match in matches if match]


def _span(match: re.Match[str]) -> HunkSpan:
    old, old_count, new, new_count = (1 if part is None else int(part) for part in match.groups())
    return HunkSpan(range(old, old + old_count), range(new, new + new_count))


@dataclass
class GitRules:
    """What the stand-in's git allows; a test may change it between two requests.

    Without `partial` it knows no partial clone; without `ids` it serves what its refs point
    at and no object by its id, as servers of the first protocol do. Repositories stand below
    `prefix`. With `moved_to` every request is redirected to that server.
    """

    partial: bool = True
    ids: bool = True
    prefix: str = ""
    moved_to: str = ""

    def environment(self, protocol: str) -> dict[str, str]:
        """For `git http-backend`, with the protocol that the client asks for; no push."""
        settings = {
            "uploadpack.allowFilter": str(self.partial).lower(),
            "uploadpack.allowAnySHA1InWant": str(self.ids).lower(),
            "uploadpack.allowReachableSHA1InWant": str(self.ids).lower(),
            "http.receivepack": "false",
            "safe.directory": "*",
        }
        config = {"GIT_CONFIG_COUNT": str(len(settings))}
        for index, (key, value) in enumerate(settings.items()):
            config |= {f"GIT_CONFIG_KEY_{index}": key, f"GIT_CONFIG_VALUE_{index}": value}
        # The second protocol serves any object by its id, whatever the settings say.
        return {**config, "GIT_PROTOCOL": protocol if self.ids else ""}


@dataclass(frozen=True)
class Commit:
    sha: str
    tree: str
    parents: tuple[str, ...]
    name: str
    email: str
    date: str
    message: str


@dataclass(frozen=True)
class TreeNode:
    """What a tree holds at a path: a blob, a tree, or the commit of a submodule."""

    path: str
    mode: str
    kind: str
    oid: str
    size: int | None


class Repository:
    """Reads one bare repository. Diffs are between immutable commits, so they are kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.diff = cache(self._diff)
        self.merge_base = cache(self._merge_base)

    def git(self, *arguments: str) -> bytes:
        """Output of a git command. Raises `CalledProcessError` with git's words."""
        done = subprocess.run(
            ["git", "-c", "safe.directory=*", "--git-dir", str(self.folder), *arguments],
            capture_output=True,
            check=True,
            env=clean_environment(),
        )
        return done.stdout

    def resolve(self, name: str) -> str | None:
        """The commit id of a branch, ref or id; None if there is none."""
        for candidate in (f"refs/heads/{name}", name):
            try:
                found = self.git("rev-parse", "--verify", "--quiet", f"{candidate}^{{commit}}")
            except subprocess.CalledProcessError:
                continue
            return found.decode().strip()
        return None

    def point(self, ref: str, sha: str) -> None:
        self.git("update-ref", ref, sha)

    def _merge_base(self, base: str, head: str) -> str | None:
        try:
            return self.git("merge-base", base, head).decode().strip()
        except subprocess.CalledProcessError:
            return None

    def commits(self, base: str, head: str) -> list[Commit]:
        """Commits that the head has and the base has not, oldest first."""
        return self._log("--reverse", "--topo-order", f"{base}..{head}")

    def commit(self, sha: str) -> Commit:
        return self._log("-1", sha)[0]

    def _log(self, *arguments: str) -> list[Commit]:
        form = "%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%B%x01"
        text = self.git("log", f"--format={form}", *arguments).decode("utf-8", "replace")
        found = []
        for record in text.split("\x01")[:-1]:
            sha, tree, parents, name, email, date, message = record.lstrip("\n").split("\x00")
            found.append(
                Commit(sha, tree, tuple(parents.split()), name, email, date, message.rstrip("\n"))
            )
        return found

    def count(self, base: str, head: str) -> int:
        return int(self.git("rev-list", "--count", f"{base}..{head}"))

    def blob(self, commit: str, path: str) -> tuple[str, bytes] | None:
        """Object id and content of a file; None if there is none."""
        row = self.git("ls-tree", "-z", "--full-tree", commit, "--", path).decode()
        if not row:
            return None
        _, kind, oid = row.split("\t")[0].split()
        return (oid, self.git("cat-file", "blob", oid)) if kind == "blob" else None

    def tree(self, commit: str) -> list[TreeNode]:
        """Everything below a commit, folders included."""
        rows = self.git("ls-tree", "-r", "-t", "-l", "-z", "--full-tree", commit)
        found = []
        for row in rows.decode("utf-8", "replace").split("\0")[:-1]:
            facts, path = row.split("\t", 1)
            mode, kind, oid, size = facts.split()
            found.append(TreeNode(path, mode, kind, oid, None if size == "-" else int(size)))
        return found

    def content(self, oid: str) -> bytes | None:
        """The content of a blob; None if there is none."""
        try:
            return self.git("cat-file", "blob", oid)
        except subprocess.CalledProcessError:
            return None

    def text(self, base: str, head: str) -> str:
        return self.git("diff", *_DIFF, base, head).decode("utf-8", "replace")

    def _diff(self, base: str, head: str) -> tuple[DiffFile, ...]:
        raw = self.git("diff", "--raw", "-z", "--no-abbrev", *_DIFF, base, head).decode(
            "utf-8", "replace"
        )
        counts = self._counts(base, head)
        text = self.text(base, head)
        sections = re.split(r"^(?=diff --git )", text, flags=re.MULTILINE)[1:]
        files, fields = [], raw.split("\0")
        while fields and fields[0]:
            row = fields.pop(0)
            _, _, old_oid, oid, letter = row.split()
            old = fields.pop(0)
            path = fields.pop(0) if letter[0] in "RC" else old
            patches = [_hunks(sections.pop(0)) for _ in range(2 if letter == "T" else 1)]
            files.append(
                DiffFile(
                    path,
                    old if path != old else None,
                    "changed" if oid == old_oid and letter == "M" else _STATUS[letter[0]],
                    old_oid if letter == "D" else oid,
                    *counts[path],
                    patches[-1],
                )
            )
        return tuple(files)

    def _counts(self, base: str, head: str) -> dict[str, tuple[int, int]]:
        fields = (
            self.git("diff", "--numstat", "-z", *_DIFF, base, head)
            .decode("utf-8", "replace")
            .split("\0")
        )
        counts = {}
        while fields and fields[0]:
            added, removed, path = fields.pop(0).split("\t", 2)
            if not path:
                fields.pop(0)
                path = fields.pop(0)
            counts[path] = (0, 0) if added == "-" else (int(added), int(removed))
        return counts


_DIFF = ("-M", "--no-color", "--no-ext-diff", "--no-textconv")


def _hunks(section: str) -> str:
    """A section's hunks without its header, as the API's `patch` has them."""
    start = section.find("\n@@ ")
    return "" if start < 0 else section[start + 1 :].removesuffix("\n")


def clean_environment() -> dict[str, str]:
    """The environment without anything that would steer git."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return {**kept, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
