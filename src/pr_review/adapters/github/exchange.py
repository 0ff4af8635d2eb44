"""One HTTP request and its answer, within a time that no server can stretch.

PyGithub's own connection bounds each read of the socket alone, follows 301 for writes too and
then loses the query, takes other redirects for results, and waits out 202 without end.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from urllib.parse import SplitResult, urljoin, urlsplit

from requests import Response, Session

from pr_review.adapters.github.library import GithubException, Requester, RequestsResponse
from pr_review.adapters.within import within

_HOPS = 3
_REDIRECTS = (301, 302, 303, 307, 308)


def new_session() -> Session:
    """What the requests of one client share: connections that are kept."""
    session = Session()
    session.auth = Requester.noopAuth  # else a .netrc may replace the token
    return session


class Exchange:
    """Stands where PyGithub expects a connection; made for one request.

    `origin` is scheme, host and port: the only place that the request, and so the token, is
    ever sent to. A GET is redirected there and nowhere else, any other verb not at all. The
    server may stay silent for `timeout` seconds, and after `limit` seconds the answer is given
    up: whether a write took effect is then unknown. `verify` names a file of certificates to
    trust; with True it is the environment's `REQUESTS_CA_BUNDLE`, or the public ones.
    """

    def __init__(
        self, session: Session, origin: str, *, verify: str | bool, timeout: float, limit: float
    ) -> None:
        self._session = session
        self._origin = origin
        self._verify = verify
        self._timeout = timeout
        self._until = time.monotonic() + limit
        self._verb = "GET"
        self._url = origin
        self._data: str | None = None
        self._headers: Mapping[str, str] = {}

    def request(
        self,
        verb: str,
        url: str,
        input: str | None,  # noqa: A002 - PyGithub's name
        headers: Mapping[str, str],
        *_: object,
    ) -> None:
        """Takes down what `getresponse` sends."""
        self._verb, self._data, self._headers = verb, input, headers
        self._url = self._origin + url

    def getresponse(self) -> RequestsResponse:
        """Raises one of `failures.CAUGHT`."""
        response = self._answer()
        for _ in range(_HOPS):
            if response.status_code not in _REDIRECTS:
                break
            self._url = self._redirected(response)
            response = self._answer()
        else:
            raise refusal(response, "the server redirects in a circle")
        if response.status_code == 202 and self._verb == "GET":  # PyGithub would ask without end
            raise refusal(response, "the answer is not ready")
        return RequestsResponse(response)

    def _answer(self) -> Response:
        return within(self._until - time.monotonic(), self._send)

    def _send(self) -> Response:
        response = self._session.request(
            self._verb,
            self._url,
            headers=self._headers,
            data=self._data,
            timeout=self._timeout,
            verify=self._verify,  # not the session's: the environment would go before it
            allow_redirects=False,
        )
        response.encoding = "utf-8"  # where the answer does not say so, it would be guessed
        return response

    def _redirected(self, response: Response) -> str:
        target = urljoin(self._url, response.headers.get("location", ""))
        if self._verb != "GET":
            raise refusal(response, "the repository was moved or renamed")
        if _origin(urlsplit(target)) != _origin(urlsplit(self._origin)):
            raise refusal(response, "the server redirects to another one, which gets no token")
        return target


def refusal(response: Response, message: str) -> GithubException:
    """What PyGithub raises for an answer it cannot use."""
    headers = {name.lower(): value for name, value in response.headers.items()}
    return GithubException(response.status_code, {"message": message}, headers)


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    port = parts.port or {"https": 443, "http": 80}.get(parts.scheme)
    return parts.scheme, parts.hostname, port
