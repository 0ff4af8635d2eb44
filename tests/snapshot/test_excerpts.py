"""Excerpts of unchanged files are screened like the change itself."""

from __future__ import annotations

from collections.abc import Sequence

from pr_review.adapters.secrets import Kingfisher
from pr_review.snapshot.ports import SecretMatch
from pr_review.snapshot.screen import Excerpt, redact, screen_excerpts
from tests.snapshot.test_screen import PEM, PLANTED

SCANNER = Kingfisher()


def _excerpt(text: str, first: int, last: int) -> Excerpt:
    """Lines `first` to `last` of a file."""
    return Excerpt(text.split("\n")[first - 1 : last], first, text.encode())


def _clean(excerpts: Sequence[Excerpt]) -> list[list[str]]:
    found = screen_excerpts(excerpts, SCANNER)
    return [
        [redact(line, spans) for line, spans in zip(excerpt.lines, rows, strict=True)]
        for excerpt, rows in zip(excerpts, found, strict=True)
    ]


def test_each_excerpt_has_its_own_spans() -> None:
    first = f"def a():\n    {PLANTED['gitlab']}\n    return 1"
    second = f"x = 1\ny = 2\n\ndef b():\n    # é {PLANTED['npm']}"
    clean = _clean([_excerpt(first, 1, 3), _excerpt(second, 4, 5), _excerpt(second, 1, 2)])
    assert [len(rows) for rows in clean] == [3, 2, 2]
    assert clean[0][0] == "def a():"
    assert clean[0][1].startswith("    GITLAB_TOKEN=")
    assert PLANTED["gitlab"][-20:] not in str(clean)
    assert PLANTED["npm"][-36:] not in str(clean)
    assert clean[1][0] == "def b():"
    assert clean[2] == ["x = 1", "y = 2"]


def test_a_key_is_found_on_the_whole_file_although_the_excerpt_holds_its_middle() -> None:
    text = "\n".join(["# settings", *("# more" for _ in range(20)), *PEM, "done = True"])
    assert _clean([_excerpt(text, 24, 26)]) == [["[REDACTED:private-key]"] * 3]
    assert _clean([_excerpt(text, 2, 4)]) == [["# more"] * 3]


def test_nothing_is_scanned_for_nothing_and_once_for_many() -> None:
    class Counting:
        calls = 0

        def scan(self, texts: Sequence[str]) -> list[SecretMatch]:
            self.calls += 1
            return []

    scanner = Counting()
    text = "a\nb\nc"
    found = screen_excerpts([_excerpt(text, n, n) for n in (1, 2, 3)], scanner)
    assert found == [((),), ((),), ((),)]
    assert scanner.calls == 1
    assert screen_excerpts([], SCANNER) == []
