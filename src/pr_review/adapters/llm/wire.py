"""What the parent and the model process say to each other: one JSON object a line."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Job:
    """One model call, with all that it needs: the process knows nothing before its first job.

    `deadline` is on the monotonic clock, which both processes share; `seconds` is the same as
    a duration, for messages. `environment` holds the provider's own variables; `files` the
    text of files that such variables name, which the process itself may not be able to read.
    `mark` is put on the end of the prefix where the provider caches up to marks; with `stream`
    the process tells when the first token is there. A request is repeated `retries` times at most.
    """

    number: int
    seconds: float
    deadline: float
    model: str
    api_key: str | None = field(repr=False)
    api_base: str | None = field(repr=False)
    headers: dict[str, str] = field(repr=False)
    environment: dict[str, str] = field(repr=False)
    files: dict[str, str] = field(repr=False)
    temperature: float | None
    max_output_tokens: int
    system: str = field(repr=False)
    prefix: str = field(repr=False)
    task: str = field(repr=False)
    schema: dict[str, object] = field(repr=False)
    retries: int
    mark: dict[str, str] | None = None
    stream: bool = False

    def line(self) -> bytes:
        return _line(asdict(self))

    @classmethod
    def read(cls, line: bytes) -> Job:
        return cls(**json.loads(line))


def own_name(variable: str, text: str) -> str:
    """The name of the process's copy of a file with this text, in the folder it works in."""
    return f"{variable}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def own_file(variable: str, text: str) -> Path:
    """Where the process keeps its copy of the file that a variable names."""
    return Path.home() / own_name(variable, text)


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a job. `error` is empty if it was answered; both it and `remedy` are one
    line without secrets. Tokens are the provider's count, 0 if it gave none; `calls` counts
    the requests made, `unread` those that may have been answered in a form nobody could read.
    `unbilled` says of an error that the provider refused, or could not be asked: no token was
    billed. `too_long` says that the prompt's length alone was refused.
    """

    number: int
    text: str = ""
    finish_reason: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    calls: int = 0
    unread: int = 0
    error: str = ""
    remedy: str = ""
    unbilled: bool = False
    too_long: bool = False

    def line(self) -> bytes:
        return _line(asdict(self))


@dataclass(frozen=True, slots=True)
class Started:
    """That the first token of a job's answer is there."""

    started: int

    def line(self) -> bytes:
        return _line(asdict(self))


@dataclass(frozen=True, slots=True)
class Report:
    """What the process says of itself: that it is ready, or the one line why it cannot be."""

    broken: str = ""

    def line(self) -> bytes:
        return _line(asdict(self))


def read_message(line: bytes) -> Answer | Started | Report:
    """One line of the process. Raises `ValueError` or `TypeError` if it is none of these."""
    values = json.loads(line)
    if "started" in values:
        return Started(**values)
    return Answer(**values) if "number" in values else Report(**values)


def _line(values: dict[str, object]) -> bytes:
    return json.dumps(values).encode() + b"\n"
