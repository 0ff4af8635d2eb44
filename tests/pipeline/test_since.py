"""Whole runs of the checks alone, after an earlier review of the same pull request."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pr_review.adapters.syntax import TreeSitter
from pr_review.adapters.tokens import token_counter
from pr_review.agents.policy import AgentPolicy
from pr_review.checks.policy import ChecksPolicy
from pr_review.domain.ledger import Coverage
from pr_review.domain.pull_request import Brief
from pr_review.domain.review import Run, RunStatus
from pr_review.judge.policy import JudgePolicy
from pr_review.pipeline import review
from pr_review.plan import Doors, Plan
from pr_review.snapshot.policy import SnapshotPolicy
from tests.snapshot.repository import Blob, Repo, make
from tests.snapshot.taking import scanner, source

LINES = [b"line_%d = %d\n" % (n, n) for n in range(60)]
CONFLICT = b"<<<<<<< ours\na = 1\n=======\na = 2\n>>>>>>> theirs\n"
BEFORE = b"".join([*LINES[:5], CONFLICT, *LINES[5:]])
NOW = b"".join([*LINES[:5], CONFLICT, *LINES[5:50], b"new = 1\n", *LINES[50:]])


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    base = {b"a.py": Blob(b"".join(LINES))}
    return make(tmp_path / "r.git", base, {b"a.py": Blob(NOW)}, then={b"a.py": Blob(BEFORE)})


def run(repo: Repo, since: str) -> Run:
    policy = replace(SnapshotPolicy(), since=since)
    plan = Plan(policy, AgentPolicy(()), ChecksPolicy(), JudgePolicy())
    with source(repo) as opened:
        doors = Doors(opened, lambda: opened.tree, token_counter(), scanner(), TreeSitter())
        return review(Brief(), plan, doors)


def test_what_is_new_is_shown_and_the_checks_still_see_all(repo: Repo) -> None:
    found, whole = run(repo, repo.object("then")), run(repo, "")
    assert found.since == repo.object("then")
    assert found.coverage_source is Coverage.FULL
    assert found.snapshot is not None
    assert found.snapshot.ledger.by_path["a.py"].shown_added == (56,)
    assert found.judged == whole.judged != ()
    assert not found.warnings


@pytest.mark.parametrize("since", ["1" * 40, "--all"])
def test_a_commit_that_cannot_be_had_means_a_whole_review_that_says_so(
    repo: Repo, since: str
) -> None:
    found, whole = run(repo, since), run(repo, "")
    assert found.snapshot == whole.snapshot
    assert found.since == ""
    (warning,) = found.warnings
    assert warning.startswith("all of the change is reviewed, not what is new alone: commit ")


def test_where_nothing_is_new_no_model_would_be_asked(repo: Repo) -> None:
    found = run(repo, repo.object("head"))
    assert found.status is RunStatus.NOT_REVIEWED
    head = repo.object("head")[:12]
    assert found.reason == f"no changed line is new since {head}, which was reviewed"
    assert found.coverage_source is Coverage.FULL
    assert found.findings, "the checks are told all the same"
