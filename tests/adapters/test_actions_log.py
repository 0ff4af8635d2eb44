"""What reaches the log is text or a command of ours, never a command from outside."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.adapters.actions.log import Log, harmless


def commands(log: str) -> list[str]:
    """Lines that the runner takes for commands: both of its forms, and its line ends.

    It compares by culture: what has no weight there is as good as absent.
    """
    lines = re.split(
        r"\r\n|\r|\n", re.sub("[\u00ad\u034f\u200b-\u200f\ufe00-\ufe0f\ufeff]", "", log)
    )
    return [x for x in lines if x.strip().startswith("::") or re.search(r"##\[[^\]]*\]", x)]


def written(act: str, *arguments: str, **more: str) -> str:
    stream = io.StringIO()
    getattr(Log(stream), act)(*arguments, **more)
    return stream.getvalue()


HOSTILE = [
    "::set-output name=x::y",
    "  ::error::x",
    "\t::stop-commands::token",
    "\u00a0\u3000::add-mask::e",
    "\u200b::error::x",
    "\ufeff::error::x",
    ":::error::x",
    "##[add-mask]e",
    "text ##[error]x",
    "###[group]x",
    "fine\r::error::x",
    "fine\n::error::x",
    "fine\r\n##[warning]x",
    "fine\u2028::error::x",
    "fine\x0b::error::x",
    "fine\x85::error::x",
    "##\u200b[error]x",
    "#\ufe0f#[error]x",
    "##\u034f\ufe0e[error]x",
    ":\ufe0f:error::x",
    "\ufe0f::error::x",
]


def test_the_reader_of_this_test_sees_commands() -> None:
    assert len([text for text in HOSTILE if commands(text)]) > 9


@pytest.mark.parametrize("text", HOSTILE)
def test_text_gives_no_command(text: str) -> None:
    assert commands(written("text", text)) == []


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("level", ["notice", "warning", "error"])
def test_an_annotation_is_one_command(level: str, text: str) -> None:
    said = written(level, text, title=text)
    assert len(commands(said)) == said.count("\n") == 1
    assert said.startswith(f"::{level} title=")
    assert "##[" not in said
    # what the runner shows is printed again: it must be harmless after it was decoded
    data = said.split("::", 2)[2].replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%")
    assert commands(data.removesuffix("\n")) == []


# what the runner looks for, what it passes over, and what it ends lines at
PARTS = [*":#[] \t\r\n\v\f\x85\u2028\u200b\ufeff\ufe0f\u00ad\u034f", "::error::", "##[group]", "a"]
SPITEFUL = st.lists(st.sampled_from(PARTS), max_size=14).map("".join) | st.text(max_size=40)


@given(SPITEFUL)
def test_no_text_gives_a_command(text: str) -> None:
    assert commands(written("text", text)) == []


@given(SPITEFUL, SPITEFUL)
def test_no_text_gives_another_command_than_its_own(text: str, title: str) -> None:
    for level in ("notice", "warning", "error"):
        said = written(level, text, title=title)
        assert len(commands(said)) == said.count("\n") == 1
        assert said.startswith(f"::{level} title=" if title else f"::{level}::")
    stream = io.StringIO()
    with Log(stream).group(title):
        Log(stream).text(text)
    begun, ended = commands(stream.getvalue())
    assert (begun[:9], ended) == ("::group::", "::endgroup::")


def test_ordinary_text_stays_as_it_is() -> None:
    for text in (
        "std::string x;",
        "a ## [b]",
        "#[derive(X)]",
        "#1 # [x]",
        "naïve 100% ::",
        "tab\tand\nline",
    ):
        assert harmless(text) == text


def test_data_and_properties_are_escaped() -> None:
    assert written("warning", "100%\nsure: a, b") == "::warning::100%25%0Asure: a, b\n"
    assert written("error", "x", title="a: b, 5%") == "::error title=a%3A b%2C 5%25::x\n"


def test_a_title_stays_on_one_line() -> None:
    stream = io.StringIO()
    with Log(stream).group("one\ntwo"):
        stream.write("inside\n")
    assert stream.getvalue() == "::group::one\\u{a}two\ninside\n::endgroup::\n"


def test_a_group_ends_after_an_error() -> None:
    stream = io.StringIO()
    with pytest.raises(RuntimeError), Log(stream).group("x"):
        raise RuntimeError
    assert stream.getvalue().endswith("::endgroup::\n")


@pytest.mark.parametrize(
    ("secret", "lines"),
    [
        ("ghs_x%0A", ["ghs_x%250A"]),
        ("  ghs_x\n", ["ghs_x"]),
        ("abc", ["abc"]),
        ('{\n  "key": "v"\r\n}', ['"key": "v"']),
        ("", []),
        (" \n\n", []),
    ],
)
def test_a_secret_is_masked_line_by_line(secret: str, lines: list[str]) -> None:
    assert written("mask", secret) == "".join(f"::add-mask::{line}\n" for line in lines)


def test_a_log_that_is_not_utf8_does_not_end_the_run() -> None:
    raw = io.BytesIO()
    log = Log(io.TextIOWrapper(raw, encoding="ascii"))
    log.text("naïve \udce9")
    assert raw.getvalue() == b"na?ve ?\n"
