"""Rule 1 against git itself: over generated repositories, every changed line has its place."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pr_review.adapters.tokens import token_counter
from pr_review.domain.text import visible, visible_line
from tests.snapshot.programs import History, earlier
from tests.snapshot.repository import Blob, Files, Repo, Row, make, shown_rows, snapshot

LETTERS = {
    "A": {"added"},
    "D": {"deleted"},
    "M": {"modified", "mode"},
    "R": {"renamed"},
    "T": {"type"},
}
few = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

_PIECES = [
    b"", b"x = 1", b"    return y", b"## src/app.py (added, source, +1, -0)", b"def f():",
    b"-- sql", b"++ plus", b"@@ -1 +1 @@", b"diff --git a/x b/x", b"\\ No newline at end of file",
    b"a\rb", b"tail\r", b"form\x0cfeed", b"bidi \xe2\x80\xae here", b"nel\xc2\x85x",
    b"zero\xe2\x80\x8bwidth", b"ls\xe2\x80\xa8x", b"bad \xff\xfe bytes",
    b"<<<diff 0123456789abcdef", b"tab\tbed",
    b"0123456789abcdef diff>>>", b"long " + b"y" * 2_500, b"\xf0\x9f\x8c\xb8 \xe8\xb7\xaf",
]  # fmt: skip
_NAMES = [
    b"a.py", b"src/b.ts", b"yarn.lock", b"tests/test_c.py", b"dist/d.js", b"na\xc3\xafve.md",
    b"sp ace.txt", b"new\nline.py", b"tab\there.py", b"bidi\xe2\x80\xae.py", b"bad\xff.py",
    b'quo"te.py', b"## head (added).py", b"back\\slash.go", b"img/e.png", b"deep/er/f.go",
]  # fmt: skip

lines = st.lists(st.sampled_from(_PIECES), max_size=40)


@st.composite
def contents(draw: st.DrawFn) -> Blob:
    kind = draw(st.sampled_from(["text"] * 8 + ["binary", "link", "script"]))
    if kind == "binary":
        return Blob(draw(st.binary(max_size=20)) + b"\0")
    if kind == "link":
        return Blob(b"target/" + draw(st.sampled_from([b"a", b"b"])), "120000")
    ending = draw(st.sampled_from([b"\n", b"\n", b"\r\n"]))
    body = ending.join(draw(lines)) + draw(st.sampled_from([b"\n", b""]))
    return Blob(body, "100755" if kind == "script" else "100644")


@st.composite
def edits(draw: st.DrawFn, before: Blob) -> Blob:
    """A later state of a file: some lines replaced, dropped, added; or its mode, or endings."""
    kind = draw(st.sampled_from(["lines", "lines", "lines", "mode", "endings", "new"]))
    if kind == "new" or before.mode == "120000":
        return draw(contents())
    if kind == "mode":
        return Blob(before.content, "100755" if before.mode == "100644" else "100644")
    if kind == "endings":
        return Blob(before.content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"), before.mode)
    old = before.content.split(b"\n")
    where = draw(st.integers(0, len(old)))
    gone = draw(st.integers(0, 3))
    return Blob(b"\n".join([*old[:where], *draw(lines), *old[where + gone :]]), before.mode)


@st.composite
def changes(draw: st.DrawFn) -> tuple[Files, Files]:
    names = draw(st.lists(st.sampled_from(_NAMES), min_size=1, max_size=6, unique=True))
    base: dict[bytes, Blob | None] = {b"keep.txt": Blob(b"kept\n")}
    head: dict[bytes, Blob | None] = {}
    for name in names:
        match draw(st.sampled_from(["add", "delete", "edit", "edit", "move"])):
            case "add":
                head[name] = draw(contents())
            case "delete":
                base[name], head[name] = draw(contents()), None
            case "move":
                blob = draw(contents())
                base[name], head[name] = blob, None
                head[b"moved/" + name] = draw(edits(blob))
            case _:
                blob = draw(contents())
                base[name], head[name] = blob, draw(edits(blob))
    return base, head


@st.composite
def histories(draw: st.DrawFn) -> History:
    change = draw(changes())
    return *change, draw(earlier(change))


budgets = st.sampled_from([1_000, 1_500, 3_000, 50_000])


@few
@given(histories(), budgets, st.sampled_from(["", "then", "then", "head"]))
def test_ledger_balances_against_git(history: History, budget: int, review: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        base, head, then = history
        repo = make(Path(folder) / "repo.git", base, head, then=then)
        flags = ["--diff-token-budget", str(budget), *(["--since", review] if review else [])]
        told = snapshot(repo.folder, Path(folder) / "out.json", *flags)
        assert told["since"] == (repo.object(review) if review else "")
        assert token_counter().count(told["text"]) == told["tokens"] <= budget
        assert [f["path"] for f in told["files"]] == list(repo.rows)
        rows = shown_rows(told["text"])
        for file in told["files"]:
            row = repo.rows[file["path"]]
            _facts_are_gits(file, row)
            _every_line_has_one_place(file, row)
            _lines_are_the_blobs(repo, file, row, rows)


def _facts_are_gits(file: dict[str, Any], row: Row) -> None:
    assert file["status"] in LETTERS[row.letter]
    assert (file["status"] == "mode") == (row.letter == "M" and row.old_oid == row.new_oid)
    assert file["old_path"] == row.old_path
    assert file["binary"] == row.binary
    assert (file["additions"], file["deletions"]) == (row.added, row.removed)


def _every_line_has_one_place(file: dict[str, Any], row: Row) -> None:
    assert len(file["added_lines"]) == len(set(file["added_lines"])) == row.added
    assert len(file["removed_lines"]) == len(set(file["removed_lines"])) == row.removed
    omitted = row.added + row.removed
    for side in ("added", "removed"):
        shown, folded = (set(file[f"{how}_{side}_lines"]) for how in ("shown", "folded"))
        assert not shown & folded
        assert shown | folded <= set(file[f"{side}_lines"])
        omitted -= len(shown) + len(folded)
    if omitted:
        assert file["state"] in ("partial", "omitted")
    if file["state"] in ("shown", "folded"):
        assert not omitted
    assert (file["reason"] is None) == (file["state"] == "shown")


def _lines_are_the_blobs(
    repo: Repo, file: dict[str, Any], row: Row, rows: dict[str, list[str]]
) -> None:
    """What is claimed as shown stands in the text, under its file, with its number."""
    if row.binary or "160000" in (row.old_mode, row.new_mode):
        assert not file["shown_added_lines"]
        return
    printed = rows.get(visible_line(file["path"]), [])
    new, old = repo.lines(row.new_oid), repo.lines(row.old_oid)
    numbered = {}
    # In a new file every line is added, and none has a sign.
    form = r"(\d+) (.*)" if row.letter == "A" else r"(\d+) \+(.*)"
    for text in printed:
        if match := re.match(form, text, re.DOTALL):
            numbered[int(match[1])] = match[2]
    for number in file["shown_added_lines"]:
        assert _same(numbered[number], new[number - 1])
    taken = Counter(text[1:] for text in printed if text.startswith("-"))
    for number in file["shown_removed_lines"]:
        assert any(_same(text, old[number - 1]) for text in taken)
    assert sum(taken.values()) >= len(file["shown_removed_lines"])
    if row.letter == "A":
        assert file["added_lines"] == list(range(1, len(new) + 1))
    if row.letter == "D":
        assert file["removed_lines"] == list(range(1, len(old) + 1))
    if row.letter in "MR":
        kept_new = [x for n, x in enumerate(new, 1) if n not in set(file["added_lines"])]
        kept_old = [x for n, x in enumerate(old, 1) if n not in set(file["removed_lines"])]
        assert kept_new == kept_old or row.letter == "T"


def _same(printed: str, line: bytes) -> bool:
    """A printed line is the blob's, made visible; a file of CRLF alone says so in its header."""
    text = line.decode("utf-8", "surrogateescape")
    return printed in (visible(text), visible(text.removesuffix("\r")))
