"""Writes what a run leaves behind: outputs, job summary, report files."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path

from pr_review.errors import PublishError

# https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
SUMMARY_LIMIT_BYTES = 1024 * 1024

CUT = "This summary is cut here: it is over GitHub's limit. The report holds all of it."

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_MOST_REPORTS = 100


def write_outputs(path: Path | None, values: Mapping[str, str]) -> None:
    """Appends outputs to the runner's file; no value can set another output.

    Every value is read back as it is, whatever lines it holds; a lone surrogate, which no
    file can hold, becomes U+FFFD. Without a path nothing is written. Raises `PublishError`.
    """
    if path is None:
        return
    text = "".join(_block(name, _encodable(value)) for name, value in values.items())
    _append(path, text.encode(), "GITHUB_OUTPUT")


def write_summary(path: Path | None, text: str) -> None:
    """Appends Markdown to the job summary.

    GitHub drops a summary over 1 MiB whole, so a longer one is cut at the end of a line
    and says so. Without a path nothing is written. Raises `PublishError`.
    """
    if path is None:
        return
    data = _encodable(text if text.endswith("\n") else text + "\n")
    used = path.stat().st_size if path.is_file() else 0
    _append(path, _fitting(data, SUMMARY_LIMIT_BYTES - used), "GITHUB_STEP_SUMMARY")


def create_report(folder: Path, name: str, data: bytes, *, checkout: Path | None) -> Path:
    """Creates a new file in `folder` and returns its path; nothing is ever overwritten.

    If the name is taken (the action ran before in this job), a number is added to it. The
    file can be read by every later step. Raises `PublishError`, also if the folder lies in
    the checkout, where a pull request can have put anything.
    """
    place = folder.resolve()
    if checkout is not None and place.is_relative_to(checkout.resolve()):
        raise PublishError(
            f"reports are not written into the checkout: {folder}",
            remedy="let RUNNER_TEMP name a folder outside of it",
        )
    stem, dot, suffix = name.partition(".")
    for number in range(1, _MOST_REPORTS + 1):
        path = place / (name if number == 1 else f"{stem}-{number}{dot}{suffix}")
        if _create(path, data):
            return path
    raise PublishError(f"{place} holds {_MOST_REPORTS} reports named {name}", remedy="clear it")


def _create(path: Path, data: bytes) -> bool:
    """Whether the file was created; false if something of that name is there."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    try:
        # later steps run as another user than a container does
        handle = os.open(path, flags, 0o644)
    except FileExistsError:
        return False
    except OSError as error:
        raise _unwritten(path.name, path, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
    except OSError as error:
        path.unlink(missing_ok=True)  # half a report is worse than none
        raise _unwritten(path.name, path, error) from error
    return True


def _block(name: str, value: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"not the name of an output: {name!r}")
    delimiter = f"end-{secrets.token_hex(16)}"
    while delimiter in value:
        delimiter = f"end-{secrets.token_hex(16)}"
    return f"{name}<<{delimiter}\n{value}\n{delimiter}\n"


def _fitting(text: str, room: int) -> bytes:
    data = text.encode()
    if len(data) <= room:
        return data
    word = f"\n\n**{CUT}**\n"
    # room for closing a fence of the length of any sensible one
    end = data.rfind(b"\n", 0, max(0, room - len(word.encode()) - 128)) + 1
    kept = data[:end].decode()
    cut = (kept + _open_fence(kept) + word).encode()
    return cut if len(cut) <= room else b""


def _open_fence(text: str) -> str:
    """The fence that closes a code block left open, so that what follows is read as text."""
    fence = ""
    for line in text.split("\n"):
        match = _FENCE.match(line)
        if match and not fence:
            fence = match[1]
        elif match and match[1].startswith(fence) and not line[match.end() :].strip():
            fence = ""
    return fence


def _append(path: Path, data: bytes, variable: str) -> None:
    try:
        with path.open("ab") as file:
            file.write(data)
    except OSError as error:
        raise _unwritten(variable, path, error) from error


def _unwritten(what: str, path: Path, error: OSError) -> PublishError:
    reason = error.strerror or "it failed"
    return PublishError(
        f"cannot write {what} to {path}: {reason}", remedy="check the runner's disk"
    )


def _encodable(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text)
