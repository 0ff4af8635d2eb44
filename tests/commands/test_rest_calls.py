"""Which REST calls a whole run makes: at most 8, however many files the change has."""

from __future__ import annotations

import re

import pytest

from tests.commands.pushes import NUMBER, SECOND, Story
from tests.contract import documents
from tests.standins.github import GitHubServer
from tests.standins.github_api import ROUTES
from tests.standins.github_sample import NewCommit, add_commits

MOST = 8
REPO = "/repos/{owner}/{repo}"
PULL = f"GET {REPO}/pulls/{{pull_number}}"
SETTINGS = f"GET {REPO}/contents/{{path}}"
MERGE_BASE = f"GET {REPO}/compare/{{basehead}}"
COMMITS = f"GET {REPO}/pulls/{{pull_number}}/commits"
PERMISSION = f"GET {REPO}/collaborators/{{username}}/permission"
EYES = f"POST {REPO}/issues/comments/{{comment_id}}/reactions"
HELP = f"POST {REPO}/issues/{{issue_number}}/comments"
PENDING = f"POST {REPO}/pulls/{{pull_number}}/reviews"
TAKEN_AWAY = f"DELETE {REPO}/pulls/{{pull_number}}/reviews/{{review_id}}"
SUBMITTED = f"POST {REPO}/pulls/{{pull_number}}/reviews/{{review_id}}/events"
EDITED = f"PUT {REPO}/pulls/{{pull_number}}/reviews/{{review_id}}"

# the right to write is tried before the change is read, and so before a model is paid
NEW = [PULL, SETTINGS, PENDING, TAKEN_AWAY, MERGE_BASE, COMMITS, PENDING, SUBMITTED]
AGAIN = [PULL, SETTINGS, PENDING, TAKEN_AWAY, MERGE_BASE, COMMITS, EDITED]
ASKED = [PULL, SETTINGS, PERMISSION, EYES, MERGE_BASE, COMMITS, PENDING, SUBMITTED]
HELPED = [PERMISSION, HELP]
NO_MODEL = [PULL, SETTINGS, MERGE_BASE, COMMITS, PENDING, SUBMITTED]

pytestmark = pytest.mark.usefixtures("one_process")


def calls(github: GitHubServer) -> list[str]:
    """What went over REST since this was asked last, as GitHub's description names it.

    GraphQL and git are no REST."""
    made = [_named(r.method, r.path) for r in github.requests if r.path.startswith("/repos/")]
    github.requests.clear()
    return made


def _named(method: str, path: str) -> str:
    [template] = [t for verb, t, pattern, _ in ROUTES if verb == method and pattern.fullmatch(path)]
    return f"{method} {template}"


def test_a_new_review_and_every_run_again(fresh: Story) -> None:
    fresh.review("opened")
    assert calls(fresh.github) == NEW
    fresh.review()
    assert calls(fresh.github) == AGAIN
    fresh.push(SECOND.file)
    fresh.review()
    assert calls(fresh.github) == NEW
    fresh.command("/review full")
    assert calls(fresh.github) == [*ASKED[:-2], EDITED]
    assert [review.state for review in fresh.reviews] == ["COMMENTED", "COMMENTED"]


def test_a_review_that_a_comment_asks_for(fresh: Story) -> None:
    assert fresh.command("/review").outputs["status"] == "reviewed"
    assert calls(fresh.github) == ASKED
    fresh.command("/review help")
    assert calls(fresh.github) == HELPED


def test_without_a_model_nothing_is_tried_first(fresh: Story) -> None:
    fresh.runner.inputs = {"model": "none"}
    fresh.review("opened")
    assert calls(fresh.github) == NO_MODEL


def test_who_closes_a_finding_is_asked_about_once(fresh: Story) -> None:
    fresh.review("opened")
    [comment] = fresh.reviews[0].comments
    for _ in range(2):
        fresh.github.answer_comment(NUMBER, comment, "/review ignore", "stranger")
    calls(fresh.github)
    fresh.push(SECOND.file)
    fresh.review()
    made = calls(fresh.github)
    assert made.count(PERMISSION) == 1
    made.remove(PERMISSION)
    assert made == NEW


def test_many_files_take_no_more_calls_and_many_commits_one_for_each_page(fresh: Story) -> None:
    files = [{f"src/part{number}.py": b"PART = %d\n" % number} for number in range(119)]
    commits = [NewCommit("feature", "Part", one) for one in files]
    start = NewCommit("feature", "Begin", SECOND.file, start="feature^0")
    add_commits(fresh.github.bare, [start, *commits])
    fresh.github.push(NUMBER, "feature")
    ended = fresh.review("opened")
    assert len(ended.report["snapshot"]["files"]) == 121
    made = calls(fresh.github)
    assert made.count(COMMITS) == 2  # 121 commits, 100 a page
    made.remove(COMMITS)
    assert made == NEW


def test_the_documented_calls_are_these() -> None:
    runs = (NEW, AGAIN, ASKED, HELPED, NO_MODEL)
    assert max(map(len, runs)) == MOST
    rows = documents.table("Calls", "docs/github.md")
    documented = {match[1] for row in rows if (match := re.fullmatch(r"`([A-Z]+ /\S+)`", row[0]))}
    assert len(documented) == len(rows)
    assert documented == {call for run in runs for call in run}
    assert f"at most {MOST} REST calls" in documents.text("docs/github.md")
