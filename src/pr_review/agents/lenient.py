"""Reads JSON as models write it: tolerant of form, never inventing content.

Tolerated: raw line feeds in strings, trailing commas, unknown escapes, quotes that should
have been escaped, repeated keys, NaN, endless numbers. Where the text stops inside a
value, what was complete is kept and `cut` says so; where one item of a list is broken, the
others are kept and `broken` counts it.
"""

from __future__ import annotations

import re

MAX_DEPTH = 64
MAX_STEPS = 200_000
"""Values and pieces of strings that one reader looks at, over all its reads."""
_SALVAGE_DEPTH = 4
_SEARCHED_PER_STEP = 500

_SPACE = re.compile(r"\s*")
_PLAIN = re.compile(r'[^"\\]*')
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = re.compile(r"-?[A-Za-z]+")
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_ITEMS = re.compile(r'\[\s*+\{\s*+"')
_NEXT_ITEM = re.compile(r'\}\s*+(?:,\s*+)?(?=\{\s*+")|\}\s*+(?=\])')
_WORDS = {
    "true": True, "false": False, "null": None, "True": True, "False": False, "None": None,
    "NaN": None, "Infinity": None, "-Infinity": None,
}  # fmt: skip
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "\\": "\\", "/": "/"}
_MAX_DIGITS = 300


class Malformed(Exception):  # noqa: N818 - a state of the text, caught close by
    """The text is no JSON value, not even a cut one.

    `at` is how far it was read; `deep` tells that a bound was met: nesting, or steps.
    """

    def __init__(self, at: int, *, deep: bool = False) -> None:
        super().__init__(f"no JSON at character {at}")
        self.at = at
        self.deep = deep


class Reader:
    """Reads values out of one text. `cut` and `broken` tell about the last `read`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._steps = 0
        self.cut = False
        self.broken = 0

    def read(self, at: int) -> tuple[object, int]:
        """The value that begins at `at`, and the position after it. Raises `Malformed`."""
        self.cut, self.broken = False, 0
        return self._value(at, 0)

    def _value(self, at: int, depth: int) -> tuple[object, int]:
        if depth > MAX_DEPTH:
            raise Malformed(at, deep=True)
        self._step(at)
        match self._text[at : at + 1]:
            case "{":
                return self._object(at + 1, depth)
            case "[":
                return self._array(at, depth)
            case '"':
                return self._string(at + 1)
            case "":
                self.cut = True
                return None, at
            case _:
                return self._scalar(at)

    def _object(self, at: int, depth: int) -> tuple[dict[str, object], int]:
        members: dict[str, object] = {}
        while True:
            at = self._skip(at)
            if self._ended(at):
                return members, at
            if self._text[at] == "}":
                return members, at + 1
            if self._text[at] != '"':
                raise Malformed(at)
            key, at = self._string(at + 1)
            at = self._expect(":", at)
            value, at = self._value(self._skip(at), depth + 1)
            if self.cut:
                if isinstance(value, dict | list):
                    _put(members, key, value)
                return members, at
            _put(members, key, value)
            at = self._separator("}", at)

    def _array(self, at: int, depth: int) -> tuple[list[object], int]:
        items: list[object] = []
        salvage = depth <= _SALVAGE_DEPTH and _ITEMS.match(self._text, at) is not None
        at += 1
        while True:
            at = self._skip(at)
            if self._ended(at):
                return items, at
            if self._text[at] == "]":
                return items, at + 1
            start = at
            try:
                item, at = self._value(at, depth + 1)
                if self.cut:
                    return items, at
                items.append(item)
                at = self._separator("]", at)
            except Malformed:
                if not salvage:
                    raise
                self.broken += 1
                at = self._next_item(start)

    def _string(self, at: int) -> tuple[str, int]:
        parts: list[str] = []
        while True:
            plain = self._match(_PLAIN, at)
            parts.append(plain)
            at += len(plain)
            self._step(at)
            if self._ended(at):
                break
            if self._text[at] == "\\":
                piece, at = self._escape(at + 1)
                parts.append(piece)
            elif self._closes(at + 1):
                at += 1
                break
            else:
                parts.append('"')
                at += 1
        return _paired("".join(parts)), at

    def _closes(self, at: int) -> bool:
        """Whether a quote before `at` ends its string: else it should have been escaped."""
        return self._text[(end := self._skip(at)) : end + 1] in ("", ",", ":", "}", "]")

    def _escape(self, at: int) -> tuple[str, int]:
        if self._ended(at):
            return "", at
        char = self._text[at]
        if char == "u" and (digits := self._match(_HEX, at + 1)):
            return chr(int(digits, 16)), at + 5
        return _ESCAPES.get(char, "\\" + char), at + 1

    def _scalar(self, at: int) -> tuple[object, int]:
        if digits := self._match(_NUMBER, at):
            return _number(digits), at + len(digits)
        word = self._match(_WORD, at)
        if word in _WORDS:
            return _WORDS[word], at + len(word)
        if word and at + len(word) == len(self._text):
            self.cut = True
            return None, len(self._text)
        raise Malformed(at)

    def _step(self, at: int) -> None:
        """Salvage reads some text again: hostile nests must not make that endless."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise Malformed(at, deep=True)

    def _separator(self, close: str, at: int) -> int:
        """Past the comma after a value; a comma that was forgotten is none missed."""
        at = self._skip(at)
        char = self._text[at : at + 1]
        if char == ",":
            return at + 1
        if char in ("", close, "{", '"'):
            return at
        raise Malformed(at)

    def _expect(self, char: str, at: int) -> int:
        at = self._skip(at)
        if self._ended(at):
            return at
        if self._text[at] != char:
            raise Malformed(at)
        return at + 1

    def _next_item(self, at: int) -> int:
        found = _NEXT_ITEM.search(self._text, at + 1)
        end = found.end() if found else len(self._text)
        self._steps += (end - at) // _SEARCHED_PER_STEP
        return end

    def _skip(self, at: int) -> int:
        return at + len(self._match(_SPACE, at))

    def _ended(self, at: int) -> bool:
        ended = at >= len(self._text)
        self.cut = self.cut or ended
        return ended

    def _match(self, pattern: re.Pattern[str], at: int) -> str:
        found = pattern.match(self._text, at)
        return found[0] if found else ""


def _put(members: dict[str, object], key: str, value: object) -> None:
    """Sets a member; of a repeated key no list is lost."""
    before = members.get(key)
    if isinstance(before, list):
        value = before + value if isinstance(value, list) else before
    members[key] = value


def _number(digits: str) -> int | float | None:
    # int() refuses more than 4,300 digits with a ValueError
    if len(digits) > _MAX_DIGITS:
        return None
    return int(digits) if digits.lstrip("-").isdigit() else float(digits)


def _paired(text: str) -> str:
    """Surrogate pairs written as two escapes become one character, lone ones U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
