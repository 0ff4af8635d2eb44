"""Rows, sections and hunks: what is read, and what is refused in words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.change.hunks import hunks, sections
from pr_review.change.patch_text import PatchText, sections_by_path, unquote
from pr_review.change.rows import files, with_hunks
from pr_review.domain.diff import Change, Status
from pr_review.errors import SnapshotError

OLD, NEW = "a" * 40, "b" * 40
HEAD = "diff --git a/a.py b/a.py\nindex 1111111..2222222 100644\n--- a/a.py\n+++ b/a.py\n"


def _patch(text: str, max_bytes: int = 1_000_000) -> Change:
    return PatchText(
        text.encode("utf-8", "surrogateescape"), name="x.diff", max_bytes=max_bytes
    ).change()


def _nul(*fields: str) -> bytes:
    """Fields as git ends them with `-z`."""
    return "".join(field + "\0" for field in fields).encode()


def _row(
    letter: str, *paths: str, modes: str = "100644 100644", ids: str = f"{OLD} {NEW}"
) -> bytes:
    return _nul(f":{modes} {ids} {letter}", *paths)


def test_rows_and_counts() -> None:
    found = files(
        _row("M", "a.py")
        + _row("M", "run.sh", modes="100644 100755", ids=f"{OLD} {OLD}")
        + _row("R096", "old \n.py", "new\t.py")
        + _row("A", "link", modes="000000 120000", ids=f"{'0' * 40} {NEW}")
        + _nul("3\t1\ta.py", "0\t0\trun.sh", "2\t2\t", "old \n.py", "new\t.py", "-\t-\tlink")
    )
    assert [(f.path, f.old_path, f.status.value) for f in found] == [
        ("a.py", None, "modified"),
        ("run.sh", None, "mode"),
        ("new\t.py", "old \n.py", "renamed"),
        ("link", None, "added"),
    ]
    assert [(f.additions, f.deletions, f.binary) for f in found] == [
        (3, 1, False), (0, 0, False), (2, 2, False), (0, 0, True),
    ]  # fmt: skip


def test_rows_and_counts_that_name_different_files() -> None:
    with pytest.raises(ValueError, match="different files"):
        files(_row("M", "a.py") + _nul("3\t1\tb.py"))


def test_one_section_that_does_not_parse_costs_its_file_alone() -> None:
    rows = files(_row("M", "a") + _row("M", "b") + _nul("1\t0\ta", "1\t0\tb"))
    good = "diff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1,2 @@\n x\n+y\n"
    bad = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1,9 @@\n x\n+y\n"
    first, second = with_hunks(rows, [bad, good])
    assert first.defect
    assert not first.hunks
    assert (second.defect, second.added_lines) == ("", (2,))
    with pytest.raises(ValueError, match="named 2 file sections and printed 1"):
        with_hunks(rows, [good])


def test_hunks_that_do_not_add_up_to_gits_counts_are_a_defect() -> None:
    rows = files(_row("M", "a") + _nul("5\t0\ta"))
    (found,) = with_hunks(rows, ["diff --git a/a b/a\n@@ -1 +1,2 @@\n x\n+y\n"])
    assert "git counts +5 -0" in found.defect


def test_sections_split_at_headers_alone() -> None:
    first = HEAD + "@@ -1 +1,2 @@\n x\n+diff --git a/z b/z\n"
    text = "warning: x\n" + first + HEAD + "@@ -1 +1 @@\n-a\n+b\n"
    found = list(sections(text))
    assert len(found) == 2
    assert "".join(found) == text.removeprefix("warning: x\n")
    assert list(sections("no diff")) == []


def test_a_hunk_without_a_final_newline_and_with_every_kind_of_line() -> None:
    text = (
        HEAD + "@@ -3,4 +3,4 @@ class A: @@\n one\r\n--- sql\n-two\n"
        "+++ plus\n+\x0cform\u2028feed\n tail\n"
        "\\ No newline at end of file\n"
    )
    (hunk,) = hunks(text)
    assert [(x.sign, x.old, x.new, x.text) for x in hunk.lines] == [
        (" ", 3, 3, "one\r"), ("-", 4, None, "-- sql"), ("-", 5, None, "two"),
        ("+", None, 4, "++ plus"), ("+", None, 5, "\x0cform\u2028feed"), (" ", 6, 6, "tail"),
    ]  # fmt: skip
    assert hunk.section == "class A: @@"
    assert [x.ends_without_newline for x in hunk.lines] == [False] * 5 + [True]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.lists(
        st.sampled_from(
            [
                "@@ -1 +1 @@",
                "@@ -1,2 +0,0 @@",
                "@@ -0,0 +1,3 @@ f",
                "@@ -9999999999 +1 @@",
                "+a",
                "-b",
                " c",
                "\\ No newline",
                "",
                "--- a/x",
                "+++ b/x",
                "GIT binary patch",
                "Binary files a and b differ",
                "rename from x",
                "rename to y",
                "similarity index 10%",
                "index 1..2",
                "\udcff",
                "@@@ -1 @@@",
            ]
        ),
        max_size=12,
    ),
)
def test_no_patch_text_ends_in_anything_but_files_or_words(rows: list[str]) -> None:
    change = _patch(HEAD + "\n".join(rows))
    assert [file.path for file in change.files]
    for file in change.files:
        added, removed = len(file.added_lines), len(file.removed_lines)
        assert (file.additions, file.deletions) == (added, removed) or file.defect


@pytest.mark.parametrize(
    ("quoted", "path"),
    [
        ('"docs/na\\303\\257ve.md"', "docs/naïve.md"),
        ('"a\\tb\\nc\\"d\\\\e"', 'a\tb\nc"d\\e'),
        ('"bad\\377"', "bad\udcff"),
        ("plain name", "plain name"),
        ('"', '"'),
    ],
)
def test_unquote(quoted: str, path: str) -> None:
    assert unquote(quoted) == path


@pytest.mark.parametrize(
    ("header", "path", "old_path", "status"),
    [
        ("diff --git a/a b c b/a b c\nold mode 100644\nnew mode 100755\n", "a b c", None, "mode"),
        (
            "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n",
            "y", "x", "renamed",
        ),
        (
            "diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n",
            "y", "x", "copied",
        ),
        ("diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n", "e", None, "added"),
        (
            "diff --git a/e b/e\ndeleted file mode 100644\nindex e69de29..0000000\n",
            "e", None, "deleted",
        ),
        (
            'diff --git "a/n\\303\\251" "b/n\\303\\251"\nold mode 100644\nnew mode 100755\n',
            "né", None, "mode",
        ),
    ],
)  # fmt: skip
def test_headers_without_hunks(header: str, path: str, old_path: str | None, status: str) -> None:
    (found,) = _patch(header).files
    assert (found.path, found.old_path, found.status.value) == (path, old_path, status)
    assert not found.defect


def test_two_contents_without_a_hunk_are_a_defect() -> None:
    (found,) = _patch("diff --git a/a b/a\nindex 1111111..2222222 100644\n").files
    assert (found.status, found.defect) == (Status.MODIFIED, "its hunks are missing")


def test_a_patch_without_gits_headers() -> None:
    plain = "--- old/a.py\t2026-01-01\n+++ new/a.py\t2026-01-02\n@@ -1 +1,2 @@\n x\n+y\n"
    (found,) = _patch(plain).files
    assert (found.path, found.added_lines) == ("new/a.py", (2,))


def test_a_patch_over_its_cap_keeps_the_hunks_of_the_smallest_files() -> None:
    large = HEAD.replace("a.py", "big.lock") + "@@ -0,0 +1,500 @@\n" + "+resolved\n" * 500
    small = HEAD + "@@ -1 +1,2 @@\n x\n+y\n"
    change = _patch(large + small, max_bytes=2_000)
    assert change.oversize
    assert [(f.path, f.additions, len(f.hunks)) for f in change.files] == [
        ("big.lock", 500, 0),
        ("a.py", 1, 1),
    ]


def test_a_combined_diff_is_refused() -> None:
    with pytest.raises(SnapshotError, match="combined diff"):
        _patch("diff --cc a.py\nindex 1,2..3\n@@@ -1,1 -1,1 +1,2 @@@\n  a\n+ b\n")


def test_there_are_no_blobs() -> None:
    assert PatchText(b"", name="x", max_bytes=1).blobs(["a" * 40]) == {}


_TYPE = b"""\
diff --git a/l b/l
deleted file mode 100644
index 1111111..0000000
--- a/l
+++ /dev/null
@@ -1 +0,0 @@
-text
diff --git a/l b/l
new file mode 120000
index 0000000..2222222
--- /dev/null
+++ b/l
@@ -0,0 +1 @@
+target
\\ No newline at end of file
"""


def test_a_patch_that_names_a_path_twice() -> None:
    [file] = PatchText(_TYPE, name="x", max_bytes=10_000).change().files
    assert (file.status, file.old_mode, file.new_mode) == (Status.TYPE, "100644", "120000")
    assert (file.additions, file.deletions, len(file.hunks)) == (1, 1, 2)
    twice = _TYPE.replace(b"deleted file mode 100644\n", b"").replace(b"+++ /dev/null", b"+++ b/l")
    with pytest.raises(SnapshotError, match="x names l twice"):
        PatchText(twice, name="x", max_bytes=10_000).change()


def test_sections_stand_under_the_path_they_lead_to() -> None:
    one = HEAD + "@@ -1 +1 @@\n-a\n+b\n"
    renamed = (
        "diff --git a/old name b/new name\nsimilarity index 100%\n"
        "rename from old name\nrename to new name\n"
    )
    gone = (
        'diff --git "a/\\303\\251" "b/\\303\\251"\ndeleted file mode 100644\n'
        'index 1111111..0000000\n--- "a/\\303\\251"\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n'
    )
    link = (
        'diff --git "a/\\303\\251" "b/\\303\\251"\nnew file mode 120000\n'
        'index 0000000..2222222\n--- /dev/null\n+++ "b/\\303\\251"\n@@ -0,0 +1 @@\n+b\n'
    )
    assert sections_by_path(one + renamed + gone + link) == {
        "a.py": (one,),
        "new name": (renamed,),
        "\u00e9": (gone, link),
    }


@pytest.mark.parametrize("text", ["", "\n", "<html>a page</html>", '{"message": "no"}'])
def test_text_that_is_no_patch_has_no_sections(text: str) -> None:
    assert sections_by_path(text) == {}
