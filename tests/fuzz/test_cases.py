"""Every input that once found a fault, and those that fuzzing begins with, by the same checks."""

from __future__ import annotations

import pytest

from tests.fuzz.targets import CASES, TARGETS, cases, check


@pytest.mark.parametrize("target", TARGETS)
def test_inputs_that_fuzzing_found(target: str) -> None:
    found = cases(target)
    assert found
    for case in found:
        check(target)(case.read_bytes())


def test_every_input_belongs_to_a_target() -> None:
    assert {path.name.removesuffix(".dict") for path in CASES.iterdir()} == set(TARGETS)
