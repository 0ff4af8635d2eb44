"""Reads the documents, and says what they must tell of the settings."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic.fields import FieldInfo

from pr_review import settings as configuration
from pr_review.settings import Settings

ROOT = Path(__file__).resolve().parent.parent.parent
TOKEN_DEFAULT = "${{ github.token }}"


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@cache
def action() -> dict[str, Any]:
    """`action.yml` as a runner reads it."""
    loaded: dict[str, Any] = yaml.safe_load(text("action.yml"))
    return loaded


def settings() -> dict[str, FieldInfo]:
    """The settings by outward name."""
    return {name.replace("_", "-"): field for name, field in Settings.model_fields.items()}


def default(name: str) -> str:
    """A setting's default as somebody would write it as an input; empty if unset."""
    return TOKEN_DEFAULT if name == "github-token" else configuration.default(name)


def input_description(name: str) -> str:
    """What `action.yml` says of an input: a default stands in words, since as `default:` it
    would always arrive and the configuration file would never win.
    """
    said = f"{settings()[name].description}."
    return (
        said if name == "github-token" or not default(name) else f"{said} Default: {default(name)}"
    )


def input_row(name: str) -> tuple[str, str, str]:
    """The row of the table in docs/inputs.md."""
    value = f"`{default(name)}`" if default(name) else "unset"
    return f"`{name}`", value, str(settings()[name].description)


def table(heading: str, document: str = "README.md") -> list[tuple[str, ...]]:
    """The rows of the first table below a heading of a document, header left out."""
    found = re.search(
        rf"^#+ {re.escape(heading)}\n(?:(?!#|\|).*\n)*((?:\|.*\n)+)",
        text(document),
        re.MULTILINE,
    )
    assert found, f"{document} has no table below the heading {heading}"
    rows = [line.strip().strip("|").split(" | ") for line in found[1].strip().split("\n")]
    return [tuple(cell.strip() for cell in row) for row in rows[2:]]
