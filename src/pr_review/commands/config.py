"""`pr-review config`: the settings that hold, and where each was set."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

import yaml
from pydantic import SecretStr

from pr_review.adapters.actions.environment import in_actions
from pr_review.adapters.actions.log import Log
from pr_review.commands.given import Given, gather
from pr_review.commands.printing import show
from pr_review.commands.schema import schema
from pr_review.domain.text import visible_line
from pr_review.report.json_report import dump
from pr_review.settings import FILE, NAMES, NOT_IN_FILE, Settings

_SET, _UNSET = "set", "unset"
# long, or keys under any name: nobody needs to see them to know that they are there
_HIDDEN = frozenset(["extra-headers", "ca-bundle"])
_COLUMN = 44


def run(parsed: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Prints the settings as lines of YAML that the file would take, each with its origin.

    Raises `PrReviewError`, also for a clone or a base that was asked for and is not there.
    """
    if parsed.schema:
        show(json.dumps(schema(), indent=2, ensure_ascii=False) + "\n", environ)
        return 0
    given = gather(parsed, environ)
    if given.problem and (parsed.repo or parsed.base):
        raise given.problem
    settings = given.settings()
    log = Log(sys.stderr) if not in_actions(environ) else Log(sys.stdout)
    for warning in given.warnings:
        log.warning(warning) if in_actions(environ) else log.text(warning)
    if parsed.format == "json":
        text = dump(_object(settings, given))
    else:
        text = "".join(f"{line}\n" for line in _lines(settings, given))
    show(text, environ)
    return 0


def value_of(settings: Settings, name: str) -> object:
    """A setting in terms of JSON, None if it is unset; of a secret, whether it is set."""
    value = getattr(settings, name.replace("-", "_"))
    if name in _HIDDEN or isinstance(value, SecretStr):
        return _SET if value else None
    if name == "api-base":
        return _without_user(value) or None
    plain = settings.model_dump(mode="json", include={name.replace("-", "_")})
    (found,) = plain.values()
    if name == "paths":  # what a rule does not say would not be taken in the file
        return [{key: value for key, value in rule.items() if value} for rule in found]
    if isinstance(found, float) and found.is_integer():
        return int(found)
    return None if found == "" else found


def _lines(settings: Settings, given: Given) -> Iterator[str]:
    if given.problem:
        yield f"# no {FILE} was read: {visible_line(str(given.problem))}"
    for name in NAMES:
        value, origin = value_of(settings, name), visible_line(given.origin(name))
        if name in NOT_IN_FILE:
            shown = _UNSET if value is None else visible_line(str(value))
            yield f"{f'# {name}: {shown}':<{_COLUMN}} # {origin}"
        else:
            yield f"{f'{name}: {as_yaml(value)}':<{_COLUMN}} # {origin}"


def as_yaml(value: object) -> str:
    """One line of YAML."""

    def dumped(*, plain: bool) -> str:
        text: str = yaml.safe_dump(
            value, default_flow_style=True, width=sys.maxsize, allow_unicode=plain, sort_keys=False
        )
        return text.removesuffix("...\n").removesuffix("\n")

    text = dumped(plain=True)
    if "\n" in text:  # a text of several lines, which JSON writes on one
        return json.dumps(value)
    return text if text == visible_line(text) else dumped(plain=False)


def _object(settings: Settings, given: Given) -> dict[str, object]:
    told = {
        name: {
            "value": value_of(settings, name),
            "origin": given.origin(name).partition(",")[0],
            "line": given.line(name),
        }
        for name in NAMES
    }
    return {"base": given.read_at or None, "settings": told}


def _without_user(address: str) -> str:
    """An address without what may be a key in it: user, password, query, fragment."""
    if not address:
        return ""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
