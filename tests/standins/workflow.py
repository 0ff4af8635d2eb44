"""A workflow as GitHub reads it: whether an event starts its job, and with what.

    started = start(text, "pull_request", payload, {"ANTHROPIC_API_KEY": "sk-…"})
    started.inputs["api-key"]     # and the rights of the job's token in started.rights

It knows one job whose one step is the action, and of the language of expressions what stands in
the README and our own workflows: paths, texts, `==`, `&&`, `||` and `startsWith`.
https://docs.github.com/en/actions/reference/workflows-and-actions/expressions
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from tests.contract import documents

Context = Mapping[str, Any]


@dataclass(frozen=True)
class Started:
    """A job that an event started.

    `rights` are those of its token, as the stand-in of GitHub names them; `inputs` what the action
    is given, the defaults of `action.yml` included. Jobs of one `group` run one after the other,
    or, where a new one `cancels`, the last one alone.
    """

    uses: str
    rights: Mapping[str, str]
    inputs: Mapping[str, str]
    group: str
    cancels: bool


def start(
    text: str, event: str, payload: Context, secrets: Mapping[str, str], token: str
) -> Started | None:
    """The job of a workflow, if the event starts it."""
    workflow = yaml.safe_load(text)
    # `on` is a word for true in YAML 1.1
    listens = workflow[True].get(event)
    if listens is None or payload["action"] not in listens["types"]:
        return None
    github = {"event_name": event, "event": payload, "token": token}
    context = {"github": github, "secrets": secrets}
    [job] = workflow["jobs"].values()
    if not evaluate(job["if"], context):
        return None
    [step] = job["steps"]
    declared = documents.action()["inputs"].items()
    defaults = {name: spec["default"] for name, spec in declared if "default" in spec}
    return Started(
        step["uses"],
        {name.replace("-", "_"): level for name, level in workflow["permissions"].items()},
        {name: filled(str(v), context) for name, v in {**defaults, **step["with"]}.items()},
        filled(job["concurrency"]["group"], context),
        filled(job["concurrency"]["cancel-in-progress"], context) == "true",
    )


def filled(text: str, context: Context) -> str:
    """A text with the values of its `${{ … }}`."""

    def value(match: re.Match[str]) -> str:
        found = evaluate(match[1].strip(), context)
        return str(found).lower() if isinstance(found, bool) else str(found)

    return re.sub(r"\$\{\{(.*?)\}\}", value, text)


def evaluate(expression: str, context: Context) -> Any:
    """The value of an expression; what a path does not lead to is an empty text."""
    first, otherwise, second = expression.partition(" || ")
    if otherwise:
        return evaluate(first, context) or evaluate(second, context)
    first, also, second = expression.partition(" && ")
    if also:
        return evaluate(first, context) and evaluate(second, context)
    left, equals, right = expression.partition(" == ")
    if equals:
        return evaluate(left, context) == evaluate(right, context)
    if call := re.fullmatch(r"startsWith\((\S+), (.+)\)", expression):
        whole, beginning = (str(evaluate(argument, context)).lower() for argument in call.groups())
        return whole.startswith(beginning)
    if literal := re.fullmatch(r"'([^']*)'", expression):
        return literal[1]
    assert re.fullmatch(r"[\w-]+(\.[\w-]+)+", expression), f"not understood: {expression}"
    found: Any = context
    for name in expression.split("."):
        found = found.get(name, "") if isinstance(found, Mapping) else ""
    return found
