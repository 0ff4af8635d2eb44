"""Who is asked about which files, by rules for paths, and what maintainers ask of them."""

from __future__ import annotations

import pytest

from pr_review.agents.assignment import Field, assigned, fields, guided, idle
from pr_review.agents.catalogue import Agent
from pr_review.agents.policy import AgentPolicy
from pr_review.agents.prompt import assemble, longest_task
from pr_review.domain.diff import Status
from pr_review.domain.ledger import Entry, Ledger, Reason, Tier
from pr_review.domain.path_rule import PathRule
from pr_review.domain.pull_request import Brief, Guideline

OWN = Agent("migrations", "Migrations", ("lock",), "Look at locks.", own=True)
RULES = (
    PathRule(("docs/**",), agents=("readability",)),
    PathRule(("db/`x`/", "*.sql"), "Never lock a table.", agents=("bugs", "migrations")),
    PathRule(("src/**",), "Handlers are pure."),
)
POLICY = AgentPolicy(("bugs", "readability", "migrations"), own=(OWN,), rules=RULES, guided=True)


def ledger(*shown: str, omitted: tuple[str, ...] = ()) -> Ledger:
    return Ledger(tuple(_entry(path, told=path in shown) for path in (*shown, *omitted)))


def _entry(path: str, *, told: bool) -> Entry:
    return Entry(
        path, None, Status.MODIFIED, Tier.SOURCE, additions=1, deletions=0, added_lines=(1,),
        shown_added=(1,) if told else (), reason=None if told else Reason.BUDGET,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("shown", "omitted", "asked"),
    [
        (("src/a.py",), (), ["bugs", "readability", "migrations"]),
        (("docs/a.md",), (), ["readability"]),
        (("docs/a.md", "db/a.sql"), (), ["bugs", "readability", "migrations"]),
        (("docs/a.sql",), (), ["bugs", "migrations"]),
        (("docs/a.md",), ("src/a.py",), ["readability"]),
    ],
)
def test_an_agent_is_asked_if_it_may_review_a_file_that_is_shown(
    shown: tuple[str, ...], omitted: tuple[str, ...], asked: list[str]
) -> None:
    found = assigned(POLICY, ledger(*shown, omitted=omitted))
    assert [agent.name for agent in found] == asked
    left = [name for name in ("bugs", "readability", "migrations") if name not in asked]
    assert [words.rpartition(": ")[2] for words in idle(POLICY, found)] == (
        [", ".join(left)] if left else []
    )


def test_a_task_says_which_files_are_not_its_own_as_the_rules_do() -> None:
    bugs, readability, _ = POLICY.agents
    assert fields(bugs, RULES) == (
        Field("`docs/**`", own=False),
        Field("`db/`x`/`, `*.sql`", own=True),
    )
    made = assemble(POLICY, (bugs, readability), "B", "S", ledger("src/a.py"))
    assert "- `docs/**`: other reviewers'\n- `db/`x`/`, `*.sql`: yours\n\nRead" in made.tasks[0]
    assert "- `docs/**`: yours\n- `db/`x`/`, `*.sql`: other reviewers'\n" in made.tasks[1]
    for agent, task in zip((bugs, readability), made.tasks, strict=True):
        assert len(task) <= len(longest_task(agent, RULES))


def test_an_agent_from_which_nothing_is_kept_is_told_nothing_of_rules() -> None:
    rules = (PathRule(("docs/**",), agents=("bugs", "migrations")), PathRule(("a",), "Words."))
    assert fields(OWN, rules) == ()
    policy = AgentPolicy(("bugs", "migrations"), own=(OWN,), rules=rules)
    [task] = assemble(policy, (OWN,), "B", "S", ledger("src/a.py")).tasks
    assert "yours" not in task
    assert task.startswith("# Your task: Migrations\n\nThe snapshot holds every changed line")


def test_instructions_of_rules_come_with_the_change_of_a_file_that_they_are_about() -> None:
    file = Guideline("AGENTS.md", "Use tabs.", "AGENTS.md")
    policy = AgentPolicy(("bugs",), rules=RULES, guidelines=(file,), guided=True)
    found = guided(Brief("T"), policy, ["src/a.py", "docs/b.md"])
    assert found == Brief("T", guidelines=(Guideline("For src/**", "Handlers are pure."), file))
    both = guided(Brief(), policy, ["src/a.py", "old.sql"]).guidelines
    assert [one.text for one in both] == ["Never lock a table.", "Handlers are pure.", "Use tabs."]
