"""The rules of `paths`, as they are written."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from pr_review.settings.values import Words, is_mapping, listed, parsed_yaml, plain

_MOST_RULES, _MOST_GLOBS, _MOST_GLOB = 50, 20, 200

_Glob = Annotated[str, Field(min_length=1, max_length=_MOST_GLOB)]
_Globs = Annotated[list[_Glob | float], Field(min_length=1, max_length=_MOST_GLOBS)]


class RuleSetting(BaseModel):
    """One rule of `paths`, as it is written."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        str_strip_whitespace=True,
        json_schema_extra={
            "anyOf": [
                {"required": [key], "properties": {key: {"not": {"enum": ["", [], None]}}}}
                for key in ("instructions", "agents", "tier")
            ]
        },
    )

    paths: Annotated[
        tuple[str, ...], BeforeValidator(listed, json_schema_input_type=_Globs | _Glob)
    ] = Field(
        min_length=1,
        max_length=_MOST_GLOBS,
        description="Globs of the files that the rule is about",
    )
    instructions: str = Field(
        "", max_length=2_000, description="What agents judge these files by, beside the rest"
    )
    agents: Words = Field((), description="The only agents to review these files; unset, all")
    tier: Literal["generated", "asset", "snapshot", "test", "source"] | None = Field(
        None, description="Tier of these files, whatever their paths and texts say"
    )

    @model_validator(mode="after")
    def _says_something(self) -> RuleSetting:
        if not (self.instructions or self.agents or self.tier):
            raise ValueError("says nothing of its paths: give instructions, agents or tier")
        if any(len(glob) > _MOST_GLOB for glob in self.paths):
            raise ValueError(f"holds a glob of over {_MOST_GLOB} characters")
        return self


def _ruled(value: object) -> object:
    """Rules as a list, or as YAML text; a key without a value is not given."""
    if isinstance(value, str):
        value = parsed_yaml(value) or []
    if not isinstance(value, list | tuple) or not all(map(is_mapping, value)):
        raise ValueError("should be a list of rules such as `- paths: docs/**`")
    if len(value) > _MOST_RULES:
        raise ValueError(f"holds {len(value)} rules, and {_MOST_RULES} are taken at most")
    return [{k: plain(v) for k, v in rule.items() if v is not None} for rule in value]


_SomeRules = Annotated[list[RuleSetting], Field(max_length=_MOST_RULES)]
Rules = Annotated[
    tuple[RuleSetting, ...], BeforeValidator(_ruled, json_schema_input_type=_SomeRules | str)
]
