"""The Dockerfile's promises that need no build to be checked."""

from __future__ import annotations

import json
import re

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
