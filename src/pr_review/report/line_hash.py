"""The hash by which code scanning knows a line again, whatever moves above it.

It goes by the text from the line on: so it is the same for the next push, and the same as what
`github/codeql-action/upload-sarif` would compute where it finds the file in a checkout.
https://github.com/github/codeql-action/blob/main/src/fingerprints.ts
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable, Iterator

from pr_review.domain.diff import Side
from pr_review.domain.finding import Finding
from pr_review.errors import SnapshotError

_WINDOW = 100
_BASE = 37
_MODULUS = 2**64
_END = 0xFFFF
_BLANK = re.compile(r"[ \t]")
_LINE_END = re.compile("\r\n?")
_LINE_FEED = ord("\n")


def line_hashes(
    findings: Iterable[Finding], read: Callable[[str], bytes | None]
) -> tuple[tuple[str, int, str], ...]:
    """Path, number and hash of the first line of each finding on the new side, of those files
    that `read` has."""
    wanted: dict[str, set[int]] = {}
    for finding in findings:
        if finding.start is not None and finding.side is Side.RIGHT:
            wanted.setdefault(finding.path, set()).add(finding.start)
    return tuple(
        (path, number, found)
        for path, numbers in wanted.items()
        if (data := _had(read, path)) is not None
        for number, found in _hashes(data, numbers)
    )


def _had(read: Callable[[str], bytes | None], path: str) -> bytes | None:
    try:
        return read(path)
    except SnapshotError:  # a server that fails now costs a hash, not the review
        return None


def _hashes(data: bytes, numbers: set[int]) -> Iterator[tuple[int, str]]:
    """The hash of each of these lines: of its window, and the how manieth such window it is."""
    units = _units(data)
    seen: dict[tuple[int, ...], int] = {}
    for number, start in enumerate(_starts(units), start=1):
        window = units[start : start + _WINDOW]
        seen[window] = seen.get(window, 0) + 1
        if number in numbers:
            yield number, f"{_polynomial(window):x}:{seen[window]}"


def _units(data: bytes) -> tuple[int, ...]:
    """UTF-16 code units without blanks, each line end one unit; a mark at the end."""
    text = _BLANK.sub("", _LINE_END.sub("\n", data.decode("utf-8", "replace")))
    raw = text.encode("utf-16-le", "surrogatepass")
    return (*struct.unpack(f"<{len(raw) // 2}H", raw), _END)


def _starts(units: tuple[int, ...]) -> Iterator[int]:
    """Where lines start; what follows the last line feed, if only the mark, is one, too."""
    yield 0
    yield from (at + 1 for at, unit in enumerate(units) if unit == _LINE_FEED)


def _polynomial(window: tuple[int, ...]) -> int:
    """As if zeros followed a window that the end of the file cuts short."""
    total = 0
    for unit in window:
        total = (total * _BASE + unit) % _MODULUS
    return total * pow(_BASE, _WINDOW - len(window), _MODULUS) % _MODULUS
