"""The runner's variables and the event file: right, missing and wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pr_review.adapters.actions.environment import RunnerEnvironment, read_event
from pr_review.domain.pull_request import Repository
from pr_review.errors import ConfigurationError, EventError, PrReviewError
from tests.shared import shared


def environ(temp: Path, **more: str) -> dict[str, str]:
    return {
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(temp / "event.json"),
        "GITHUB_REPOSITORY": "o/r.js",
        "RUNNER_TEMP": str(temp),
    } | more


def test_a_full_environment(tmp_path: Path) -> None:
    env = RunnerEnvironment.of(
        environ(
            tmp_path,
            GITHUB_API_URL="https://ghe.example/api/v3/",
            GITHUB_SERVER_URL="https://ghe.example/",
            GITHUB_WORKSPACE="/github/workspace",
            GITHUB_OUTPUT="/out",
            GITHUB_STEP_SUMMARY="/summary",
            GITHUB_ACTION_REPOSITORY="acme/pr-review",
            GITHUB_ACTION_REF="v1",
        )
    )
    assert env == RunnerEnvironment(
        event_name="pull_request",
        event_path=tmp_path / "event.json",
        repository=Repository("o", "r.js"),
        api_url="https://ghe.example/api/v3",
        server_url="https://ghe.example",
        runner_temp=tmp_path,
        workspace=Path("/github/workspace"),
        output_path=Path("/out"),
        summary_path=Path("/summary"),
        action="acme/pr-review@v1",
    )


def test_what_the_runner_may_leave_out(tmp_path: Path) -> None:
    env = RunnerEnvironment.of(
        environ(tmp_path, GITHUB_OUTPUT="", GITHUB_WORKSPACE=" ", GITHUB_ACTION_REF="main")
    )
    assert env.action == ""
    assert (env.workspace, env.output_path, env.summary_path) == (None, None, None)


@pytest.mark.parametrize("row", range(4))
def test_b19_ghes_urls(tmp_path: Path, row: int) -> None:
    given = json.loads(shared("cases/b19-ghes-urls/env.json").read_text())[row]
    expect = given.pop("expect")
    env = RunnerEnvironment.of(environ(tmp_path, **given))
    assert env.api_url == expect["base_url"]
    if link := expect.get("link"):
        assert link.startswith(env.server_url + "/")


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("GITHUB_EVENT_NAME", "", EventError),
        ("GITHUB_EVENT_PATH", "", EventError),
        ("GITHUB_REPOSITORY", "", ConfigurationError),
        ("GITHUB_REPOSITORY", "only-a-name", ConfigurationError),
        ("GITHUB_REPOSITORY", "o/r/x", ConfigurationError),
        ("GITHUB_API_URL", "ftp://h", ConfigurationError),
        ("GITHUB_API_URL", "https://", ConfigurationError),
        ("GITHUB_API_URL", "https://u:hunter2@h", ConfigurationError),
        ("GITHUB_API_URL", "https://h:port", ConfigurationError),
        ("GITHUB_API_URL", "https://[", ConfigurationError),
        ("GITHUB_SERVER_URL", "h", ConfigurationError),
        ("RUNNER_TEMP", "", ConfigurationError),
        ("RUNNER_TEMP", "/no/such/folder", ConfigurationError),
    ],
)
def test_a_wrong_variable_is_named_in_one_line(
    tmp_path: Path, name: str, value: str, kind: type[PrReviewError]
) -> None:
    with pytest.raises(kind) as caught:
        RunnerEnvironment.of(environ(tmp_path, **{name: value}))
    said = str(caught.value)
    assert said.startswith(name)
    assert "\n" not in said
    assert "hunter2" not in said


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (None, "cannot read"),
        (b"", "is not JSON"),
        (b"<html>", "is not JSON"),
        (b"\xff\xfe{}", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[]", "no JSON object"),
        (b"null", "no JSON object"),
    ],
)
def test_a_bad_event_file_is_exit_3(tmp_path: Path, content: bytes | None, word: str) -> None:
    path = tmp_path / "event.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(EventError, match=word) as caught:
        read_event(path)
    assert str(path) in str(caught.value)
    assert caught.value.exit_code == 3


def test_an_event_that_is_a_folder_is_exit_3(tmp_path: Path) -> None:
    with pytest.raises(EventError, match="cannot read"):
        read_event(tmp_path)


def test_a_byte_order_mark_is_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    path.write_bytes(b'\xef\xbb\xbf{"action": "opened"}')
    assert read_event(path) == {"action": "opened"}
