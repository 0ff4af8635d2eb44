"""What does not parse is counted, in every language that has a grammar and in data formats."""

from __future__ import annotations

import pytest

from pr_review.adapters.syntax import TreeSitter
from pr_review.adapters.syntax.faults import faults
from pr_review.adapters.syntax.languages import LANGUAGES
from tests.adapters.syntax.outlines import case


@pytest.mark.parametrize("name", [language.name for language in LANGUAGES])
def test_a_broken_file_has_more_than_a_sound_one(name: str) -> None:
    path, source = case(name).path, case(name).source.encode()
    sound, broken = faults(path, source), faults(path, source + b"\n}}} ((( \n")
    assert sound is not None
    assert broken is not None
    assert sound < broken


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.json", b'{"a": 1}', 0),
        ("a.json", b'{"a": 1,}', 1),
        ("a.json", b"[" * 60_000, 1),
        ("a.toml", b"a = 1\n", 0),
        ("a.toml", b"a = \n", 1),
        ("a.yml", b"a: !ours [1, *b]\nb: &b 1\n", 0),
        ("a.YAML", b"a: [1\nb: 2\n", 1),
        ("a.yml", b"a: \xff\n", 1),
        ("a.yml", b"a: 1\n" * 20_000, None),
        ("a.py", b"x = 1\n" * 100_000, None),
        ("notes.txt", b"(((", None),
    ],
)
def test_data_parses_or_does_not(path: str, text: bytes, expected: int | None) -> None:
    assert faults(path, text) == expected


def test_the_process_counts_between_outlines() -> None:
    reader = TreeSitter()
    assert reader.faults("a.py", b"def f(:\n") == faults("a.py", b"def f(:\n") != 0
    assert not isinstance(reader.outline("a.py", b"def f():\n    pass\n"), str)
    assert reader.faults("a.py", b"def f():\n    pass\n") == 0
    assert reader.faults("a.unknown", b"def f(:\n") is None
    reader.close()
