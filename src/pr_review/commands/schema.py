"""The JSON schema of `.github/pr-review.yml`, made from the settings."""

from __future__ import annotations

from typing import Any

from pr_review.settings import FILE, NOT_IN_FILE, OFF, Settings, choices

_NULL = {"type": "null"}


def schema() -> dict[str, Any]:
    """What editors and validators need to know of the file: every key, its forms, its default.

    A file that it takes, the loader takes as well, but for names that only a run knows: of
    agents, checks and associations. The loader also takes numbers and booleans in quotes.
    """
    made = Settings.model_json_schema(by_alias=True)
    keys = {n: _key(n, p) for n, p in made["properties"].items() if n not in NOT_IN_FILE}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Settings of pr-review, {FILE}",
        "description": "Read from the tip of the base branch; inputs of the action win over it.",
        "type": "object",
        "additionalProperties": False,
        "properties": _untitled(keys),
        "$defs": _untitled(made.get("$defs", {})),
    }


def _key(name: str, made: dict[str, Any]) -> dict[str, Any]:
    """A setting: its description and default, and its forms, of which an empty one is unset."""
    about = {
        key: made[key] for key in ("description", "default") if made.get(key) not in (None, "")
    }
    form = {
        key: value for key, value in made.items() if key not in ("description", "default", "title")
    }
    forms = form["anyOf"] if set(form) == {"anyOf"} else [form]
    off = [{"const": False}] if OFF in choices(name) else []  # what YAML 1.1 makes of `off`
    return {**about, "anyOf": [*(f for f in forms if f != _NULL), *off, _NULL]}


def _untitled(made: Any) -> Any:
    """Without the titles that repeat names."""
    if isinstance(made, list):
        return [_untitled(item) for item in made]
    if not isinstance(made, dict):
        return made
    return {
        key: _untitled(value)
        for key, value in made.items()
        if key != "title" or not isinstance(value, str)
    }
