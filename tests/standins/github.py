"""A GitHub on loopback, on top of a real bare git repository.

    with GitHubServer(bare_repository) as github:
        github.open_pull(7, head="feature")
        ...                                   # point the product at github.api_url
        assert github.reviews(7)[0].body

It serves the API and git over HTTP, refuses what GitHub refuses (`github_rules`), records
every request, plays scripted faults, and checks what passes against GitHub's description:
leaving the block raises if anything broke it.
"""

from __future__ import annotations

import base64
import json
import re
import ssl
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any, ClassVar, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.standins import openapi
from tests.standins.github_api import NOT_FOUND, ROUTES, Api, Call, Limits, add_issue_comment
from tests.standins.github_git import GitRules, Repository, clean_environment
from tests.standins.github_graphql import graphql
from tests.standins.github_rules import Answer, Token
from tests.standins.github_shapes import Account, Json, Pull, Shapes, StoredReview

__all__ = ["Account", "Fault", "GitHubServer", "Limits", "Pull", "Recorded", "StoredReview"]

ACTIONS_BOT = Account("github-actions[bot]", "Bot")
WORKFLOW_RIGHTS = {"contents": "read", "pull_requests": "write", "issues": "write"}
UNAUTHORIZED = Answer(401, {"message": "Bad credentials", "documentation_url": "d"})


@dataclass(frozen=True)
class Recorded:
    """One request as it arrived; `path` is without the API's prefix, `status` what went back."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    json: Any
    status: int


@dataclass
class Fault:
    """What happens to the next `times` calls whose method and path match.

    `after_effect` lets the call do its work first; `drop` cuts the connection instead of
    answering; `delay` waits that many seconds before either. `cut` sends half of the true
    answer under the length of the whole; `drip` sends it byte by byte, so many seconds apart.
    """

    method: str
    path: re.Pattern[str]
    status: int
    body: Any
    headers: Mapping[str, str]
    delay: float
    drop: bool
    after_effect: bool
    cut: bool
    drip: float
    times: int


@dataclass
class GitHubServer:
    """The stand-in. `token` may do what `rights` says; more tokens come with `grant`.

    With `prefix="/api/v3"` it stands like an enterprise server, without like github.com;
    with `tls` it speaks https; without `graphql` it knows REST alone.
    """

    bare: Path
    repository: str = "acme/widgets"
    token: str = "ghs_standin"
    actor: Account = ACTIONS_BOT
    installation: bool = True
    rights: Mapping[str, str] = field(default_factory=lambda: dict(WORKFLOW_RIGHTS))
    prefix: str = ""
    limits: Limits = field(default_factory=Limits)
    tls: ssl.SSLContext | None = None
    git: GitRules = field(default_factory=GitRules)
    graphql: bool = True
    requests: list[Recorded] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = Lock()
        self.over = Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        if self.tls:
            self._http.socket = self.tls.wrap_socket(
                self._http.socket, server_side=True, do_handshake_on_connect=False
            )
        self.url = f"{'https' if self.tls else 'http'}://127.0.0.1:{self._http.server_port}"
        self.api_url = self.url + self.prefix
        shapes = Shapes(self.api_url, self.url, self.repository)
        self.api = Api(Repository(self.bare), shapes, self.limits)
        self.tokens = {self.token: Token(self.actor, self.installation, self.rights)}

    def __enter__(self) -> Self:
        Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.over.set()
        self._http.shutdown()
        self._http.server_close()
        if error is None and self.violations:
            raise AssertionError("GitHub's description was broken:\n" + "\n".join(self.violations))

    # what a test sets up and reads

    def grant(
        self,
        token: str,
        actor: Account,
        rights: Mapping[str, str] | None = None,
        *,
        installation: bool = False,
    ) -> None:
        """Makes another token valid."""
        self.tokens[token] = Token(actor, installation, rights or dict(WORKFLOW_RIGHTS))

    def open_pull(
        self,
        number: int,
        base: str = "main",
        head: str = "feature",
        title: str = "Change a thing",
        body: str | None = "",
        author: str | None = "octocat",
        author_type: str = "User",
        draft: bool = False,
        labels: Sequence[str] = (),
        fork: str | None = None,
    ) -> Pull:
        """Opens a pull request between two branches (or commits) of the bare repository.

        `fork` names the head's repository, `"deleted"` says that it is gone; `author=None`
        is a deleted account.
        """
        git = self.api.repository
        base_sha, head_sha = git.resolve(base), git.resolve(head)
        assert base_sha, f"no such branch: {base}"
        assert head_sha, f"no such branch: {head}"
        git.point(f"refs/pull/{number}/head", head_sha)
        pull = Pull(
            number=number,
            title=title,
            body=body,
            author=Account(author, author_type) if author is not None else None,
            base_ref=base,
            base_sha=base_sha,
            head_ref=head,
            head_sha=head_sha,
            head_repository=None if fork == "deleted" else fork or self.repository,
            draft=draft,
            labels=tuple(labels),
        )
        self.api.pulls[number] = pull
        return pull

    def push(self, number: int, head: str) -> str:
        """Moves a pull request's head to a branch or commit; returns its id."""
        sha = self.api.repository.resolve(head)
        assert sha, f"no such commit: {head}"
        self.api.repository.point(f"refs/pull/{number}/head", sha)
        self.api.pulls[number].head_sha = sha
        return sha

    def comment(self, number: int, body: str, author: str = "octocat") -> Json:
        """Adds an issue comment by somebody; returns it as the API shows it."""
        return add_issue_comment(self.api, self.api.pulls[number], Account(author), body)

    def permit(self, login: str, permission: str) -> None:
        """Makes somebody a collaborator: admin, maintain, write, triage, read or none."""
        self.api.permissions[login] = permission

    def event(self, number: int, action: str = "opened") -> Json:
        """The payload of a `pull_request` event."""
        shapes, pull = self.api.shapes, self.api.pulls[number]
        return {
            "action": action,
            "number": number,
            "pull_request": self.api.pull_json(pull),
            "repository": shapes.repo(self.repository, "full-repository"),
            "sender": shapes.user(pull.author),
        }

    def reviews(self, number: int) -> list[StoredReview]:
        return self.api.pulls[number].reviews

    def add_review(self, number: int, author: Account, body: str, state: str) -> StoredReview:
        """Puts a review there as if it had been posted before."""
        pull = self.api.pulls[number]
        review = StoredReview(next(self.api.ids), author, body, state, pull.head_sha)
        pull.reviews.append(review)
        return review

    def answer_comment(
        self, number: int, comment: Json, body: str, author: str, association: str = "NONE"
    ) -> None:
        """Lets somebody answer an inline comment, which makes a review of their own."""
        account = Account(author, "Bot" if author.endswith("[bot]") else "User")
        review = self.add_review(number, account, "", "COMMENTED")
        sent = {"body": body, "path": comment["path"], "in_reply_to_id": comment["id"]}
        sent["author_association"] = association
        pull = self.api.pulls[number]
        review.comments.append(self.api.shapes.review_comment(pull, review, 0, sent))

    @property
    def reactions(self) -> list[tuple[int, str]]:
        """Reactions in the order they came: comment id and content."""
        return self.api.reactions

    def disable(self, *rules: str) -> None:
        """Takes rules of refusal away, by name."""
        self.api.disabled.update(rules)

    def fault(
        self,
        method: str,
        path: str,
        status: int = 500,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        *,
        delay: float = 0.0,
        drop: bool = False,
        after_effect: bool = False,
        cut: bool = False,
        drip: float = 0.0,
        times: int = 1,
    ) -> None:
        """Queues a `Fault`; `path` is a regular expression that is searched for in the path."""
        fault = Fault(
            method,
            re.compile(path),
            status,
            body,
            headers or {},
            delay,
            drop,
            after_effect,
            cut,
            drip,
            times,
        )
        self.faults.append(fault)

    def calls(self, method: str, path: str = "") -> list[Recorded]:
        """Requests so far with this method whose path matches the regular expression."""
        return [r for r in self.requests if r.method == method and re.search(path, r.path)]

    # what the handler asks

    def take_fault(self, method: str, path: str) -> Fault | None:
        with self._lock:
            for fault in self.faults:
                if fault.method == method and fault.path.search(path) and fault.times:
                    fault.times -= 1
                    return fault
        return None

    def authorized(self, headers: Mapping[str, str]) -> Token | None:
        """Who an `Authorization` header speaks for; None if it does not hold."""
        scheme, _, value = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "basic":
            _, _, value = base64.b64decode(value).decode().partition(":")
        return self.tokens.get(value)

    def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Does one API call under the lock, and checks it against the description."""
        parts = urlsplit(target)
        token = self.authorized(headers)
        if token is None:
            return UNAUTHORIZED
        query = dict(parse_qsl(parts.query))
        graphql_path = self.prefix.removesuffix("/v3") + "/graphql"
        sent = json.loads(body) if body else {}
        url = self.url + parts.path
        if (method, parts.path) == ("POST", graphql_path):
            if not self.graphql:
                return NOT_FOUND
            with self._lock:
                return graphql(self.api, Call(method, query, headers, sent, token, {}, url))
        path = parts.path.removeprefix(self.prefix)
        for verb, template, pattern, endpoint in ROUTES:
            match = pattern.fullmatch(path) if verb == method else None
            if match and parts.path.startswith(self.prefix):
                names = {key: unquote(value) for key, value in match.groupdict().items()}
                call = Call(method, query, headers, sent, token, names, url)
                return self._checked(template, call, body, endpoint)
        return NOT_FOUND

    def _checked(self, template: str, call: Call, body: bytes, endpoint: Any) -> Answer:
        owner_and_name = f"{call.names.get('owner', '')}/{call.names.get('repo', '')}"
        if "owner" in call.names and owner_and_name != self.repository:
            return NOT_FOUND
        with self._lock:
            answer: Answer = endpoint(self.api, call)
        if isinstance(answer.body, str):
            return answer  # a diff: the description knows JSON alone
        sent_back = json.dumps(answer.body).encode()
        self.violations += openapi.violations(
            call.method, template, call.names, call.query, body, answer.status, sent_back
        )
        return answer


def _handler(server: GitHubServer) -> type[_Handler]:
    class Bound(_Handler):
        github = server

    return Bound


class _Handler(BaseHTTPRequestHandler):
    """One connection. Reads the request, lets the server or git answer, writes it back."""

    github: ClassVar[GitHubServer]
    protocol_version = "HTTP/1.1"
    timeout = 30
    disable_nagle_algorithm = True  # else each answer waits 40 ms for a delayed ACK

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Says nothing: `requests` holds what came in."""

    def do_GET(self) -> None:
        self._serve()

    do_POST = do_PUT = do_DELETE = do_PATCH = do_GET  # noqa: N815

    def _serve(self) -> None:
        body = self._read()
        headers = {key.lower(): value for key, value in self.headers.items()}
        path = urlsplit(self.path).path
        root = f"{self.github.git.prefix}/{self.github.repository}.git"
        if path.startswith(f"{root}/"):
            self._git(path.removeprefix(root), headers, body)
            return
        short = path.removeprefix(self.github.prefix)
        fault = self.github.take_fault(self.command, short)
        if fault is None:
            answer = self.github.answer(self.command, self.path, headers, body)
        else:
            answer = self._suffer(fault, headers, body)
        self._record(short, headers, body, answer.status)
        if fault is not None and fault.drop:
            self.close_connection = True
            return
        self._send(answer, fault)

    def _suffer(self, fault: Fault, headers: Mapping[str, str], body: bytes) -> Answer:
        answer = Answer(fault.status, fault.body, fault.headers)
        if fault.cut or fault.drip:
            answer = self.github.answer(self.command, self.path, headers, body)
        elif fault.after_effect:
            self.github.answer(self.command, self.path, headers, body)
        time.sleep(fault.delay)
        return answer

    def _record(self, path: str, headers: Mapping[str, str], body: bytes, status: int) -> None:
        query = dict(parse_qsl(urlsplit(self.path).query))
        sent = json.loads(body) if body and headers.get("content-encoding") is None else None
        self.github.requests.append(Recorded(self.command, path, query, headers, sent, status))

    def _read(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            return b"".join(iter(self._chunk, b""))
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _chunk(self) -> bytes:
        data = self.rfile.read(int(self.rfile.readline().split(b";")[0], 16))
        self.rfile.readline()
        return data

    def _send(self, answer: Answer, fault: Fault | None = None) -> None:
        text = isinstance(answer.body, str)
        data = answer.body.encode() if text else json.dumps(answer.body).encode()
        headers = {
            "Content-Type": "text/html" if text else "application/json; charset=utf-8",
            **(answer.headers or {}),
        }
        self._write(answer.status, headers, data, fault)

    def _write(
        self, status: int, headers: Mapping[str, str], data: bytes, fault: Fault | None = None
    ) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        try:
            self._pour(data, fault)
        except OSError:
            self.close_connection = True  # the client has given up, as some tests make it do

    def _pour(self, data: bytes, fault: Fault | None) -> None:
        if fault is not None and fault.cut:
            self.wfile.write(data[: len(data) // 2])
            self.close_connection = True
        elif fault is not None and fault.drip:
            for byte in data:
                self.wfile.write(bytes([byte]))
                if self.github.over.wait(fault.drip):
                    self.close_connection = True
                    break
        else:
            self.wfile.write(data)

    def _git(self, path: str, headers: Mapping[str, str], body: bytes) -> None:
        fault = self.github.take_fault(self.command, f"/{self.github.repository}.git{path}")
        answer = self._suffer(fault, headers, b"") if fault else self._refused(headers)
        status = answer.status if answer is not None else 200
        self._record_git(path, headers, status)
        if fault is not None and fault.drop:
            self.close_connection = True
        elif answer is not None:
            self._send(answer)
        else:
            self._backend(path, headers, body)

    def _record_git(self, path: str, headers: Mapping[str, str], status: int) -> None:
        whole = f"/{self.github.repository}.git{path}"
        self.github.requests.append(Recorded(self.command, whole, {}, headers, None, status))

    def _refused(self, headers: Mapping[str, str]) -> Answer | None:
        """What is answered in git's place, to a client without rights among others."""
        if self.github.git.moved_to:
            return Answer(301, "", {"Location": self.github.git.moved_to + self.path})
        if self.github.authorized(headers) is None:
            return Answer(401, "", {"WWW-Authenticate": 'Basic realm="GitHub"'})
        return None

    def _backend(self, path: str, headers: Mapping[str, str], body: bytes) -> None:
        environment = self._cgi(path, headers)
        done = subprocess.run(
            ["git", "http-backend"], input=body, capture_output=True, check=False, env=environment
        )  # it fails where it refuses, and says so in its answer
        head, _, data = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        status = int(fields.pop("Status", "200 OK").split()[0])
        self._write(status, fields, data)

    def _cgi(self, path: str, headers: Mapping[str, str]) -> dict[str, str]:
        """The environment of `git http-backend`."""
        bare = self.github.bare.resolve()
        return {
            **clean_environment(),
            **self.github.git.environment(headers.get("git-protocol", "")),
            "GIT_PROJECT_ROOT": str(bare.parent),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": f"/{bare.name}{path}",
            "QUERY_STRING": urlsplit(self.path).query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": headers.get("content-type", ""),
            "HTTP_CONTENT_ENCODING": headers.get("content-encoding", ""),
            "REMOTE_ADDR": "127.0.0.1",
        }
