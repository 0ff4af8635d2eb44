"""The process that parses: what breaks a parser ends that process, not the run."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pr_review.adapters.syntax import TreeSitter, process
from pr_review.adapters.syntax.reader import read
from pr_review.adapters.syntax.wire import answer, read_answer
from pr_review.snapshot.outline import Outline

pytestmark = pytest.mark.usefixtures("own_parsers")

CODE = b"import os\n\nclass A:\n    def f(self):\n        return os.path.join(g(), X)\n"
USED = [range(4, 6)]


@pytest.fixture
def reader() -> Iterator[TreeSitter]:
    made = TreeSitter()
    yield made
    made.close()


def _running(reader: TreeSitter) -> subprocess.Popen[bytes]:
    assert reader._running is not None
    return reader._running


def test_it_reads_what_the_parser_reads(reader: TreeSitter) -> None:
    direct = read("a.py", CODE, USED)
    assert isinstance(direct, Outline)
    assert reader.outline("a.py", CODE, USED) == direct == read_answer(answer(direct))
    assert reader.outline("a.txt", CODE) == read("a.txt", CODE, ()) == "no grammar"
    assert reader.outline("a.py", b"x" * 600_000) == read("a.py", b"x" * 600_000, ())
    assert not reader.late


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("A.java", b"x=>" * 2_700),
        ("a.cs", b"<a " * 5_400),
        ("a.rs", b"%w(" * 2_700),
    ],
)
def test_a_file_that_takes_the_memory_of_the_machine(
    reader: TreeSitter, path: str, text: bytes
) -> None:
    """8 to 16 KB of it took 2 GB: the grammar is ambiguous, and nothing in the text says so."""
    found = reader.outline(path, text)
    assert found in ("too much memory to parse", "too many steps to parse")
    assert isinstance(reader.outline("a.py", CODE, USED), Outline)


def test_it_has_no_environment_and_ends_with_its_reader() -> None:
    reader = TreeSitter()
    reader.outline("a.py", CODE)
    running = _running(reader)
    environ = Path(f"/proc/{running.pid}/environ").read_bytes()
    assert environ == b"LANG=C.UTF-8\0"
    del reader
    assert running.returncode == -signal.SIGKILL


def test_a_process_that_is_gone_is_started_again_but_not_for_ever(
    reader: TreeSitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_MOST_DEATHS", 2)
    for _ in range(2):
        assert isinstance(reader.outline("a.py", CODE), Outline)
        os.kill(_running(reader).pid, signal.SIGSTOP)
        os.kill(_running(reader).pid, signal.SIGKILL)
        assert reader.outline("a.py", CODE) == "too much memory to parse"
    assert reader.outline("a.py", CODE) == "the parser failed on other files"


def test_files_that_end_the_parser_cost_no_other_file_its_structure(
    reader: TreeSitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From some of them on a process has less memory to fill, and still enough to read with."""
    monkeypatch.setattr(process, "_MANY_DEATHS", 1)
    hostile = b"x=>" * 2_700
    for number in range(3):
        found = reader.outline(f"A{number}.java", hostile)
        assert found in ("too much memory to parse", "too many steps to parse")
        read = reader.outline(f"a{number}.py", CODE * 2_000, USED)
        assert isinstance(read, Outline), read
        limits = Path(f"/proc/{_running(reader).pid}/limits").read_text(encoding="ascii")
        assert f"Max address space {process._LESS_MEMORY}" in " ".join(limits.split())
    assert not reader.late


def test_a_process_that_does_not_answer_is_given_up(
    reader: TreeSitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader.outline("a.py", CODE)
    monkeypatch.setattr(process, "_SECONDS", 0.2)
    os.kill(_running(reader).pid, signal.SIGSTOP)
    assert reader.outline("a.py", CODE) == "too long to parse"
    assert reader.late


@pytest.mark.parametrize("line", [b"{}\n", b"[1, 2]\n", b'["python", [["f"]], [], []]\n', b"x\n"])
def test_an_answer_that_is_none_is_refused(line: bytes) -> None:
    with pytest.raises((ValueError, TypeError)):
        read_answer(line)


@pytest.mark.parametrize(
    ("path", "line"),
    [("a.rb", b"foo%d(1)\n"), ("a.sh", b". ./foo%d\n"), ("a.js", b'const x%d = require("./x");\n')],
)
def test_predicates_of_queries_read_as_much_as_they_need(
    reader: TreeSitter, path: str, line: bytes
) -> None:
    text = b"".join(line % n for n in range(3_000))
    assert isinstance(reader.outline(path, text, [range(1, 3_001)]), Outline)
    assert not reader.late
