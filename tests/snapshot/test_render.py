"""How a small change looks, to the byte; and that nothing in it can forge a line."""

from __future__ import annotations

import hashlib
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.adapters.tokens import token_counter
from pr_review.domain.diff import Line, Status
from pr_review.domain.text import quoted_path
from pr_review.snapshot.fit import fit
from pr_review.snapshot.policy import SnapshotPolicy
from tests.snapshot.listing import OLD, Words, added, change, file, hunk, prepared

GOLDEN = """\
This is what you see of the change: 5 of 5 changed lines, in 5 files.
Nothing of the change was left out.

<<<diff MARK
## src/app.py (modified, source, +2, -1)
… def main():
12  kept
-gone
13 +new one
14  kept too
… class B:
41 +far away
## `with space.md` (renamed from old.md, source, content unchanged)
## run.sh (mode, source, mode 100644 -> 100755)
## link (added, source, symlink, +1)
1 target
## eol.txt (modified, source, CRLF, +1)
9  a
10 +b
MARK diff>>>
"""


def test_golden() -> None:
    given_change = change(
        file(
            "src/app.py",
            hunk(
                " -+ ",
                ["kept", "gone", "new one", "kept too"],
                old=12,
                new=12,
                section="def main():",
            ),
            hunk("+", ["far away"], old=39, new=41, section="class B:"),
        ),
        file("with space.md", status=Status.RENAMED, old_path="old.md"),
        file("run.sh", status=Status.MODE, new_mode="100755", new_oid=OLD),
        file(
            "link",
            hunk("+", ["target"], old=0),
            status=Status.ADDED,
            old_mode="000000",
            new_mode="120000",
            old_oid="0" * 40,
        ),
        file("eol.txt", hunk(" +", ["a\r", "b\r"], old=9, new=9)),
    )
    text = fit(prepared(given_change), SnapshotPolicy(), token_counter()).text
    mark = re.search("<<<diff ([0-9a-f]{16})", text)
    assert mark
    assert text.replace(mark[1], "MARK") == GOLDEN


def test_the_mark_is_the_hash_of_what_it_encloses() -> None:
    text = fit(prepared(change(added("a.py", 2))), SnapshotPolicy(), token_counter()).text
    mark, inside = re.search(r"<<<diff (\w{16})\n(.*)\n\1 diff>>>\n$", text, re.DOTALL).groups()  # type: ignore[union-attr]
    assert mark == hashlib.sha256(inside.encode()).hexdigest()[:16]


odd = st.text(
    alphabet=st.sampled_from(
        "a1 #<>-+…`\\\n\r\t\x00\x0b\x0c\x85\u2028\u202e\u200b\ufeff\udcff\ue000é路"
    ),
    min_size=1,
    max_size=30,
)
STARTS = re.compile(r"\d+ [+ ]|-|\\ no newline|…|## ")


@settings(max_examples=60, deadline=None, derandomize=True)
@given(path=odd, section=odd, text=odd.map(lambda t: t.replace("\n", "")))
def test_no_path_and_no_line_starts_a_line_of_its_own(path: str, section: str, text: str) -> None:
    one = file(path, hunk("+", [text], section=section), status=Status.RENAMED, old_path=path + "x")
    found = fit(prepared(change(one)), SnapshotPolicy(), Words())
    _, _, inside = found.text.partition("<<<diff ")
    rows = inside.split("\n")[1:-2]
    assert all(STARTS.match(row) for row in rows)
    assert sum(row.startswith("## ") for row in rows) == 1
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u202e\u200b\ufeff]", found.text)
    assert found.text.encode().decode() == found.text


def test_a_path_is_quoted_where_it_could_be_misread() -> None:
    assert quoted_path("src/a-b_c.py") == "src/a-b_c.py"
    assert quoted_path("docs/日本/naïve.md") == "docs/日本/naïve.md"
    assert quoted_path("a b.py") == "`a b.py`"
    assert quoted_path("trailing ") == "`trailing `"
    assert quoted_path("a\u3000b") == "`a\u3000b`"
    assert quoted_path("new\nline\t.py") == "`new\\u{a}line\\u{9}.py`"
    assert quoted_path("a, b (x).py") == "`a, b (x).py`"
    assert quoted_path("a` (generated): b.py") == "`a\\u{60} (generated): b.py`"


def test_missing_newline_is_said_in_words_on_changed_lines() -> None:
    made = hunk("-+", ["a", "a"])
    last = Line(None, 1, "a", ends_without_newline=True)
    lost = file("a.txt", type(made)(1, 1, 1, 1, "", (made.lines[0], last)))
    text = fit(prepared(change(lost)), SnapshotPolicy(), token_counter()).text
    assert "-a\n1 +a\n\\ no newline at the end of the file\n" in text


def test_a_line_over_2000_bytes_is_cut_and_not_counted() -> None:
    given_change = change(file("a.py", hunk("++", ["é" * 1_500, "short"], old=0)), added("b.py", 1))
    found = fit(prepared(given_change), SnapshotPolicy(), token_counter())
    entry = found.ledger.by_path["a.py"]
    assert (entry.state, entry.reason, entry.shown_added) == ("partial", "long_line", (2,))
    assert "é" * 1_000 + "… [line cut: 1,000 more bytes]\n" in found.text
    assert "Lines over 2,000 bytes are cut" in found.text
    assert not found.sent[0].lines[0].whole


def test_a_file_of_long_lines_alone_is_omitted_but_not_called_unseen() -> None:
    found = fit(
        prepared(change(file("a.json", hunk("+", ["z" * 9_000], old=0)))),
        SnapshotPolicy(),
        token_counter(),
    )
    assert found.ledger.entries[0].state == "omitted"
    assert found.ledger.entries[0].full_tokens >= 9_000 // 4
    assert "1 files are shown in part" in found.text
    assert "do not see" not in found.text


def test_the_digest_covers_text_source_and_counter() -> None:
    ready = prepared(change(added("a.py", 2)))
    first, again = (fit(ready, SnapshotPolicy(), token_counter()) for _ in range(2))
    other = fit(ready, SnapshotPolicy(), Words())
    assert first.digest == again.digest != other.digest
    assert first.text == other.text
    assert first.digest == hashlib.sha256(f"git\no200k_base\n{first.text}".encode()).hexdigest()
