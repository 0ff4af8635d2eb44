"""Whole runs where something stands in the way: of git, of the right to write, of the network."""

from __future__ import annotations

import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from pr_review.adapters.actions.log import Log
from pr_review.commands import action
from pr_review.commands.pace import Pace
from pr_review.review.lock import Patience
from tests.commands.pushes import FIRST, NUMBER, SECOND, Story, finds, prompt, repository
from tests.standins.github import Fault, GitHubServer
from tests.standins.github_git import GitRules
from tests.standins.models import ModelServer, Reply, Request
from tests.standins.proxy import proxy
from tests.standins.runner import Ended, Runner, model_inputs
from tests.standins.tls import self_signed

pytestmark = pytest.mark.usefixtures("one_process")

FETCH = r"\.git/info/refs"


def error(ended: Ended) -> str:
    """The one line that says why a run failed."""
    [line] = [line for line in ended.log.split("\n") if line.startswith("::error")]
    assert "Traceback" not in ended.log
    return line


# --- what git cannot read ------------------------------------------------------------------


def refused(github: GitHubServer) -> str:
    github.fault("GET", FETCH, 403, times=99)
    return "error: 403"


def redirected(github: GitHubServer) -> str:
    github.git.moved_to = "https://elsewhere.invalid"
    return "the token would go along"


@pytest.mark.parametrize("fail", [refused, redirected])
def test_what_git_cannot_read_is_read_over_rest(
    fail: Callable[[GitHubServer], str], fresh: Story
) -> None:
    why = fail(fresh.github)
    ended = fresh.review("opened")
    assert (ended.code, fresh.shown(FIRST)) == (10, True), ended.log
    assert ended.report["snapshot"]["source"] == "rest"
    assert ended.report["coverage_source"] == "full"
    [said] = [line for line in ended.log.split("\n") if "GitHub's API is asked for it" in line]
    assert why in said
    [review] = fresh.reviews
    assert [comment["path"] for comment in review.comments] == [FIRST.path]


def test_the_head_that_stands_there_now_is_reviewed(fresh: Story) -> None:
    event = fresh.github.event(NUMBER)
    head = fresh.push(SECOND.file)
    fresh.model.play(finds)
    ended = fresh.runner.run(event)
    assert ended.code == 10, ended.log
    assert ended.report["commits"]["head"] == head
    assert [review.commit_id for review in fresh.reviews] == [head]


def test_a_push_between_two_reads_over_rest_is_noticed_before_anything_is_paid(
    fresh: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused(fresh.github)
    suffers = fresh.github.take_fault

    def push_meanwhile(method: str, path: str) -> Fault | None:
        if path.endswith("/commits"):
            fresh.push(SECOND.file)
        return suffers(method, path)

    monkeypatch.setattr(fresh.github, "take_fault", push_meanwhile)
    ended = fresh.review()
    assert (ended.code, ended.outputs["status"]) == (0, "skipped"), ended.log
    assert "head" in ended.summary
    assert fresh.model.requests == []
    assert fresh.reviews == []


def test_without_a_merge_base_there_is_one_line_and_no_review(fresh: Story) -> None:
    words = "No common ancestor between main and feature."
    fresh.github.fault("GET", "/compare/", 404, {"message": words, "status": "404"}, times=99)
    ended = fresh.review()
    assert (ended.code, ended.outputs["status"]) == (5, "failed")
    assert words in error(ended)
    assert "rebase the branch on its base" in error(ended)
    assert words in ended.summary
    assert fresh.model.requests == []
    assert fresh.reviews == []


# --- what may not be written ---------------------------------------------------------------


def locked(github: GitHubServer) -> str:
    github.api.pulls[NUMBER].locked = True
    return "unlock the conversation"


def archived(github: GitHubServer) -> str:
    github.api.archived = True
    return "archived"


def read_only(github: GitHubServer) -> str:
    rights = {"contents": "read", "pull_requests": "read"}
    github.grant(github.token, github.actor, rights, installation=True)
    return "pull-requests: write"


@pytest.mark.parametrize("command", ["", "/review"])
@pytest.mark.parametrize("bar", [locked, archived, read_only])
def test_what_may_not_be_written_is_known_before_anything_is_paid(
    bar: Callable[[GitHubServer], str], command: str, fresh: Story
) -> None:
    words = bar(fresh.github)
    ended = fresh.command(command) if command else fresh.review("opened")
    assert (ended.code, ended.outputs["status"]) == (7, "failed"), ended.log
    assert words in error(ended)
    assert fresh.model.requests == []
    assert "**Failed**" in ended.summary
    assert words in ended.summary
    assert "No findings" not in ended.summary
    assert ended.report["status"] == "failed"
    assert fresh.reviews == []


def test_a_fork_that_may_not_write_is_skipped_before_anything_is_paid(fresh: Story) -> None:
    fresh.github.api.pulls[NUMBER].head_repository = "stranger/widgets"
    read_only(fresh.github)
    ended = fresh.review("opened")
    assert (ended.code, ended.outputs["status"]) == (0, "skipped"), ended.log
    assert fresh.model.requests == []
    assert "pull_request_target" in ended.summary
    assert fresh.reviews == []


# --- two at once ---------------------------------------------------------------------------


def test_two_runs_that_asked_the_model_at_once_end_with_one_review(
    fresh: Story, tmp_path: Path
) -> None:
    both = Barrier(2)

    def together(request: Request) -> Reply:
        both.wait(timeout=20)
        return finds(request)

    def run(root: Path) -> int:
        inputs = {**fresh.runner.inputs, "fail-on": "never", "verify": "off"}
        runner = Runner(root, fresh.github, inputs)
        environ = runner.environment(fresh.github.event(NUMBER))
        pace = Pace(settle=0.05, lock=Patience(waiting=10, step=0.05))
        return action.start(environ, Log(io.StringIO()), pace)

    fresh.model.play(together)
    with ThreadPoolExecutor(2) as pool:
        codes = list(pool.map(run, (tmp_path / "one", tmp_path / "two")))
    assert codes == [0, 0]
    assert len(fresh.model.requests) == 2
    [review] = fresh.reviews
    assert review.state == "COMMENTED"
    assert [comment["path"] for comment in review.comments] == [FIRST.path]


# --- an enterprise server ------------------------------------------------------------------


def test_an_enterprise_server_below_a_path_with_its_own_authority_behind_a_proxy(
    tmp_path: Path,
) -> None:
    bundle, context = self_signed(tmp_path)
    both = tmp_path / "both.pem"
    both.write_bytes(bundle.read_bytes() + (tmp_path / "key.pem").read_bytes())
    bare = repository(tmp_path / "shop.git")
    rules = GitRules(prefix="/prefix")
    with (
        GitHubServer(bare, tls=context, prefix="/prefix/api/v3", git=rules) as github,
        ModelServer(finds, certificate=both) as model,
        proxy() as way,
    ):
        github.open_pull(NUMBER)
        asked = {**model_inputs(model.url), "agents": "bugs", "verify": "off"}
        inputs = {**asked, "ca-bundle": bundle.read_text()}
        env = {"GITHUB_SERVER_URL": f"{github.url}/prefix", "HTTPS_PROXY": way.url}
        runner = Runner(tmp_path / "job", github, inputs, env)
        ended = runner.run_as_process(github.event(NUMBER))
        [review] = github.reviews(NUMBER)
    assert (ended.code, ended.outputs["status"]) == (0, "reviewed"), ended.log
    assert [comment["path"] for comment in review.comments] == [FIRST.path]
    assert ended.report["snapshot"]["source"] == "git"
    [request] = model.requests
    assert FIRST.quote in prompt(request)
    assert github.calls("POST", r"^/prefix/api/graphql$")
    # all of it went through the proxy, which dug tunnels and saw no secret
    assert {method for method, _, _ in way.seen} == {"CONNECT"}
    hosts = {target for _, target, _ in way.seen}
    assert hosts == {url.removeprefix("https://") for url in (github.url, model.base)}
    assert not any(github.token in str(headers) for _, _, headers in way.seen)
