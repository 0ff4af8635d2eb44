"""action.yml, the settings and the tables of docs/inputs.md say the same."""

from __future__ import annotations

import re

from pr_review.domain.review import Run, RunStatus
from pr_review.report.outputs import outputs
from pr_review.settings import NOT_A_FLAG, inputs
from tests.contract import documents

PAGE = "docs/inputs.md"


def test_every_setting_is_an_input_and_no_other() -> None:
    assert list(documents.action()["inputs"]) == list(documents.settings())


def test_inputs_are_described_as_the_settings_are() -> None:
    described = {name: spec["description"] for name, spec in documents.action()["inputs"].items()}
    assert described == {name: documents.input_description(name) for name in documents.settings()}


def test_no_input_but_the_token_has_a_default_that_would_beat_the_file() -> None:
    declared = documents.action()["inputs"].items()
    defaults = {name: spec["default"] for name, spec in declared if "default" in spec}
    assert defaults == {"github-token": documents.TOKEN_DEFAULT}


def test_the_runner_names_of_the_inputs_are_read() -> None:
    environ = {f"INPUT_{name.upper()}": "x" for name in documents.action()["inputs"]}
    layer, warnings = inputs(environ)
    assert set(layer.values) == set(documents.settings())
    assert warnings == ()


def test_the_page_lists_every_input_with_default_and_description() -> None:
    rows = [documents.input_row(name) for name in documents.settings()]
    assert documents.table("Inputs", PAGE) == rows


def test_the_outputs_are_those_that_are_written() -> None:
    written = list(outputs(Run(RunStatus.SKIPPED)))
    declared = documents.action()["outputs"]
    rows = [(f"`{name}`", spec["description"]) for name, spec in declared.items()]
    assert list(declared) == written
    assert documents.table("Outputs", PAGE) == rows


def test_the_page_explains_every_status() -> None:
    statuses = {row[0].strip("`") for row in documents.table("Statuses", PAGE)}
    assert statuses == {status.value for status in RunStatus}


def test_the_action_runs_the_image_of_this_folder_with_nothing_between() -> None:
    assert documents.action()["runs"] == {"using": "docker", "image": "Dockerfile"}


def test_the_readme_names_only_inputs_that_exist() -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", documents.text("README.md"), re.DOTALL)
    used = {n for block in blocks for n in re.findall(r"^ {10}([a-z-]+):", block, re.MULTILINE)}
    assert {"model", "api-key"} <= used <= set(documents.settings())


def test_no_secret_is_a_flag() -> None:
    secret = {
        name for name, field in documents.settings().items() if "Secret" in str(field.annotation)
    }
    assert secret == {"github-token", "api-key"}
    assert secret < NOT_A_FLAG
