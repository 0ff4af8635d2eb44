"""Globs on whole paths, as people write them in workflow files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

# A part is literal text or one of these signs, a class of characters, or options in braces.
_Part = str | re.Pattern[str] | tuple["_Parts", ...]
_Parts = tuple[_Part, ...]
_PARTS = re.compile(r"\*\*/|\*\*|\*|\?|\{[^{}]*\}|\[[^\]]+\]|[^*?{\[]+|.", re.DOTALL)


def matches(path: str, globs: Iterable[str]) -> bool:
    """Whether any glob matches the whole path.

    `*` and `?` stay within a folder, `**` crosses folders, `{a,b}` is either; a pattern
    without a slash matches the file name in any folder, and one that ends with a slash
    matches everything below that folder.
    """
    return any(len(path) in _ends(_compiled(glob), path, {0}) for glob in globs)


@lru_cache(maxsize=512)
def _compiled(glob: str) -> _Parts:
    pattern = glob.removeprefix("/")
    if pattern.endswith("/"):
        pattern += "**"
    elif "/" not in pattern:
        pattern = f"**/{pattern}"
    return _parsed(pattern)


def _parsed(pattern: str) -> _Parts:
    return tuple(map(_part, _PARTS.findall(pattern)))


def _part(text: str) -> _Part:
    if len(text) > 1 and text[0] == "{":
        return tuple(_parsed(option) for option in text[1:-1].split(","))
    return re.compile(_one_of(text[1:-1])) if len(text) > 1 and text[0] == "[" else text


def _ends(parts: _Parts, path: str, starts: set[int]) -> set[int]:
    """Where a match of all parts may end that begins at one of `starts`.

    All ways are gone at once, so that the work grows with the path, not with the ways to match
    it: a pull request chooses its paths, and a regular expression tries the ways one by one.
    """
    for part in parts:
        if not starts:
            break
        starts = _behind(part, path, starts)
    return starts


def _behind(part: _Part, path: str, starts: set[int]) -> set[int]:
    if isinstance(part, tuple):
        return {end for option in part for end in _ends(option, path, starts)}
    if isinstance(part, re.Pattern):
        return {at + 1 for at in starts if part.match(path, at)}
    match part:
        case "**/":
            return starts | {at + 1 for at in range(min(starts), len(path)) if path[at] == "/"}
        case "**":
            return set(range(min(starts), len(path) + 1))
        case "*":
            return _within_folder(path, starts)
        case "?":
            return {at + 1 for at in starts if path[at : at + 1] not in ("", "/")}
        case _:
            return {at + len(part) for at in starts if path.startswith(part, at)}


def _within_folder(path: str, starts: set[int]) -> set[int]:
    found: set[int] = set()
    for at in sorted(starts):
        if at not in found:
            slash = path.find("/", at)
            found.update(range(at, (len(path) if slash < 0 else slash) + 1))
    return found


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
