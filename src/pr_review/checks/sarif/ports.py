"""What the reading of SARIF files asks of the world."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolFile:
    """A file with results of tools. `name` is its path from the top of the workspace, or the
    glob that named none; `problem` says why there is no `data`, and is empty if there is."""

    name: str
    data: bytes = b""
    problem: str = ""
