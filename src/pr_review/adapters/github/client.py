"""One repository on one GitHub: reads are retried within bounds, writes never are."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import quote, urlsplit

from pr_review.adapters.github.exchange import Exchange, new_session
from pr_review.adapters.github.failures import (
    CAUGHT,
    failure,
    graphql_status,
    parsed,
    reasons,
    wanted_wait,
)
from pr_review.adapters.github.library import GithubException, requester
from pr_review.domain.pull_request import Repository
from pr_review.errors import ConfigurationError, GitHubError

if TYPE_CHECKING:
    from github.Requester import HTTPSRequestsConnectionClass

_TRIES = 4
_BACKOFF = 0.5
_PER_PAGE = 100
_MOST_PAGES = 100

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Missing:
    """GitHub answered 404; `words` are its own."""

    words: str


class Client:
    """What the adapters share: the connection, the patience, the words of errors.

    The server may stay silent for `timeout` seconds, and no request takes longer than twice
    that. No read is tried again later than `max_wait` seconds after it began, however long
    GitHub asks to wait, and all waits of a client together take `patience` seconds at most:
    what would take longer is an error at once. `deadline`, a time of `time.monotonic`, may be
    set later: no wait and no read goes past it; a write is not cut short, since it would be in
    doubt.
    """

    def __init__(
        self,
        api_url: str,
        token: str,
        repository: Repository,
        *,
        ca_bundle: Path | None = None,
        max_wait: float = 20.0,
        patience: float = 90.0,
        timeout: float = 15.0,
        deadline: float = math.inf,
    ) -> None:
        """Makes no request. Raises `ConfigurationError` for an address or a token that cannot be
        one; the token is never part of a message. `ca_bundle` names all certificates to trust.
        """
        self.repository = repository
        self.deadline = deadline
        self.path = f"/repos/{quote(repository.owner)}/{quote(repository.name)}"
        self._max_wait = max_wait
        self._patience = patience
        self._timeout = timeout
        self._origin, self._where = _address(api_url)
        self._session = new_session()
        self._verify = str(ca_bundle) if ca_bundle else True
        self._requester = requester(_usable(token), api_url.strip().rstrip("/"))

    def place(self, doing: str) -> str:
        """How a message begins: what was tried, on which repository, on which server."""
        return f"{doing} in {self.repository} on {self._where}"

    def read(self, doing: str, call: Callable[[], Result]) -> Result:
        """The result of a call that changes nothing, tried again while that may help.

        Raises `GitHubError`.
        """
        begun = time.monotonic()
        for attempt in range(_TRIES):
            if time.monotonic() >= self.deadline:
                raise GitHubError(f"{self.place(doing)}: the time of the run is up")
            try:
                return call()
            except CAUGHT as error:
                wait = self._wait(error, attempt, time.monotonic() - begun)
                if wait is None:
                    raise failure(GitHubError, self.place(doing), error) from None
            self._patience -= wait
            time.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _wait(self, error: Exception, attempt: int, spent: float) -> float | None:
        """Seconds before the next try; None if there should be none."""
        wait = wanted_wait(error, _BACKOFF * 2**attempt)
        if wait is None or attempt == _TRIES - 1 or spent + wait > self._max_wait:
            return None
        late = time.monotonic() + wait >= self.deadline
        return None if late or wait > self._patience else wait

    def get(
        self,
        doing: str,
        path: str,
        take: Callable[[Any], Result],
        *,
        headers: Mapping[str, str] | None = None,
        **parameters: Any,
    ) -> Result:
        """What `take` makes of the JSON of one GET below the repository. Raises `GitHubError`,
        also where `take` does not find what it looks for.
        """
        call = partial(self.send, "GET", path, parameters=parameters, headers=headers)
        return self.read(doing, lambda: take(call()))

    def answer(
        self, doing: str, path: str, take: Callable[[Mapping[str, Any], Any], Result]
    ) -> Result:
        """The same, of the answer's headers, by names in lower case, and its JSON."""
        return self.read(doing, lambda: take(*self._request("GET", self.path + path)))

    def find(
        self, doing: str, path: str, take: Callable[[Any], Result], **parameters: Any
    ) -> Result | Missing:
        """The same, or what GitHub says of it where it answers 404."""

        def call() -> Result | Missing:
            try:
                data = self.send("GET", path, parameters=parameters)
            except GithubException as error:
                if error.status != 404:
                    raise
                return Missing(reasons(error))
            return take(data)

        return self.read(doing, call)

    def pages(self, doing: str, path: str, take: Callable[[Any], Result]) -> list[Result]:
        """The same for each item of a list, every page of it. Raises `GitHubError` for a list
        without end, too.
        """
        items: list[Result] = []
        for number in range(1, _MOST_PAGES + 1):
            page, more = self.read(doing, partial(self._page, path, take, number))
            items += page
            if not more:
                return items
        raise GitHubError(f"{self.place(doing)}: there are more than {_MOST_PAGES} pages")

    def _page(
        self, path: str, take: Callable[[Any], Result], number: int
    ) -> tuple[list[Result], bool]:
        # not PyGithub's own list: to it an empty answer and `null` are lists without items
        parameters = {"per_page": _PER_PAGE, "page": number}
        headers, data = self._request("GET", self.path + path, parameters=parameters)
        if not isinstance(data, list):
            raise TypeError("a list was asked for")
        return [take(item) for item in data], 'rel="next"' in headers.get("link", "")

    def send(
        self,
        verb: str,
        path: str,
        *,
        parameters: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """JSON of one request below the repository, made once; `{"data": text}` for an answer
        that is no JSON. Raises one of `CAUGHT`.
        """
        _, data = self._request(
            verb, self.path + path, parameters=parameters, body=body, headers=headers
        )
        return data

    def _request(
        self,
        verb: str,
        url: str,
        *,
        parameters: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        reads: bool = False,
    ) -> tuple[dict[str, Any], Any]:
        """Headers, by names in lower case, and JSON. Only what `reads` is cut at the deadline."""
        limit = 2 * self._timeout
        if verb == "GET" or reads:
            limit = min(limit, self.deadline - time.monotonic())
        exchange = Exchange(
            self._session, self._origin, verify=self._verify, timeout=self._timeout, limit=limit
        )
        status, answered, text = self._requester.requestJson(
            verb,
            url,
            dict(parameters or {}),
            dict(headers or {}),
            dict(body) if body is not None else None,
            cast("HTTPSRequestsConnectionClass", exchange),
        )
        data = parsed(text)
        if status >= 400:
            said = data if isinstance(data, dict) else {}
            raise self._requester.createException(status, answered, said)
        return answered, data

    def graphql(
        self, doing: str, query: str, variables: Mapping[str, object], take: Callable[[Any], Result]
    ) -> Result:
        """What `take` makes of the `data` of a GraphQL query, tried again like a GET.

        Raises `GitHubError`, also for `errors` in an answer that says 200 and where `take` does
        not find what it looks for.
        """
        ask = partial(self._graphql, query, variables, reads=True)
        return self.read(doing, lambda: take(ask()))

    def mutate(self, query: str, variables: Mapping[str, object]) -> Any:
        """The `data` of one GraphQL request, sent once: the way to change something.

        Raises one of `CAUGHT`; for `errors` in an answer that says 200 a `GithubException`
        with the status that REST would have given.
        """
        return self._graphql(query, variables, reads=False)

    def _graphql(self, query: str, variables: Mapping[str, object], *, reads: bool) -> Any:
        # not PyGithub's own call: to it every error is a 400, a spent rate limit too
        body = {"query": query, "variables": dict(variables)}
        url = self._requester.graphql_url
        headers, answer = self._request("POST", url, body=body, reads=reads)
        if "errors" in answer:
            raise self._requester.createException(graphql_status(answer), headers, answer)
        return answer["data"]


def _usable(token: str) -> str:
    token = token.strip()
    if not token:
        raise ConfigurationError("github-token is empty", remedy="pass ${{ github.token }}")
    if not token.isascii() or not token.isprintable() or " " in token:
        raise ConfigurationError(
            "github-token holds characters that no token has", remedy="paste it again"
        )
    return token


def _address(api_url: str) -> tuple[str, str]:
    """Scheme, host and port of an address: as the start of a URL, and without scheme for people.

    What stands before an `@` is no part of either.
    """
    try:
        parts = urlsplit(api_url.strip())
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        parts, port = urlsplit(""), ""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigurationError(
            "the address of GitHub's API is no http or https URL", remedy="check GITHUB_API_URL"
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{port}", host + port
