"""What is fuzzed: checks that take any bytes, and the code whose paths lead the way."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

CASES = Path(__file__).resolve().parent.parent / "data" / "fuzz"
"""A folder a target: inputs to begin with, and those that once found a fault. `<target>.dict` holds
words of its language, which no fuzzer finds by flipping bits."""

TARGETS = {
    "patch": ("change", "snapshot", "judge", "domain"),
    "rows": ("change", "domain"),
    "answer": ("agents",),
    "markdown": ("review", "snapshot", "domain.text", "domain.words"),
    "config": ("settings", "domain", "event.policy", "event.payload", "checks.catalogue"),
    "sarif": ("checks.sarif", "domain.text"),
    "globs": ("domain.globs", "domain.path_rule"),
}
"""The modules of `pr_review` that each target is about, by the name of its module here."""


def check(target: str) -> Callable[[bytes], None]:
    """The property of a target: it raises whatever is wrong, for any input at all."""
    found: Callable[[bytes], None] = import_module(f"tests.fuzz.{target}").check
    return found


def cases(target: str) -> tuple[Path, ...]:
    return tuple(sorted((CASES / target).iterdir()))
