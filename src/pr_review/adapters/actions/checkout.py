"""Did an earlier step leave a token where everything in this job can read it?

`actions/checkout` does, unless told not to: in `.git/config` as a header, or (newer
versions) in a file of RUNNER_TEMP that `.git/config` includes; an ssh key lies there, too.
https://github.com/actions/checkout/blob/main/src/git-auth-helper.ts
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_LONGEST_CONFIG_BYTES = 1024 * 1024
_SECTION = re.compile(r'\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)')
_SETTING = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)")
# a user name alone is no secret, unless it is as long as a token
_URL_WITH_PASSWORD = re.compile(r"\w+://(?:[^/\s:@]*:[^/\s@]+|[^/\s:@]{20,})@")
_ADVICE = "give the checkout step `persist-credentials: false`"


def token_warning(workspace: Path | None) -> str:
    """A warning if the checkout's git configuration holds a readable token; else empty.

    The file is read as text and never followed; the token is not part of the answer.
    """
    if workspace is None:
        return ""
    for section, subsection, key, value in _settings(_config(workspace)):
        if reason := _reason(section, subsection, key, value):
            return f"{reason}, readable by every step of this job; {_ADVICE}"
    return ""


def _reason(section: str, subsection: str, key: str, value: str) -> str:
    if section == "http" and key == "extraheader" and "authorization" in value.lower():
        return "the checkout's .git/config holds a token in an http header"
    if any(_URL_WITH_PASSWORD.match(text) for text in (value.strip('"'), subsection)):
        return "the checkout's .git/config holds a credential in an address"
    if section == "core" and key == "sshcommand" and "RUNNER_TEMP" in value:
        return "the checkout's .git/config names an ssh key in RUNNER_TEMP"
    included = section in ("include", "includeif") and key == "path"
    if included and PurePosixPath(value.strip('"')).name.startswith("git-credentials"):
        return "the checkout's .git/config includes a file that holds a token"
    return ""


def _settings(text: str) -> Iterator[tuple[str, str, str, str]]:
    """(section, subsection, key, value) of a git configuration; names in lower case."""
    section = subsection = ""
    for line in text.split("\n"):
        rest = line
        if match := _SECTION.match(line):
            section, subsection, rest = match[1].lower(), match[2] or "", match[3]
        if match := _SETTING.match(rest):
            yield section, subsection, match[1].lower(), match[2].strip()


def _config(workspace: Path) -> str:
    """Text of `.git/config`, if it is a plain file of a sensible size."""
    try:
        handle = os.open(workspace / ".git" / "config", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return ""
        return file.read(_LONGEST_CONFIG_BYTES).decode("utf-8", "replace")
