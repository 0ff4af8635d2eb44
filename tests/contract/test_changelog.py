"""The changelog keeps to the form of Keep a Changelog (https://keepachangelog.com/en/1.1.0/)."""

from __future__ import annotations

import re

from packaging.version import Version

from pr_review import __version__
from tests.contract import documents

SECTION = re.compile(r"## \[(Unreleased|\d+\.\d+\.\d+)\](?: - (\d{4}-\d{2}-\d{2}))?")
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
LINES = documents.text("CHANGELOG.md").split("\n")


def sections() -> list[tuple[str, str]]:
    """Name and date of each section, newest first."""
    found = []
    for line in LINES:
        if line.startswith("## "):
            match = SECTION.fullmatch(line)
            assert match, line
            found.append((match[1], match[2] or ""))
    return found


def test_unreleased_comes_first_and_releases_are_dated_newest_first() -> None:
    assert LINES[0] == "# Changelog"
    (first, date), *released = sections()
    assert (first, date) == ("Unreleased", "")
    assert all(date for _, date in released)
    versions = [Version(name) for name, _ in released]
    assert versions == sorted(versions, reverse=True)
    assert all(version <= Version(__version__) for version in versions)


def test_changes_stand_below_a_kind() -> None:
    kinds = {line.removeprefix("### ") for line in LINES if line.startswith("### ")}
    assert kinds
    assert kinds <= KINDS
    assert any(line.startswith("- ") for line in LINES)
