"""The agents: one file each, `prompts/agents/<name>.md.j2`, front matter and a Jinja body."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from pr_review import templates
from pr_review.errors import ConfigurationError, unknown_name

NAMES = ("bugs", "security", "performance", "architecture", "readability")
_KEYS = ("name", "title", "categories")
_WORD = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Agent:
    """A reviewer with one concern.

    `name` and `categories` are kebab-case; `body` is the Jinja text of its task, which may
    use `categories` and nothing else.
    """

    name: str
    title: str
    categories: tuple[str, ...]
    body: str


@cache
def catalogue() -> tuple[Agent, ...]:
    """The shipped agents, in a fixed order. Raises `ConfigurationError` if one is broken."""
    return tuple(_load(name) for name in NAMES)


def select(names: Sequence[str]) -> tuple[Agent, ...]:
    """The named agents in the catalogue's order, each once.

    Raises `ConfigurationError` for an empty list and for an unknown name (it tells the
    nearest one).
    """
    if not names:
        raise ConfigurationError("agents: the list is empty", remedy=f"use {', '.join(NAMES)}")
    for name in names:
        if name not in NAMES:
            raise unknown_name("agents", "agent", name, NAMES, remedy=f"use {', '.join(NAMES)}")
    return tuple(agent for agent in catalogue() if agent.name in names)


def parse(text: str, *, name: str, origin: str) -> Agent:
    """Reads one agent's file. `origin` names the file in errors.

    The front matter is three `key: value` lines between `---` lines; anything else raises
    `ConfigurationError`, and so does a name that is not the file's.
    """
    fields, body = _front_matter(text, origin)
    missing = [key for key in _KEYS if not fields.get(key)]
    if missing:
        raise ConfigurationError(f"{origin}: front matter lacks {', '.join(missing)}")
    if fields["name"] != name:
        raise ConfigurationError(f"{origin}: front matter names another agent than the file")
    categories = tuple(word.strip() for word in fields["categories"].split(","))
    if not all(_WORD.fullmatch(word) for word in (name, *categories)):
        raise ConfigurationError(f"{origin}: name and categories are lower-case words with hyphens")
    if not body.strip():
        raise ConfigurationError(f"{origin}: there is no prompt below the front matter")
    return Agent(name, fields["title"], categories, body)


def _load(name: str) -> Agent:
    path = f"agents/{name}.md.j2"
    return parse(templates.source(path), name=name, origin=f"prompts/{path}")


def _front_matter(text: str, origin: str) -> tuple[dict[str, str], str]:
    opening, _, rest = text.partition("\n")
    head, closing, body = rest.partition("\n---\n")
    if opening != "---" or not closing:
        raise ConfigurationError(f"{origin}: must begin with front matter between --- lines")
    fields: dict[str, str] = {}
    for line in head.split("\n"):
        key, colon, value = line.partition(":")
        if not colon or key not in _KEYS or key in fields:
            known = ", ".join(_KEYS)
            raise ConfigurationError(f"{origin}: front matter takes each of {known} once")
        fields[key] = value.strip()
    return fields, body
