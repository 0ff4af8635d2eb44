"""The lock files: exact versions, every file by hash, no address, nothing missing."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from tests.contract import documents

LOCKS = ("requirements.txt", "requirements-dev.txt", "requirements-build.txt")
ENTRY = re.compile(r"([a-z0-9.-]+)==([A-Za-z0-9.]+)(?: ; ([^\\]+))?")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def entries(name: str) -> dict[str, tuple[str, list[str]]]:
    """Version and hashes by name. Any line that is not name, version, marker, hashes fails."""
    found: dict[str, tuple[str, list[str]]] = {}
    for logical in documents.text(name).replace("\\\n", "").strip().split("\n"):
        head, *hashes = re.split(r"\s+(?=--hash)", logical.strip())
        match = ENTRY.fullmatch(head.strip())
        assert match, f"{name}: {head}"
        assert hashes, f"{name}: {head} has no hash"
        assert all(HASH.fullmatch(value) for value in hashes), f"{name}: {head}"
        found[match[1]] = (match[2], hashes)
    return found


def wanted(group: str) -> list[Requirement]:
    """What pyproject.toml asks for: the project's own dependencies, or those of a group."""
    project: dict[str, Any] = tomllib.loads(documents.text("pyproject.toml"))
    listed = project["dependency-groups"].get(group, project["project"]["dependencies"])
    found = []
    for item in listed:
        if isinstance(item, str):
            found.append(Requirement(item))
        else:
            found += wanted(item["include-group"])
    return found


@pytest.mark.parametrize("name", LOCKS)
def test_every_requirement_is_exact_and_hashed_and_nothing_else_is_there(name: str) -> None:
    assert entries(name)


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("requirements.txt", ["project"]),
        ("requirements-dev.txt", ["project", "dev"]),
        ("requirements-build.txt", ["build"]),
    ],
)
def test_the_lock_satisfies_pyproject(name: str, groups: list[str]) -> None:
    locked = entries(name)
    for requirement in (r for group in groups for r in wanted(group)):
        version, _ = locked[canonicalize_name(requirement.name)]
        assert version in requirement.specifier, f"{name}: {requirement} is locked to {version}"


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-build.txt"])
def test_development_uses_what_is_shipped(name: str) -> None:
    assert entries(name).items() <= entries("requirements-dev.txt").items()


def test_no_release_of_litellm_that_was_tampered_with_is_locked() -> None:
    assert entries("requirements.txt")["litellm"][0] not in ("1.82.7", "1.82.8")


def test_the_workflow_tests_every_python_that_is_promised() -> None:
    project = tomllib.loads(documents.text("pyproject.toml"))["project"]
    prefix = "Programming Language :: Python :: "
    assert tuple(c.removeprefix(prefix) for c in project["classifiers"]) == PYTHONS
    assert all(version in SpecifierSet(project["requires-python"]) for version in PYTHONS)
    workflow = documents.text(".github/workflows/ci.yml")
    (tested,) = re.findall(r"python: \[(.*)\]", workflow)
    assert tuple(re.findall(r'"([0-9.]+)"', tested)) == PYTHONS
