"""Which file a model meant, however it spelt the path."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from unicodedata import normalize

from pr_review.domain.snapshot import Snapshot
from pr_review.domain.text import quoted_path, visible_line

_PLACE = re.compile(r"(?::\d+(?:[-:]\d+)*|#L\d+(?:-L?\d+)?)$")
_LONGEST_PLACE = 40
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f"}


def resolve(given: str, snapshot: Snapshot) -> str | None:
    """The path of the one file that `given` names, None if no file or several fit.

    Changed files come before unchanged ones of which something is shown.

    The exact path comes first, as it is or as the snapshot writes it, then the spellings of
    models: `./x`, `a/x`, `b/x`, `/x`, backslashes, quotes as git writes them, a line number at
    the end, another Unicode form, the path before a rename, the unique end of a changed path,
    another case, an absolute path that ends in a changed one.
    """
    names = tuple(_names(snapshot))
    for name, path in names:
        if name == path and given in (path, visible_line(path), quoted_path(path)):
            return path
    plain = _plain(given)
    if not plain:
        return None
    for fits in _tests(plain):
        found = {path for name, path in names if fits(_composed(name))}
        found = found & snapshot.ledger.by_path.keys() or found
        if found:
            return found.pop() if len(found) == 1 else None
    return _end_of_absolute(plain, names) if _absolute(given) else None


def _names(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Every name a file may go by, with its path: new paths first, then those that stand in the
    prompt in place of one that holds a credential, then old ones."""
    files = [(entry.path, entry.old_path) for entry in snapshot.ledger.entries]
    files += [(file.path, file.old_path) for file in snapshot.sent]
    current = dict(files)
    yield from ((path, path) for path in current)
    printed = ((entry.printed, entry.path) for entry in snapshot.ledger.entries)
    yield from ((name, path) for name, path in printed if name and name not in current)
    # After a swap of two names the old name of one file is the new name of the other.
    yield from ((old, path) for path, old in current.items() if old and old not in current)


def _tests(plain: str) -> Iterator[Callable[[str], bool]]:
    """Ever looser ways in which a name may be the one that was meant."""
    folded = plain.casefold()
    yield lambda name: name == plain
    if plain[:2] in ("a/", "b/"):
        yield lambda name: name == plain[2:]
    yield lambda name: name.endswith("/" + plain)
    yield lambda name: name.casefold() == folded


def _end_of_absolute(plain: str, names: Iterable[tuple[str, str]]) -> str | None:
    """The changed path in which an absolute one ends; the longest says the most."""
    ends = [(name, path) for name, path in names if plain.endswith("/" + _composed(name))]
    return max(ends, key=lambda pair: len(pair[0]))[1] if ends else None


def _plain(given: str) -> str:
    text = given.strip().strip("`").strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = _unquoted(text[1:-1])
    else:
        text = text.strip("'\"").replace("\\", "/")
    text = text[:-_LONGEST_PLACE] + _PLACE.sub("", text[-_LONGEST_PLACE:])
    text = re.sub(r"^(?:\./)+", "", text)
    return _composed(text.lstrip("/"))


def _absolute(given: str) -> bool:
    return re.match(r"[`'\"\s]*(?:/|[A-Za-z]:[\\/])", given) is not None


def _unquoted(text: str) -> str:
    """A path as git quotes it: octal bytes and C escapes."""

    def byte(match: re.Match[bytes]) -> bytes:
        escape = match[1]
        return bytes([int(escape, 8) & 255]) if len(escape) == 3 else _ESCAPED.get(escape, escape)

    raw = _ESCAPE.sub(byte, text.encode("utf-8", "surrogateescape"))
    return raw.decode("utf-8", "surrogateescape")


def _composed(text: str) -> str:
    return normalize("NFC", text)
