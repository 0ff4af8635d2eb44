"""Key material of which nothing is to be seen but its shape: a wall of base64.

Where a hunk lies in the middle of a key and the whole file is not to be had, there is no first
line to tell it by. So width, dress and number of lines decide; certificates and public keys that
say so, digests in hexadecimal and data in other widths are left in sight.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pr_review.snapshot.screen.keys import worded
from pr_review.snapshot.screen.spans import Extent

WALL_RULE = "key-material"

# PEM and PGP fold at 64 columns, OpenSSH at 70; data in mails is folded at 76.
_WIDTHS = (64, 70)
_LINE = re.compile(
    r"(?P<dress>[\s\"'`#*+|>:,-]{0,40}+)(?P<run>[A-Za-z0-9+/]{4,}+={0,2}+)[^A-Za-z0-9]{0,8}+"
    r"(?:[nr][^A-Za-z0-9]{1,8}+)?"
)
_EDGE = re.compile(r"-----(?P<kind>BEGIN|END) [A-Z0-9 ]{1,40}-----")
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]++=*+")
_KEY_FILE = re.compile(
    r"(?i)(?:.*[/])?(?:.*\.(?:pem|key|p8|pk8|ppk|asc|gpg)|id_(?:rsa|dsa|ecdsa|ed25519)(?:\..*)?)"
)
_FEW, _MANY = 2, 6


def names_a_key(path: str) -> bool:
    """Whether a path is one that keys are kept under."""
    return _KEY_FILE.fullmatch(path) is not None


def wall_spans(lines: Sequence[str], *, named: bool) -> Iterator[tuple[int, Extent]]:
    """The walls in consecutive lines: index of a line, and what of it to hide.

    Two lines are a wall in a file that is `named` like a key, six in any other. What stands
    below a first line is what that line says.
    """
    marked = False
    start = 0
    while start < len(lines):
        if edge := _EDGE.search(lines[start]):
            marked = edge["kind"] == "BEGIN"
        wall = [] if marked else _wall(lines, start)
        if len(wall) >= (_FEW if named else _MANY):
            yield from ((start + n, match.span("run")) for n, match in enumerate(wall))
        start += max(len(wall), 1)


def _wall(lines: Sequence[str], start: int) -> list[re.Match[str]]:
    """The lines from `start` on that are as wide as the first one and dressed like it, and the
    shorter one that ends a key."""
    wall: list[re.Match[str]] = []
    for index in range(start, len(lines)):
        match = _LINE.fullmatch(lines[index])
        if match is None or (wall and match["dress"] != wall[0]["dress"]):
            break
        width = len(match["run"])
        if width not in _WIDTHS or (wall and width != len(wall[0]["run"])):
            if wall and width < len(wall[0]["run"]):
                wall.append(match)
            break
        if worded(match["run"]) or _HEXADECIMAL.fullmatch(match["run"]):
            break
        wall.append(match)
    return wall
