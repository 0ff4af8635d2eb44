"""Reading pull requests through real PyGithub, on the wire."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from socket import create_server

import pytest

from pr_review.adapters.github import Client, GitHubPullRequests
from pr_review.domain.pull_request import Brief, PullRequest, Repository
from pr_review.errors import (
    ConfigurationError,
    GitHubError,
    PublishError,
    SnapshotError,
    UnreadableFile,
)
from tests.adapters.github_reviews import REPOSITORY
from tests.shared import shared
from tests.standins.github import Account, GitHubServer
from tests.standins.github_sample import BEFORE, NewCommit, bare_repository, sample
from tests.standins.tls import self_signed


@pytest.fixture
def github(bare: Path) -> Iterator[GitHubServer]:
    with GitHubServer(bare) as server:
        server.open_pull(7, title="Fix it", body="Because.", labels=("bug", "ui"))
        yield server


def client(github: GitHubServer, *, token: str = "", max_wait: float = 5.0) -> Client:
    return Client(github.api_url, token or github.token, REPOSITORY, max_wait=max_wait)


def door(github: GitHubServer, *, token: str = "", max_wait: float = 5.0) -> GitHubPullRequests:
    return GitHubPullRequests(client(github, token=token, max_wait=max_wait))


# --- what is read --------------------------------------------------------------------------


def test_pull_request(github: GitHubServer) -> None:
    pull = github.api.pulls[7]

    assert door(github).pull_request(7) == PullRequest(
        repository=REPOSITORY,
        number=7,
        title="Fix it",
        body="Because.",
        author="octocat",
        author_is_bot=False,
        base_ref="main",
        base_sha=pull.base_sha,
        head_ref="feature",
        head_sha=pull.head_sha,
        head_repository=REPOSITORY,
        labels=("bug", "ui"),
        author_association="CONTRIBUTOR",
    )


def test_draft_of_a_bot_from_a_fork(github: GitHubServer) -> None:
    pull = github.open_pull(
        8, author="dependabot[bot]", author_type="Bot", draft=True, fork="someone/widgets"
    )
    pull.state = "closed"

    found = door(github).pull_request(8)

    assert (found.author_is_bot, found.draft, found.closed, found.fork) == (True,) * 4
    assert found.head_repository == Repository("someone", "widgets")


def test_null_fields(github: GitHubServer) -> None:
    github.open_pull(8, author=None, body=None, fork="deleted")

    found = door(github).pull_request(8)

    assert (found.author, found.body, found.head_repository) == ("", "", None)
    assert found.fork


def test_brief_holds_all_pages_of_commit_messages(tmp_path: Path) -> None:
    steps = [
        NewCommit("feature", f"Step {number}", {"f.txt": b"%d\n" % number}, "main" * (not number))
        for number in range(130)
    ]
    bare = bare_repository(tmp_path / "w.git", [NewCommit("main", "Begin", BEFORE), *steps])
    with GitHubServer(bare) as github:
        github.open_pull(7, title="Fix it", body="Because.")
        pull_requests = door(github)

        brief = pull_requests.brief(pull_requests.pull_request(7))

        messages = tuple(f"Step {number}" for number in range(130))
        ids = tuple(
            github.api.repository.git("rev-list", "--reverse", "main..feature").decode().split()
        )
        assert brief == Brief("Fix it", "Because.", messages, ids)
        assert len(github.calls("GET", "/commits$")) == 2


@pytest.mark.parametrize(
    ("permission", "may"),
    [("admin", True), ("maintain", True), ("write", True), ("triage", False), ("read", False)],
)
def test_may_write(github: GitHubServer, permission: str, may: bool) -> None:
    github.permit("hubot", permission)

    assert door(github).may_write("hubot") is may


def test_strangers_may_not_write(github: GitHubServer) -> None:
    assert door(github).may_write("stranger") is False
    assert door(github).may_write("") is False


def test_acknowledge_puts_eyes_on_the_comment(github: GitHubServer) -> None:
    number = github.comment(7, "/review")["id"]

    assert door(github).acknowledge(number) == github.actor.login

    assert github.reactions == [(number, "eyes")]


def test_acknowledge_without_the_right_names_it(github: GitHubServer) -> None:
    number = github.comment(7, "/review")["id"]
    github.grant("weak", Account("hubot"), {"pull_requests": "read"}, installation=True)

    with pytest.raises(PublishError, match="pull-requests: write"):
        door(github, token="weak").acknowledge(number)
    assert len(github.calls("POST")) == 1


def test_base_file_is_read_at_the_branch_not_at_a_tag_of_its_name(github: GitHubServer) -> None:
    github.api.repository.point("refs/tags/main", github.api.pulls[7].head_sha)
    pull_requests = door(github)

    assert pull_requests.base_file("main", "later.txt") == "landed\n"
    assert pull_requests.base_file("main", ".github/pr-review.yml") == "max-comments: 3\n"
    assert pull_requests.base_file("main", "new.py") is None
    assert [call.query for call in github.calls("GET")] == [{"ref": "refs/heads/main"}] * 3
    github.api.repository.git("update-ref", "-d", "refs/tags/main")


def test_base_file_of_a_branch_with_a_slash(github: GitHubServer) -> None:
    head = github.api.pulls[7].head_sha
    github.api.repository.point("refs/heads/release/1.0", head)

    assert door(github).base_file("release/1.0", "new.py") == "a = 1\nb = 2\nc = 3\n"


@pytest.mark.parametrize(
    ("branch", "path", "words"),
    [
        ("main", "logo.png", "logo.png of branch main is not UTF-8 text"),
        ("nowhere", "f.txt", "reading f.txt of branch nowhere .* there is no such branch any more"),
    ],
)
def test_base_file_that_cannot_be_read(
    github: GitHubServer, branch: str, path: str, words: str
) -> None:
    with pytest.raises(GitHubError, match=words):
        door(github).base_file(branch, path)


def test_base_file_over_a_megabyte(tmp_path: Path) -> None:
    files = {"big.yml": b"# x\n" * 300_000}
    bare = bare_repository(tmp_path / "w.git", [NewCommit("main", "Begin", files)])
    with GitHubServer(bare) as github, pytest.raises(UnreadableFile, match="over the 1 MB"):
        door(github).base_file("main", "big.yml")


def test_merge_base_without_the_file_list(github: GitHubServer) -> None:
    pull = github.api.pulls[7]

    found = door(github).merge_base(pull.base_sha, pull.head_sha)

    assert found == github.api.merge_base(pull)
    assert found != pull.base_sha
    (call,) = github.calls("GET", "/compare/")
    assert call.query == {"per_page": "1", "page": "2"}


def test_b13_null_fields(github: GitHubServer) -> None:
    pull = json.loads(shared("cases/b13-null-fields/pull.json").read_text())
    github.fault("GET", "/pulls/7$", 200, pull)

    found = door(github).pull_request(7)

    assert (found.author, found.body, found.head_repository) == ("", "", None)
    assert found.fork
    assert found.head_sha == "a" * 40


NO_MERGE_BASE = r"finding the merge base of .* GitHub finds none.* \(rebase the branch on its base"


def test_unrelated_histories_have_no_merge_base(tmp_path: Path) -> None:
    commits = [NewCommit("main", "Begin", BEFORE), NewCommit("orphan", "Begin anew", BEFORE)]
    with GitHubServer(bare_repository(tmp_path / "w.git", commits)) as github:
        tips = [github.api.repository.resolve(branch) for branch in ("main", "orphan")]

        with pytest.raises(SnapshotError, match=NO_MERGE_BASE):
            door(github).merge_base(str(tips[0]), str(tips[1]))
        assert len(github.requests) == 1


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, {"message": "No common ancestor between main and feature."}),
        (200, {"base_commit": {"sha": "b"}, "status": "diverged"}),
        (200, {"base_commit": {"sha": "b"}, "merge_base_commit": None}),
    ],
)
def test_comparisons_without_a_merge_base(github: GitHubServer, status: int, body: object) -> None:
    github.fault("GET", "/compare/", status, body)

    with pytest.raises(SnapshotError, match=NO_MERGE_BASE) as caught:
        door(github).merge_base("b" * 40, "h" * 40)
    assert len(github.requests) == 1
    assert "ancestor" in str(caught.value) or status == 200


@pytest.mark.parametrize("body", ["<html>Sign in</html>", "", "null", {}, []])
def test_answers_that_are_no_comparison(github: GitHubServer, body: object) -> None:
    github.fault("GET", "/compare/", 200, body, times=9)

    with pytest.raises(GitHubError, match="answer could not be read"):
        door(github, max_wait=0).merge_base("b" * 40, "h" * 40)


def test_a_base_branch_that_is_gone(tmp_path: Path) -> None:
    with GitHubServer(sample(tmp_path / "w.git")) as github:
        github.api.repository.point("refs/heads/old", github.api.repository.resolve("main") or "")
        github.open_pull(7, base="old")
        branch = door(github).pull_request(7).base_ref
        github.api.repository.git("update-ref", "-d", "refs/heads/old")

        with pytest.raises(GitHubError, match=r"no such branch any more \(choose a base branch"):
            door(github).base_file(branch, ".github/pr-review.yml")


@pytest.mark.parametrize(
    "body",
    [
        [{"type": "file", "name": "a"}],
        {"type": "submodule", "size": 0},
        {"type": "symlink", "target": "/etc/passwd", "size": 11},
    ],
)
def test_base_file_that_is_none(github: GitHubServer, body: object) -> None:
    github.fault("GET", "/contents/", 200, body)

    with pytest.raises(GitHubError, match=r"x\.yml is not a file on branch main"):
        door(github).base_file("main", "x.yml")


@pytest.mark.parametrize("status", [403, 500])
def test_base_file_that_is_refused_is_not_missing(github: GitHubServer, status: int) -> None:
    github.fault("GET", "/contents/", status, {"message": "no"}, times=9)

    with pytest.raises(GitHubError):
        door(github, max_wait=0).base_file("main", "f.txt")


def test_custom_authority(bare: Path, tmp_path: Path) -> None:
    bundle, context = self_signed(tmp_path)
    with GitHubServer(bare, tls=context) as github:
        github.open_pull(7)
        trusting = Client(github.api_url, github.token, REPOSITORY, ca_bundle=bundle)
        doubting = Client(github.api_url, github.token, REPOSITORY)

        assert GitHubPullRequests(trusting).pull_request(7).number == 7
        with pytest.raises(GitHubError, match=r"is not trusted \(give .* as ca-bundle\)"):
            GitHubPullRequests(doubting).pull_request(7)


# --- patience ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (502, {}),
        (503, {"Retry-After": "0"}),
        (403, {"Retry-After": "0"}),
        (429, {"Retry-After": "0"}),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}),
    ],
)
def test_reads_are_tried_again(github: GitHubServer, status: int, headers: dict[str, str]) -> None:
    github.fault("GET", "/pulls/7$", status, {"message": "not now"}, headers)

    assert door(github).pull_request(7).number == 7
    assert len(github.calls("GET", "/pulls/7$")) == 2


def test_cut_connections_are_tried_again(github: GitHubServer) -> None:
    github.fault("GET", "/pulls/7$", drop=True)

    assert door(github).pull_request(7).number == 7


@pytest.mark.parametrize(
    ("status", "message", "headers"),
    [
        (403, "You have exceeded a secondary rate limit.", {"Retry-After": "3600"}),
        (403, "You have exceeded a secondary rate limit and have been blocked.", {}),
        (429, "You have exceeded a secondary rate limit.", {}),
        (
            403,
            "API rate limit exceeded for installation ID 1.",
            {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4102444800"},
        ),
        (403, "was submitted too quickly", {}),
    ],
)
def test_long_waits_end_at_once(
    github: GitHubServer, status: int, message: str, headers: dict[str, str]
) -> None:
    github.fault("GET", "/pulls/7$", status, {"message": message}, headers, times=9)
    begun = time.monotonic()

    with pytest.raises(GitHubError, match=r"rate limit is reached \(try again in"):
        door(github).pull_request(7)

    assert time.monotonic() - begun < 2
    assert len(github.calls("GET", "/pulls/7$")) == 1


def test_tries_are_bounded(github: GitHubServer) -> None:
    github.fault("GET", "/pulls/7$", 503, {"message": "down"}, times=99)

    with pytest.raises(GitHubError, match="GitHub answered 503: down"):
        door(github, max_wait=0.6).pull_request(7)
    assert len(github.calls("GET", "/pulls/7$")) == 2


@pytest.mark.parametrize("status", [400, 404, 406, 410])
def test_lasting_answers_are_not_asked_for_again(github: GitHubServer, status: int) -> None:
    github.fault("GET", "/pulls/7$", status, {"message": "no"}, times=9)

    with pytest.raises(GitHubError):
        door(github).pull_request(7)
    assert len(github.calls("GET", "/pulls/7$")) == 1


# --- words ---------------------------------------------------------------------------------


def test_wrong_token(github: GitHubServer) -> None:
    with pytest.raises(GitHubError) as caught:
        door(github, token="ghs_wrong").pull_request(7)

    assert "reading pull request 7 in acme/widgets on 127.0.0.1:" in str(caught.value)
    assert "the token is not valid (401) (check github-token)" in str(caught.value)
    assert "ghs_wrong" not in str(caught.value)


def test_unknown_pull_request(github: GitHubServer) -> None:
    with pytest.raises(GitHubError, match=r"pull request 99 .* not found, or the token may not"):
        door(github).pull_request(99)


def test_unreachable_server() -> None:
    with create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    pull_requests = GitHubPullRequests(
        Client(f"http://127.0.0.1:{port}", "t", REPOSITORY, max_wait=0)
    )

    with pytest.raises(GitHubError, match="cannot be reached"):
        pull_requests.pull_request(7)


def test_silent_server(github: GitHubServer) -> None:
    github.fault("GET", "/pulls/7$", delay=2.0)
    connection = Client(github.api_url, github.token, REPOSITORY, max_wait=0, timeout=1)

    with pytest.raises(GitHubError, match="did not answer in time"):
        GitHubPullRequests(connection).pull_request(7)


@pytest.mark.parametrize(
    "body", ["<html>Sign in</html>", "", "{", "[]", "null", {"message": "x"}, {"user": "x"}, 3]
)
def test_answers_that_are_no_pull_request(github: GitHubServer, body: object) -> None:
    github.fault("GET", "/pulls/7$", 200, body, {"Content-Type": "text/html"}, times=9)

    with pytest.raises(GitHubError, match="answer could not be read"):
        door(github, max_wait=0).pull_request(7)


@pytest.mark.parametrize(
    "body",
    ["<html>Sign in</html>", "", "{", "null", {}, {"message": "x"}, 3, ["x"], [{"commit": 1}]],
)
def test_answers_that_are_no_list_are_not_an_empty_one(github: GitHubServer, body: object) -> None:
    pull_requests = door(github, max_wait=0)
    pull = pull_requests.pull_request(7)
    github.fault("GET", "/commits$", 200, body, {"Content-Type": "text/html"}, times=9)

    with pytest.raises(GitHubError, match="answer could not be read"):
        pull_requests.brief(pull)


def test_token_is_stripped_and_never_told(github: GitHubServer) -> None:
    assert door(github, token=f"{github.token}\n").pull_request(7).number == 7

    for token in ("", " \n", "ghs_SECRET\nmore", "ghs SECRET", "ghs_SECRÉT"):
        with pytest.raises(ConfigurationError) as caught:
            Client(github.api_url, token, REPOSITORY)
        assert "SEC" not in str(caught.value)


@pytest.mark.parametrize("address", ["", "api.github.com", "ftp://x", "http://", "http://x:port"])
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(ConfigurationError, match="no http or https URL"):
        Client(address, "t", REPOSITORY)


def test_messages_stay_on_one_line(github: GitHubServer) -> None:
    github.fault("GET", "/pulls/7$", 400, {"message": "bad\n::error::x\u202e" + "y" * 9000})

    with pytest.raises(GitHubError) as caught:
        door(github).pull_request(7)

    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 800


QUIET = """
import logging, sys
from pr_review.adapters.github import Client, GitHubPullRequests
from pr_review.domain.pull_request import Repository

logging.basicConfig(level=logging.INFO, stream=sys.stderr)
client = Client(sys.argv[1], sys.argv[2], Repository("acme", "widgets"))
print(GitHubPullRequests(client).may_write("old-name"))
"""


def test_the_library_prints_nothing(github: GitHubServer) -> None:
    github.permit("hubot", "write")
    new = f"{github.api_url}/repos/acme/widgets/collaborators/hubot/permission"
    github.fault("GET", "/old-name/", 301, {"message": "Moved Permanently"}, {"Location": new})

    done = subprocess.run(
        [sys.executable, "-c", QUIET, github.api_url, github.token],
        capture_output=True,
        check=True,
        text=True,
    )

    assert (done.stdout, done.stderr) == ("True\n", "")
