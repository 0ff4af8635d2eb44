"""Real repositories with one change in them, and what git itself says of that change.

Nothing here uses the product's parsers: paths, status, counts and line numbers come from
`git diff --raw`, `--numstat` and from the blobs.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pr_review import app
from tests.standins.github_git import clean_environment

Files = Mapping[bytes, "Blob | None"]
ENVIRON = {"PATH": os.environ["PATH"]}
# The scanner's compiled rules are kept in the user's cache.
for kept in ("HOME", "XDG_CACHE_HOME"):
    if kept in os.environ:
        ENVIRON[kept] = os.environ[kept]


@dataclass(frozen=True)
class Blob:
    """A file of a tree: its bytes and git's mode (a symlink's bytes are its target)."""

    content: bytes
    mode: str = "100644"


@dataclass(frozen=True)
class Row:
    """One changed file as git's raw rows and counts tell it."""

    path: str
    old_path: str | None
    letter: str
    old_mode: str
    new_mode: str
    old_oid: str
    new_oid: str
    added: int
    removed: int
    binary: bool


@dataclass(frozen=True)
class Repo:
    """A bare repository with the branches `base` and `head`, one commit each."""

    folder: Path

    def git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        done = subprocess.run(
            ["git", "-C", str(self.folder), *arguments],
            input=stdin,
            capture_output=True,
            check=True,
            env=clean_environment(),
        )
        return done.stdout

    @cached_property
    def rows(self) -> dict[str, Row]:
        """git's account, by path."""
        flags = ("--no-abbrev", "-z", "-M", "-l1000", "base", "head")
        raw = _fields(self.git("diff", "--raw", *flags))
        counts = _counts(_fields(self.git("diff", "--numstat", *flags)))
        found = {}
        while raw:
            old_mode, new_mode, old_oid, new_oid, letter = raw.pop(0).removeprefix(":").split()
            old_path = raw.pop(0)
            path = raw.pop(0) if letter[0] in "RC" else old_path
            added, removed, binary = counts[path]
            found[path] = Row(
                path, old_path if path != old_path else None, letter[0],
                old_mode, new_mode, old_oid, new_oid, added, removed, binary,
            )  # fmt: skip
        return found

    def object(self, name: str) -> str:
        """The full id of a commit or a blob."""
        return self.git("rev-parse", name).decode().strip()

    def lines(self, oid: str) -> list[bytes]:
        """A blob's lines as git counts them: each ends at LF."""
        if not oid.strip("0"):
            return []
        content = self.git("cat-file", "blob", oid)
        return content.removesuffix(b"\n").split(b"\n") if content else []


def _fields(out: bytes) -> list[str]:
    return out.decode("utf-8", "surrogateescape").split("\0")[:-1]


def _counts(fields: list[str]) -> dict[str, tuple[int, int, bool]]:
    counts = {}
    while fields:
        added, removed, path = fields.pop(0).split("\t", 2)
        if not path:
            fields.pop(0)
            path = fields.pop(0)
        binary = added == "-"
        counts[path] = (0, 0, True) if binary else (int(added), int(removed), False)
    return counts


def make(
    folder: Path, base: Files, head: Files, *, then: Files | None = None, form: str = "sha1"
) -> Repo:
    """A bare repository: `head` changes `base`; None takes a file away. `then` changes `base`,
    too: a commit that was reviewed before, on a branch of this name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    repo = Repo(folder)
    repo.git("init", "-q", "--bare", "-b", "base", f"--object-format={form}")
    stream = _commit("base", base, "") + _commit("head", head, "refs/heads/base")
    if then is not None:
        stream += _commit("then", then, "refs/heads/base")
    repo.git("fast-import", "--quiet", stdin=stream)
    return repo


def _commit(branch: str, files: Files, start: str) -> bytes:
    lines = [
        f"commit refs/heads/{branch}".encode(),
        b"committer T <t@example.invalid> 1767323045 +0000",
        b"data 1\nx",
    ]
    if start:
        lines.append(f"from {start}".encode())
    for path, blob in files.items():
        name = b'"%s"' % b"".join(b"\\%03o" % byte for byte in path)
        if blob is None:
            lines.append(b"D " + name)
        elif blob.mode == "160000":
            lines.append(b"M 160000 %s %s" % (blob.content, name))
        else:
            lines.append(b"M %s inline %s" % (blob.mode.encode(), name))
            lines.append(b"data %d\n%s" % (len(blob.content), blob.content))
    return b"\n".join(lines) + b"\n\n"


def snapshot(repo: Path, out: Path, *flags: str, base: str = "base", head: str = "head") -> Any:
    """The object of `pr-review snapshot --format json` for two commits of a clone."""
    return command(out, "--repo", str(repo), "--base", base, "--head", head, *flags)


def command(out: Path, *flags: str) -> Any:
    """The object of `pr-review snapshot --format json` with these flags."""
    arguments = ["snapshot", *flags, "--format", "json", "--out", str(out)]
    assert app.main(arguments, ENVIRON) == 0
    return json.loads(out.read_text(encoding="utf-8"))


def shown_rows(text: str) -> dict[str, list[str]]:
    """The rows of every file's section in a snapshot's text, by the path in its header.

    A row starts with a number, `-`, `\\` or a gap's mark, a header with `## `.
    """
    found: dict[str, list[str]] = {}
    inside = text.split("<<<diff ", 1)[1].split("\n")[1:-2]
    current: list[str] = []
    for line in inside:
        if line.startswith("## "):
            name = re.match(r"## (?:`(.*)`|(\S+)) \(", line)
            assert name, line
            current = found.setdefault(name[1] or name[2], [])
        else:
            assert re.match(r"\d+ |-|\\ no newline|…", line), line
            current.append(line)
    return found
