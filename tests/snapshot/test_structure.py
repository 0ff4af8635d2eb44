"""The structure of changed files: which are read, by what, and what is asked of their lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from pr_review.adapters.syntax import TreeSitter
from pr_review.domain.diff import FileChange, Status
from pr_review.snapshot import structure
from pr_review.snapshot.outline import Outline
from pr_review.snapshot.policy import SnapshotPolicy
from pr_review.snapshot.structure import Structure, described, structures
from tests.snapshot.listing import NEW, NoSyntax, added, file, hunk

PLAIN = SnapshotPolicy()
CODE = b"def f():\n    a = 1\n    b = 2\n"


@dataclass(frozen=True)
class Asked:
    """A reader that fails with a reason, and keeps what it was asked."""

    ranges: list[list[range]] = field(default_factory=list)

    late = False

    def knows(self, path: str) -> bool:
        return path.endswith(".py")

    def outline(self, path: str, text: bytes, used: Sequence[range] = ()) -> Outline | str:
        self.ranges.append(list(used))
        return "too much of it"


def _blobs(text: bytes) -> Mapping[str, bytes]:
    return {NEW: text}


def _read(*files: FileChange, text: bytes = CODE, policy: SnapshotPolicy = PLAIN) -> list[str]:
    found = structures(files, lambda oids: _blobs(text), policy, NoSyntax(), lambda: False)
    return list(found)


def test_files_that_a_person_may_have_written_and_that_stand_in_the_head() -> None:
    changed = hunk("+", ["x"])
    gone = file("gone.py", hunk("-", ["x"]), status=Status.DELETED, new_oid="0" * 40)
    files = [
        file("a.py", changed),
        file("tests/test_a.py", changed),
        file("yarn.lock", changed),
        file("README.md", changed),
        file("NOTES.TXT", changed),
        file("sub", changed, new_mode="160000"),
        file("logo.png", binary=True),
        gone,
        file("code.yml", changed),
    ]
    assert _read(*files) == ["a.py", "tests/test_a.py", "code.yml"]
    assert _read(files[3], policy=replace(PLAIN, skip_suffixes=())) == ["README.md"]


@pytest.mark.parametrize("text", [b"", None])
def test_a_file_whose_contents_are_not_there_has_no_structure(text: bytes | None) -> None:
    blobs = {} if text is None else {NEW: text}
    found = structures([added("a.py", 1)], lambda _: blobs, PLAIN, NoSyntax(), lambda: False)
    assert found == {}


def test_uses_are_wanted_of_added_lines_as_ranges() -> None:
    reader = Asked()
    changed = file("a.py", hunk("+ ++-+", list("abcdef"), new=3), hunk("+", ["g"], new=40))
    found = structures([changed], lambda _: _blobs(b"x\n" * 50), PLAIN, reader, lambda: False)
    assert reader.ranges == [[range(3, 4), range(5, 8), range(40, 41)]]
    assert found["a.py"].outline.source == "indentation: too much of it"


def test_a_grammar_reads_what_it_knows_and_the_records_say_so() -> None:
    files = [added("a.py", 1), added("b.yml", 1)]
    found = structures(files, lambda _: _blobs(CODE), PLAIN, TreeSitter(), lambda: False)
    assert [s.outline.source for s in found.values()] == ["syntax", "indentation"]
    assert described(found, files, PLAIN) == "1 files by syntax, 1 files by indentation"


def test_files_past_the_bytes_that_are_held_are_counted_in_the_record(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(structure, "_MOST_BYTES", 2 * len(CODE))
    files = [*(added(f"{name}.py", 1) for name in "abcd"), added("yarn.lock", 1)]
    found = structures(files, lambda _: _blobs(CODE), PLAIN, NoSyntax(), lambda: False)
    assert list(found) == ["a.py", "b.py"]
    told = described(found, files, PLAIN)
    assert told.endswith(f"2 not read: over {2 * len(CODE)} bytes together, gone, or too late")


def test_contents_are_asked_for_some_at_a_time_until_time_is_up() -> None:
    asked: list[int] = []

    def blobs(oids: Sequence[str]) -> Mapping[str, bytes]:
        asked.append(len(oids))
        return _blobs(CODE)

    files = [added(f"m{n}.py", 1) for n in range(120)]
    clock = iter([False, False, True])
    found = structures(files, blobs, PLAIN, NoSyntax(), lambda: next(clock))
    assert (asked, len(found)) == ([20, 20], 40)


@pytest.mark.parametrize(
    ("blob", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\n\n", ["a", ""]),
        (b"a\rb\x0cc\r\n\xc2\x85\xe2\x80\xa8d\n", ["a\rb\x0cc\r", "\x85\u2028d"]),
        (b"\xff\n", ["\udcff"]),
    ],
)
def test_lines_end_at_line_feeds_alone(blob: bytes, lines: list[str]) -> None:
    assert Structure(added("a.py", 1), blob, Outline("python")).lines == lines


def test_a_text_that_is_not_the_diffs_gives_no_windows() -> None:
    changed = file("a.py", hunk("+", ["    b = 2"], new=3), hunk("+", ["other"], new=9))
    outline = Outline("python")
    assert Structure(changed, CODE, outline).windows(PLAIN) == []
    right = file("a.py", hunk("+", ["    b = 2"], new=3))
    assert Structure(right, CODE, outline).windows(PLAIN)[0].near == (1, 2, 3)
