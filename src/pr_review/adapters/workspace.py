"""Reads files with results of tools from a checkout, which a pull request may have filled.

It may hold links that lead anywhere and folders without end: no link is followed, only regular
files are opened, and everything is bounded.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pr_review.checks.sarif.ports import ToolFile
from pr_review.domain.globs import matches

MOST_FILES = 20
MOST_BYTES = 20_000_000
MOST_BYTES_IN_ALL = 60_000_000
MOST_ENTRIES = 200_000
_CUT = ""
_WILD = frozenset("*?[{")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
# a pipe would block without the last
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


@dataclass(frozen=True, slots=True)
class Workspace:
    """The files below `root` that match `globs`; a root of None is no checkout."""

    root: Path | None
    globs: tuple[str, ...]

    def results(self) -> Iterator[ToolFile]:
        """Each file that a glob matches, once, by path; and each glob that matches none.

        At most `MOST_FILES` are read, each of at most `MOST_BYTES` and all of them of
        `MOST_BYTES_IN_ALL`; one that is not says why.
        """
        if self.root is None:
            yield from (ToolFile(glob, problem="there is no checkout") for glob in self.globs)
            return
        walked = tuple(self._walk())
        paths = sorted({path for path in walked if path and matches(path, self.globs)})
        for glob in self.globs:
            if _CUT in walked:
                yield ToolFile(glob, problem=f"beyond {MOST_ENTRIES:,} entries of the checkout")
            elif not any(matches(path, (glob,)) for path in paths):
                yield ToolFile(glob, problem="no file of the checkout matches it")
        room = MOST_BYTES_IN_ALL
        for path in paths[:MOST_FILES]:
            file = _read(self.root, path)
            if len(file.data) > room:
                file = ToolFile(path, problem=f"all are larger than {MOST_BYTES_IN_ALL:,} bytes")
            room -= len(file.data)
            yield file
        for path in paths[MOST_FILES:]:
            yield ToolFile(path, problem=f"no more than {MOST_FILES} files are read")

    def _walk(self) -> Iterator[str]:
        """Paths below the root, those near it first; links are named and not followed. The last
        is `_CUT` if there are more."""
        assert self.root is not None
        folders = deque(sorted({_start(glob) for glob in self.globs}))
        seen = 0
        while folders and seen < MOST_ENTRIES:
            folder = folders.popleft()
            for name, is_folder in _listed(self.root / folder):
                seen += 1
                path = f"{folder}/{name}" if folder else name
                if not is_folder:
                    yield path
                elif name != ".git":
                    folders.append(path)
        if folders:
            yield _CUT


def _start(glob: str) -> str:
    """The folder below which a glob can match: its parts before the first with a wildcard."""
    *parents, _ = glob.removeprefix("/").split("/")
    wild = next((i for i, part in enumerate(parents) if _WILD & set(part)), len(parents))
    fixed = parents[:wild]
    return "" if ".." in fixed else "/".join(fixed)


def _listed(folder: Path) -> list[tuple[str, bool]]:
    """Names in a folder, and whether each is a folder itself; none if it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return sorted((e.name, e.is_dir(follow_symlinks=False)) for e in entries)
    except OSError:
        return []


def _read(root: Path, path: str) -> ToolFile:
    try:
        handle = _opened(root, path.split("/"))
    except OSError as error:
        return ToolFile(
            path, problem=f"it cannot be opened without following a link: {_why(error)}"
        )
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return ToolFile(path, problem="it is no regular file")
        try:
            data = file.read(MOST_BYTES + 1)
        except OSError as error:
            return ToolFile(path, problem=_why(error))
    if len(data) > MOST_BYTES:
        return ToolFile(path, problem=f"it is larger than {MOST_BYTES:,} bytes")
    return ToolFile(path, data)


def _opened(root: Path, parts: Sequence[str]) -> int:
    """A handle of a file, opened part by part: none of them may be a link."""
    at = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    for depth, part in enumerate(parts, start=1):
        try:
            inner = os.open(part, _FILE if depth == len(parts) else _FOLDER, dir_fd=at)
        finally:
            os.close(at)
        at = inner
    return at


def _why(error: OSError) -> str:
    return error.strerror or "it cannot be read"
