"""The wheel holds what a run needs, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.contract import documents

PAGE = {f"report/html/page.{kind}" for kind in ("css", "html.j2", "js")}
DATA = {"py.typed", "report/report.schema.json", "settings.schema.json", *PAGE}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=documents.ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def files(folder: Path, pattern: str) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob(pattern) if path.is_file()}


def test_it_holds_modules_prompts_and_data_alone(wheel: Path) -> None:
    source, prompts = documents.ROOT / "src/pr_review", documents.ROOT / "prompts"
    expected = {
        *files(source, "*.py"),
        *files(source, "*.scm"),
        *(f"prompts/{name}" for name in files(prompts, "*.j2")),
        *DATA,
    }
    names = zipfile.ZipFile(wheel).namelist()
    packaged = {n.removeprefix("pr_review/") for n in names if n.startswith("pr_review/")}
    assert packaged == expected
    others = {n for n in names if not n.startswith("pr_review/")}
    assert {Path(n).parts[0] for n in others} == {
        f"{wheel.name.removesuffix('-py3-none-any.whl')}.dist-info"
    }


def test_an_unpacked_wheel_finds_its_own_prompts(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = "import sys; sys.path.insert(0, sys.argv[1])\n"
    code += "from pr_review import templates; print(templates.prompt_root())"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(done.stdout.strip()) == (tmp_path / "pr_review" / "prompts").resolve()


def test_it_starts_with_one_command(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (name,) = (n for n in archive.namelist() if n.endswith("entry_points.txt"))
    assert archive.read(name).decode().split("\n")[:2] == [
        "[console_scripts]",
        "pr-review = pr_review.__main__:main",
    ]
