"""The architecture: imports go one way, and each outside library has one door."""

from __future__ import annotations

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

from tests.contract import documents


def test_imports_keep_to_the_contracts(capsys: pytest.CaptureFixture[str]) -> None:
    status = lint_imports(config_filename=str(documents.ROOT / "pyproject.toml"), no_cache=True)
    said = capsys.readouterr().out
    assert status == EXIT_STATUS_SUCCESS, said
    assert "Contracts: 2 kept, 0 broken." in said
