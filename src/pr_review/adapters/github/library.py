"""What we use of PyGithub: its requester and its errors.

To import the package as a whole builds a class for everything that GitHub has, and loads what
signs tokens and seals secrets: 170 modules, which take a run longer than all its other doors.
So the package is put in its place without being run, and these modules are imported one by one.
"""

from __future__ import annotations

import importlib.util
import logging
import sys
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from github.Auth import Auth

if "github" not in sys.modules:
    _spec = importlib.util.find_spec("github")
    if _spec is None:
        raise ModuleNotFoundError("PyGithub is not installed", name="github")
    sys.modules["github"] = importlib.util.module_from_spec(_spec)

from github.GithubException import BadAttributeException, GithubException
from github.Requester import Requester, RequestsResponse

__all__ = [
    "BadAttributeException",
    "GithubException",
    "Requester",
    "RequestsResponse",
    "requester",
]

# its loggers must not print: the runner reads commands from stderr, too
_log = logging.getLogger("github")
_log.handlers = [logging.NullHandler()]
_log.propagate = False


class _Token:
    """Stands where PyGithub expects its `Auth.Token`."""

    def __init__(self, token: str) -> None:
        self._token = token

    def authentication(self, headers: dict[str, str]) -> None:
        headers["Authorization"] = f"token {self._token}"

    def mask_authentication(self, headers: dict[str, str]) -> None:
        headers["Authorization"] = "token (removed)"


def requester(token: str, base_url: str) -> Requester:
    """PyGithub's requester, for calls that bring a connection of their own: it never waits and
    never retries."""
    return Requester(
        cast("Auth", _Token(token)),
        base_url,
        timeout=15,
        user_agent="pr-review",
        per_page=30,
        verify=True,
        retry=None,
        pool_size=None,
    )
