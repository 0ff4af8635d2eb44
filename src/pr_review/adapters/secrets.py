"""The door to the secret scanner (kingfisher): offline matching alone, never its validators."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from pr_review.snapshot.ports import SecretMatch


class Kingfisher:
    """Scans texts with kingfisher's built-in rules.

    The library keeps the compiled rules in `KF_RULE_CACHE_DIR`, or the user's cache folder;
    without such a cache the first scan of a process takes seconds.
    """

    def scan(self, texts: Sequence[str]) -> list[SecretMatch]:
        """All matches, ordered by text and start."""
        found = []
        for index, text in enumerate(texts):
            data = text.encode("utf-8", "replace")
            for match in _scanner().scan(data):
                where = match.location
                start = _characters(data, where["start_offset"])
                end = _characters(data, where["end_offset"])
                if start < end:
                    found.append(SecretMatch(index, start, end, _rule(match.rule_id)))
        return sorted(found, key=lambda m: (m.text, m.start, m.end, m.rule))


@cache
def _scanner():  # type: ignore[no-untyped-def]  # the library has no types of its own
    from kingfisher_sdk import Rules, Scanner  # noqa: PLC0415 - 36 MB, for runs that screen alone

    return Scanner(Rules())


def _rule(rule_id: str) -> str:
    """`betterleaks.github-pat` and `veles.secrets/sendgrid` become their last word."""
    return rule_id.replace("/", ".").rsplit(".", 1)[-1]


def _characters(data: bytes, offset: int) -> int:
    """A byte offset as an offset in characters."""
    return len(data[:offset].decode("utf-8", "replace"))
