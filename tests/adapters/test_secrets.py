"""The scanner: offsets in characters, order, names of rules, and nothing over the network."""

from __future__ import annotations

import hashlib
import socket

import pytest

from pr_review.adapters.secrets import Kingfisher

VALUE = "glpat-" + hashlib.sha1(b"planted").hexdigest()[:20].replace("0", "Q")
OTHER = "glpat-" + hashlib.sha1(b"another").hexdigest()[:20].replace("0", "Q")


def test_offsets_count_characters_whatever_stands_before() -> None:
    texts = [f"x = '{VALUE}'", f"ключ 🌸 \udcff路 = '{VALUE}'", f"\n\r\n\x0c{VALUE}\n"]
    matches = Kingfisher().scan(texts)
    assert [match.text for match in matches] == [0, 1, 2]
    for match in matches:
        assert texts[match.text][match.start : match.end] == VALUE
        assert match.rule.startswith("gitlab")


def test_matches_come_in_order() -> None:
    matches = Kingfisher().scan(["nothing", f"a = '{VALUE}'\nb = '{OTHER}'\n", f"c = '{OTHER}'"])
    assert [(m.text, m.start) for m in matches] == [(1, 5), (1, 38), (2, 5)]


def test_the_same_value_twice_is_found_twice() -> None:
    text = f"a = '{VALUE}'\nb = '{VALUE}'\n"
    assert [text[m.start : m.end] for m in Kingfisher().scan([text])] == [VALUE, VALUE]


def test_no_text_and_empty_texts() -> None:
    assert Kingfisher().scan([]) == []
    assert Kingfisher().scan(["", "\n", "\0"]) == []


def test_a_rules_name_is_its_last_word() -> None:
    (match,) = Kingfisher().scan([f"'{VALUE}'"])
    assert "." not in match.rule
    assert "/" not in match.rule


def test_nothing_is_sent_to_verify_a_match(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **named: object) -> None:
        raise AssertionError("the scanner opened a socket")

    monkeypatch.setattr(socket, "socket", refuse)
    assert Kingfisher().scan([f"'{VALUE}'"])


def test_many_matches_in_a_long_text_beyond_ascii() -> None:
    """Each offset once took a walk of its own from the start of the text."""
    line = f"ключ 🌸 {'é' * 200} = '{VALUE}'\n"
    text = line * 10_000
    matches = Kingfisher().scan([text])
    start = line.index(VALUE)
    assert [m.start for m in matches] == [start + n * len(line) for n in range(10_000)]
    assert {text[m.start : m.end] for m in matches} == {VALUE}


@pytest.mark.parametrize("size", [60_000, 65_530, 65_540, 73_720, 73_730, 131_070, 139_260])
def test_a_value_is_found_once_wherever_it_stands_in_a_long_text(size: int) -> None:
    for text in (f"{'a ' * (size // 2)}'{VALUE}'{' b' * 40_000}", f"{'x = 1' + chr(10)}" * 9_000):
        found = [(m.start, m.end) for m in Kingfisher().scan([text])]
        start = text.find(VALUE)
        assert found == ([(start, start + len(VALUE))] if start >= 0 else [])


def test_what_names_a_secret_without_being_one_is_no_match() -> None:
    texts = [
        "discord_channel = 123456789012345678",
        "AZURE_CLIENT_ID=0f8fad5b-d9cb-469f-a165-70867728950e",
        "AUTH0_CLIENT_ID=Zk3x9QpL7vRt2WnY8bHs4JdF6gKc1MaE",
    ]
    assert Kingfisher().scan(texts) == []
