"""Small bare repositories for tests; in `sample`, `feature` left `main` before its tip."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.standins.github_git import clean_environment

Files = Mapping[str, bytes | None]

NUMBERS = [f"line {number}\n" for number in range(1, 61)]
BEFORE: Files = {
    "f.txt": "".join(NUMBERS).encode(),
    "old.py": b"".join(b"x = %d\n" % number for number in range(30)),
    "gone.txt": b"one\ntwo\n",
    "logo.png": b"\x89PNG\0\1",
    ".github/pr-review.yml": b"max-comments: 3\n",
}
# lines 5 and 50 of f.txt change: two hunks, 2..8 and 47..53 on both sides
EDITED = [*NUMBERS[:4], "line five\n", *NUMBERS[5:49], "line fifty\n", *NUMBERS[50:]]
AFTER: Files = {
    "f.txt": "".join(EDITED).encode(),
    "new.py": b"a = 1\nb = 2\nc = 3\n",
    "gone.txt": None,
    "logo.png": b"\x89PNG\0\2",
    "old.py": None,
    "moved.py": BEFORE["old.py"],
}


@dataclass(frozen=True)
class NewCommit:
    """A commit on a branch. `start` is the branch that a new branch leaves, or `branch^0` where
    a branch that stood there before goes on; None as a file's content deletes the file.
    """

    branch: str
    message: str
    files: Files
    start: str = ""


def bare_repository(folder: Path, commits: Sequence[NewCommit]) -> Path:
    """Makes a bare repository of these commits in `folder`, which must not exist yet."""
    _git(["init", "-q", "--bare", "-b", "main", str(folder)])
    add_commits(folder, commits)
    return folder


def add_commits(folder: Path, commits: Sequence[NewCommit]) -> None:
    """Adds commits to a bare repository."""
    stream = b"".join(_commit(commit) for commit in commits)
    _git(["--git-dir", str(folder), "fast-import", "--quiet"], stream)


def _git(arguments: list[str], stream: bytes = b"") -> None:
    subprocess.run(["git", *arguments], input=stream, check=True, env=clean_environment())


def sample(folder: Path) -> Path:
    """The repository above: `feature` has two commits of its own, and `main` has moved on since."""
    return bare_repository(
        folder,
        [
            NewCommit("main", "Begin", BEFORE),
            NewCommit(
                "feature",
                "Change lines\n\nBecause they were wrong.",
                {"f.txt": AFTER["f.txt"]},
                start="main",
            ),
            NewCommit("feature", "Move things", AFTER),
            NewCommit("main", "Land something else", {"later.txt": b"landed\n"}),
        ],
    )


def _commit(commit: NewCommit) -> bytes:
    message = commit.message.encode()
    lines = [
        f"commit refs/heads/{commit.branch}".encode(),
        b"committer T <t@example.invalid> 1767323045 +0000",
        b"data %d\n%s" % (len(message), message),
    ]
    if commit.start:
        lines.append(f"from refs/heads/{commit.start}".encode())
    for path, content in commit.files.items():
        if content is None:
            lines.append(f"D {path}".encode())
        else:
            lines.append(f"M 100644 inline {path}".encode())
            lines.append(b"data %d\n%s" % (len(content), content))
    return b"\n".join(lines) + b"\n\n"
