"""docs/contributing.md shows the house as it stands, and steps that tests hold."""

from __future__ import annotations

import re
import textwrap
import tomllib

import pytest

from pr_review.adapters.syntax.languages import LANGUAGES, Language
from pr_review.checks.catalogue import NAMES
from tests.checks.changes import given
from tests.contract import documents, inputs_page
from tests.contract.test_threats import defined

PAGE = "docs/contributing.md"
TEXT = documents.text(PAGE)
HELD = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TEXT)


def blocks(kind: str) -> list[str]:
    found = re.findall(rf"^( *)```{kind}\n(.*?)^ *```", TEXT, re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(block) for _, block in found]


def test_every_part_stands_in_the_layers_and_in_the_table() -> None:
    linter = tomllib.loads(documents.text("pyproject.toml"))["tool"]["importlinter"]
    [layers] = [one["layers"] for one in linter["contracts"] if one["type"] == "layers"]
    named = [part for layer in layers for part in layer.split(" | ")]
    source = documents.ROOT / "src" / "pr_review"
    parts = {path.stem for path in source.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert set(named) == parts - {"__init__", "__pycache__"}
    rows = [row[0].strip("`") for row in documents.table("The house on one page", PAGE)]
    assert rows == named


@pytest.mark.parametrize(("path", "test"), HELD)
def test_what_fails_without_a_step_exists(path: str, test: str) -> None:
    assert test in defined(path)


def test_every_file_and_folder_that_it_names_exists() -> None:
    named = set(re.findall(r"`((?:src|tests|prompts)/[\w/.]+)`", TEXT))
    assert len(named) > 8
    for name in named:
        assert (documents.ROOT / name).exists() or "NAME" in name, name


def test_the_check_is_complete_and_speaks_of_added_lines_alone() -> None:
    check: dict[str, object] = {}
    exec(blocks("python")[0], check)
    run = check["run"]
    assert callable(run)
    assert check["NAME"] not in NAMES
    before = {"a.py": "old()  # DO NOT MERGE\n"}
    [found] = run(given(before, {"a.py": "old()  # DO NOT MERGE\nnew()  # DO NOT MERGE\n"}))
    assert (found.path, found.start, found.sources) == ("a.py", 2, ("check:merge-stop",))
    assert run(given(before, {"a.py": "old()  # DO NOT MERGE\nnew()\n"})) == ()


def test_row_and_query_of_the_language_are_the_real_ones() -> None:
    row = eval(blocks("python")[1], {"Language": Language})
    assert row in LANGUAGES
    [query] = blocks("scheme")
    text = documents.text(f"src/pr_review/adapters/syntax/queries/{row.queries[0]}.scm")
    assert all(line in text.split("\n") for line in query.strip().split("\n"))


def test_the_table_of_inputs_is_what_its_command_writes() -> None:
    page = documents.text(inputs_page.PAGE)
    assert inputs_page.written(page) == page
    spoilt = page.replace("| `model` | unset |", "| `model` | spoilt |")
    assert spoilt != page
    assert inputs_page.written(spoilt) == page
