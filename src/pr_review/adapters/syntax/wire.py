"""What the process that parses is asked and answers: lines of JSON, a file's bytes in between.

JSON and not pickles: grammars are C that reads hostile text, so what comes back is data.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple
from typing import BinaryIO

from pr_review.snapshot.outline import Import, Outline, Scope, ScopeKind, Use


def question(path: str, text: bytes, used: Sequence[range] | None) -> bytes:
    """Asks for an outline; without `used` for the number of faults."""
    ranges = None if used is None else [[lines.start, lines.stop] for lines in used]
    return json.dumps([path, len(text), ranges]).encode() + b"\n" + text


def read_question(stream: BinaryIO) -> tuple[str, bytes, list[range] | None] | None:
    """The next question; None at the end."""
    line = stream.readline()
    if not line:
        return None
    path, size, ranges = json.loads(line)
    used = None if ranges is None else [range(start, stop) for start, stop in ranges]
    return path, stream.read(size), used


def count(number: int | None) -> bytes:
    """The number of faults as one line, the line feed at its end."""
    return json.dumps(number).encode() + b"\n"


def read_count(line: bytes) -> int | None:
    """Raises `ValueError` if it is no answer."""
    read = json.loads(line)
    if read is not None and type(read) is not int:
        raise ValueError("no number of faults")
    return read


def answer(outline: Outline | str) -> bytes:
    """One line, the line feed at its end."""
    if isinstance(outline, str):
        return json.dumps(outline).encode() + b"\n"
    parts = [[astuple(part) for part in parts] for parts in _parts(outline)]
    return json.dumps([outline.language, *parts]).encode() + b"\n"


def _parts(outline: Outline) -> tuple[Sequence[Scope], Sequence[Use], Sequence[Import]]:
    return outline.scopes, outline.uses, outline.imports


def read_answer(line: bytes) -> Outline | str:
    """Raises `ValueError` or `TypeError` if it is no answer."""
    read = json.loads(line)
    if isinstance(read, str):
        return read
    language, scopes, uses, imports = read
    return Outline(
        str(language),
        tuple(Scope(name, ScopeKind(kind), *lines) for name, kind, *lines in scopes),
        tuple(Use(*use) for use in uses),
        tuple(Import(*taken) for taken in imports),
    )
