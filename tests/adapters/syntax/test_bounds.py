"""Whatever a file holds, there is an outline or a reason, at a cost that its size bounds."""

from __future__ import annotations

import time

import pytest

from pr_review.adapters.syntax import parse
from pr_review.adapters.syntax.languages import LANGUAGES, language_of
from pr_review.adapters.syntax.reader import read
from pr_review.snapshot.outline import Outline
from tests.adapters.syntax.outlines import case

NAMES = [language.name for language in LANGUAGES]


def outline(path: str, text: bytes) -> Outline:
    found = read(path, text, [range(1, text.count(b"\n") + 2)])
    assert isinstance(found, Outline), found
    return found


def places(found: Outline) -> list[tuple[str, int, int]]:
    return [(scope.name, scope.start, scope.end) for scope in found.scopes]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "text",
    [b"", b"\n", b"\x00", b"\xff\xfe\x00", b"((((", b"}}}}", b"class", b'"', b"\xf0\x9f", b"\r\r"],
)
def test_no_text_is_too_strange(name: str, text: bytes) -> None:
    assert isinstance(read(case(name).path, text, [range(1, 3)]), Outline)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "bash"])
def test_what_is_cut_off_is_still_read(name: str) -> None:
    """A file that ends anywhere, as one that was saved too early, keeps what stands before;
    but for Bash, whose grammar gives up on all of it.
    """
    wanted = case(name)
    text = wanted.source.encode()
    whole = {scope.name for scope in outline(wanted.path, text).scopes}
    found = {scope.name for scope in outline(wanted.path, text[: len(text) * 2 // 3]).scopes}
    assert found & whole


@pytest.mark.parametrize("name", NAMES)
def test_lines_that_end_in_cr_lf_are_the_same_lines(name: str) -> None:
    wanted = case(name)
    unix = outline(wanted.path, wanted.source.encode())
    dos = outline(wanted.path, wanted.source.replace("\n", "\r\n").encode())
    assert places(dos) == places(unix)
    assert [i.line for i in dos.imports] == [i.line for i in unix.imports]


@pytest.mark.parametrize("name", NAMES)
def test_equal_input_gives_an_equal_outline(name: str) -> None:
    wanted = case(name)
    text = wanted.source.encode()
    assert outline(wanted.path, text) == outline(wanted.path, text)


@pytest.mark.parametrize("odd", ["\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_lines_end_at_line_feeds_alone(odd: str) -> None:
    text = f'A = "a{odd}b"\n# {odd}\ndef f():\n    g("{odd}", h())\n'
    found = outline("a.py", text.encode())
    assert ("f", 3, 4) in places(found)
    assert {(use.line, use.name) for use in found.uses} >= {(4, "h")}


def test_a_byte_order_mark_is_no_part_of_a_name() -> None:
    assert places(outline("a.py", b"\xef\xbb\xbfA = 1\ndef f(): pass\n")) == [
        ("A", 1, 1),
        ("f", 2, 2),
    ]


def test_bytes_that_are_not_utf_8_are_shown_as_such() -> None:
    found = outline("a.rb", b"def f\xff\n  a\nend\nclass B\nend\n")
    assert ("B", 4, 5) in places(found)
    assert not any("\udcff" in scope.name for scope in found.scopes)


def test_names_are_bounded() -> None:
    name = b"n" * 5_000
    found = outline("a.py", b"from %s import %s\ndef %s(): return a.%s(%s.b)\n" % ((name,) * 5))
    texts = [s.name for s in found.scopes]
    texts += [t for i in found.imports for t in (i.module, i.name, i.alias)]
    texts += [t for u in found.uses for t in (u.name, u.qualifier)]
    assert max(map(len, texts)) == 200


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("a.py", b"x" * (parse.MAX_BYTES + 1), "over 512 KiB"),
        ("a.py", b"x = " + b"(" * 100_000 + b")" * 100_000, "over 1,000 levels deep"),
        ("a.js", b"x = " + b"[" * 100_000 + b"]" * 100_000, "over 1,000 levels deep"),
        ("a.kt", b"val x = " + b"f { " * 50_000 + b"}" * 50_000, "over 1,000 levels deep"),
        ("a.c", b"int x = " + b"-" * 3_000 + b" 1;", "over 1,000 levels deep"),
        ("a.py", b"[" * 100_000, "over 1,000 tokens without structure"),
        ("a.js", b"x = [" + b"," * 100_000 + b"]", "over 1,000 tokens without structure"),
        ("a.swift", b"x?" * 20_000, "over 1,000 tokens without structure"),
        ("a.py", b"a,b;" * 100_000, "over 500,000 nodes"),
        ("a.scala", b"`" * 100_000, "too many steps to parse"),
        ("a.scala", b"\xff" * 100_000, "too many steps to parse"),
        ("a.swift", b"#" * 100_000, "too many steps to parse"),
        ("a.sh", b"\0" * 100_000, "too many steps to parse"),
    ],
)
def test_what_costs_too_much_is_refused_with_the_bound_it_passed(
    path: str, text: bytes, reason: str
) -> None:
    before = time.thread_time()
    assert read(path, text, [range(1, 2)]) == reason
    assert time.thread_time() - before < 5


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("a.rs", b"#[a]\n"),
        ("a.rs", b"#[a]\n// b\n"),
        ("a.ts", b"@a\n"),
        ("a.py", b"@a\n"),
        ("a.py", b"def f(a, b=c): return d(a)\n"),
        ("a.py", b"# a\n"),
        ("a.go", b"func f(a int) { b.c(a) }\n"),
        ("a.ts", b"export const f = (a: B) => c(a);\n"),
        ("a.scala", b"def f(a: B)(c: D) = e(a)\n"),
        ("a.kt", b"val x = a < b < c\n"),
    ],
)
def test_the_cost_is_linear(path: str, unit: bytes) -> None:
    """Ten times as much may take thirty times as long at most, where its square takes hundred.

    A machine that does other things may pass that once, a square passes it each time.
    """

    def cost(size: int) -> float:
        text = unit * (size // len(unit))
        before = time.thread_time()
        read(path, text, [range(1, 500)])
        return time.thread_time() - before

    cost(2_000)  # compiles
    assert any(cost(100_000) < 30 * max(cost(10_000), 0.005) for _ in range(3))


def test_uses_of_very_many_ranges_cost_no_more_than_those_of_all_lines() -> None:
    text = b"f(a)\n\n" * 20_000
    used = [range(line, line + 1) for line in range(1, 40_000, 2)]
    before = time.thread_time()
    found = read("a.py", text, used)
    assert time.thread_time() - before < 5
    assert isinstance(found, Outline)
    assert [use.line for use in found.uses if use.call] == list(range(1, 40_000, 2))


def test_uses_of_few_lines_of_a_large_file_cost_little() -> None:
    text = b"f(a, b.c(d))\n" * 4_000
    costs = {}
    for used in (range(10, 12), range(1, 4_000)):
        read("a.py", text, [used])
        before = time.thread_time()
        read("a.py", text, [used])
        costs[used] = time.thread_time() - before
    assert costs[range(10, 12)] < costs[range(1, 4_000)] / 2


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/b.PY", "python"),
        ("types.d.ts", "typescript"),
        ("x/Gemfile", "ruby"),
        ("a.h", "cpp"),
        ("py", None),
        ("a.py.txt", None),
        ("", None),
        ("\udcff.go", "go"),
    ],
)
def test_the_name_of_a_file_tells_its_language(path: str, name: str | None) -> None:
    found = language_of(path)
    assert (found.name if found else None) == name
    assert (read(path, b"", ()) == "no grammar") == (name is None)
