"""The headers of hunks: git repeats a line from above in each, cut at 80 bytes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from pr_review.domain.diff import Hunk
from pr_review.snapshot.screen.assignments import value_at_the_end
from pr_review.snapshot.screen.contents import Contents
from pr_review.snapshot.screen.keys import looks_like_key, worded
from pr_review.snapshot.screen.spans import Lines, Span

_KEY_WIDTH = 48
# git cuts a header at 80 bytes; the last character may have been half in.
_CUT_BYTES = 76
_CHARACTERS = 80
_WHOLE_CHARACTERS = 2_000
_HALF_A_CHARACTER = "".join(map(chr, range(0xDC80, 0xDD00))) + "\ufffd"
_TOKEN = re.compile(r"[A-Za-z0-9_+/.=~-]{16,80}\Z")
# Checksums say what they are.
_DIGEST = re.compile(r"(?:\bh1:|sha(?:256|384|512)[:-])[A-Za-z0-9+/]++=*+")
_URL = re.compile(r"://[^\s/@]{0,80}:[^\s/@]{0,80}\Z")
_PARTS = re.compile(r"[^A-Za-z0-9]+")


class Headers:
    """The headers of some hunks, by their words; `text` is what there is to be searched.

    A header that was cut is searched as the lines of the old file that it may come from; it
    is from there that git takes them, without the blanks in front for some languages.
    """

    def __init__(self, hunks: Sequence[Hunk], old: Contents) -> None:
        self._sections = [hunk.section for hunk in hunks]
        self._secret: set[str] = set()
        distinct = dict.fromkeys(section for section in self._sections if section)
        self._whole = _whole_lines([section for section in distinct if _cut(section)], old)
        self.text = Lines(
            (section, line) for section in distinct for line in self._whole.get(section, [section])
        )

    def secret(self, line: str) -> None:
        """Remembers a line that holds key material: a header may repeat it."""
        self._secret.add(line.strip()[:_CHARACTERS])

    def hidden(self, spans: Sequence[Span]) -> set[int]:
        """The indices of the headers not to be shown, given what was found in `text`."""
        found = {
            section for start, end, _ in spans for section, _, _ in self.text.parts(start, end)
        }
        secret = sorted(self._secret)
        for section in set(self._sections) - found:
            if section and self._hides(section, secret):
                found.add(section)
        return {index for index, section in enumerate(self._sections) if section in found}

    def _hides(self, section: str, secret: Sequence[str]) -> bool:
        """Without the whole line its shape has to do: no function's name looks like a key, and
        no rule knows a credential of which the end was cut."""
        stem = _stem(section)
        if stem and any(True for _ in _starting(secret, stem)):
            return True
        bare = _DIGEST.sub("", stem)
        unknown = _cut(section) and section not in self._whole
        return looks_like_key(bare, _KEY_WIDTH) or (unknown and _unfinished(bare))


def _unfinished(stem: str) -> bool:
    """Whether a text ends within what may be a credential."""
    token = _TOKEN.search(stem)
    if token is not None and not worded(_PARTS.sub("/", token[0])):
        return True
    return _URL.search(stem) is not None or value_at_the_end(stem)


def _cut(section: str) -> bool:
    return len(section.encode("utf-8", "replace")) >= _CUT_BYTES


def _whole_lines(sections: Sequence[str], old: Contents) -> dict[str, list[str]]:
    """The lines of the old file that headers may have been cut from, by the header."""
    cut = [section for section in sections if len(section) <= _CHARACTERS]
    if not cut:
        return {}
    lines = (line.strip() for line in old.lines)
    known = sorted({line[:_WHOLE_CHARACTERS] for line in lines if len(line) >= _CUT_BYTES // 4})
    found = {section: list(_starting(known, _stem(section))) for section in cut}
    return {section: whole for section, whole in found.items() if whole}


def _stem(section: str) -> str:
    return section.rstrip(_HALF_A_CHARACTER).strip()


def _starting(known: Sequence[str], stem: str) -> Iterator[str]:
    """Those of some sorted texts that start with a stem."""
    for index in range(bisect_left(known, stem), len(known)):
        if not known[index].startswith(stem):
            break
        yield known[index]
