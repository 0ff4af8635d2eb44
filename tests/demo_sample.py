"""The pull request of `make demo`: what makes real ones hard to review, in one small change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.standins.github import GitHubServer
from tests.standins.github_sample import NewCommit, bare_repository

NUMBER = 7
TITLE = "Cache exchange rates between requests"
BODY = (
    "Rates change once an hour and were fetched for every conversion.\n\n"
    "- keeps them in memory with a time to live\n- drops the old XML client\n"
)
MESSAGE = "Keep rates for an hour\n\nThey were fetched every time."

_RATES_BEFORE = '''\
"""Exchange rates from the rates service."""

import json
import urllib.request

SERVICE = "https://rates.example.invalid/v2"


def fetch(base):
    """All rates of one base currency."""
    with urllib.request.urlopen(f"{SERVICE}/{base}", timeout=5) as answer:
        return json.load(answer)["rates"]


def convert(amount, base, target):
    """An amount of `base` in `target`."""
    if base == target:
        return amount
    rates = fetch(base)
    return round(amount * rates[target], 2)
'''
_RATES_AFTER = '''\
"""Exchange rates from the rates service, kept for an hour."""

import json
import urllib.request

from shop.cache import Cache

SERVICE = "https://rates.example.invalid/v2"
TOKEN = "{token}"

_cache = Cache(seconds=3600)


def fetch(base):
    """All rates of one base currency."""
    request = urllib.request.Request(f"{SERVICE}/{base}", headers={"Authorization": TOKEN})
    with urllib.request.urlopen(request, timeout=5) as answer:
        return json.load(answer)["rates"]


def convert(amount, base, target):
    """An amount of `base` in `target`."""
    if base == target:
        return amount
    rates = _cache.get(base) or fetch(base)
    _cache.put(base, rates)
    return round(amount * rates[target], 2)
'''
_CACHE = '''\
"""Values that are forgotten after some time."""

import time


class Cache:
    """A small cache; not safe to share between threads."""

    def __init__(self, seconds):
        self.seconds = seconds
        self._values = {}

    def get(self, key):
        """The value, or None if there is none or it is too old."""
        value, stored = self._values.get(key, (None, 0))
        if time.time() - stored > self.seconds:
            return None
        return value

    def put(self, key, value):
        self._values[key] = (value, time.time())
'''
_TEST_BEFORE = """\
from shop.rates import convert


def test_same_currency():
    assert convert(10, "EUR", "EUR") == 10
"""
_TEST_AFTER = (
    _TEST_BEFORE
    + """\


def test_rates_are_fetched_once(monkeypatch):
    calls = []
    monkeypatch.setattr("shop.rates.fetch", lambda base: calls.append(base) or {"USD": 2})
    assert convert(10, "EUR", "USD") == 20
    assert convert(10, "EUR", "USD") == 20
    assert calls == ["EUR"]
"""
)
_XML = "".join(f"def field_{n}(node):\n    return node.find('f{n}').text\n\n" for n in range(40))
_MONEY = (
    '"""Amounts of money."""\n\n\ndef cents(amount):\n    return int(round(amount * 100))\n' * 4
)

# What an agent may say of it; the quote stands on line 25.
FINDING = {
    "path": "shop/rates.py",
    "start_line": 25,
    "end_line": 25,
    "side": "RIGHT",
    "severity": "medium",
    "confidence": "high",
    "category": "logic",
    "title": "A rate that is zero is fetched again every time",
    "body": "An empty mapping is falsy, so `or` calls the service although the value is cached.",
    "quote": "rates = _cache.get(base) or fetch(base)",
    "suggestion": None,
}


@contextmanager
def opened(folder: Path) -> Iterator[GitHubServer]:
    """A stand-in of GitHub on which the pull request is open."""
    with GitHubServer(build(folder / "shop.git"), repository="acme/shop") as github:
        github.open_pull(NUMBER, title=TITLE, body=BODY)
        yield github


def build(folder: Path) -> Path:
    """A bare repository with `main`, and the change on `feature`."""
    return bare_repository(
        folder,
        [
            NewCommit("main", "Sell things", _before()),
            NewCommit("feature", MESSAGE, _after(), start="main"),
            NewCommit("main", "Land something else", {"docs/later.md": b"Landed meanwhile.\n"}),
        ],
    )


def credential() -> str:
    """A credential of nobody, put together here so that no scanner takes this file for one."""
    return "ghp_" + hashlib.sha256(b"nobody's token").hexdigest()[:18] + "Qx7ZrT2mWv9LbN4kYs"


def _before() -> Mapping[str, bytes | None]:
    return {
        "shop/rates.py": _RATES_BEFORE.encode(),
        "shop/xml_client.py": _XML.encode(),
        "shop/money.py": _MONEY.encode(),
        "tests/test_rates.py": _TEST_BEFORE.encode(),
        "web/package.json": _manifest("4.18.1"),
        "web/package-lock.json": _lockfile("4.18.1", seed="before"),
        "web/__snapshots__/prices.test.js.snap": _snapshot("1.10"),
        "web/logo.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR before",
        ".github/pr-review.yml": b"max-comments: 5\n",
    }


def _after() -> Mapping[str, bytes | None]:
    return {
        "shop/rates.py": _RATES_AFTER.replace("{token}", credential()).encode(),
        "shop/cache.py": _CACHE.encode(),
        "shop/xml_client.py": None,
        "shop/money.py": None,
        "shop/currency.py": _MONEY.replace("Amounts of money", "Amounts in a currency").encode(),
        "tests/test_rates.py": _TEST_AFTER.encode(),
        "web/package.json": _manifest("4.19.2"),
        "web/package-lock.json": _lockfile("4.19.2", seed="after"),
        "web/__snapshots__/prices.test.js.snap": _snapshot("1.12"),
        "web/logo.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR after",
    }


def _manifest(version: str) -> bytes:
    manifest = {"name": "shop", "version": "1.0.0", "dependencies": {"express": f"^{version}"}}
    return json.dumps(manifest, indent=2).encode() + b"\n"


def _lockfile(version: str, *, seed: str) -> bytes:
    """A lockfile over the cap of one file, of which nearly every entry changes."""
    root = {"name": "shop", "version": "1.0.0", "dependencies": {"express": f"^{version}"}}
    packages: dict[str, object] = {"": root}
    for number in range(300):
        name = "express" if number == 0 else f"dependency-{number:04}"
        release = version if number == 0 else f"{len(seed)}.{number % 17}.{number % 7}"
        mark = hashlib.sha512(f"{seed} {number}".encode()).hexdigest()
        packages[f"node_modules/{name}"] = {
            "version": release,
            "resolved": f"https://registry.example.invalid/{name}/-/{name}-{release}.tgz",
            "integrity": f"sha512-{mark}",
            "license": "MIT",
        }
    lock = {"name": "shop", "version": "1.0.0", "lockfileVersion": 3, "packages": packages}
    return json.dumps(lock, indent=2).encode() + b"\n"


def _snapshot(price: str) -> bytes:
    rows = "".join(f"  <td>{n}</td><td>{price}</td>\n" for n in range(60))
    return f"exports[`prices 1`] = `\n<table>\n{rows}</table>\n`;\n".encode()
