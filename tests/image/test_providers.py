"""Every provider answers from inside the built image, of which much was removed: no network but
its own loopback, and nothing of the host."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.image import providers
from tests.image.container import Container
from tests.standins.dialects import TEXT

pytestmark = pytest.mark.image

ROOT = Path(__file__).resolve().parent.parent.parent
# what comes of a refusal, as the words of our errors have it
WORDS = {
    "refuse with 400": "the request failed",
    "refuse with 401": "the credentials were not accepted",
    "refuse with 429": "no answer after 1 request",
    "refuse with 500": "no answer after 1 request",
}


@pytest.fixture
def script(tmp_path: Path) -> str:
    """The script in a folder of its own, with the stand-ins that it plays."""
    standins = tmp_path / "script" / "tests" / "standins"
    standins.mkdir(parents=True)
    for name in ("models.py", "dialects.py"):
        shutil.copy(ROOT / "tests" / "standins" / name, standins)
    shutil.copy(providers.__file__, tmp_path / "script")
    return "/github/workspace/providers.py"


def alone(tmp_path: Path) -> list[str | Path]:
    """Without a network, and nothing to write to but folders that are mounted."""
    return ["--workspace", tmp_path / "script", "--network", "none", "--read-only"]


def test_every_provider_answers_streams_and_refuses(
    container: Container, script: str, tmp_path: Path
) -> None:
    said = json.loads(container.python(script, options=alone(tmp_path)))
    assert list(said) == list(providers.PROVIDERS)
    for name, found in said.items():
        assert found.pop("answer") == [TEXT, 7, 5, 0], name
        assert found.pop("stream") == [TEXT, 7, 5, 1], name
        assert set(found) == set(WORDS)
        for asked, (error,) in found.items():
            assert error.startswith(f"{name}: {WORDS[asked]}"), name


def test_what_a_run_imports_is_compiled(container: Container, script: str, tmp_path: Path) -> None:
    """Without .pyc files the start takes twice the CPU."""
    said = container.python(script, "modules", options=alone(tmp_path))
    modules = json.loads(said)
    assert len(modules["compiled"]) > 3_000
    assert modules["not compiled"] == []
