"""Whole runs of the action against the stand-ins of GitHub and of a model."""

from __future__ import annotations

import json
import re
import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pr_review.report.json_report import schema
from tests.demo_sample import FINDING, NUMBER, TITLE, credential
from tests.snapshot.repository import snapshot
from tests.standins.github import Account, GitHubServer
from tests.standins.github_sample import NewCommit, bare_repository
from tests.standins.models import ModelServer, Reply, Request, answer, server_error
from tests.standins.runner import PLANTED_KEY, Ended, Runner, model_inputs

pytestmark = pytest.mark.usefixtures("one_process")

# the agents are off by a line; what they quote stands on line 25
RACE = {**FINDING, "start_line": 26, "end_line": 26}


def with_model(runner: Runner, server: ModelServer) -> Runner:
    runner.inputs |= model_inputs(server.url)
    return runner


def is_for(request: Request, agent: str) -> bool:
    """Whether a prompt is this agent's: its task comes last and begins with its title."""
    return f"# Your task: {agent}" in str(request.messages[-1]["content"])


def test_checks_alone(runner: Runner, github: GitHubServer) -> None:
    ended = runner.run(github.event(NUMBER))
    assert ended.code == 0, ended.log
    [review] = github.reviews(NUMBER)
    assert review.state == "COMMENTED"
    assert review.body.startswith("**1 finding (1 high) by the checks**; no model was asked")
    [comment] = review.comments
    assert (comment["path"], comment["line"], comment["side"]) == ("shop/rates.py", 9, "RIGHT")
    assert ended.outputs["status"] == "reviewed"
    assert ended.outputs["coverage"] == "partial"
    assert ended.outputs["coverage-source"] == "full"
    assert ended.outputs["highest-severity"] == "high"
    assert ended.outputs["review-url"].endswith(str(review.id))
    assert "web/package-lock.json" in ended.summary
    jsonschema.validate(ended.report, schema())
    assert ended.report["snapshot"]["digest"] == ended.outputs["digest"]


def test_the_digest_can_be_rebuilt_from_the_commits(
    runner: Runner, github: GitHubServer, tmp_path: Path
) -> None:
    ended = runner.run(github.event(NUMBER))
    rebuilt = snapshot(github.bare, tmp_path / "told.json", base="main", head="feature")
    assert rebuilt["digest"] == ended.outputs["digest"]
    assert rebuilt["text"] == ended.report["snapshot"]["text"]


def test_agents_review_and_their_findings_are_posted(runner: Runner, github: GitHubServer) -> None:
    def script(request: Request) -> Reply:
        said = [RACE] if is_for(request, "Bugs") or is_for(request, "Architecture") else []
        return answer(said, usage=(4_000, 50))

    runner.inputs["report-html"] = "true"
    with ModelServer(script) as server:
        ended = with_model(runner, server).run(github.event(NUMBER))
        requests = server.requests
    assert ended.code == 0, ended.log
    [review] = github.reviews(NUMBER)
    assert review.body.startswith("**2 findings (1 high, 1 medium).**")
    places = {(c["path"], c["line"]) for c in review.comments}
    # the agents said 26; what they quoted stands on line 25
    assert places == {("shop/rates.py", 9), ("shop/rates.py", 25)}
    assert "bugs" in review.body
    assert "architecture" in review.body
    assert len(requests) == 5
    assert float(ended.outputs["cost-usd"]) == pytest.approx(5 * (4_000 + 500) / 1e6)
    quoted = ended.report["quote"]
    assert quoted["usd"] >= float(ended.outputs["cost-usd"])
    assert ended.log.index("quote: at most $") < ended.log.index("reviewed:")
    _nothing_leaked(requests, ended.log, github)
    page = _page(ended, runner)
    assert f"<h1>Review of {github.repository}#{NUMBER}</h1>" in page
    assert '<p class="verdict">2 findings (1 high, 1 medium).</p>' in page
    assert f'href="{ended.outputs["review-url"]}"' in page
    assert re.search(r'id="(f\d+-25)".*?<article class="card medium" id="n2"', page, re.DOTALL)


def _page(ended: Ended, runner: Runner) -> str:
    """The page that a run left where later steps look for it."""
    path = Path(ended.outputs["html"])
    assert path == runner.root / "temp" / "pr-review.html"
    text = path.read_text("utf-8")
    assert credential() not in text
    assert PLANTED_KEY not in text
    return text


def _nothing_leaked(requests: list[Request], log: str, github: GitHubServer) -> None:
    """Neither the planted credential nor a token reaches the model; no key reaches GitHub."""
    sent = json.dumps([[r.json, dict(r.headers)] for r in requests])
    assert credential() not in sent
    assert github.token not in sent
    assert "[REDACTED:" in sent
    assert not any(PLANTED_KEY in json.dumps(call.json) for call in github.requests)
    assert PLANTED_KEY not in "\n".join(
        x for x in log.split("\n") if not x.startswith("::add-mask::")
    )
    prefixes = {str(r.messages[-1]["content"]).split("# Your task:")[0] for r in requests}
    assert len(prefixes) == 1


def test_no_process_shows_the_token_while_the_model_is_asked(
    runner: Runner, github: GitHubServer
) -> None:
    # of this test alone: other tests run at the same time
    token, key = f"ghs_{secrets.token_hex(16)}", f"sk-{secrets.token_hex(16)}"
    github.grant(token, github.actor, installation=True)
    seen: list[str] = []

    def script(request: Request) -> Reply:
        seen.extend(_environments_and_arguments())
        return answer()

    with ModelServer(script) as server:
        with_model(runner, server).inputs |= {"github-token": token, "api-key": key}
        ended = runner.run_as_process(github.event(NUMBER))
        authorized = {request.headers["authorization"] for request in server.requests}
    assert ended.code == 0, ended.log
    assert ended.outputs["status"] == "reviewed"
    jsonschema.validate(ended.report, schema())
    assert authorized == {f"Bearer {key}"}
    assert any("pr_review" in text or "pr-review" in text for text in seen)
    assert not [text[:80] for text in seen if token in text or key in text]


def _environments_and_arguments() -> Iterator[str]:
    for name in ("environ", "cmdline"):
        for path in Path("/proc").glob(f"[0-9]*/{name}"):
            try:
                yield path.read_bytes().decode("utf-8", "replace")
            except OSError:
                continue


def test_one_failed_agent_does_not_sink_the_review(runner: Runner, github: GitHubServer) -> None:
    def script(request: Request) -> Reply:
        return server_error() if is_for(request, "Security") else answer()

    runner.inputs |= {"fail-on-partial": "source", "checks": "none", "run-deadline": "40"}
    with ModelServer(script) as server:
        ended = with_model(runner, server).run(github.event(NUMBER))
    assert ended.code == 11, ended.log
    [review] = github.reviews(NUMBER)
    assert review.body.startswith("**No findings in the source that the model received**")
    assert "`security`" in review.body.split("\n", 1)[0]
    assert ended.outputs["agents-failed"] == "security"
    assert ended.outputs["coverage-source"] == "partial"


def test_all_agents_failing_fails_the_run_and_posts_nothing(
    runner: Runner, github: GitHubServer
) -> None:
    runner.inputs["report-html"] = "true"
    with ModelServer(server_error("the planted reason")) as server:
        ended = with_model(runner, server).run(github.event(NUMBER))
    assert ended.code == 6
    page = _page(ended, runner)
    assert '<p class="verdict">Failed: all agents failed. This is not a review.</p>' in page
    assert "the planted reason" in page
    assert "A credential is added" in page, "what the checks found is known"
    assert github.reviews(NUMBER) == []
    assert ended.outputs["status"] == "failed"
    assert "No findings" not in ended.summary
    [error] = [line for line in ended.log.split("\n") if line.startswith("::error")]
    assert "all 5 agents failed" in error


def test_a_run_again_on_the_same_head_edits_its_review(
    runner: Runner, github: GitHubServer
) -> None:
    first = runner.run(github.event(NUMBER))
    again = runner.run(github.event(NUMBER))
    assert again.code == 0, again.log
    assert len(github.reviews(NUMBER)) == 1
    assert again.outputs["review-url"] == first.outputs["review-url"]
    assert len(github.calls("PUT")) == 1


def test_a_comment_of_a_writer_starts_a_review_and_is_answered(
    runner: Runner, github: GitHubServer
) -> None:
    github.permit("octocat", "write")
    ended = runner.run(_comment_event(github, "octocat"), "issue_comment")
    assert ended.outputs["status"] == "reviewed", ended.log
    assert [content for _, content in github.reactions] == ["eyes"]
    assert len(github.reviews(NUMBER)) == 1


def test_a_comment_of_a_stranger_is_skipped(runner: Runner, github: GitHubServer) -> None:
    github.permit("stranger", "read")
    ended = runner.run(_comment_event(github, "stranger"), "issue_comment")
    assert (ended.code, ended.outputs["status"]) == (0, "skipped")
    assert "write access" in ended.summary
    assert github.reactions == []
    assert github.reviews(NUMBER) == []


def _comment_event(github: GitHubServer, author: str) -> dict[str, Any]:
    comment = github.comment(NUMBER, "/review", author)
    issue = {"number": NUMBER, "state": "open", "pull_request": {"url": "x"}}
    repository = github.event(NUMBER)["repository"]
    return {"action": "created", "issue": issue, "comment": comment, "repository": repository}


def test_a_dispatched_number_is_reviewed(runner: Runner, github: GitHubServer) -> None:
    event = {
        "inputs": {"pull-request": f"#{NUMBER}"},
        "repository": github.event(NUMBER)["repository"],
    }
    assert runner.run(event, "workflow_dispatch").outputs["status"] == "reviewed"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"draft": True}, "draft"),
        ({"author": "dependabot[bot]", "author_type": "Bot"}, "bot"),
        ({"labels": ("wip",)}, "label wip"),
    ],
)
def test_pull_requests_that_are_not_ours_are_skipped(
    change: dict[str, Any], words: str, runner: Runner, github: GitHubServer
) -> None:
    github.open_pull(NUMBER, **change)
    runner.inputs |= {"skip-labels": "wip", "report-html": "true"}
    ended = runner.run(github.event(NUMBER))
    assert (ended.code, ended.outputs["status"]) == (0, "skipped")
    assert ended.outputs["html"] == "", "nothing was read that a page could show"
    assert words in ended.summary
    assert github.reviews(NUMBER) == []
    assert github.calls("GET", r"\.git/") == []


def test_the_file_at_the_base_decides_and_inputs_win(
    runner: Runner, github: GitHubServer, tmp_path: Path
) -> None:
    settings = ".github/pr-review.yml"
    planted = f"a = '{credential()}'\n".encode()
    bare = bare_repository(
        tmp_path / "file.git",
        [
            NewCommit("main", "Begin", {settings: b"drafts: true\nfail-on: high\n", "a.py": b"\n"}),
            # what the change itself says of the settings does not count
            NewCommit(
                "feature", "Change", {settings: b"drafts: false\n", "a.py": planted}, start="main"
            ),
        ],
    )
    with GitHubServer(bare) as server:
        server.open_pull(1, draft=True)
        job = Runner(tmp_path / "job2", server, {"model": "none"})
        assert job.run(server.event(1)).code == 10
        job.inputs["fail-on"] = "critical"
        assert job.run(server.event(1)).code == 0


def test_a_fork_without_a_key_is_skipped_and_told_what_to_do(
    runner: Runner, github: GitHubServer
) -> None:
    github.open_pull(NUMBER, fork="stranger/shop")
    runner.inputs["model"] = "openai/gpt-5-mini"
    ended = runner.run(github.event(NUMBER))
    assert (ended.code, ended.outputs["status"]) == (0, "skipped")
    assert "pull_request_target" in ended.summary
    assert github.reviews(NUMBER) == []


def test_a_change_that_cannot_be_shown_is_not_reviewed(tmp_path: Path) -> None:
    lock = b"".join(b'"package-%d": "%d"\n' % (n, n * n) for n in range(9_000))
    bare = bare_repository(
        tmp_path / "lock.git",
        [
            NewCommit("main", "Begin", {"yarn.lock": b"", "logo.png": b"\x89PNG\0"}),
            NewCommit("feature", "Lock", {"yarn.lock": lock}, start="main"),
        ],
    )
    with GitHubServer(bare) as server, ModelServer(answer()) as model:
        server.open_pull(1)
        job = with_model(Runner(tmp_path / "job", server), model)
        job.inputs["fail-on-refused"] = "true"
        ended = job.run(server.event(1))
        assert (ended.code, ended.outputs["status"]) == (11, "not-reviewed"), ended.log
        [review] = server.reviews(1)
        assert review.body.startswith("**Not reviewed**")
        assert "No findings" not in review.body
        assert model.requests == []


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"max-diff-bytes": "2000"}, "max-diff-bytes"),
        ({"screening": "refuse"}, "credential"),
        ({"max-cost-usd": "0.001"}, "max-cost-usd"),
        ({"max-cost-usd": "5", "input-cost-per-mtok": ""}, "unknown"),
    ],
)
def test_a_refused_run_says_so_and_asks_nobody(
    inputs: dict[str, str], words: str, runner: Runner, github: GitHubServer
) -> None:
    with ModelServer(answer()) as server:
        with_model(runner, server).inputs.update(inputs | {"report-sarif": "true"})
        ended = runner.run(github.event(NUMBER))
        assert server.requests == []
    assert (ended.code, ended.outputs["status"]) == (0, "refused"), ended.log
    assert ended.outputs["sarif"] == "", "without results it would read as clean"
    [review] = github.reviews(NUMBER)
    assert review.body.startswith("**Refused**")
    assert words in review.body
    assert "No findings" not in review.body
    assert {f["path"] for f in ended.report["snapshot"]["files"]} >= {
        "shop/rates.py",
        "web/logo.png",
    }


def test_a_head_that_moved_gets_no_review(runner: Runner, github: GitHubServer) -> None:
    def script(request: Request) -> Reply:
        github.push(NUMBER, "main")
        return answer()

    with ModelServer(script) as server:
        ended = with_model(runner, server).run(github.event(NUMBER))
    assert (ended.code, ended.outputs["status"]) == (0, "skipped"), ended.log
    assert "head moved" in ended.summary
    assert github.reviews(NUMBER) == []


def test_a_refused_anchor_does_not_lose_the_review(runner: Runner, github: GitHubServer) -> None:
    github.fault(
        "POST",
        r"/reviews$",
        422,
        {"message": "Validation Failed", "errors": ["line must be part of the diff"]},
    )
    ended = runner.run(github.event(NUMBER))
    assert ended.code == 0, ended.log
    [review] = github.reviews(NUMBER)
    assert review.comments == []
    assert "A credential is added" in review.body


def test_a_token_left_in_the_checkout_is_warned_of(runner: Runner, github: GitHubServer) -> None:
    config = runner.workspace / ".git" / "config"
    config.parent.mkdir()
    config.write_text(
        '[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic cGxhbnRlZA==\n',
        encoding="utf-8",
    )
    ended = runner.run(github.event(NUMBER))
    assert "persist-credentials: false" in github.reviews(NUMBER)[0].body
    assert "cGxhbnRlZA" not in ended.log + ended.summary


def test_a_review_of_3500_files_loses_none(tmp_path: Path) -> None:
    files = {
        f"src/m{n // 50}/f{n}.py": b"".join(b"x%d = %d\n" % (i, n) for i in range(17))
        for n in range(3_500)
    }
    bare = bare_repository(
        tmp_path / "big.git",
        [
            NewCommit("main", "Begin", {"a": b"a\n"}),
            NewCommit("feature", "Add", files, start="main"),
        ],
    )
    with GitHubServer(bare) as server:
        server.open_pull(1)
        ended = Runner(tmp_path / "job", server, {"model": "none"}).run(server.event(1))
        assert ended.code == 0, ended.log
        listed = ended.report["snapshot"]["files"]
        assert {f["path"] for f in listed} == set(files)
        assert sum(f["additions"] for f in listed) == 59_500
        assert ended.report["snapshot"]["tokens"] <= 100_000
        [review] = server.reviews(1)
        assert len(review.body) <= 65_536
        # a fixed number of requests, however many files there are
        assert len(server.requests) <= 20


def test_reviews_by_others_are_left_alone(runner: Runner, github: GitHubServer) -> None:
    first = runner.run(github.event(NUMBER))
    body = github.reviews(NUMBER)[0].body
    github.api.pulls[NUMBER].reviews.clear()
    github.add_review(NUMBER, Account("mallory", "User"), body, "COMMENTED")
    again = runner.run(github.event(NUMBER))
    assert first.code == again.code == 0
    assert github.calls("PUT") == []
    assert len(github.reviews(NUMBER)) == 2


def test_a_credential_in_the_description_refuses_the_run_too(
    runner: Runner, github: GitHubServer
) -> None:
    github.open_pull(NUMBER, title=TITLE, body=f"Log in with {credential()}.")
    runner.inputs |= {"screening": "refuse", "exclude": "shop/rates.py"}
    with ModelServer(answer()) as server:
        ended = with_model(runner, server).run(github.event(NUMBER))
        assert server.requests == []
    assert ended.outputs["status"] == "refused", ended.log
    assert "description" in github.reviews(NUMBER)[0].body


def test_the_digest_does_not_hang_on_what_the_description_says(
    runner: Runner, github: GitHubServer, tmp_path: Path
) -> None:
    """Also where the prompt's limit, not the setting, bounds the snapshot."""
    runner.inputs |= {"max-prompt-tokens": "17000", "checks": "none"}
    digests, budgets = set(), set()
    with ModelServer(answer()) as server:
        for body in ("short", "a longer description. " * 100):
            github.open_pull(NUMBER, title=TITLE, body=body)
            ended = with_model(runner, server).run(github.event(NUMBER))
            digests.add(ended.outputs["digest"])
            budgets.add(ended.report["snapshot"]["budget"])
    assert len(digests) == 1
    [budget] = budgets
    assert budget < 17_000
    flags = ["--diff-token-budget", str(budget)]
    told = snapshot(github.bare, tmp_path / "told.json", *flags, base="main", head="feature")
    assert told["digest"] in digests


def test_a_report_that_cannot_be_written_takes_nothing_else_away(
    runner: Runner, github: GitHubServer
) -> None:
    runner.env["RUNNER_TEMP"] = str(runner.workspace)
    runner.inputs["report-html"] = "true"
    ended = runner.run(github.event(NUMBER))
    assert ended.code == 7
    assert ended.outputs["status"] == "reviewed"
    assert ended.outputs["report"] == ended.outputs["html"] == ""
    assert "A credential is added" in ended.summary


def test_a_number_of_another_repository_is_not_reviewed_here(
    runner: Runner, github: GitHubServer
) -> None:
    runner.inputs["pull-request"] = "https://github.com/other/elsewhere/pull/7"
    ended = runner.run({}, "schedule")
    assert ended.code == 2
    assert "outside acme/shop" in ended.log
    assert github.reviews(NUMBER) == []


def test_the_file_of_the_present_base_decides(tmp_path: Path) -> None:
    """The event may be older than a change of the base branch."""
    bare = bare_repository(
        tmp_path / "x.git",
        [
            NewCommit("main", "Begin", {"a.py": b"a\n"}),
            NewCommit("dev", "Exclude", {".github/pr-review.yml": b"exclude: '**'\n"}, "main"),
            NewCommit("feature", "Change", {"a.py": b"b\n"}, "main"),
        ],
    )
    with GitHubServer(bare) as server:
        server.open_pull(1, base="dev")
        event = server.event(1)
        server.open_pull(1, base="main")
        ended = Runner(tmp_path / "job", server, {"model": "none"}).run(event)
    assert ended.outputs["status"] == "reviewed", ended.log


def test_an_event_that_no_file_can_make_ours_asks_nothing(
    runner: Runner, github: GitHubServer
) -> None:
    event = github.event(NUMBER, "closed")
    github.requests.clear()
    assert runner.run(event).outputs["status"] == "skipped"
    assert github.requests == []


def test_partial_sight_fails_a_step_only_where_sight_was_partial(tmp_path: Path) -> None:
    bare = bare_repository(
        tmp_path / "logo.git",
        [
            NewCommit("main", "Begin", {"logo.png": b"\x89PNG\0"}),
            NewCommit("feature", "Paint", {"logo.png": b"\x89PNG\0\1"}, "main"),
        ],
    )
    with GitHubServer(bare) as server:
        server.open_pull(1)
        job = Runner(tmp_path / "job", server, {"model": "none", "fail-on-partial": "any"})
        ended = job.run(server.event(1))
    assert (ended.code, ended.outputs["status"]) == (0, "not-reviewed")
    assert ended.outputs["coverage"] == "full"


def test_a_skipped_run_does_not_fail_a_step(runner: Runner, github: GitHubServer) -> None:
    def script(request: Request) -> Reply:
        github.push(NUMBER, "main")
        return answer()

    runner.inputs |= {"fail-on": "low", "fail-on-partial": "any"}
    with ModelServer(script) as server:
        ended = with_model(runner, server).run(github.event(NUMBER))
    assert (ended.code, ended.outputs["status"]) == (0, "skipped")


def test_a_bug_of_ours_is_told_in_the_outputs(
    runner: Runner, github: GitHubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("planted-value")

    monkeypatch.setattr("pr_review.commands.reviewing.doors", fails)
    ended = runner.run(github.event(NUMBER))
    assert (ended.code, ended.outputs["status"]) == (1, "failed")
    assert "a bug of pr-review (RuntimeError)" in ended.summary
    assert "planted-value" not in ended.summary + ended.log


def test_values_of_headers_are_hidden_in_the_log(runner: Runner, github: GitHubServer) -> None:
    runner.inputs["extra-headers"] = "X-Team: shop-team\nAuthorization: Bearer planted-header"
    masked = [line for line in runner.run(github.event(NUMBER)).log.split("\n") if "mask" in line]
    assert "::add-mask::shop-team" in masked
    assert "::add-mask::planted-header" in masked


def test_a_path_that_is_not_utf8_is_told_in_the_body(tmp_path: Path) -> None:
    bare = tmp_path / "odd.git"
    bare_repository(bare, [NewCommit("main", "Begin", {"a.py": b"a\n"})])
    stream = (
        b"commit refs/heads/feature\ncommitter T <t@example.invalid> 1767323045 +0000\n"
        b'data 3\nodd\nfrom refs/heads/main\nM 100644 inline "caf\\351.py"\ndata %d\n%s\n'
    )
    content = f"key = '{credential()}'\n".encode()
    git = ["git", "--git-dir", str(bare), "fast-import", "--quiet"]
    subprocess.run(git, input=stream % (len(content), content), check=True)
    with GitHubServer(bare) as server:
        server.open_pull(1)
        ended = Runner(tmp_path / "job", server, {"model": "none"}).run(server.event(1))
        assert ended.code == 0, ended.log
        assert len(server.calls("POST", r"/reviews$")) == 1
        [review] = server.reviews(1)
    assert review.comments == []
    assert "its path is not UTF-8" in review.body
