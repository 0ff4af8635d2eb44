"""Invented credentials and look-alikes. Each is made when a test runs, so that none is in a file.

`tests/data/credentials.json` holds texts with fields: `{base62:24}` stands for 24 characters
that look random and are the same every time; `{word:KEY}` for the word itself.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import string
from functools import cache
from pathlib import Path

_DATA = Path(__file__).resolve().parent.parent / "data" / "credentials.json"
_BASE62 = string.ascii_letters + string.digits
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_ALPHABETS = {
    "base62": _BASE62,
    "base64": _BASE62 + "+/",
    "base64url": _BASE62 + "_-",
    "hex": "0123456789abcdef",
    "digits": string.digits,
    "base32": string.ascii_uppercase + "234567",
    "bech32": _BECH32.upper(),
    "bech32low": _BECH32,
}
_FIELD = re.compile(r"\{(?:(?P<made>[a-z]+[0-9]*[a-z]*):(?P<value>\w+)|uuid)\}")


def random_looking(seed: str, length: int, kind: str = "base62") -> str:
    """Characters that look random and are the same every time: equal seeds give equal text."""
    alphabet = _ALPHABETS[kind]
    data = hashlib.shake_256(seed.encode()).digest(4 * length)
    values = (int.from_bytes(data[n : n + 4]) for n in range(0, 4 * length, 4))
    return "".join(alphabet[value % len(alphabet)] for value in values)


@cache
def credentials(kind: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    """The `planted` or `benign` texts by name, each with the values that were made for it."""
    given = json.loads(_DATA.read_text(encoding="utf-8"))[kind]
    return {item["kind"]: _filled(item["kind"], item["text"]) for item in given}


def _filled(name: str, template: str) -> tuple[str, tuple[str, ...]]:
    values: list[str] = []

    def field(match: re.Match[str]) -> str:
        value = _made(match, f"{name} {len(values)}")
        if match["made"] != "word":
            values.append(value)
        return value

    return _FIELD.sub(field, template), tuple(values)


def _made(match: re.Match[str], seed: str) -> str:
    if match["made"] is None:
        text = random_looking(seed, 32, "hex")
        return "-".join((text[:8], text[8:12], "4" + text[13:16], "a" + text[17:20], text[20:]))
    if match["made"] == "word":
        return match["value"]
    if match["made"] == "b64pem":
        body = "\n".join(random_looking(f"{seed} {n}", 64, "base64") for n in range(6))
        kind = f"{match['value']} PRIVATE KEY"
        return base64.b64encode(f"-----BEGIN {kind}-----\n{body}\n".encode()).decode()
    return random_looking(seed, int(match["value"]), match["made"])
