"""The API client in bad weather: real PyGithub against a server that misbehaves."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from github.GithubException import GithubException

from pr_review.adapters.github import Client, GitHubPullRequests
from pr_review.adapters.github.failures import CAUGHT, failure, is_doubtful, is_rate_limit
from pr_review.errors import ConfigurationError, GitHubError, PublishError
from tests.adapters.github_reviews import REPOSITORY, VIEWER, login, viewer
from tests.shared import shared
from tests.standins.github import Account, GitHubServer
from tests.standins.proxy import proxy
from tests.standins.tls import self_signed


@pytest.fixture
def github(bare: Path) -> Iterator[GitHubServer]:
    with GitHubServer(bare) as server:
        server.open_pull(7)
        yield server


def client(github: GitHubServer, **options: Any) -> Client:
    return Client(github.api_url, github.token, REPOSITORY, **options)


# --- GraphQL -------------------------------------------------------------------------------


def test_graphql_takes_from_the_data(github: GitHubServer) -> None:
    assert client(github).graphql("asking", VIEWER, {"a": 1}, login) == "github-actions[bot]"
    (call,) = github.calls("POST")
    assert call.json == {"query": VIEWER, "variables": {"a": 1}}


def errors(kind: str, message: str) -> dict[str, Any]:
    return {"data": None, "errors": [{"type": kind, "message": message}]}


@pytest.mark.parametrize(
    ("kind", "message", "status", "words"),
    [
        ("RATE_LIMITED", "API rate limit exceeded", 429, "rate limit is reached"),
        ("FORBIDDEN", "Resource not accessible by integration", 403, "may not do this"),
        ("NOT_FOUND", "Could not resolve to a Repository", 404, "not found"),
        ("UNPROCESSABLE", "no such thing", 422, r"refused it \(422\): no such thing"),
        ("", "Something went wrong while executing your query.", 502, "answered 502: Something"),
    ],
)
def test_graphql_errors_have_the_status_of_rest(
    github: GitHubServer, kind: str, message: str, status: int, words: str
) -> None:
    github.fault("POST", "/graphql$", 200, errors(kind, message), times=9)

    with pytest.raises(GithubException) as caught:
        client(github).mutate(VIEWER, {})
    assert caught.value.status == status
    assert len(github.calls("POST")) == 1

    with pytest.raises(GitHubError, match=words):
        client(github, max_wait=0).graphql("asking", VIEWER, {}, login)


@pytest.mark.parametrize("status", [500, 502, 503])
def test_graphql_is_tried_again_and_mutate_is_not(github: GitHubServer, status: int) -> None:
    github.fault("POST", "/graphql$", status, {"message": "down"}, times=2)

    with pytest.raises(GithubException):
        client(github).mutate(VIEWER, {})
    assert client(github).graphql("asking", VIEWER, {}, login)
    assert len(github.calls("POST")) == 3


@pytest.mark.parametrize(
    "body", ["<html>Sign in</html>", "", "null", {}, [], 3, {"data": None}, {"errors": None}]
)
def test_graphql_answers_that_are_none(github: GitHubServer, body: object) -> None:
    github.fault("POST", "/graphql$", 200, body, times=9)

    with pytest.raises(GitHubError, match=r"could not be read|no reason given"):
        client(github, max_wait=0).graphql("asking", VIEWER, {}, login)
    with pytest.raises(CAUGHT):
        login(client(github).mutate(VIEWER, {}))


# --- bad weather ---------------------------------------------------------------------------

PULL = "/pulls/7$"
ROLE = "/permission$"  # quick to answer, so that time is measured and not work
FAULTS: dict[str, dict[str, Any]] = {
    "500": {"status": 500, "body": {"message": "down"}},
    "502 page": {"status": 502, "body": "<html>Bad gateway</html>"},
    "502 list": {"status": 502, "body": ["odd"]},
    "503 soon": {"status": 503, "headers": {"Retry-After": "0"}},
    "200 page": {"status": 200, "body": "<html>Wait</html>"},
    "200 empty": {"status": 200, "body": ""},
    "200 half": {"status": 200, "body": '{"number": 7,'},
    "200 deep": {"status": 200, "body": "[" * 100_000},
    "202": {"status": 202, "body": {}},
    "odd limit": {"status": 200, "headers": {"X-RateLimit-Reset": "9" * 400}},
    "cut": {"cut": True},
    "drop": {"drop": True},
    "drip": {"drip": 0.05},
    "silent": {"delay": 1.2},
}


def number(client: Client) -> int:
    return client.get("reading", "/pulls/7", lambda pull: int(pull["number"]))


def role(client: Client) -> str:
    path = "/collaborators/hubot/permission"
    return client.get("reading", path, lambda answer: str(answer["permission"]))


def patient(github: GitHubServer, fault: str, **options: Any) -> Client:
    """A client that gives up soon where it has to; elsewhere a slow machine has its time."""
    return client(github, timeout=0.5 if fault in ("silent", "drip") else 10, **options)


def asked(github: GitHubServer) -> int:
    """Requests that met the first fault: the server records those given up later, or never."""
    return 9 - github.faults[0].times


@pytest.mark.parametrize("fault", FAULTS)
def test_reads_outlast_a_fault(github: GitHubServer, fault: str) -> None:
    github.permit("hubot", "write")
    github.fault("GET", ROLE, **FAULTS[fault])

    assert role(patient(github, fault)) == "write"
    assert github.faults[0].times == 0


@pytest.mark.parametrize("fault", FAULTS)
def test_reads_end_in_one_line(github: GitHubServer, fault: str) -> None:
    github.permit("hubot", "write")
    github.fault("GET", ROLE, **FAULTS[fault], times=9)

    with pytest.raises(GitHubError) as caught:
        role(patient(github, fault, max_wait=0))

    assert str(caught.value).startswith("reading in acme/widgets on 127.0.0.1:")
    assert "\n" not in str(caught.value)
    assert asked(github) == 1


@pytest.mark.parametrize("fault", FAULTS)
def test_writes_are_sent_once(github: GitHubServer, fault: str) -> None:
    github.fault("POST", "/reactions$", **FAULTS[fault], times=9)
    comment = github.comment(7, "/review")["id"]

    try:
        patient(github, fault).send(
            "POST", f"/issues/comments/{comment}/reactions", body={"content": "eyes"}
        )
    except CAUGHT as error:
        assert is_doubtful(error)  # noqa: PT017 - some of these answers are no failure
    assert asked(github) == 1


def test_an_answer_that_drips_is_given_up(github: GitHubServer) -> None:
    github.permit("hubot", "write")
    github.fault("GET", ROLE, drip=0.05, times=9)
    begun = time.monotonic()

    with pytest.raises(GitHubError, match="did not answer in time"):
        role(client(github, timeout=0.3, max_wait=0))

    assert 0.5 < time.monotonic() - begun < 2


def test_a_write_whose_answer_drips_is_in_doubt(github: GitHubServer) -> None:
    comment = github.comment(7, "/review")["id"]
    github.fault("POST", "/reactions$", drip=0.05)

    with pytest.raises(CAUGHT) as caught:
        client(github, timeout=0.2).send(
            "POST", f"/issues/comments/{comment}/reactions", body={"content": "eyes"}
        )

    assert is_doubtful(caught.value)
    assert github.reactions == [(comment, "eyes")]


# --- patience ------------------------------------------------------------------------------


def test_waits_of_one_client_are_bounded_together(github: GitHubServer) -> None:
    github.fault("GET", PULL, 503, times=99)
    connection = client(github, patience=0.7)

    for _ in range(3):
        with pytest.raises(GitHubError, match="503"):
            number(connection)

    # half a second was spent on the first read; what is left is no whole wait
    assert len(github.calls("GET", PULL)) == 4


def test_no_wait_goes_past_the_deadline(github: GitHubServer) -> None:
    github.fault("GET", PULL, 503, times=99)

    with pytest.raises(GitHubError, match="503"):
        number(client(github, deadline=time.monotonic() + 0.4))
    assert len(github.calls("GET", PULL)) == 1


def test_no_read_goes_past_the_deadline(github: GitHubServer) -> None:
    github.fault("GET", PULL, drip=0.05, times=9)
    connection = client(github, deadline=time.monotonic() + 0.3)
    begun = time.monotonic()

    with pytest.raises(GitHubError, match="did not answer in time"):
        number(connection)
    assert time.monotonic() - begun < 0.8

    with pytest.raises(GitHubError, match="the time of the run is up"):
        number(connection)
    with pytest.raises(GitHubError, match="the time of the run is up"):
        viewer(connection)
    assert len(github.requests) == 1


def test_a_write_may_go_past_the_deadline(github: GitHubServer) -> None:
    comment = github.comment(7, "/review")["id"]
    connection = client(github, deadline=0.0)

    connection.send("POST", f"/issues/comments/{comment}/reactions", body={"content": "eyes"})
    connection.mutate(VIEWER, {})

    assert github.reactions == [(comment, "eyes")]


def exchanges(case: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(shared(f"cases/{case}/http.json").read_text())
    return [exchange["response"] for exchange in found]


def test_b06_rate_limits_are_never_slept_on_for_long(github: GitHubServer) -> None:
    for response in exchanges("b06-rate-limits"):
        for verb, path in (("GET", PULL), ("POST", "/reviews$")):
            github.fault(verb, path, response["status"], response["body"], response["headers"])
        connection, begun = client(github), time.monotonic()

        with pytest.raises(GitHubError, match=r"rate limit is reached \(try again in "):
            number(connection)
        with pytest.raises(GithubException) as caught:
            connection.send("POST", "/pulls/7/reviews", body={"event": "COMMENT"})

        assert is_rate_limit(caught.value)
        assert not is_doubtful(caught.value)
        assert time.monotonic() - begun < 2
    assert len(github.calls("GET")) == len(github.calls("POST")) == 6


@pytest.mark.parametrize("status", [403, 429])
def test_b06_short_limits_are_waited_for(github: GitHubServer, status: int) -> None:
    github.fault("GET", PULL, status, {"message": "slow down"}, {"Retry-After": "1"})
    begun = time.monotonic()

    assert number(client(github)) == 7
    assert time.monotonic() - begun >= 1


def test_a_list_without_end_ends(github: GitHubServer) -> None:
    link = {"Link": f'<{github.api_url}/repos/acme/widgets/x?page=2>; rel="next"'}
    github.fault("GET", "/x$", 200, [1], link, times=999)

    with pytest.raises(GitHubError, match="more than 100 pages"):
        client(github).pages("listing", "/x", int)


# --- redirects -----------------------------------------------------------------------------


@pytest.fixture
def other(bare: Path) -> Iterator[GitHubServer]:
    with GitHubServer(bare) as server:
        yield server


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_reads_of_a_renamed_repository_go_on_with_their_query(
    github: GitHubServer, status: int
) -> None:
    moved = f"{github.api_url}/repositories/1/pulls/7/commits"
    for page in (1, 2):
        link = {"Link": f'<{moved}?page=2>; rel="next"'} if page == 1 else {}
        target = f"{moved}?per_page=100&page={page}"
        github.fault("GET", "/widgets/pulls/7/commits$", status, {}, {"Location": target})
        github.fault("GET", "/repositories/1/", 200, [page], link)

    assert client(github).pages("listing", "/pulls/7/commits", int) == [1, 2]
    calls = github.calls("GET", "/repositories/1/")
    assert [call.query["page"] for call in calls] == ["1", "2"]


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("place", ["{other}/x", "//{host}/x", "https://127.0.0.1:1/x", "file:///x"])
def test_no_other_server_sees_the_token(
    github: GitHubServer, other: GitHubServer, status: int, place: str
) -> None:
    host = other.url.removeprefix("http://")
    location = place.format(other=other.url, host=host)
    github.fault("GET", PULL, status, {}, {"Location": location}, times=9)

    with pytest.raises(GitHubError, match="another one, which gets no token"):
        number(client(github))

    assert other.requests == []
    assert len(github.requests) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_writes_are_not_redirected(github: GitHubServer, status: int) -> None:
    comment = github.comment(7, "/review")["id"]
    path = f"/repos/acme/widgets/issues/comments/{comment}/reactions"
    github.fault("POST", "/reactions$", status, {}, {"Location": github.api_url + path})
    door = GitHubPullRequests(client(github))

    with pytest.raises(PublishError, match=r"moved or renamed .*the repository's present name"):
        door.acknowledge(comment)
    assert github.reactions == []
    assert len(github.requests) == 1


def test_redirects_in_a_circle_end(github: GitHubServer) -> None:
    here = f"{github.api_url}/repos/acme/widgets/pulls/7"
    github.fault("GET", PULL, 301, {}, {"Location": here}, times=99)

    with pytest.raises(GitHubError, match="redirects in a circle"):
        number(client(github))


# --- proxies, and interruptions ------------------------------------------------------------


def test_a_proxy_passes_requests_on(github: GitHubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with proxy() as between:
        monkeypatch.setenv("HTTP_PROXY", between.url)
        assert number(client(github)) == 7
        assert [target for _, target, _ in between.seen] == [
            f"{github.api_url}/repos/acme/widgets/pulls/7"
        ]

        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        assert number(client(github)) == 7
        assert len(between.seen) == 1


def test_a_proxy_of_a_tunnel_sees_no_token(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle, context = self_signed(tmp_path)
    with proxy() as between, GitHubServer(bare, tls=context) as github:
        github.open_pull(7)
        monkeypatch.setenv("HTTPS_PROXY", between.url)

        assert number(client(github, ca_bundle=bundle)) == 7
        (tunnel,) = between.seen
    assert tunnel[:2] == ("CONNECT", github.url.removeprefix("https://"))
    assert github.token not in str(tunnel)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_refuses_is_named(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with proxy(refusal=407) as between:
        monkeypatch.setenv(f"{scheme.upper()}_PROXY", between.url)
        with pytest.raises(GitHubError, match=r"the proxy .*check HTTPS_PROXY"):
            number(Client(f"{scheme}://127.0.0.1:9", "t", REPOSITORY, max_wait=0))


def test_a_signal_interrupts_a_call(github: GitHubServer) -> None:
    class Cancelled(BaseException):
        pass

    def cancel(*_: object) -> None:
        raise Cancelled

    github.fault("GET", PULL, delay=2.0)
    before = signal.signal(signal.SIGALRM, cancel)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    begun = time.monotonic()
    try:
        with pytest.raises(Cancelled):
            number(client(github))
    finally:
        signal.signal(signal.SIGALRM, before)

    assert time.monotonic() - begun < 1


def test_answers_are_utf8_where_they_do_not_say(github: GitHubServer) -> None:
    github.fault("GET", PULL, 200, '{"title": "na\u00efve"}', {"Content-Type": "text/plain"})

    assert client(github).get("reading", "/pulls/7", lambda pull: pull["title"]) == "naïve"


# --- where, and who ------------------------------------------------------------------------


def test_b19_an_enterprise_server_below_a_path(bare: Path) -> None:
    with GitHubServer(bare, prefix="/code/api/v3") as github:
        github.open_pull(7)
        for address in (github.api_url, f"{github.api_url}/", f" {github.api_url}\n"):
            connection = Client(address, github.token, REPOSITORY)

            assert number(connection) == 7
            assert viewer(connection) == "github-actions[bot]"
    assert {call.path for call in github.calls("POST")} == {"/code/api/graphql"}


def test_b21_a_token_with_a_newline_is_stripped_and_never_told(github: GitHubServer) -> None:
    given = json.loads(shared("cases/b21-secret-with-newline/env.json").read_text())
    token = given[0]["INPUT_GITHUB-TOKEN"]
    github.grant(token.strip(), Account("hubot"))

    assert number(Client(github.api_url, token, REPOSITORY)) == 7
    assert github.requests[0].headers["authorization"] == f"token {token.strip()}"
    for broken in (f"a\n{token}", f"{token.strip()} x", f"{token.strip()}\x00"):
        with pytest.raises(ConfigurationError) as caught:
            Client(github.api_url, broken, REPOSITORY)
        assert "PLACEHOLDER" not in repr(caught.value)


def test_the_environment_does_not_replace_the_token_or_the_authority(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login x password netrc\n")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "strange").mkdir()
    stranger, _ = self_signed(tmp_path / "strange")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(stranger))
    bundle, context = self_signed(tmp_path)
    with GitHubServer(bare, tls=context) as github:
        github.open_pull(7)

        assert number(client(github, ca_bundle=bundle)) == 7
    assert github.requests[0].headers["authorization"] == f"token {github.token}"


def test_a_file_of_certificates_that_is_not_there(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "none.pem"))
    _, context = self_signed(tmp_path)
    with (
        GitHubServer(bare, tls=context) as github,
        pytest.raises(GitHubError, match="check REQUESTS_CA_BUNDLE"),
    ):
        number(client(github, max_wait=0))


# --- rights --------------------------------------------------------------------------------


def test_b05_a_refused_write_names_the_missing_line(github: GitHubServer) -> None:
    for response in exchanges("b05-403-read-only-token"):
        github.fault("POST", "/reviews$", response["status"], response["body"])

        with pytest.raises(GithubException) as caught:
            client(github).send("POST", "/pulls/7/reviews", body={"event": "COMMENT"})

        said = str(failure(PublishError, "posting", caught.value))
        assert "`pull-requests: write`" in said
        assert not is_doubtful(caught.value)
        if response["status"] == 403:
            assert "runs from forks are read-only" in said
    assert len(github.calls("POST")) == 3


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("pull_requests=write", "add `pull-requests: write` to the job's permissions"),
        (
            "contents=write,pull_requests=read; issues=write",
            "add `contents: write` and `pull-requests: read` or `issues: write` to the job's",
        ),
        ("rubbish; ;x=y", "add `contents: read` and `pull-requests: write` to the job's"),
        ("", "add `contents: read` and `pull-requests: write` to the job's"),
    ],
)
def test_the_right_that_is_missing(github: GitHubServer, header: str, words: str) -> None:
    headers = {"X-Accepted-GitHub-Permissions": header}
    refused = {"message": "Resource not accessible by integration"}
    github.fault("GET", PULL, 403, refused, headers)

    with pytest.raises(GitHubError) as caught:
        number(client(github))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Repository was archived so is read-only.", "unarchive"),
        ("Unable to create comment because issue is locked.", "unlock"),
        ("Resource protected by organization SAML enforcement.", "single sign-on"),
        ("the `acme` organization has an IP allow list enabled", "a runner whose address"),
        ("Resource not accessible by personal access token", "give the token the permission"),
    ],
)
def test_refusals_that_no_permission_of_the_job_cures(
    github: GitHubServer, message: str, words: str
) -> None:
    github.fault("GET", PULL, 403, {"message": message})

    with pytest.raises(GitHubError) as caught:
        number(client(github))
    assert words in str(caught.value)
    assert "the job's permissions" not in str(caught.value)
