"""One repository on one GitHub: reads are retried within bounds, writes never are."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from github import Auth, Github, GithubException

from pr_review.adapters.github.failures import (
    CAUGHT,
    failure,
    graphql_status,
    is_passing,
    is_rate_limit,
    rate_limit_wait,
)
from pr_review.domain.pull_request import Repository
from pr_review.errors import ConfigurationError, GitHubError

_TRIES = 4
_BACKOFF = 0.5

Result = TypeVar("Result")

# on import PyGithub makes its loggers print to stderr, where the runner reads commands
_library_log = logging.getLogger("github")
_library_log.handlers = [logging.NullHandler()]
_library_log.propagate = False


class Client:
    """What the two adapters share: the connection, the patience, the words of errors.

    No read is tried again later than `max_wait` seconds after it began, however long GitHub
    asks to wait: what would take longer is an error at once. `timeout` is the seconds that the
    server may stay silent.
    """

    def __init__(
        self,
        api_url: str,
        token: str,
        repository: Repository,
        *,
        ca_bundle: Path | None = None,
        max_wait: float = 20.0,
        timeout: int = 15,
    ) -> None:
        """Makes no request. Raises `ConfigurationError` for an address or a token that cannot be
        one; the token is never part of a message.
        """
        self.repository = repository
        self._max_wait = max_wait
        self._where = _host(api_url)
        # no retries inside: the library's own cannot be bounded in time, and send POST again
        self._github = Github(
            auth=Auth.Token(_usable(token)),
            base_url=api_url.rstrip("/"),
            user_agent="pr-review",
            timeout=timeout,
            per_page=100,
            verify=str(ca_bundle) if ca_bundle else True,
            retry=None,
            seconds_between_requests=None,
            seconds_between_writes=None,
            lazy=True,
        )
        self.repo = self._github.get_repo(str(repository))
        self.path = f"/repos/{quote(repository.owner)}/{quote(repository.name)}"

    def place(self, doing: str) -> str:
        """How a message begins: what was tried, on which repository, on which server."""
        return f"{doing} in {self.repository} on {self._where}"

    def read(self, doing: str, call: Callable[[], Result]) -> Result:
        """The result of a call that changes nothing, tried again while that may help.

        Raises `GitHubError`.
        """
        begun = time.monotonic()
        for attempt in range(_TRIES):
            try:
                return call()
            except CAUGHT as error:
                wait = _wait(error, attempt)
                spent = time.monotonic() - begun
                if wait is None or attempt == _TRIES - 1 or spent + wait > self._max_wait:
                    raise failure(GitHubError, self.place(doing), error) from None
                time.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def get(
        self, doing: str, path: str, take: Callable[[Any], Result], **parameters: Any
    ) -> Result:
        """What `take` makes of the JSON of one GET below the repository. Raises `GitHubError`,
        also where `take` does not find what it looks for.
        """
        return self.read(doing, lambda: take(self.send("GET", path, parameters=parameters)))

    def pages(self, doing: str, path: str, take: Callable[[Any], Result]) -> list[Result]:
        """The same for each item of a list, every page of it."""
        items: list[Result] = []
        for number in count(1):
            page, more = self.read(doing, partial(self._page, path, take, number))
            items += page
            if not more:
                break
        return items

    def _page(
        self, path: str, take: Callable[[Any], Result], number: int
    ) -> tuple[list[Result], bool]:
        # not PyGithub's own list: to it an empty answer and `null` are lists without items
        parameters = {"per_page": self._github.per_page, "page": number}
        headers, data = self._github.requester.requestJsonAndCheck(
            "GET", self.path + path, parameters=parameters
        )
        return [take(item) for item in data], 'rel="next"' in headers.get("link", "")

    def send(
        self, verb: str, path: str, *, parameters: Any = None, body: dict[str, Any] | None = None
    ) -> Any:
        """JSON of one request below the repository, made once. Raises one of `CAUGHT`."""
        _, data = self._github.requester.requestJsonAndCheck(
            verb, self.path + path, parameters=parameters, input=body
        )
        return data

    def viewer(self) -> str:
        """Login of whoever the token acts for. Raises `GitHubError`.

        Asked by GraphQL: `GET /user` is refused to a workflow's token.
        """
        return self.graphql(
            "reading the token's own login",
            "query { viewer { login } }",
            {},
            lambda data: str(data["viewer"]["login"]),
        )

    def graphql(
        self, doing: str, query: str, variables: Mapping[str, object], take: Callable[[Any], Result]
    ) -> Result:
        """What `take` makes of the `data` of a GraphQL query, tried again like a GET.

        Raises `GitHubError`, also for `errors` in an answer that says 200 and where `take` does
        not find what it looks for.
        """
        return self.read(doing, lambda: take(self.mutate(query, variables)))

    def mutate(self, query: str, variables: Mapping[str, object]) -> Any:
        """The `data` of one GraphQL request, sent once: the way to change something.

        Raises one of `CAUGHT`; for `errors` in an answer that says 200 a `GithubException`
        with the status that REST would have given.
        """
        requester = self._github.requester
        body = {"query": query, "variables": dict(variables)}
        # not PyGithub's own call: to it every error is a 400, a spent rate limit too
        headers, answer = requester.requestJsonAndCheck("POST", requester.graphql_url, input=body)
        if "errors" in answer:
            raise requester.createException(graphql_status(answer), headers, answer)
        return answer["data"]


def _wait(error: Exception, attempt: int) -> float | None:
    """Seconds before the next try; None if there should be none."""
    if isinstance(error, GithubException) and is_rate_limit(error):
        return rate_limit_wait(error)
    return _BACKOFF * 2**attempt if is_passing(error) else None


def _usable(token: str) -> str:
    token = token.strip()
    if not token:
        raise ConfigurationError("github-token is empty", remedy="pass ${{ github.token }}")
    if not token.isascii() or not token.isprintable() or " " in token:
        raise ConfigurationError(
            "github-token holds characters that no token has", remedy="paste it again"
        )
    return token


def _host(api_url: str) -> str:
    try:
        parts = urlsplit(api_url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        parts, port = urlsplit(""), ""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigurationError(
            "the address of GitHub's API is no http or https URL", remedy="check GITHUB_API_URL"
        )
    return parts.hostname + port
