"""A file that is never half-written, what a terminal is told, and who is waited for."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

import pytest

from pr_review.agents.progress import Progress
from pr_review.commands.printing import is_live, output, screen, show, write
from pr_review.commands.progress import Waiting
from pr_review.domain.finding import AgentOutcome
from pr_review.errors import ConfigurationError
from pr_review.report.terminal import Screen
from tests.review.scenarios import finding


@pytest.fixture
def terminal() -> Iterator[TextIO]:
    """A stream that is a terminal of 50 columns."""
    leader, follower = os.openpty()
    with ExitStack() as stack:
        stack.callback(os.close, leader)
        stream = stack.enter_context(os.fdopen(follower, "w"))
        termios = pytest.importorskip("termios")
        termios.tcsetwinsize(follower, (24, 50))
        yield stream


@pytest.mark.parametrize(
    ("color", "environ", "coloured"),
    [
        ("auto", {"TERM": "xterm"}, True),
        ("auto", {"TERM": "dumb"}, False),
        ("auto", {}, False),
        ("auto", {"TERM": "xterm", "NO_COLOR": "1"}, False),
        ("auto", {"TERM": "xterm", "NO_COLOR": ""}, True),
        ("always", {"TERM": "dumb", "NO_COLOR": "1"}, True),
        ("never", {"TERM": "xterm"}, False),
    ],
)
def test_when_there_is_colour(
    color: str, environ: dict[str, str], coloured: bool, terminal: TextIO
) -> None:
    assert screen(color, environ, terminal) == Screen(50, coloured)
    assert not screen("auto", environ, io.StringIO()).colour


def test_how_wide_a_screen_is(terminal: TextIO) -> None:
    widths = [("20", 40), ("70", 70), ("500", 120), ("x", 50), ("", 50)]
    for given, width in widths:
        assert screen("auto", {"COLUMNS": given}, terminal).width == width
    assert screen("auto", {}, io.StringIO()).width == 100
    assert is_live({"TERM": "xterm"}, terminal)
    assert not is_live({"TERM": "dumb"}, terminal)
    assert not is_live({"TERM": "xterm"}, io.StringIO())


def test_what_stood_in_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "review.md"
    path.write_text("before\n", encoding="utf-8")
    path.chmod(0o640)
    with pytest.raises(ZeroDivisionError), output(str(path)):
        raise ZeroDivisionError
    assert path.read_text(encoding="utf-8") == "before\n"
    with output(str(path)) as put:
        assert path.read_text(encoding="utf-8") == "before\n"
        put("after \udcff\n")
        assert path.read_text(encoding="utf-8") == "after ?\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in tmp_path.iterdir()] == ["review.md"]


def test_a_link_and_a_pipe_are_written_where_they_lead(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    write(str(link), "text\n")
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "text\n"
    write(os.devnull, "text\n")
    assert Path(os.devnull).is_char_device()


def test_what_cannot_be_written_is_said_before_anything_is_done(tmp_path: Path) -> None:
    begun = False
    with (
        pytest.raises(ConfigurationError, match=r"cannot write .*: Is a directory"),
        output(str(tmp_path)),
    ):
        begun = True
    assert not begun
    with (
        pytest.raises(BrokenPipeError),
        output(str(tmp_path / "x")),
    ):
        raise BrokenPipeError  # of the run, and no word about the file
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "put",
    [lambda: write(None, "text\n"), lambda: show("text\n", {})],
    ids=["whole", "lines"],
)
def test_a_full_standard_output_is_one_line_and_no_bug(
    put: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Path("/dev/full").open(
        "w", encoding="utf-8"
    ) as full:  # closing it fails but for `discard`
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(ConfigurationError, match="standard output: No space left"):
            put()


def waiting(*, live: bool) -> str:
    """What is written while two agents are asked and answer."""
    stream = io.StringIO()
    failed = AgentOutcome("security", failure="no\x1b[2J answer")
    with Waiting(stream, Screen(40), live=live) as one:
        one.say("quote: \x1b[31m nothing")
        for name in ("bugs", "security"):
            one.watch(Progress(name, part="pass 1 of 2"))
        one.watch(Progress("bugs", AgentOutcome("bugs", (finding(),)), 1.24, "pass 1 of 2"))
        one.watch(Progress("security", failed, 2.0))
        one.end()
    return stream.getvalue()


def test_who_is_waited_for_stands_in_the_last_line_of_a_terminal() -> None:
    text = waiting(live=True)
    assert text.count("waiting for bugs, security …") == 1
    assert "\x1b" not in text.replace("\r\x1b[K", "")
    left = re.sub(r"[^\n]*\r\x1b\[K", "", text)  # what is on the screen in the end
    assert left == (
        "quote: \\u{1b}[31m nothing\n"
        "agent bugs: answered with 1 finding\n"
        "  after 1.2 s, pass 1 of 2\n"
        "agent security: failed after 2.0 s:\n"
        "  no\\u{1b}[2J answer\n"
        "\n"
    )


def test_a_reason_is_given_once_however_many_agents_fail_for_it() -> None:
    stream = io.StringIO()
    with Waiting(stream, Screen(80), live=False) as one:
        for name, failure in (("a", "no route"), ("b", "no route"), ("c", "refused")):
            one.watch(Progress(name))
            one.watch(Progress(name, AgentOutcome(name, failure=failure), 1.0))
    assert [line for line in stream.getvalue().split("\n") if "failed" in line] == [
        "agent a: failed after 1.0 s: no route",
        "agent b: failed after 1.0 s for the same reason",
        "agent c: failed after 1.0 s: refused",
    ]


def test_elsewhere_each_agent_that_is_asked_has_a_line() -> None:
    text = waiting(live=False)
    assert text.split("\n")[1:3] == [
        "agent bugs: asked, pass 1 of 2",
        "agent security: asked, pass 1 of 2",
    ]
    assert "\x1b" not in text
    assert "\r" not in text
