"""What a runner gives and takes, on whole runs: inputs, event, outputs, summary, log, reports."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pr_review.adapters.actions.outputs import CUT, SUMMARY_LIMIT_BYTES
from tests.demo_sample import NUMBER
from tests.shared import shared
from tests.standins.github import GitHubServer
from tests.standins.models import ModelServer, answer
from tests.standins.runner import Runner, model_inputs

B11 = "cases/b11-event-payload-shapes"
SKIPPED = [
    "pull_request.closed",
    "pull_request.edited_title",
    "pull_request.draft",
    "pull_request.dependabot",
    "issue_comment.on_issue",
    "issue_comment.by_bot",
    "issue_comment.stranger",
    "workflow_dispatch.blank",
    "workflow_dispatch.null_inputs",
    "merge_group",
    "workflow_run.fork",
    "push",
    "schedule",
]


def payload(shape: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The event of a shape, and what must follow."""
    event = json.loads(shared(f"{B11}/event.{shape}.json").read_text())
    return event, json.loads(shared(f"{B11}/expected.json").read_text())[shape]


def commands(log: str) -> list[str]:
    """The names of the commands that the runner reads in a log."""
    lines = re.split(r"\r\n|\r|\n", log)
    assert not any(re.search(r"##\[[^\]]*\]", line) for line in lines)
    found = (re.match(r"\s*::([a-z-]+)", line) for line in lines)
    return [match[1] for match in found if match]


# --- B11: events -------------------------------------------------------------------------------


def test_b11_every_shape_that_is_none_of_ours_is_tried_here() -> None:
    expected = json.loads(shared(f"{B11}/expected.json").read_text())
    assert {name for name, right in expected.items() if not right["run"]} == {*SKIPPED, "empty"}


@pytest.mark.parametrize("shape", SKIPPED)
def test_b11_a_run_that_is_none_of_ours_ends_well_and_says_why(
    shape: str, runner: Runner, github: GitHubServer
) -> None:
    event, expected = payload(shape)
    github.open_pull(7, draft="draft" in shape)
    ended = runner.run(event, expected["GITHUB_EVENT_NAME"])
    assert (ended.code, ended.outputs["status"]) == (0, "skipped"), ended.log
    assert "**Skipped**: " in ended.summary
    assert github.reviews(7) == []
    assert github.calls("POST") == github.calls("GET", r"\.git/") == []


def test_b11_an_event_without_its_pull_request_is_exit_3(runner: Runner) -> None:
    event, expected = payload("empty")
    ended = runner.run(event, expected["GITHUB_EVENT_NAME"])
    assert (ended.code, ended.outputs["status"]) == (3, "failed")


# --- B12, B21: inputs --------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["", "   ", "\r\n", '""'])
def test_b12_an_empty_key_is_a_matter_of_configuration(
    key: str, runner: Runner, github: GitHubServer
) -> None:
    with ModelServer(answer()) as server:
        runner.inputs |= {**model_inputs(server.url), "api-base": "", "api-key": key}
        own = runner.run(github.event(NUMBER))
        github.open_pull(NUMBER, author="dependabot[bot]", author_type="Bot")
        runner.inputs["bots"] = "dependabot"
        dependabot = runner.run(github.event(NUMBER))
        assert server.requests == []
    assert own.code == 2
    assert "openai/stand-in needs a credential and none was found" in own.log
    assert (dependabot.code, dependabot.outputs["status"]) == (0, "skipped"), dependabot.log
    assert "OPENAI_API_KEY" in dependabot.summary
    assert github.reviews(NUMBER) == []


def test_b12_another_bot_without_a_key_is_a_matter_of_configuration(
    runner: Runner, github: GitHubServer
) -> None:
    """Only Dependabot's runs get no secrets."""
    github.open_pull(NUMBER, author="renovate[bot]", author_type="Bot")
    runner.inputs |= {"model": "openai/gpt-5-mini", "bots": "renovate"}
    assert runner.run(github.event(NUMBER)).code == 2


def test_b21_pasted_white_space_is_no_part_of_any_input(
    runner: Runner, github: GitHubServer
) -> None:
    wanted = {"model": "none", "max-comments": "3", "screening": "redact", "fail-on": "never"}
    wanted |= {"agents": "bugs\r\n\tsecurity\r\n", "exclude": '"docs/**",\r\n"*.lock"'}
    runner.inputs |= {name: f"\ufeff {value}\r\n" for name, value in wanted.items()}
    runner.inputs |= {"github-token": f"{github.token}\n", "language": "", "model": '"none"'}
    ended = runner.run(github.event(NUMBER))
    assert ended.outputs["status"] == "reviewed", ended.log
    assert f"::add-mask::{github.token}\n" in ended.log
    assert {call.headers["authorization"] for call in github.calls("GET", "/pulls/")} == {
        f"token {github.token}"
    }


def test_b21_a_secret_with_a_line_end_inside_is_never_printed(
    runner: Runner, github: GitHubServer
) -> None:
    runner.inputs["api-key"] = "sk-planted\nsk-planted"
    ended = runner.run_as_process(github.event(NUMBER))
    assert ended.code == 2
    told = [line for line in ended.log.split("\n") if not line.startswith("::add-mask::")]
    assert "sk-planted" not in "\n".join(told) + ended.summary
    assert "input api-key: holds a line end" in ended.log


# --- what a run leaves behind ------------------------------------------------------------------


@pytest.mark.parametrize("variable", ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"])
def test_a_file_of_the_runner_that_is_not_there_is_said_and_the_run_goes_on(
    variable: str, runner: Runner, github: GitHubServer
) -> None:
    runner.env[variable] = ""
    ended = runner.run(github.event(NUMBER))
    assert ended.code == 0, ended.log
    assert f"::warning::{variable} is not set" in ended.log
    assert len(github.reviews(NUMBER)) == 1
    assert bool(ended.summary) is (variable == "GITHUB_OUTPUT")
    assert bool(ended.outputs) is (variable != "GITHUB_OUTPUT")


@pytest.mark.parametrize("variable", ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"])
def test_a_file_that_takes_nothing_leaves_the_others_whole(
    variable: str, runner: Runner, github: GitHubServer
) -> None:
    runner.env[variable] = str(runner.root)  # a folder
    ended = runner.run(github.event(NUMBER))
    assert ended.code == 7, ended.log
    assert f"cannot write {variable}" in ended.log
    assert len(github.reviews(NUMBER)) == 1
    reports = list((runner.root / "temp").iterdir())
    assert [json.loads(report.read_text())["status"] for report in reports] == ["reviewed"]
    assert bool(ended.summary) is (variable == "GITHUB_OUTPUT")


def test_an_error_is_not_hidden_by_a_file_that_takes_nothing(
    runner: Runner, github: GitHubServer
) -> None:
    runner.env["GITHUB_STEP_SUMMARY"] = str(runner.root)
    runner.inputs["fail-on"] = "hihg"
    ended = runner.run(github.event(NUMBER))
    assert ended.code == 2
    assert ended.outputs["status"] == "failed"
    assert commands(ended.log)[-2:] == ["warning", "error"]


def test_b14_a_summary_that_others_filled_stays_under_the_limit(
    runner: Runner, github: GitHubServer
) -> None:
    environment = runner.environment(github.event(NUMBER))
    path = Path(environment["GITHUB_STEP_SUMMARY"])
    filled = "é" * ((SUMMARY_LIMIT_BYTES - 400) // 2) + "\n"
    runner.env["GITHUB_STEP_SUMMARY"] = str(runner.root / "filled.md")
    path = runner.root / "filled.md"
    path.write_text(filled, encoding="utf-8")
    ended = runner.run(github.event(NUMBER))
    assert ended.code == 0, ended.log
    text = path.read_text(encoding="utf-8")
    assert path.stat().st_size <= SUMMARY_LIMIT_BYTES
    assert text.startswith(filled)
    assert text.endswith(f"**{CUT}**\n")


def test_links_where_a_report_should_be_are_not_followed(
    runner: Runner, github: GitHubServer
) -> None:
    victims = [runner.root / "one", runner.root / "two"]
    for place, victim in zip((runner.root / "temp", runner.workspace), victims, strict=True):
        (place / "pr-review-report.json").symlink_to(victim)
    ended = runner.run(github.event(NUMBER))
    assert ended.code == 0, ended.log
    assert Path(ended.outputs["report"]).name == "pr-review-report-2.json"
    assert ended.report["status"] == "reviewed"
    assert not any(victim.exists() for victim in victims)
    assert [path.name for path in runner.workspace.iterdir()] == ["pr-review-report.json"]


def test_a_long_log_is_folded(runner: Runner, github: GitHubServer) -> None:
    runner.inputs["diff-token-budget"] = "1000"
    ended = runner.run(github.event(NUMBER))
    lines = ended.log.split("\n")
    begun = lines.index("::group::The run in detail")
    assert lines[begun - 1].startswith("reviewed")
    assert any(line.startswith("not shown: ") for line in lines[begun:])
    assert commands(ended.log) == ["add-mask", "group", "endgroup"]


def test_a_short_log_is_not(runner: Runner, github: GitHubServer) -> None:
    github.open_pull(NUMBER, draft=True)
    assert commands(runner.run(github.event(NUMBER)).log) == ["add-mask"]
