"""How long the prompts of a run are, counted before any call."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pr_review.agents.catalogue import Agent
from pr_review.agents.items import SCHEMA
from pr_review.agents.policy import AgentPolicy
from pr_review.agents.ports import Pricing
from pr_review.agents.prompt import (
    MAX_BROKEN_BYTES,
    Prompts,
    longest_task,
    prefix,
    repair,
    reserved,
    system,
)
from pr_review.agents.quote.limits import prompt_limit

Count = Callable[[str], int]

# The shape of messages; and what a provider that is given the schema as a tool says of tools,
# which is up to 530 tokens: https://platform.claude.com/docs/en/about-claude/pricing
_FRAME_TOKENS = 600


@dataclass(frozen=True, slots=True)
class Sizes:
    """Tokens (o200k) of each agent's first prompt and of its repair prompt, at most; and of what
    all of them begin with. `later` are those of further passes."""

    first: tuple[int, ...]
    repair: tuple[int, ...]
    shared: int = 0
    later: tuple[Sizes, ...] = ()

    @property
    def passes(self) -> tuple[Sizes, ...]:
        return (self, *self.later)

    @property
    def largest(self) -> int:
        """The largest prompt of all passes."""
        return max((n for one in self.passes for n in (*one.first, *one.repair)), default=0)

    @property
    def largest_first(self) -> int:
        return max((n for one in self.passes for n in one.first), default=0)

    def times(self, factor: float) -> Sizes:
        """The same in the tokens of a model, of which one has so many."""

        def own(tokens: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(math.ceil(n * factor) for n in tokens)

        (shared,) = own((self.shared,))
        later = tuple(one.times(factor) for one in self.later)
        return Sizes(own(self.first), own(self.repair), shared, later)

    def calls(self, agent: int, *, repair: bool) -> list[int]:
        """The prompts of one agent in all passes."""
        both = [(one.first[agent], one.repair[agent]) for one in self.passes]
        return [tokens for pair in both for tokens in (pair if repair else pair[:1])]


def framed(tokens: int, schema: Mapping[str, object], count: Count) -> int:
    """Tokens of a request whose texts have so many, with its schema and its shape."""
    return tokens + count(json.dumps(schema)) + _FRAME_TOKENS


def measure(prompts: Prompts, count: Count, *, reserve: int = 0) -> Sizes:
    """Counts all that a run of `prompts` may send, the long shared part once, and `reserve`
    tokens more in each of them."""
    same = count(prompts.system) + count(prompts.prefix) + reserve
    shared = framed(same, SCHEMA, count)
    return Sizes(
        first=tuple(shared + count(task) for task in prompts.tasks),
        repair=tuple(
            shared + count(repair(task, "", cut=True)) + MAX_BROKEN_BYTES for task in prompts.tasks
        ),
        shared=same,
    )


def measure_all(passes: Sequence[Prompts], count: Count, *, reserve: int = 0) -> Sizes:
    """The same of a run that asks in several passes, at least one."""
    first, *later = [measure(prompts, count, reserve=reserve) for prompts in passes]
    return replace(first, later=tuple(later))


def room(
    model: str,
    policy: AgentPolicy,
    pricing: Pricing,
    *,
    agents: Sequence[Agent],
    count: Count,
) -> int:
    """Tokens that remain for the snapshot in the largest prompt of a run, repairs included.

    0 if there is none. It depends on settings and model alone, not on what the brief says. A
    snapshot of so many tokens is admitted.
    """
    tasks = tuple(longest_task(agent, policy.rules) for agent in agents)
    rest = measure(Prompts(system(policy), prefix("", ""), tasks), count).largest + reserved(policy)
    return max(0, prompt_limit(model, policy, pricing) - rest)
