"""The one Jinja door: templates are our own, in `prompts/` or beside a stage; values are data.

Text from a pull request, a repository or a model enters a template as a value and is never
template source, but for one: the body of an agent that a repository adds, which takes a few
harmless words of the language. A missing value is an error, not an empty string.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import (
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateNotFound,
    nodes,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment

from pr_review.domain.text import visible_line
from pr_review.errors import ConfigurationError


@cache
def prompt_root() -> Path:
    """The folder of prompts: inside the package (wheel) or beside `src/` (editable install)."""
    package = Path(__file__).resolve().parent
    places = (package / "prompts", package.parent.parent / "prompts")
    for place in places:
        if place.is_dir():
            return place
    raise ConfigurationError(
        f"the prompts folder is missing: looked in {places[0]} and {places[1]}",
        remedy="reinstall pr-review",
    )


@cache
def _environment(root: Path, *, markup: bool = False) -> Environment:
    """Plain text for models, and Markdown that is neutralised elsewhere, are not `markup`."""
    environment = Environment(
        loader=FileSystemLoader(root, encoding="utf-8"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=markup,  # noqa: S701 - on for pages
    )
    environment.filters["line"] = visible_line
    return environment


def render(name: str, /, **values: Any) -> str:
    """Renders the template `name` (a path below `prompts/`) with `values`.

    Raises `ConfigurationError` if the template is missing or does not render.
    """
    try:
        return _environment(prompt_root()).get_template(name).render(**values)
    except TemplateNotFound as error:
        raise ConfigurationError(
            f"prompt template {name} is missing in {prompt_root()}", remedy="reinstall pr-review"
        ) from error
    except TemplateError as error:
        raise ConfigurationError(f"prompt template {name} does not render: {error}") from error


def source(name: str, /) -> str:
    """The text of a template as it stands, for prompts with front matter."""
    try:
        return (prompt_root() / name).read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(
            f"prompt template {name} is missing in {prompt_root()}", remedy="reinstall pr-review"
        ) from error


def render_text(text: str, /, *, origin: str, **values: Any) -> str:
    """Renders one of our own templates given as text; `origin` names it in errors."""
    try:
        return _environment(prompt_root()).from_string(text).render(**values)
    except TemplateError as error:
        raise ConfigurationError(f"prompt template {origin} does not render: {error}") from error


# Nothing here computes, calls or loops longer than a list of words is.
_FOREIGN_NODES = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.If, nodes.For,
    nodes.Filter, nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not,
)  # fmt: skip
FOREIGN_FILTERS = ("join", "upper", "lower", "title", "length", "first", "last")


def render_foreign(text: str, /, *, origin: str, **words: tuple[str, ...]) -> str:
    """Renders a template that a repository wrote, in a sandbox, with nothing but lists of words.

    It may print, test and loop over those lists, one loop at a time, so its output is at most
    their square times as long. Raises `ConfigurationError` for anything else.
    """
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals.clear()
    try:
        parsed = environment.parse(text)
        wrong = next(filter(None, (_forbidden(node, words) for node in _descendants(parsed))), "")
        rendered = "" if wrong else environment.from_string(parsed).render(**words)
    except Exception as error:  # noqa: BLE001 - a number too long, brackets too deep: anything
        said = error if isinstance(error, TemplateError) else type(error).__name__
        raise ConfigurationError(f"{origin}: the template does not render: {said}") from None
    if wrong:
        raise ConfigurationError(
            f"{origin}: the template, below the front matter, has {wrong}",
            remedy="see docs/agents.md for what it may hold",
        )
    return rendered


def _descendants(node: nodes.Node) -> Iterator[nodes.Node]:
    for child in node.iter_child_nodes():
        yield child
        yield from _descendants(child)


def _forbidden(node: nodes.Node, words: Mapping[str, object]) -> str:
    """What of a node is not for a repository's template; empty if it is."""
    if not isinstance(node, _FOREIGN_NODES):
        return f"{type(node).__name__.lower()} in line {node.lineno}, which is not allowed"
    if isinstance(node, nodes.Filter) and node.name not in FOREIGN_FILTERS:
        return f"the filter {node.name} in line {node.lineno}, which is not allowed"
    if isinstance(node, nodes.Filter) and node.name == "join" and not _is_list(node.node, words):
        return f"a join of something else than {' or '.join(words)} in line {node.lineno}"
    if isinstance(node, nodes.For):
        if not _is_list(node.iter, words):
            return f"a loop over something else than {' or '.join(words)} in line {node.lineno}"
        if any(isinstance(inner, nodes.For) for inner in _descendants(node)):
            return f"a loop in the loop of line {node.lineno}"
    return ""


def _is_list(node: nodes.Node | None, words: Mapping[str, object]) -> bool:
    return isinstance(node, nodes.Name) and node.name in words


def render_page(folder: Path, name: str, /, **values: Any) -> str:
    """Renders the HTML template `name` that lies in `folder` of this package: every value is
    escaped unless it is Markup, and the filter `line` makes hidden characters visible.
    """
    try:
        return _environment(folder, markup=True).get_template(name).render(**values)
    except TemplateNotFound as error:
        raise ConfigurationError(
            f"page template {name} is missing in {folder}", remedy="reinstall pr-review"
        ) from error
    except TemplateError as error:
        raise ConfigurationError(f"page template {name} does not render: {error}") from error


@cache
def page_part(folder: Path, name: str, /) -> str:
    """The text of a style sheet or script that lies beside a page template."""
    try:
        return (folder / name).read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(
            f"page template {name} is missing in {folder}", remedy="reinstall pr-review"
        ) from error
