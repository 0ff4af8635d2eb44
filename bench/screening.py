"""How fast screening is, and that its time grows with the bytes alone.

Run as `python -m bench.screening`. Prints MB per CPU second of `screen` for diffs of 10 KB to
8 MB with the whole files at hand, and for texts made to be slow. The last column tells how
much longer a byte takes than in the smallest text of its kind: about 1 where time is linear.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from pr_review.adapters.secrets import Kingfisher
from pr_review.domain.diff import FileChange, Hunk, Line, Status
from pr_review.snapshot.screen import screen

_SIZES = (10_000, 100_000, 1_000_000, 8_000_000)
_AT_LEAST = 0.3
_OLD, _NEW = "1" * 40, "2" * 40
_CODE = (
    "def handler_{n}(request, settings, *, retries=3):",
    '    """Answers one request; raises `TimeoutError` after {n} seconds."""',
    "    token = settings.token or os.environ['SERVICE_TOKEN']",
    '    url = f"https://{{settings.host}}/api/v{n}/items?page={{request.page}}"',
    "    for attempt in range(retries):",
    '        response = client.get(url, headers={{"Authorization": token}})',
    "        if response.status == 200 and response.body['key_{n}'] != 'none':",
    "            return parse(response.body, password=request.password)",
    "",
    "const integrity_{n} = 'sha512-' + digest;  // {n} of many",
)
Made = tuple[list[FileChange], dict[str, bytes]]


def realistic(size: int) -> Made:
    """Files of code in three hunks each, some lines removed, some added, some context."""
    chance = random.Random(7)  # noqa: S311 - the same diff in every run
    files: list[FileChange] = []
    blobs: dict[str, bytes] = {}
    total = 0
    while total < size:
        texts = [chance.choice(_CODE).format(n=chance.randrange(1_000)) for _ in range(400)]
        file = _file(f"src/module_{len(files)}.py", texts[: max((size - total) // 40, 10)])
        total += sum(len(line.text) + 1 for line in file.lines)
        new, old = f"{len(files):040x}", f"{len(files) + 10**9:040x}"
        blobs[new] = blobs[old] = "\n".join(texts).encode()
        files.append(replace(file, new_oid=new, old_oid=old))
    return files, blobs


def _file(path: str, texts: Sequence[str], sign: str = "") -> FileChange:
    """A file of which these lines are the hunks; without a sign every fourth line is removed."""
    hunks, third = [], max(len(texts) // 3, 1)
    for start in range(0, len(texts), third):
        lines = []
        old = new = start + 1
        for number, text in enumerate(texts[start : start + third]):
            kind = sign or ("-+ +"[number % 4])
            lines.append(Line(old if kind in " -" else None, new if kind in " +" else None, text))
            old, new = old + (kind in " -"), new + (kind in " +")
        counts = old - start - 1, new - start - 1
        section = texts[start][:80]
        hunks.append(Hunk(start + 1, counts[0], start + 1, counts[1], section, tuple(lines)))
    added = sum(line.added for hunk in hunks for line in hunk.lines)
    removed = sum(line.removed for hunk in hunks for line in hunk.lines)
    return FileChange(
        path, None, Status.MODIFIED, "100644", "100644", _OLD, _NEW,
        binary=False, additions=added, deletions=removed, hunks=tuple(hunks),
    )  # fmt: skip


def _base64(size: int) -> str:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return "".join(random.Random(7).choices(letters, k=size))  # noqa: S311


def _one(texts: Sequence[str]) -> Made:
    return [_file("src/hostile.txt", texts, "+")], {}


def _wall(size: int, width: int = 64) -> list[str]:
    text = _base64(size)
    return [text[n : n + width] for n in range(0, size, width)]


HOSTILE: Mapping[str, Callable[[int], Made]] = {
    "one line of base64": lambda size: _one([_base64(size)]),
    "one line of quotes": lambda size: _one(["'\" + \"' " * (size // 8)]),
    "one line of blanks": lambda size: _one(['"' + " " * size]),
    "lines of ten bytes": lambda size: _one(["k = 'abcd'"] * (size // 10)),
    "a wall of base64": lambda size: _one(_wall(size)),
    "PRIVATE KEY again and again": lambda size: _one(["PRIVATE KEY"] * (size // 11)),
    "first lines of keys": lambda size: _one(["-----BEGIN PRIVATE KEY-----"] * (size // 27)),
    "names of secrets": lambda size: _one(["password=" * (size // 9)]),
    "literals without end": lambda size: _one(['"abcd" +'] * (size // 8)),
    "folded without end": lambda size: _one(["k: >-", *["  abcdefgh"] * (size // 10)]),
    "removed and added": lambda size: ([_file("a", ["k = 'abcd' +"] * (size // 12))], {}),
}


def cpu_seconds(made: Made, scanner: Kingfisher) -> float:
    """CPU seconds of one `screen`, the best of as many as fit into a third of a second."""
    best = spent = 0.0
    while spent < _AT_LEAST:
        start = time.process_time()
        screen(*made, scanner)
        taken = time.process_time() - start
        best, spent = min(best or taken, taken), spent + taken
    return best


def _report(name: str, make: Callable[[int], Made], sizes: Sequence[int]) -> None:
    scanner = Kingfisher()
    first = 0.0
    for size in sizes:
        made = make(size)
        count = sum(len(line.text) + 1 for file in made[0] for line in file.lines)
        per_byte = cpu_seconds(made, scanner) / count
        first = first or per_byte
        speed, growth = 1e-6 / per_byte, per_byte / first
        print(f"{name:30} {count:>10,} bytes {speed:8.1f} MB/s {growth:6.2f}")  # noqa: T201


def main() -> None:
    Kingfisher().scan(["the first scan loads the rules"])
    _report("realistic", realistic, _SIZES)
    for name, make in HOSTILE.items():
        _report(name, make, _SIZES[1:3])


if __name__ == "__main__":
    main()
