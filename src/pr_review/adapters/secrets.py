"""The door to the secret scanner (kingfisher): offline matching alone, never its validators."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from pr_review.snapshot.ports import SecretMatch

# Rules for what is no secret by itself: the names and addresses that go with one.
_IDENTIFIER = re.compile(
    r"artifactory-jfrog-url|.*-(?:(?:client|application|app|tenant|account|access|auth|key|token)-id"
    r"|public-key|domain|host|account-name|cloud-name|token-name|username|address|repository"
    r"|(?:instance|project|rest)-url)"
)
_WINDOW, _OVERLAP = 65_536, 8_192
_LEADING = bytes(byte for byte in range(256) if not 0x80 <= byte < 0xC0)


class Kingfisher:
    """Scans texts with kingfisher's built-in rules.

    The library keeps the compiled rules in `KF_RULE_CACHE_DIR`, or the user's cache folder;
    without such a cache the first scan of a process takes seconds.
    """

    def scan(self, texts: Sequence[str]) -> list[SecretMatch]:
        """All matches, ordered by text and start; no comment beside a credential hides it."""
        found = []
        for index, text in enumerate(texts):
            data = text.encode("utf-8", "replace")
            matches = _matches(data)
            places = _characters(
                data, {offset for first, last, _ in matches for offset in (first, last)}
            )
            for first, last, rule in matches:
                start, end = places[first], places[last]
                if start < end:
                    found.append(SecretMatch(index, start, end, rule))
        return sorted(found, key=lambda m: (m.text, m.start, m.end, m.rule))


def _matches(data: bytes) -> set[tuple[int, int, str]]:
    """(start, end, rule) in bytes of what is found in windows that overlap.

    Some rules take time that grows faster than a text that is made for it.
    """
    found = set()
    for offset in range(0, max(len(data) - _OVERLAP, 1), _WINDOW):
        for match in _scanner().scan(data[offset : offset + _WINDOW + _OVERLAP]):
            rule, place = _rule(match.rule_id), match.location
            if not _IDENTIFIER.fullmatch(rule):
                found.add((offset + place["start_offset"], offset + place["end_offset"], rule))
    return found


@cache
def _scanner():  # type: ignore[no-untyped-def]  # the library has no types of its own
    from kingfisher_sdk import Rules, Scanner  # noqa: PLC0415 - 36 MB, for runs that screen alone

    return Scanner(Rules())


def _rule(rule_id: str) -> str:
    """`betterleaks.github-pat.1` and `veles.secrets/github-pat` become `github-pat`."""
    words = [word for word in rule_id.replace("/", ".").split(".") if not word.isdigit()]
    return words[-1]


def _characters(data: bytes, offsets: Iterable[int]) -> dict[int, int]:
    """Byte offsets as offsets in characters, by one walk over the text."""
    if data.isascii():
        return {offset: offset for offset in offsets}
    found = {}
    position = count = 0
    for offset in sorted(offsets):
        piece = data[position:offset]
        # Every byte but a continuation starts a character, also where a match cuts one in two.
        count += len(piece) - len(piece.translate(None, _LEADING))
        position = offset
        found[offset] = count
    return found
