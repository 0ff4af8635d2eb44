"""Finds the data that lies beside the project, or skips the test with a clear word."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


def shared(relative: str) -> Path:
    """A path below the shared folder. Skips if it is missing, unless it is required."""
    path = SHARED / relative
    if not path.exists():
        if os.environ.get("PR_REVIEW_SHARED") == "required":
            pytest.fail(f"shared data is required here and missing: {relative}")
        pytest.skip(f"needs {relative} of the shared data, which is not beside this checkout")
    return path
