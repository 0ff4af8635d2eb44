"""The YAML of all pages is what it claims to be: workflows that give the action inputs which it
takes, and settings that load.
"""

from __future__ import annotations

import re
import textwrap
from typing import Any

import pytest
import yaml

from pr_review import settings
from tests.contract import documents
from tests.contract.test_documents import PAGES

_LEVELS = {"read", "write", "none"}
# https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#permissions
_SCOPES = {
    "actions", "attestations", "checks", "contents", "deployments", "discussions", "id-token",
    "issues", "packages", "pages", "pull-requests", "security-events", "statuses",
}  # fmt: skip


def blocks(page: str) -> list[str]:
    return re.findall(r"```yaml\n(.*?)```", documents.text(page), re.DOTALL)


def parsed(block: str) -> list[Any]:
    """A whole file, or the parts of a workflow that a page shows with an empty line between."""
    try:
        return [yaml.safe_load(block)]
    except yaml.YAMLError:
        parts = re.split(r"\n\n(?=\s)", block)
        assert len(parts) > 1, block
        return [yaml.safe_load(textwrap.dedent(part)) for part in parts]


def found(node: Any, key: str) -> list[Any]:
    """What stands under a key, anywhere in YAML."""
    inside = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    own = [node[key]] if isinstance(node, dict) and key in node else []
    return own + [value for child in inside for value in found(child, key)]


ALL = [(page, block) for page in PAGES for block in blocks(page)]
WORKFLOWS = [(page, block) for page, block in ALL if re.search(r"\b(?:jobs|steps):", block)]
FILES = [(page, block) for page, block in ALL if block.startswith(f"# {settings.FILE}\n")]
# of a proxy before models, and of a server that is no runner's
OTHERS = [(page, block) for page, block in ALL if (page, block) not in (*WORKFLOWS, *FILES)]


def steps(block: str) -> list[dict[str, Any]]:
    return [step for part in parsed(block) for some in found(part, "steps") for step in some]


def test_there_are_examples_of_each_kind() -> None:
    assert len(WORKFLOWS) >= 5
    assert len(FILES) >= 3
    for _, block in OTHERS:
        assert isinstance(yaml.safe_load(block), dict)


@pytest.mark.parametrize(("page", "block"), WORKFLOWS)
def test_a_workflow_gives_inputs_that_the_action_takes(page: str, block: str) -> None:
    ours = [step for step in steps(block) if "/pr-review@" in step.get("uses", "")]
    assert ours or found(parsed(block), "uses"), page
    for step in ours:
        assert step["uses"] == "OWNER/pr-review@COMMIT"
        given = {f"INPUT_{name.upper()}": str(value) for name, value in step["with"].items()}
        layer, warnings = settings.inputs(written_out(given))
        assert warnings == ()
        settings.load(layer)


def written_out(given: dict[str, str]) -> dict[str, str]:
    """Inputs without expressions, whose values nobody knows here."""
    return {name: value for name, value in given.items() if "${{" not in value}


@pytest.mark.parametrize(("page", "block"), WORKFLOWS)
def test_a_workflow_names_outputs_rights_and_versions_that_there_are(page: str, block: str) -> None:
    by_id = {step["id"]: step for step in steps(block) if "id" in step}
    for name, output in re.findall(r"steps\.([\w-]+)\.outputs\.([\w-]+)", block):
        assert "/pr-review@" in by_id[name]["uses"], page
        assert output in documents.action()["outputs"]
    for rights in found(parsed(block), "permissions"):
        if isinstance(rights, dict):
            assert set(rights) <= _SCOPES
            assert set(rights.values()) <= _LEVELS
    for used in found(parsed(block), "uses"):
        assert re.search(r"@(?:COMMIT|[0-9a-f]{40})$", used), f"{page}: {used} can be moved"


@pytest.mark.parametrize(("page", "block"), FILES)
def test_a_file_of_settings_is_taken(page: str, block: str) -> None:
    layer = settings.file(block)
    assert layer.values, page
    settings.load(layer)
