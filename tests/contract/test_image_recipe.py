"""The Dockerfile's promises that need no build to be checked."""

from __future__ import annotations

import json
import re

from image import slim
from pr_review.adapters.llm.process import _LIBRARY
from tests.contract import documents

DOCKERFILE = re.sub(r"(?m)^#.*\n", "", documents.text("Dockerfile")).replace("\\\n", " ")
FINAL = DOCKERFILE.rpartition("\nFROM ")[2]


def variables() -> dict[str, str]:
    (line,) = re.findall(r"^ENV (.*)$", FINAL, re.MULTILINE)
    return dict(pair.split("=", 1) for pair in line.split())


def test_it_starts_without_a_shell() -> None:
    """A shell would lose every variable whose name has a hyphen, so most inputs."""
    (entry,) = re.findall(r"^ENTRYPOINT (.*)$", FINAL, re.MULTILINE)
    assert json.loads(entry) == ["pr-review"]
    assert not re.search(r"^CMD ", FINAL, re.MULTILINE)


def test_it_sets_what_the_model_process_sets() -> None:
    assert _LIBRARY.items() <= variables().items()
    assert variables()["PYTHONDONTWRITEBYTECODE"] == "1"


def test_it_installs_by_hash_alone() -> None:
    installs = re.findall(r"pip [^&\n]*install[^&\n]*", DOCKERFILE)
    assert len(installs) == 3
    assert all("--require-hashes" in line or "--no-deps --no-index" in line for line in installs)


def test_it_keeps_to_what_older_builders_read() -> None:
    assert "<<" not in DOCKERFILE
    assert "--link" not in DOCKERFILE
    assert "--mount" not in DOCKERFILE


def test_the_build_sees_only_what_it_names() -> None:
    lines = [n for n in documents.text(".dockerignore").split("\n") if n and not n.startswith("#")]
    assert lines[0] == "*"
    copied = {
        name
        for line in re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE, re.MULTILINE)
        for name in line.split()[:-1]
    }
    assert {name.removeprefix("!") for name in lines if name.startswith("!")} == copied


def told_removed(heading: str) -> dict[str, str]:
    rows = documents.table(heading, "docs/image.md")
    return {row[0]: row[1] for row in rows}


def test_what_is_removed_is_told_with_its_reason() -> None:
    assert told_removed("Python packages") == {
        f"`{name}`": why for name, why in slim.DISTRIBUTIONS.items()
    }
    kept = {
        f"`{name}`, but not {', '.join(f'`{part}`' for part in parts)}": why
        for name, (parts, why) in slim.KEPT.items()
    }
    assert (
        told_removed("Parts of packages")
        == {f"`{path}`": why for path, why in slim.PATHS.items()} | kept
    )


def test_system_programs_that_are_removed_are_told() -> None:
    (packages,) = re.findall(r"--showformat '\$\{Package\} ' ([^)]*)\)", FINAL)
    (programs,) = re.findall(r" rm ((?!-)[^&]*)&&", FINAL)
    told = " ".join(row[0] for row in documents.table("System packages", "docs/image.md"))
    removed = {word.strip("'").rpartition("/")[2] for word in f"{packages} {programs}".split()}
    assert len(removed) > 10
    assert [word for word in removed if f"`{word}`" not in told] == []
