"""The built image, run as a runner runs it: real podman, the stand-ins on the host's loopback."""

from __future__ import annotations

import pytest

from pr_review.adapters.llm.process import NOBODY
from tests.demo_sample import FINDING, NUMBER
from tests.image.container import CHILD, Container, Process, processes_beside_the_child
from tests.standins.github import GitHubServer
from tests.standins.models import ModelServer, Reply, Request, answer
from tests.standins.runner import PLANTED_KEY, model_inputs

pytestmark = pytest.mark.image

RUNTIME_TOKEN = "runtime-token"  # what the runner's stand-in sets as ACTIONS_RUNTIME_TOKEN


def test_a_pull_request_is_reviewed_by_a_model(container: Container, github: GitHubServer) -> None:
    def script(request: Request) -> Reply:
        mine = "# Your task: Bugs" in str(request.messages[-1]["content"])
        return answer([FINDING] if mine else [], usage=(4_000, 50))

    with ModelServer(script) as server:
        ended = container.run(github.event(NUMBER), model_inputs(server.url))
        keys = {request.headers["authorization"] for request in server.requests}
    assert ended.code == 0, ended.log
    assert keys == {f"Bearer {PLANTED_KEY}"}
    [review] = github.reviews(NUMBER)
    assert review.state == "COMMENTED"
    assert ("shop/rates.py", 25) in {(c["path"], c["line"]) for c in review.comments}
    assert "web/package-lock.json" in review.body
    assert "web/package-lock.json" in ended.summary
    assert ended.outputs["status"] == "reviewed"
    assert ended.outputs["agents-failed"] == ""
    assert ended.outputs["review-url"].endswith(str(review.id))
    assert ended.outputs["cost-usd"] == "0.022500"  # five answers of 4,000 tokens in and 50 out
    assert "runs as the same user" not in review.body


def test_checks_alone_need_no_model(container: Container, github: GitHubServer) -> None:
    ended = container.run(github.event(NUMBER), {"model": "none"})
    assert ended.code == 0, ended.log
    [review] = github.reviews(NUMBER)
    assert "no model was asked" in review.body.split("\n")[0]
    assert ended.outputs["status"] == "reviewed"
    assert ended.outputs["highest-severity"] == "high"


def test_a_root_file_system_that_cannot_be_written_will_do(
    container: Container, github: GitHubServer
) -> None:
    with ModelServer(answer([FINDING])) as server:
        ended = container.run(
            github.event(NUMBER), model_inputs(server.url), options=["--read-only"]
        )
        assert len(server.requests) == 5
    assert (ended.code, ended.outputs["status"]) == (0, "reviewed"), ended.log
    [review] = github.reviews(NUMBER)
    assert "runs as the same user" not in review.body


def test_the_model_process_holds_no_token(container: Container, github: GitHubServer) -> None:
    """Seen from the host, as root, while an answer is awaited."""
    seen: list[tuple[Process, ...]] = []

    def script(_request: Request) -> Reply:
        seen.append(processes_beside_the_child())
        return answer()

    with ModelServer(script) as server:
        ended = container.run(
            github.event(NUMBER), model_inputs(server.url), {"GITHUB_TOKEN": github.token}
        )
    assert ended.code == 0, ended.log
    assert len(seen) == 5
    for processes in seen:
        assert len(processes) >= 2  # the action's own process and the child at least
        for process in processes:
            assert process.environment
            assert github.token.encode() not in process.environment + process.arguments
            assert RUNTIME_TOKEN.encode() not in process.environment + process.arguments
        [child] = [process for process in processes if CHILD in process.arguments]
        assert child.uids == {NOBODY}
        assert child.groups + child.files == ()
        assert b"LITELLM_MODE=PRODUCTION" in child.environment.split(b"\0")


def test_a_dotenv_of_the_checkout_is_not_read(container: Container, github: GitHubServer) -> None:
    """The OpenAI client sends the organization that stands in its environment."""
    text = "OPENAI_ORG_ID=org-from-dotenv\nOPENAI_API_BASE=http://127.0.0.1:9/v1\n"
    (container.workspace / ".env").write_text(text, encoding="utf-8")
    with ModelServer(answer()) as server:
        ended = container.run(
            github.event(NUMBER), model_inputs(server.url), {"OPENAI_ORG_ID": "org-of-step"}
        )
        said = {request.headers["openai-organization"] for request in server.requests}
        assert ended.code == 0, ended.log
        assert said == {"org-of-step"}
        server.play(answer())
        ended = container.run(github.event(NUMBER), model_inputs(server.url))
        headers = [request.headers for request in server.requests]
    assert ended.code == 0, ended.log
    assert len(headers) == 5
    assert all("openai-organization" not in sent for sent in headers)


def test_no_module_of_the_checkout_is_imported(container: Container, github: GitHubServer) -> None:
    for name in ("jinja2", "github", "litellm", "sitecustomize", "usercustomize", "json"):
        text = f"raise SystemExit('{name} of the checkout was imported')\n"
        (container.workspace / f"{name}.py").write_text(text, encoding="utf-8")
    with ModelServer(answer()) as server:
        ended = container.run(github.event(NUMBER), model_inputs(server.url))
    assert ended.code == 0, ended.log
    assert "of the checkout was imported" not in ended.log


def test_a_token_that_a_checkout_left_is_warned_of(
    container: Container, github: GitHubServer
) -> None:
    config = '[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic c2VjcmV0\n'
    (container.workspace / ".git").mkdir()
    (container.workspace / ".git" / "config").write_text(config, encoding="utf-8")
    ended = container.run(github.event(NUMBER), {"model": "none"})
    assert ended.code == 0, ended.log
    [review] = github.reviews(NUMBER)
    assert "persist-credentials: false" in ended.log
    assert "persist-credentials: false" in review.body
    assert "c2VjcmV0" not in ended.log + review.body


def test_a_missing_model_is_one_clear_line(container: Container, github: GitHubServer) -> None:
    ended = container.run(github.event(NUMBER), {})
    assert ended.code == 2
    [line] = [line for line in ended.log.split("\n") if line.startswith("::error")]
    assert "model is not set" in line
    assert "Traceback" not in ended.log
    assert github.reviews(NUMBER) == []
    assert ended.outputs["status"] == "failed"


def test_the_scanner_finds_its_compiled_rules(container: Container) -> None:
    """Compiling them anew takes seconds, in a folder where they cannot be kept."""
    code = "from kingfisher_sdk import Rules; print(Rules().cache_status)"
    assert container.python("-c", code) == "loaded\n"
