"""What a path says of a file: vendored, a sample, a test."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_VENDORED = frozenset({"vendor", "node_modules", "third_party"})
_SAMPLES = frozenset(
    {"testdata", "test-data", "test_data", "fixtures", "fixture", "__fixtures__", "__snapshots__"}
)
TEST_FOLDERS = frozenset(
    "test tests __tests__ spec specs e2e cypress playwright androidtest integration-tests "
    "integration_tests".split()
)
_TEST_NAME = re.compile(
    r"(?:[Tt]est_.+|.+_(?:test|tests|spec)|.+[.-](?:test|tests|spec|cy|e2e)|[A-Z].*(?:Tests?|Spec))"
)


def kept_as_it_is(path: str) -> bool:
    """Whether a file is vendored or a sample for tests: wrong in itself, and meant to be."""
    folders = PurePosixPath(path.lower()).parts[:-1]
    return not (_VENDORED | _SAMPLES).isdisjoint(folders)


def is_test(path: str) -> bool:
    """Whether tests stand in a file, by the conventions of the common test runners."""
    parts = PurePosixPath(path).parts
    return names_a_test(path) or not TEST_FOLDERS.isdisjoint(part.lower() for part in parts[:-1])


def names_a_test(path: str) -> bool:
    """Whether the name alone says so: `test_a.py`, `a_test.go`, `a.spec.ts`, `ATest.java`."""
    return bool(_TEST_NAME.fullmatch(PurePosixPath(path).stem))


def suffix(path: str) -> str:
    """`.py`, in lower case; empty if the name has none."""
    return PurePosixPath(path.lower()).suffix
