"""Where a command prints to: a file that is never half-written, or a screen of some kind."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from pr_review.adapters.actions.environment import in_actions
from pr_review.domain.text import commandless
from pr_review.errors import ConfigurationError
from pr_review.report.terminal import Screen

_LEAST, _MOST, _UNKNOWN = 40, 120, 100
_SCREEN = "standard output"


def screen(color: str, environ: Mapping[str, str], stream: TextIO) -> Screen:
    """What can be shown on a stream. `color` is `auto`, `always` or `never`.

    By itself colour goes to a terminal alone, and not where NO_COLOR is set or TERM is `dumb`:
    https://no-color.org
    """
    able = is_live(environ, stream) and not environ.get("NO_COLOR")
    return Screen(_width(environ, stream), able if color == "auto" else color == "always")


def is_live(environ: Mapping[str, str], stream: TextIO) -> bool:
    """Whether the stream is a terminal that can go back to the start of a line."""
    return stream.isatty() and environ.get("TERM", "dumb") != "dumb"


def show(text: str, environ: Mapping[str, str]) -> None:
    """Prints whole lines for people, in what characters the terminal knows. In a step of a
    workflow the runner looks for commands in them, and a path or a tool's words may be one.

    Raises `ConfigurationError` where nothing can be written.
    """
    with _explained(_SCREEN):
        sys.stdout.write(commandless(text) if in_actions(environ) else text)
        sys.stdout.flush()


@contextmanager
def output(name: str | None) -> Iterator[Callable[[str], None]]:
    """Takes the whole text once: for a file, or without a name for standard output.

    A file that cannot be written is an error at once, and not after a model was paid. What stands
    in it is replaced as a whole, or not at all. Raises `ConfigurationError`.
    """
    if name is None:
        yield _print
        return
    with _explained(name):
        file = _File(Path(name))

    def put(text: str) -> None:
        with _explained(name):
            file.put(text)

    try:
        yield put
    finally:
        file.drop()


def write(name: str | None, text: str) -> None:
    """Writes a text to a file, or without a name to standard output."""
    with output(name) as put:
        put(text)


class _File:
    """A file beside the one that it will replace; a device, a pipe or a link is written itself."""

    def __init__(self, path: Path) -> None:
        plain = not path.is_symlink() and (path.is_file() or not path.exists())
        self._path = path
        self._made = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}") if plain else path
        self._file = self._made.open("xb" if plain else "wb")

    def put(self, text: str) -> None:
        with self._file:
            self._file.write(_encoded(text))
        if self._made != self._path:
            if self._path.exists():
                shutil.copymode(self._path, self._made)
            self._made.replace(self._path)

    def drop(self) -> None:
        """Leaves nothing behind but what was put."""
        self._file.close()
        if self._made != self._path:
            self._made.unlink(missing_ok=True)


@contextmanager
def _explained(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        remedy = "give --out another file"
        if name == _SCREEN:
            if isinstance(error, BrokenPipeError):  # whoever read it has had enough
                raise
            discard()
            remedy = "make room, or read it elsewhere"
        raise ConfigurationError(f"cannot write {name}: {error.strerror}", remedy=remedy) from error


def discard() -> None:
    """Has nothing more written to standard output: Python would try again at exit, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print(text: str) -> None:
    with _explained(_SCREEN):
        sys.stdout.flush()
        sys.stdout.buffer.write(_encoded(text))
        sys.stdout.buffer.flush()


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _width(environ: Mapping[str, str], stream: TextIO) -> int:
    """Columns of the terminal, or what COLUMNS says; within what can be read."""
    given = environ.get("COLUMNS", "")
    found = int(given) if given.isdecimal() else 0
    if not found and stream.isatty():
        found = os.get_terminal_size(stream.fileno()).columns
    return min(max(found or _UNKNOWN, _LEAST), _MOST)
