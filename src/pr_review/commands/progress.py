"""What happens while somebody waits, on standard error: standard output holds the review alone."""

from __future__ import annotations

from typing import Self, TextIO

from pr_review.agents.progress import Progress
from pr_review.domain.text import visible_line
from pr_review.domain.words import counted
from pr_review.report.terminal import Screen, Style

_CLEAR = "\r\x1b[K"


class Waiting:
    """Says a line for whatever happens. A `live` terminal shows in its last line who has not
    answered yet; elsewhere each agent that is asked has a line of its own.
    """

    def __init__(self, stream: TextIO, screen: Screen, *, live: bool) -> None:
        self._stream = stream
        self._screen = screen
        self._live = live
        self._asked: list[str] = []
        self._failures = set[str]()
        self._waits = False  # whether the last line says who is waited for

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._asked.clear()
        self._write()

    def end(self) -> None:
        """Nobody is waited for any more; on a terminal what follows stands apart."""
        self._asked.clear()
        self._write(*([""] if self._live else []))

    def say(self, text: str) -> None:
        """One line of prose, wrapped."""
        self._write(*self._screen.wrap(visible_line(text), Style.DIM, hang="  "))

    def watch(self, progress: Progress) -> None:
        """A `Watch` of the agents."""
        name = visible_line(progress.agent)
        part = f", {progress.part}" if progress.part else ""
        if progress.outcome is None:
            self._asked.append(name)
            self._write(*([] if self._live else [f"agent {name}: asked{part}"]))
            return
        self._asked.remove(name)
        self._write(*self._ended(name, part, progress))

    def _ended(self, name: str, part: str, progress: Progress) -> list[str]:
        assert progress.outcome is not None
        seconds, found = f"{progress.seconds:.1f} s{part}", len(progress.outcome.findings)
        if progress.outcome.failure:
            text = f"agent {name}: failed after {seconds}{self._why(progress.outcome.failure)}"
            return list(self._screen.wrap(text, Style.YELLOW, hang="  "))
        words = counted(found, "finding") if found else "no findings"
        text = f"agent {name}: answered with {progress.said or words} after {seconds}"
        return list(self._screen.wrap(text, Style.DIM, hang="  "))

    def _why(self, failure: str) -> str:
        """The reason at length, once: a model that cannot be reached fails every agent."""
        known = failure in self._failures
        self._failures.add(failure)
        return " for the same reason" if known else f": {visible_line(failure)}"

    def _write(self, *lines: str) -> None:
        """Lines above the one that says who is waited for."""
        text = "".join(f"{line}\n" for line in lines)
        if self._waits:
            text = _CLEAR + text
        self._waits = self._live and bool(self._asked)
        if self._waits:
            waits = f"waiting for {', '.join(self._asked)} …"
            text += self._screen.paint(self._screen.cut(waits, 1), Style.DIM)
        self._stream.write(text)
        self._stream.flush()
