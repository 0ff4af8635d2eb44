"""Guidelines go the way of everything that is sent: with a credential in one, a run is refused."""

from __future__ import annotations

from pathlib import Path

from pr_review.adapters.syntax import TreeSitter
from pr_review.adapters.tokens import token_counter
from pr_review.agents.policy import AgentPolicy
from pr_review.checks.policy import ChecksPolicy
from pr_review.domain.pull_request import Brief, Guideline
from pr_review.domain.review import RunStatus
from pr_review.judge.policy import JudgePolicy
from pr_review.pipeline import review
from pr_review.plan import Doors, Plan
from pr_review.snapshot.policy import Screening, SnapshotPolicy
from tests.demo_sample import credential
from tests.snapshot.repository import Blob, make
from tests.snapshot.taking import scanner, source


def test_a_credential_in_a_guideline_ends_a_run_that_screening_refuses(tmp_path: Path) -> None:
    repo = make(tmp_path / "r.git", {}, {b"a.py": Blob(b"a = 1\n")})
    found = []
    for text in ("Use tabs.", f"Try {credential()}."):
        asked = AgentPolicy((), guidelines=(Guideline("AGENTS.md", text, "AGENTS.md"),))
        refusing = SnapshotPolicy(screening=Screening.REFUSE)
        plan = Plan(refusing, asked, ChecksPolicy(), JudgePolicy())
        with source(repo) as opened:
            doors = Doors(opened, lambda: opened.tree, token_counter(), scanner(), TreeSitter())
            found.append(review(Brief(), plan, doors))
    assert [run.status for run in found] == [RunStatus.REVIEWED, RunStatus.REFUSED]
    assert found[1].reason.endswith("or a guideline holds what looks like a credential")
    assert credential() not in found[1].reason
