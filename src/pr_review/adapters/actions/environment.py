"""What the runner tells an action about the run: checked once, then frozen."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pr_review.domain.pull_request import Repository
from pr_review.errors import ConfigurationError, EventError

DEFAULT_API_URL = "https://api.github.com"
DEFAULT_SERVER_URL = "https://github.com"

_REPOSITORY = re.compile(r"([A-Za-z0-9_.-]+)/([A-Za-z0-9_.-]+)")
_OUTSIDE_ACTIONS = "run it inside GitHub Actions, or use `pr-review local`"


def in_actions(environ: Mapping[str, str]) -> bool:
    """Whether this is a step of a workflow."""
    return environ.get("GITHUB_ACTIONS") == "true"


@dataclass(frozen=True, slots=True)
class RunnerEnvironment:
    """The runner's variables.

    URLs have no slash at their end. A path is None where the runner gave none: then there
    is nowhere to write outputs or the summary, and no checkout to look at. `action` is what
    the workflow calls us, `owner/name@ref`; empty for an action in the checkout.
    """

    event_name: str
    event_path: Path
    repository: Repository
    api_url: str
    server_url: str
    runner_temp: Path
    workspace: Path | None = None
    output_path: Path | None = None
    summary_path: Path | None = None
    action: str = ""

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> RunnerEnvironment:
        """Reads the variables that the runner sets.

        Raises `EventError` if the event is missing, `ConfigurationError` if another needed
        variable is missing or is not what it should be.
        """
        values = {name: value.strip() for name, value in environ.items()}
        return cls(
            event_name=_event(values, "GITHUB_EVENT_NAME", "the name of the event"),
            event_path=Path(_event(values, "GITHUB_EVENT_PATH", "the path of its payload")),
            repository=_repository(values),
            api_url=_url(values, "GITHUB_API_URL", DEFAULT_API_URL),
            server_url=_url(values, "GITHUB_SERVER_URL", DEFAULT_SERVER_URL),
            runner_temp=_temp(values),
            workspace=_path(values, "GITHUB_WORKSPACE"),
            output_path=_path(values, "GITHUB_OUTPUT"),
            summary_path=_path(values, "GITHUB_STEP_SUMMARY"),
            action=_action(values),
        )


def read_event(path: Path) -> dict[str, Any]:
    """The payload of the event. Raises `EventError` if it is no file with a JSON object."""
    remedy = "GITHUB_EVENT_PATH must name the event's JSON file, as the runner sets it"
    try:
        payload = json.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        reason = error.strerror or "unreadable"
        raise EventError(f"cannot read the event file {path}: {reason}", remedy=remedy) from error
    # RecursionError is what json raises on deep nesting; UnicodeDecodeError is a ValueError
    except (ValueError, RecursionError) as error:
        raise EventError(f"the event file {path} is not JSON", remedy=remedy) from error
    if not isinstance(payload, dict):
        raise EventError(f"the event file {path} holds no JSON object", remedy=remedy)
    return payload


def _event(values: Mapping[str, str], name: str, meaning: str) -> str:
    if not (value := values.get(name, "")):
        raise EventError(f"{name} is not set: it should be {meaning}", remedy=_OUTSIDE_ACTIONS)
    return value


def _repository(values: Mapping[str, str]) -> Repository:
    match = _REPOSITORY.fullmatch(values.get("GITHUB_REPOSITORY", ""))
    if not match:
        raise ConfigurationError(
            "GITHUB_REPOSITORY is missing or is not of the form owner/name", remedy=_OUTSIDE_ACTIONS
        )
    return Repository(owner=match[1], name=match[2])


def _action(values: Mapping[str, str]) -> str:
    parts = values.get("GITHUB_ACTION_REPOSITORY", ""), values.get("GITHUB_ACTION_REF", "")
    return "@".join(parts) if all(parts) else ""


def _url(values: Mapping[str, str], name: str, default: str) -> str:
    """An http(s) address; empty means github.com, as on runners that leave it out."""
    value = values.get(name) or default
    wrong = ConfigurationError(
        f"{name} is not an address", remedy=f"it should look like {default}, without credentials"
    )
    try:
        parts = urlsplit(value)
        sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError as error:
        raise wrong from error
    if not sound or "@" in parts.netloc or parts.query or parts.fragment:
        raise wrong
    return value.rstrip("/")


def _temp(values: Mapping[str, str]) -> Path:
    temp = _path(values, "RUNNER_TEMP")
    if temp is None or not temp.is_dir():
        raise ConfigurationError(
            "RUNNER_TEMP is not a folder: reports are written there", remedy=_OUTSIDE_ACTIONS
        )
    return temp


def _path(values: Mapping[str, str], name: str) -> Path | None:
    value = values.get(name, "")
    return Path(value) if value else None
