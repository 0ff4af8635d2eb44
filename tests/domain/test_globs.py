"""Globs on whole paths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.globs import matches


@pytest.mark.parametrize(
    ("glob", "path", "hit"),
    [
        ("*.py", "a.py", True),
        ("*.py", "src/deep/a.py", True),
        ("*.py", "a.pyc", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/**", "src/deep/a.py", True),
        ("src/**/a.py", "src/a.py", True),
        ("src/**/a.py", "src/x/y/a.py", True),
        ("**/a.py", "a.py", True),
        ("docs/", "docs/x/y.md", True),
        ("docs/", "src/docs/y.md", False),
        ("/a.py", "a.py", True),
        ("docs", "docs/y.md", False),
        ("a?.py", "ab.py", True),
        ("src/a?b", "src/a/b", False),
        ("*.{js,ts}", "x/a.ts", True),
        ("*.{js,ts}", "x/a.tsx", False),
        ("[ab].py", "a.py", True),
        ("[!ab].py", "a.py", False),
        ("[!ab].py", "c.py", True),
        ("src[!a]x.py", "src/x.py", False),
        ("[a-c].py", "b.py", True),
        ("[z-a].py", "b.py", False),
        (r"[\d].py", "1.py", False),
        (r"[\d].py", "d.py", True),
        ("[]].py", "].py", False),
        ("a+b.py", "a+b.py", True),
        ("a.py", "axpy", False),
        ("new\nline.*", "new\nline.py", True),
        ("**", "any/thing", True),
    ],
)
def test_glob(glob: str, path: str, hit: bool) -> None:
    assert matches(path, [glob]) is hit


def test_any_of_several_and_none_of_none() -> None:
    assert matches("a.ts", ["*.py", "*.ts"])
    assert not matches("a.ts", [])


@given(st.text(alphabet="ab/*?[]{}!-^\\,.&|~", max_size=12), st.text(alphabet="ab/-^]", max_size=6))
def test_no_pattern_is_an_error(glob: str, path: str) -> None:
    assert matches(path, [glob]) in (True, False)


@given(st.text(min_size=1, max_size=12).filter(lambda p: not set("*?[]{}/\n") & set(p)))
def test_a_path_without_signs_matches_itself_alone(path: str) -> None:
    assert matches(path, [path])
    assert not matches(path + "x", [path])
