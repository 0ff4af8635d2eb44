"""Who reviews which files: all agents all of them, unless rules for paths name some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pr_review.agents.catalogue import Agent
from pr_review.agents.policy import AgentPolicy
from pr_review.domain.ledger import Ledger
from pr_review.domain.path_rule import PathRule, reviewers
from pr_review.domain.pull_request import Brief, Guideline
from pr_review.domain.text import visible_line


@dataclass(frozen=True, slots=True)
class Field:
    """Files, as globs to read, and whether they are an agent's to review."""

    globs: str
    own: bool


def assigned(policy: AgentPolicy, ledger: Ledger) -> tuple[Agent, ...]:
    """The agents to ask: those that may review a file of which a changed line is shown."""
    named = [reviewers(policy.rules, entry.path) for entry in ledger.entries if entry.shown]
    return tuple(
        agent for agent in policy.agents if any(not names or agent.name in names for names in named)
    )


def idle(policy: AgentPolicy, asked: Sequence[Agent]) -> list[str]:
    """What to say of agents that are not asked."""
    names = [agent.name for agent in policy.agents if agent not in asked]
    why = "not asked, since paths in the settings leaves no file that is shown to"
    return [f"{why}: {', '.join(names)}"] if names else []


def fields(agent: Agent, rules: Sequence[PathRule]) -> tuple[Field, ...]:
    """What an agent is told of the files that rules assign, in their order: the last one holds.

    Nothing if no rule keeps a file from it.
    """
    naming = [rule for rule in rules if rule.agents]
    told = [Field(_code(rule.globs), agent.name in rule.agents) for rule in naming]
    return () if all(field.own for field in told) else tuple(told)


def _code(globs: Sequence[str]) -> str:
    return ", ".join(f"`{visible_line(glob)}`" for glob in globs)


def guided(brief: Brief, policy: AgentPolicy, paths: Sequence[str]) -> Brief:
    """The brief with what maintainers want a change of these files judged by: what rules say of
    them, then the files of the base branch."""
    ruled = [
        Guideline(f"For {', '.join(rule.globs)}", rule.instructions)
        for rule in policy.rules
        if rule.instructions and any(map(rule.holds_for, paths))
    ]
    return replace(brief, guidelines=(*ruled, *policy.guidelines))
