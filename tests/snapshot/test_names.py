"""A credential that lost its quotes is an identifier to a grammar, and still told nowhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.snapshot.credentials import random_looking
from tests.snapshot.repository import Blob, make, snapshot

SECRET = f"ghp_{random_looking('names', 36)}"


@pytest.mark.parametrize(
    ("path", "text", "state"),
    [
        ("a.py", "import os\n\ntoken = {}(1)\n", "unresolved"),
        ("b.rb", "client = connect {} 1\n{} 2\n", "unresolved"),
        ("c.js", "const token = {}(1)\n\n\nfunction {}(n) {{ return n }}\n", "shown"),
    ],
)
def test_a_name_is_hidden_where_its_line_is_redacted(
    path: str, text: str, state: str, tmp_path: Path
) -> None:
    changed = text.replace("{}", SECRET).replace("{{", "{").replace("}}", "}")
    head = {path.encode(): Blob(changed.encode())}
    repo = make(tmp_path / "repo.git", {b"z": Blob(b"z\n")}, head)
    told = snapshot(repo.folder, tmp_path / "out.json")
    assert SECRET not in json.dumps(told)
    hidden = {found["state"] for found in told["dependencies"] if "REDACTED" in found["name"]}
    assert hidden == {state}


def test_other_names_of_a_redacted_line_are_told(tmp_path: Path) -> None:
    head = {b"a.py": Blob(f'token = sign("{SECRET}")\n'.encode())}
    repo = make(tmp_path / "repo.git", {b"z": Blob(b"z\n")}, head)
    told = snapshot(repo.folder, tmp_path / "out.json")
    assert [found["name"] for found in told["dependencies"]] == ["sign"]
    assert len(told["redactions"]) == 1
