"""The built image on GitHub as it really is: forks, comments, re-runs, Enterprise, few rights, and
the end that a runner puts to a run."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.demo_sample import FINDING, NUMBER, build
from tests.image.container import Container, client
from tests.standins.github import GitHubServer
from tests.standins.models import ModelServer, Reply, answer
from tests.standins.runner import model_inputs
from tests.standins.tls import self_signed

pytestmark = pytest.mark.image

CREDENTIAL = "A credential is added"  # what the checks find in the sample


def read_only(github: GitHubServer) -> None:
    rights = {"contents": "read", "pull_requests": "read"}
    github.grant(github.token, github.actor, rights, installation=True)


def test_a_fork_without_secrets_is_skipped_with_advice(
    container: Container, github: GitHubServer
) -> None:
    github.open_pull(NUMBER, fork="stranger/shop")
    read_only(github)
    inputs = {"model": "anthropic/claude-sonnet-4-5", "api-key": ""}
    used = {"GITHUB_ACTION_REPOSITORY": "acme/pr-review", "GITHUB_ACTION_REF": "v1"}
    ended = container.run(github.event(NUMBER), inputs, used)
    assert (ended.code, ended.outputs["status"]) == (0, "skipped"), ended.log
    assert "no secrets" in ended.summary
    assert "pull_request_target:" in ended.summary
    assert "- uses: acme/pr-review@v1" in ended.summary
    assert "api-key: ${{ secrets.ANTHROPIC_API_KEY }}" in ended.summary
    assert github.calls("GET", r"\.git/") == github.calls("POST") == []


def test_a_comment_by_a_writer_asks_for_a_review(
    container: Container, github: GitHubServer
) -> None:
    github.permit("octocat", "write")
    comment = github.comment(NUMBER, "/review")
    event = {
        "action": "created",
        "issue": {"number": NUMBER, "state": "open", "pull_request": {"url": "x"}},
        "comment": comment,
        "repository": github.event(NUMBER)["repository"],
    }
    with ModelServer(answer([FINDING])) as server:
        ended = container.run(event, model_inputs(server.url), name="issue_comment")
        assert len(server.requests) == 5
    assert (ended.code, ended.outputs["status"]) == (0, "reviewed"), ended.log
    assert github.reactions == [(comment["id"], "eyes")]
    [review] = github.reviews(NUMBER)
    assert review.state == "COMMENTED"
    assert ("shop/rates.py", 25) in {(c["path"], c["line"]) for c in review.comments}


def test_a_run_again_on_the_same_head_edits_its_review(
    container: Container, github: GitHubServer
) -> None:
    ran = []
    with ModelServer(answer([FINDING])) as server:
        for _ in range(2):
            ran.append(container.run(github.event(NUMBER), model_inputs(server.url)))
            assert ran[-1].code == 0, ran[-1].log
        assert len(server.requests) == 10
    [review] = github.reviews(NUMBER)
    assert review.state == "COMMENTED"
    first, second = (ended.outputs["review-url"] for ended in ran)
    assert first == second
    assert len(github.calls("PUT", rf"/reviews/{review.id}$")) == 1


def test_an_enterprise_server_with_an_authority_of_its_own(image: str, tmp_path: Path) -> None:
    """API, git and the model's gateway speak TLS below a prefix; `ca-bundle` alone opens them."""
    bundle, context = self_signed(tmp_path)
    pem = bundle.read_text(encoding="utf-8")
    both = tmp_path / "both.pem"
    both.write_text(pem + (tmp_path / "key.pem").read_text(encoding="utf-8"), encoding="utf-8")
    bare = build(tmp_path / "shop.git")
    with (
        GitHubServer(bare, repository="acme/shop", prefix="/api/v3", tls=context) as github,
        ModelServer(answer([FINDING]), certificate=both) as server,
    ):
        github.open_pull(NUMBER)
        container = Container(image, github, tmp_path)
        inputs = model_inputs(server.url)
        refused = container.run(github.event(NUMBER), inputs)
        assert refused.code == 4
        assert "ca-bundle" in refused.log
        assert (github.requests, server.requests) == ([], [])
        ended = container.run(github.event(NUMBER), {**inputs, "ca-bundle": pem})
        assert (ended.code, ended.outputs["status"]) == (0, "reviewed"), ended.log
        assert len(server.requests) == 5
        [review] = github.reviews(NUMBER)
        assert review.state == "COMMENTED"
        assert ended.outputs["review-url"].startswith(f"{github.url}/acme/shop/pull/{NUMBER}")
        assert {call.status for call in github.calls("POST", r"\.git/git-upload-pack$")} == {200}


def test_a_token_that_cannot_write_fails_and_the_findings_reach_a_reader(
    container: Container, github: GitHubServer
) -> None:
    read_only(github)
    ended = container.run(github.event(NUMBER), {"model": "none"})
    assert (ended.code, ended.outputs["status"]) == (7, "failed")
    assert "pull-requests: write" in ended.log
    assert "Traceback" not in ended.log
    assert CREDENTIAL in ended.summary
    assert github.reviews(NUMBER) == []


def test_a_token_that_cannot_write_costs_nothing(
    container: Container, github: GitHubServer
) -> None:
    read_only(github)
    with ModelServer(answer([FINDING])) as server:
        ended = container.run(github.event(NUMBER), model_inputs(server.url))
        assert server.requests == []
    assert (ended.code, ended.outputs["status"]) == (7, "failed")
    assert "pull-requests: write" in ended.log + ended.summary
    assert github.reviews(NUMBER) == []


def wait_for(done: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not done():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_cancelled_job_ends_while_the_model_is_asked(
    number: int, container: Container, github: GitHubServer
) -> None:
    with ModelServer(Reply(hang=True)) as server:
        process = container.start(github.event(NUMBER), model_inputs(server.url))
        wait_for(lambda: server.requests or process.poll() is not None)
        os.kill(client(process), number)
        ended = container.ended(process)
    assert (ended.code, ended.outputs["status"]) == (143, "failed"), ended.log
    assert "the run was cancelled" in ended.summary
    assert "Traceback" not in ended.log
    assert github.reviews(NUMBER) == []


def test_a_cancelled_job_leaves_no_pending_review(
    container: Container, github: GitHubServer
) -> None:
    """The signal comes when the pending review is there, and its submission gets no answer."""
    github.fault("POST", r"/events$", 502, delay=30)
    process = container.start(github.event(NUMBER), {"model": "none"})
    wait_for(lambda: not github.faults[0].times or process.poll() is not None)
    assert [review.state for review in github.reviews(NUMBER)] == ["PENDING"]
    os.kill(client(process), signal.SIGTERM)
    ended = container.ended(process)
    assert (ended.code, ended.outputs["status"]) == (143, "failed"), ended.log
    assert "the run was cancelled" in ended.summary
    assert github.reviews(NUMBER) == []
