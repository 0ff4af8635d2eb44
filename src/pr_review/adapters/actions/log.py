"""The job's log, which is also a channel of commands: text from outside must not give any."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from pr_review.domain.text import commandless, visible, visible_line

_SHORTEST_MASK = 4


def harmless(text: str) -> str:
    """Text in which the runner finds no command, line for line the same to a reader."""
    return commandless(visible(text))


class Log:
    """Writes to the job's log. Every text is data; only the methods make commands."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def text(self, text: str) -> None:
        """Plain lines."""
        self._write(harmless(text))

    def notice(self, message: str, *, title: str = "") -> None:
        self._annotate("notice", message, title)

    def warning(self, message: str, *, title: str = "") -> None:
        self._annotate("warning", message, title)

    def error(self, message: str, *, title: str = "") -> None:
        self._annotate("error", message, title)

    @contextmanager
    def group(self, title: str) -> Iterator[None]:
        """Folds what is written inside under a title."""
        self._write(f"::group::{_data(commandless(visible_line(title)))}")
        try:
            yield
        finally:
            self._write("::endgroup::")

    def mask(self, secret: str) -> None:
        """Has the runner hide a secret, line by line, wherever it is printed from now on.

        Only ever for secrets: the value goes to the runner in the clear. Of a value with
        several lines, those under four characters stay: hiding `}` hides nothing.
        """
        lines = [line for line in re.split(r"[\r\n]+", secret.strip()) if line.strip()]
        for line in lines:
            if len(lines) == 1 or len(line.strip()) >= _SHORTEST_MASK:
                self._write(f"::add-mask::{_data(line.strip())}")

    def _annotate(self, level: str, message: str, title: str) -> None:
        named = f" title={_property(commandless(visible_line(title)))}" if title else ""
        self._write(f"::{level}{named}::{_data(harmless(message))}")

    def _write(self, line: str) -> None:
        # a log that cannot encode a character must not end the run
        encoding = self._stream.encoding or "utf-8"
        self._stream.write(line.encode(encoding, "replace").decode(encoding) + "\n")
        self._stream.flush()


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
