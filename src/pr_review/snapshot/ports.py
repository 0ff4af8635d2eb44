"""What the snapshot asks of a tokenizer, of a secret scanner and of a reader of syntax."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pr_review.snapshot.outline import Outline

Blobs = Callable[[Sequence[str]], Mapping[str, bytes]]


class Objects(Protocol):
    """The contents of a change's files, and of others at its head."""

    def blobs(self, oids: Sequence[str]) -> Mapping[str, bytes]:
        """Contents by object id, in one round trip; an id that is not there is left out."""

    def head_files(self) -> Mapping[str, str]:
        """Object ids of the head's regular files by path; none where there is no commit."""


class TokenCounter(Protocol):
    """Counts tokens as a model would."""

    @property
    def name(self) -> str:
        """Name of the encoding; part of what the snapshot's digest covers."""

    def count(self, text: str) -> int:
        """Tokens of a text; never raises, whatever the text holds."""


@dataclass(frozen=True, slots=True)
class SecretMatch:
    """A secret in one of the scanned texts: `start`..`end` are offsets in characters."""

    text: int
    start: int
    end: int
    rule: str


class SecretScanner(Protocol):
    """Finds credentials in texts, offline; it never calls out to verify one."""

    def scan(self, texts: Sequence[str]) -> list[SecretMatch]:
        """All matches, ordered by text and start. A match may span lines."""


class SyntaxReader(Protocol):
    """Reads the structure of source files, bounded in bytes, nodes and memory."""

    @property
    def late(self) -> bool:
        """Whether a limit of time struck all the same: then equal input may end another way."""

    def knows(self, path: str) -> bool:
        """Whether there is a grammar for a path, by its name."""

    def outline(self, path: str, text: bytes, used: Sequence[range] = ()) -> Outline | str:
        """The outline of a file, or in words why none could be made; never raises.

        `used` are the ranges of 1-based lines of which the uses are wanted, ascending; scopes
        and imports are always those of the whole file. Equal input gives an equal outline.
        """
