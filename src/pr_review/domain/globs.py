"""Globs on whole paths, as people write them in workflow files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


def matches(path: str, globs: Iterable[str]) -> bool:
    """Whether any glob matches the whole path.

    `*` and `?` stay within a folder, `**` crosses folders, `{a,b}` is either; a pattern
    without a slash matches the file name in any folder, and one that ends with a slash
    matches everything below that folder.
    """
    return any(_compiled(glob).fullmatch(path) for glob in globs)


@lru_cache(maxsize=512)
def _compiled(glob: str) -> re.Pattern[str]:
    pattern = glob.removeprefix("/")
    if pattern.endswith("/"):
        pattern += "**"
    elif "/" not in pattern:
        pattern = f"**/{pattern}"
    return re.compile(_translate(pattern), re.DOTALL)


_PARTS = re.compile(r"\*\*/|\*\*|\*|\?|\{[^{}]*\}|\[[^\]]+\]|.", re.DOTALL)


def _translate(pattern: str) -> str:
    out = []
    for part in _PARTS.findall(pattern):
        if part == "**/":
            out.append("(?:.*/)?")
        elif part == "**":
            out.append(".*")
        elif part == "*":
            out.append("[^/]*")
        elif part == "?":
            out.append("[^/]")
        elif part.startswith("{") and part.endswith("}") and len(part) > 1:
            out.append(f"(?:{'|'.join(_translate(option) for option in part[1:-1].split(','))})")
        elif part.startswith("[") and len(part) > 1:
            out.append(_one_of(part[1:-1]))
        else:
            out.append(re.escape(part))
    return "".join(out)


def _one_of(inside: str) -> str:
    """`[a-z]` or `[!a-z]`; a range that runs backwards is an empty one."""
    negated = inside.startswith("!")
    options = []
    for first, last, single in re.findall(r"(.)-(.)|(.)", inside[negated:], re.DOTALL):
        if single or first <= last:
            options.append(re.escape(single) or f"{re.escape(first)}-{re.escape(last)}")
    if not options:
        return "[^/]" if negated else "(?!)"
    return f"(?!/)[{'^' if negated else ''}{''.join(options)}]"
