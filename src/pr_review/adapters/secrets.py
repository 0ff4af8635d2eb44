"""The door to the secret scanner (kingfisher): offline matching alone, never its validators."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from pr_review.snapshot.ports import SecretMatch


class Kingfisher:
    """Scans texts with kingfisher's built-in rules.

    The compiled rules are cached in `cache_dir`, or the user's cache folder; without a
    cache the first scan of a process takes seconds.
    """

    def __init__(self, cache_dir: Path | None = None) -> None:
        self._cache_dir = cache_dir

    def scan(self, texts: Sequence[str]) -> list[SecretMatch]:
        """All matches, ordered by text and start."""
        found = []
        for index, text in enumerate(texts):
            data = text.encode("utf-8", "replace")
            for match in _scanner(self._cache_dir).scan(data):
                where = match.location
                start = _characters(data, where["start_offset"])
                end = _characters(data, where["end_offset"])
                if start < end:
                    found.append(SecretMatch(index, start, end, _rule(match.rule_id)))
        return sorted(found, key=lambda m: (m.text, m.start, m.end, m.rule))


@cache
def _scanner(cache_dir: Path | None):  # type: ignore[no-untyped-def]  # the library has no types of its own
    from kingfisher_sdk import Rules, Scanner  # noqa: PLC0415 - 36 MB, for runs that screen alone

    return Scanner(Rules(cache_dir=str(cache_dir) if cache_dir else None))


def _rule(rule_id: str) -> str:
    """`betterleaks.github-pat` and `veles.secrets/sendgrid` become their last word."""
    return rule_id.replace("/", ".").rsplit(".", 1)[-1]


def _characters(data: bytes, offset: int) -> int:
    """A byte offset as an offset in characters."""
    return len(data[:offset].decode("utf-8", "replace"))
