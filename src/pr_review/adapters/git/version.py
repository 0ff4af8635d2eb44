"""Which git there is."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from pr_review.adapters.git.command import Git

OLDEST = (2, 32)  # the first that takes its whole configuration from the environment


def git_version(passed: Mapping[str, str]) -> tuple[int, ...]:
    """The numbers of git's version, empty if it tells none. Raises `SnapshotError` without git."""
    said = Git(Path(os.devnull), passed=passed).run("version").decode("utf-8", "replace")
    found = re.search(r"\d+(?:\.\d+)+", said)
    return tuple(map(int, found[0].split("."))) if found else ()
