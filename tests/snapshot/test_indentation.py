"""Blocks of text without a grammar: what indentation shows of it."""

from __future__ import annotations

import time

import pytest

from pr_review.snapshot import indentation
from pr_review.snapshot.outline import ScopeKind

YAML = """\
# the workflow
on: push

jobs:
  build:
    steps:
      - run: make

# between
      - uses: x
  test:
    needs: build
name: ci
"""
HCL = """\
resource "a" "b" {
  name = "x"

  rule {
    to = 1
  }
}
variable "y" {}
output "z" {
  value = 1
}
"""
DOCKER = """\
FROM python
RUN apt-get update \\
 && apt-get install git \\
    curl
COPY . .
"""
MAKE = """\
all: build
\tcc -o x x.c
\t./x

clean:
\trm x
"""
SQL = """\
CREATE TABLE a (
    id int,
    name text
);
-- why
SELECT *
  FROM a;
"""
HTML = """\
<ul>
  <li>
    one
  </li>
  <li>two</li>
</ul>
<p>end</p>
"""
CSS = """\
#id {
  color: red;
}

@media print {
  .a,
  .b {
    margin: 0;
  }
}
"""
LUA = """\
local function f(a)
  if a then
    g()
  else
    h()
  end
end
function k()
  return 1
end
"""
ELIXIR = """\
defmodule A do
  def f(x) do
    x
  end

  def g, do: 1
end
"""
PROTO = """\
message A {
  string b = 1;
  oneof c {
    int32 d = 2;
  }
}
"""
BRACES = """\
class A
{
    void f(int a,
           int b)
    {
        g();
    }
}
"""
JSON = """\
{
  "a": {
    "b": 1
  }
}
"""

CASES = {
    "ci.yml": (YAML, "4-12 jobs:, 5-10 build:, 6-10 steps:, 11-12 test:"),
    "main.tf": (HCL, '1-7 resource "a" "b" {, 4-6 rule {, 9-11 output "z" {'),
    "Dockerfile": (DOCKER, "2-4 RUN apt-get update \\, 3-4 && apt-get install git \\"),
    "Makefile": (MAKE, "1-3 all: build, 5-6 clean:"),
    "a.sql": (SQL, "1-4 CREATE TABLE a (, 6-7 SELECT *"),
    "a.html": (HTML, "1-6 <ul>, 2-4 <li>"),
    "a.css": (CSS, "1-3 #id {, 5-10 @media print {, 7-9 .b {"),
    "a.lua": (LUA, "1-7 local function f(a), 2-6 if a then, 8-10 function k()"),
    "a.ex": (ELIXIR, "1-7 defmodule A do, 2-4 def f(x) do"),
    "a.proto": (PROTO, "1-6 message A {, 3-5 oneof c {"),
    "a.unknown": (BRACES, "1-8 class A, 3-7 void f(int a,"),
    "a.json": (JSON, '2-4 "a": {'),
}


@pytest.mark.parametrize("path", CASES)
def test_blocks_are_what_a_reader_sees(path: str) -> None:
    text, expected = CASES[path]
    scopes = indentation.outline(path, text).scopes
    assert ", ".join(f"{s.start}-{s.end} {s.name}" for s in scopes) == expected


@pytest.mark.parametrize("path", CASES)
def test_blocks_are_in_order_and_lie_within_their_parents(path: str) -> None:
    scopes = indentation.outline(path, CASES[path][0]).scopes
    assert [s.start for s in scopes] == sorted(s.start for s in scopes)
    for index, scope in enumerate(scopes):
        assert scope.start == scope.line <= scope.head <= scope.end
        if scope.parent is not None:
            assert scope.parent < index
            assert scopes[scope.parent].start < scope.start
            assert scope.end <= scopes[scope.parent].end


def test_a_block_that_holds_blocks_is_a_type_and_one_that_holds_none_a_function() -> None:
    scopes = indentation.outline("a.proto", PROTO).scopes
    assert [s.kind for s in scopes] == [ScopeKind.TYPE, ScopeKind.FUNCTION]
    assert [s.parent for s in scopes] == [None, 0]


def test_a_bracket_on_its_own_line_ends_the_signature_above_it() -> None:
    assert [s.head for s in indentation.outline("a.unknown", BRACES).scopes] == [2, 5]


def test_the_source_says_why_there_is_no_syntax() -> None:
    assert indentation.outline("a.py", "").source == "indentation"
    assert indentation.outline("a.py", "", "over 512 KiB").source == "indentation: over 512 KiB"


@pytest.mark.parametrize(
    ("path", "language"), [("a/B.YML", "yml"), ("x/Dockerfile", "dockerfile"), ("", "text")]
)
def test_the_language_is_what_the_name_tells(path: str, language: str) -> None:
    assert indentation.outline(path, "").language == language


@pytest.mark.parametrize(
    "text", ["", "\n\n", "a", "}", "{\n", " \t \n", "  a\nb\n", "\x00\x00", "a\n}\n"]
)
def test_text_without_blocks_has_no_scopes(text: str) -> None:
    found = indentation.outline("a", text)
    assert (found.scopes, found.uses, found.imports) == ((), (), ())


def test_lines_end_at_line_feeds_alone() -> None:
    text = "a\rb\u2028c:\r\n  d\x0cd\r\n  e\x85f\r\n"
    assert [(s.start, s.end, s.name) for s in indentation.outline("a", text).scopes] == [
        (1, 3, "a\rb\u2028c:")
    ]


def test_a_tab_is_as_wide_as_eight_spaces() -> None:
    text = "a\n        b\n\tc\n\t  d\n"
    assert [(s.start, s.end) for s in indentation.outline("a", text).scopes] == [(1, 4), (3, 4)]


def test_names_are_bounded() -> None:
    (scope,) = indentation.outline("a", "x" * 10_000 + "\n  y\n").scopes
    assert scope.name == "x" * 200


def test_over_the_cap_the_deepest_blocks_go_first() -> None:
    text = "".join(f"a{i}\n b\n  c\n   d\n" for i in range(indentation.MAX_SCOPES // 2))
    scopes = indentation.outline("a", text).scopes
    assert len(scopes) == indentation.MAX_SCOPES
    assert {s.name[0] for s in scopes} == {"a", "b"}
    flat = indentation.outline("a", "a\n b\n" * 9_000).scopes
    assert len(flat) == indentation.MAX_SCOPES


@pytest.mark.parametrize("kind", ["flat", "deep", "one line", "closers"])
def test_the_cost_is_linear(kind: str) -> None:
    texts = {
        "flat": "a:\n  b\n" * 100_000,
        "deep": "".join(" " * i + "x\n" for i in range(1_200)),
        "one line": " " * 350_000 + "x" * 350_000,
        "closers": "a\n b\n}\n" * 100_000,
    }
    before = time.process_time()
    indentation.outline("a", texts[kind])
    assert time.process_time() - before < 3
