"""The agents: one file each, `prompts/agents/<name>.md.j2`, front matter and a Jinja body.

A repository adds its own in `.github/pr-review/agents/`, in the same form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from pr_review import templates
from pr_review.domain.text import visible, visible_line
from pr_review.errors import ConfigurationError, unknown_name

OWN_FOLDER = ".github/pr-review/agents/"
OWN_SUFFIXES = (".md.j2", ".md")
"""How the file of an own agent may end: a template, or text that is taken as it stands."""
MAX_OWN_TEXT = 12_000
MAX_OWN_CATEGORIES = 20
MAX_OWN_WORD = 40
MAX_OWN_TITLE = 80
NAMES = ("bugs", "security", "performance", "architecture", "readability")
_KEYS = ("name", "title", "categories")
# What a report calls something else than an agent.
_TAKEN = ("all", "none", "verify", "verifier")
_WORD = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Agent:
    """A reviewer with one concern.

    `name` and `categories` are kebab-case; `body` is the Jinja text of its task, which may
    use `categories` and nothing else. The body of an `own` one, which a repository adds, is
    rendered already.
    """

    name: str
    title: str
    categories: tuple[str, ...]
    body: str
    own: bool = False


@cache
def catalogue() -> tuple[Agent, ...]:
    """The shipped agents, in a fixed order. Raises `ConfigurationError` if one is broken."""
    return tuple(_load(name) for name in NAMES)


def select(names: Sequence[str], own: Sequence[Agent] = ()) -> tuple[Agent, ...]:
    """The named agents in the catalogue's order, each once, and behind them `own` ones in theirs.

    Raises `ConfigurationError` for an empty list and for an unknown name (it tells the
    nearest one).
    """
    known = [*NAMES, *(agent.name for agent in own)]
    for name in own_names(names):
        if name not in known:
            raise _unknown("agents", name, known)
    return tuple(agent for agent in (*catalogue(), *own) if agent.name in names)


def own_names(names: Sequence[str], *, setting: str = "agents") -> tuple[str, ...]:
    """Those names, each once, that can only be own agents: no shipped one has them. `setting` is
    what holds the names, in errors.

    Raises `ConfigurationError` for an empty list and for what can be no agent's name.
    """
    if not names:
        raise ConfigurationError(f"{setting}: the list is empty", remedy=f"use {', '.join(NAMES)}")
    others = tuple(dict.fromkeys(name for name in names if name not in NAMES))
    for name in others:
        if not _WORD.fullmatch(name) or len(name) > MAX_OWN_WORD or name in _TAKEN:
            raise _unknown(setting, name, NAMES)
    return others


def own_agents(
    names: Sequence[str],
    read: Callable[[str], str | None],
    *,
    where: str = "",
    setting: str = "agents",
) -> tuple[Agent, ...]:
    """The agents among `names` that are not shipped; `read` gives a file at the base branch, or
    None, and `where` ends the file's name in errors, which call what holds the names `setting`.

    Raises `ConfigurationError` for a file that is no agent, and for a name without one.
    """
    found: list[Agent] = []
    for name in own_names(names, setting=setting):
        paths = [f"{OWN_FOLDER}{name}{suffix}" for suffix in OWN_SUFFIXES]
        texts = ((path, read(path)) for path in paths)
        path, text = next((pair for pair in texts if pair[1] is not None), ("", None))
        if text is None:
            raise _unknown(setting, name, [*NAMES, *(agent.name for agent in found)])
        found.append(_own(text, name=name, origin=f"{path}{where}", template=path.endswith(".j2")))
    return tuple(found)


def _unknown(setting: str, name: str, known: Sequence[str]) -> ConfigurationError:
    file = f"{OWN_FOLDER}<name>{OWN_SUFFIXES[-1]}"
    remedy = f"use {', '.join(known)}, or add {file} to the base branch"
    return unknown_name(setting, "agent", name, known, remedy=remedy)


def _own(text: str, *, name: str, origin: str, template: bool) -> Agent:
    """An agent that a repository wrote: checked like a shipped one, bounded and rendered."""
    if len(text) > MAX_OWN_TEXT:
        raise _too_much(origin, f"{len(text):,} characters", f"{MAX_OWN_TEXT:,}")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    agent = parse(text, name=name, origin=origin)
    words = agent.categories
    if len(words) > MAX_OWN_CATEGORIES:
        raise _too_much(origin, f"{len(words)} categories", f"{MAX_OWN_CATEGORIES}")
    if len(agent.title) > MAX_OWN_TITLE or max(map(len, words)) > MAX_OWN_WORD:
        limits = f"{MAX_OWN_TITLE} characters, and a category {MAX_OWN_WORD}"
        raise _too_much(origin, "a title or category", limits)
    body = agent.body
    if template:
        body = templates.render_foreign(body, origin=origin, categories=words)
    if len(body) > MAX_OWN_TEXT:
        raise _too_much(origin, f"{len(body):,} characters once rendered", f"{MAX_OWN_TEXT:,}")
    if not body.strip():
        raise ConfigurationError(f"{origin}: the template renders to nothing")
    return replace(agent, title=visible_line(agent.title), body=visible(body), own=True)


def _too_much(origin: str, what: str, most: str) -> ConfigurationError:
    return ConfigurationError(f"{origin}: holds {what}; at most {most} are taken")


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
