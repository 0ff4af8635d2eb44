"""What the snapshot asks of a tokenizer and of a secret scanner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


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
