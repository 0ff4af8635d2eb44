"""Guidelines and own agents are screened like all that is sent."""

from __future__ import annotations

from pathlib import Path

from pr_review.adapters.syntax import TreeSitter
from pr_review.adapters.tokens import token_counter
from pr_review.agents.catalogue import Agent
from pr_review.agents.policy import AgentPolicy
from pr_review.checks.policy import ChecksPolicy
from pr_review.domain.pull_request import Brief, Guideline
from pr_review.domain.review import Run, RunStatus
from pr_review.judge.policy import JudgePolicy
from pr_review.pipeline import review
from pr_review.plan import Doors, Plan
from pr_review.snapshot.policy import Screening, SnapshotPolicy
from tests.demo_sample import credential
from tests.snapshot.repository import Blob, make
from tests.snapshot.taking import scanner, source


def told(tmp_path: Path, *asked: AgentPolicy) -> list[Run]:
    """One run for each policy, where screening refuses."""
    repo = make(tmp_path / "r.git", {}, {b"a.py": Blob(b"a = 1\n")})
    found = []
    for policy in asked:
        refusing = SnapshotPolicy(screening=Screening.REFUSE)
        plan = Plan(refusing, policy, ChecksPolicy(), JudgePolicy())
        with source(repo) as opened:
            doors = Doors(opened, lambda: opened.tree, token_counter(), scanner(), TreeSitter())
            found.append(review(Brief(), plan, doors))
    return found


TEXTS = ("Use tabs.", f"Try {credential()}.")


def test_a_credential_in_a_guideline_or_an_own_agent_ends_a_run_that_screening_refuses(
    tmp_path: Path,
) -> None:
    guided = (AgentPolicy((), guidelines=(Guideline("A.md", text, "A.md"),)) for text in TEXTS)
    owns = (AgentPolicy((), own=(Agent("own", "Own", ("x",), text, own=True),)) for text in TEXTS)
    for asked in (guided, owns):
        clean, leaking = told(tmp_path / str(id(asked)), *asked)
        assert (clean.status, leaking.status) == (RunStatus.REVIEWED, RunStatus.REFUSED)
        words = "a guideline or an own agent holds what looks like a credential"
        assert leaking.reason.endswith(words)
        assert credential() not in leaking.reason
