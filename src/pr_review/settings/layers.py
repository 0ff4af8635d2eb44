"""Where settings are given: flags over inputs over `.github/pr-review.yml` over defaults.

Values never appear in errors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml
from pydantic import ValidationError

from pr_review.agents.catalogue import NAMES as AGENTS
from pr_review.agents.catalogue import own_names
from pr_review.checks.policy import select
from pr_review.domain.text import visible_line
from pr_review.errors import ConfigurationError, nearest, unknown_name
from pr_review.event.policy import associations
from pr_review.settings.model import NAMES, NO_MODEL, Settings, choices
from pr_review.settings.rules import RuleSetting
from pr_review.settings.values import YAML_LOADER, is_mapping, parsed_yaml, plain, tidied

FILE = ".github/pr-review.yml"
# A pull request must not decide who is paid or asked, and a file is no place for secrets.
NOT_IN_FILE = frozenset(
    ["github-token", "api-key", "api-base", "extra-headers", "ca-bundle", "pull-request"]
)
# Secrets, and what a machine of one's own has a place for: SSL_CERT_FILE.
NOT_A_FLAG = frozenset(["github-token", "api-key", "extra-headers", "ca-bundle"])
OFF = "off"


@dataclass(frozen=True, slots=True)
class Layer:
    """Values by outward name, and what they are called in errors: flag, input or key.

    `lines` tells of a file's keys where they stand, counted from 1.
    """

    origin: str
    values: Mapping[str, Any]
    lines: Mapping[str, int] = field(default_factory=dict)

    def called(self, name: str) -> str:
        """What a name is in errors: `flag --model`, `input model`."""
        return f"{self.origin}{name}" if self.origin.endswith("--") else f"{self.origin} {name}"


def load(*layers: Layer) -> Settings:
    """Settings from layers, the first one first. Raises `ConfigurationError` in one line."""
    for layer in layers:
        _known(layer)
    try:
        settings = Settings(layers=[dict(layer.values) for layer in layers])  # type: ignore[call-arg]
    except ValidationError as error:
        raise _invalid(error, layers) from None
    settings = settings.given_by({name: _called(name, layers) for name in NAMES})
    _check_names(settings)
    return settings


def _check_names(settings: Settings) -> None:
    """Raises `ConfigurationError` for a name that stands for nothing."""
    if NO_MODEL in settings.fallback_models:
        called = settings.called("fallback-models")
        raise ConfigurationError(f"{called}: none is no model", remedy="leave it out")
    own_names(settings.agents, setting=settings.called("agents"))
    _known_reviewers(settings)
    associations(settings.author_associations, setting=settings.called("author-associations"))
    select(settings.checks_policy(), setting=settings.called("checks"))


def _known_reviewers(settings: Settings) -> None:
    known = [*dict.fromkeys([*AGENTS, *settings.agents])]
    for index, rule in enumerate(settings.paths):
        for name in rule.agents:
            if name not in known:
                where = f"{settings.called('paths')}[{index}].agents"
                remedy = "name it in agents, too, if it is your own"
                raise unknown_name(where, "agent", name, known, remedy=remedy)


def inputs(environ: Mapping[str, str]) -> tuple[Layer, tuple[str, ...]]:
    """The action's inputs, and a warning for every `INPUT_*` that is none of ours.

    The runner sets `INPUT_<NAME>` in upper case, hyphens kept; an unset input is empty.
    https://docs.github.com/actions/reference/workflows-and-actions/metadata-syntax#inputs
    """
    values, warnings = {}, []
    for variable, value in environ.items():
        name = variable.removeprefix("INPUT_").lower()
        if not variable.startswith("INPUT_"):
            continue
        if name not in NAMES:
            warnings.append(f"input {_shown(name)} is not known{_nearest(name)}")
        elif text := tidied(value):
            values[name] = text
    return Layer("input", values), tuple(warnings)


def file(text: str | None, *, place: str = FILE) -> Layer:
    """The configuration file. Raises `ConfigurationError` if it is no mapping of our keys."""
    if text is None:
        return Layer(f"{place}:", {})
    try:
        loaded = parsed_yaml(text)
    except ValueError as error:
        raise ConfigurationError(f"{place} {error}") from None
    if loaded is None:
        return Layer(f"{place}:", {})
    if not is_mapping(loaded):
        raise ConfigurationError(f"{place} must hold keys and values, such as `drafts: true`")
    for key in sorted(NOT_IN_FILE & loaded.keys()):
        raise ConfigurationError(
            f"{place}: {key} may not be set in the file", remedy="set it as an input of the action"
        )
    values = {key: _given(key, value) for key, value in loaded.items() if value is not None}
    return Layer(f"{place}:", values, _lines(text))


def _given(name: str, value: object) -> object:
    """A value of the file; YAML reads `off` as a boolean."""
    return OFF if value is False and OFF in choices(name) else plain(value)


def _lines(text: str) -> dict[str, int]:
    """Where the keys of a mapping stand; of one that is given twice, the one that counts."""
    node = yaml.compose(text, YAML_LOADER)
    pairs = node.value if isinstance(node, yaml.MappingNode) else ()
    return {key.value: key.start_mark.line + 1 for key, _ in pairs}


def _known(layer: Layer) -> None:
    for name in layer.values:
        if name not in NAMES:
            called = layer.called(_shown(name))
            raise ConfigurationError(f"{called} is not known{_nearest(name)}")


def _shown(name: str) -> str:
    return visible_line(name)[:60]


def _nearest(name: str, known: Sequence[str] = ()) -> str:
    near = nearest(name, known or NAMES)
    return f"; the nearest is {near}" if near else ""


def _invalid(error: ValidationError, layers: Sequence[Layer]) -> ConfigurationError:
    """The first problem, by outward name and origin, without the value that caused it."""
    problems = error.errors(include_input=False, include_url=False, include_context=False)
    # a slip in a key is also the lack of the right one, which is told first
    slips = (problem for problem in problems if problem["type"] == "extra_forbidden")
    problem = next(slips, problems[0])
    name, *inside = problem["loc"]
    words = problem["msg"].removeprefix("Value error, ").partition(", unable to parse")[0]
    words = re.sub("^(Input|String|Tuple) should", "should", words).replace(" after validation", "")
    words = words.replace("Field required", "is missing")
    if problem["type"] == "extra_forbidden" and inside:
        key = str(inside.pop())
        words = f"{_shown(key)} is not known{_nearest(key, tuple(RuleSetting.model_fields))}"
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in inside)
    return ConfigurationError(f"{_called(str(name), layers)}{place}: {words}")


def _called(name: str, layers: Sequence[Layer]) -> str:
    """What a setting is in errors, by the layer that decides it."""
    unset = Layer("setting", {})
    return next((layer for layer in layers if name in layer.values), unset).called(name)
