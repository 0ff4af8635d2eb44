"""What is sent: one system text and one prefix for all agents, then each one's task.

Text from people, repositories and models enters inside a fence only, with hidden
characters written out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

from pr_review import templates
from pr_review.agents.assignment import fields
from pr_review.agents.catalogue import Agent
from pr_review.agents.policy import AgentPolicy
from pr_review.domain.finding import Finding
from pr_review.domain.ledger import Ledger, State
from pr_review.domain.path_rule import PathRule
from pr_review.domain.pull_request import Brief, Guideline
from pr_review.domain.snapshot import Snapshot
from pr_review.domain.text import fence, visible, visible_line

BRIEF_TOKENS = 8_000
"""Reserved for the brief in every prompt, so that what people wrote about a change does not
decide how much of the change is shown."""
MAX_TITLE = 300
MAX_BODY = 4_000
MAX_COMMITS = 20
MAX_COMMIT = 300
MAX_TOOL_FINDINGS = 50
MAX_TOOL_FINDING = 300
MAX_BROKEN_BYTES = 4_000
GUIDANCE_TOKENS = 4_000
"""Reserved for guidelines, beside the brief, wherever the settings may bring some."""
MAX_GUIDELINES = 20
MAX_GUIDELINE = 8_000
MAX_ORIGIN = 200
_MANY = 999_999


@dataclass(frozen=True, slots=True)
class BriefText:
    """The brief as it is sent, and the sha256 (hex) of its UTF-8 bytes.

    `guidelines` are the files of the base branch that it begins with, `shortened` those of which
    it holds no more than a beginning. `unread` says which of them could not be read, and why.
    """

    text: str
    digest: str
    guidelines: tuple[str, ...] = ()
    shortened: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def warnings(self) -> list[str]:
        """What to say of guidelines that are not given, or not whole."""
        missing = [f"guidelines: {why}, so no agent was given it" for why in self.unread]
        long = [f"{path} is long: agents were given its beginning" for path in self.shortened]
        return missing + long


def reserved(policy: AgentPolicy) -> int:
    """Tokens that the brief, with the guidelines before it, takes at most in each prompt."""
    return BRIEF_TOKENS + (GUIDANCE_TOKENS if policy.guided else 0)


@dataclass(frozen=True, slots=True)
class Prompts:
    """All that a pass sends: `tasks` holds one text for each agent, in the agents' order."""

    system: str
    prefix: str
    tasks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    heading: str
    fenced: str


def _fence(kind: str, text: str) -> str:
    """Untrusted text, its hidden characters written out, in a fence of its own."""
    return fence(kind, visible(text))


def system(policy: AgentPolicy) -> str:
    """The instructions that all agents share."""
    language = visible_line(policy.language)
    return templates.render("_shared/instructions.md.j2", language=language, guided=policy.guided)


def brief(
    brief: Brief, tool_findings: Sequence[Finding] = (), *, count: Callable[[str], int]
) -> BriefText:
    """Title, body, commit messages and tool findings, fenced, bounded; cuts are said.

    At most `BRIEF_TOKENS` by `count`, and `GUIDANCE_TOKENS` more if there are guidelines, which
    come first: over either, every bound is halved until it fits.
    """
    tools = [_tool_line(found) for found in tool_findings]
    share = 1
    while count(text := _brief(brief, tools, share)) > BRIEF_TOKENS:
        share *= 2
    made = _guided(text, brief.guidelines, count)
    return replace(made, digest=hashlib.sha256(made.text.encode()).hexdigest())


def _guided(brief: str, guidelines: Sequence[Guideline], count: Callable[[str], int]) -> BriefText:
    """The text of a brief behind as much of the guidelines as fits."""
    given = [one for one in guidelines if one.text.strip()]
    text, kept, most, share = brief, given, MAX_GUIDELINE, 1
    while given:
        kept, most = given[: MAX_GUIDELINES // share], MAX_GUIDELINE // share
        parts = [_guideline(one, most) for one in kept]
        left_out = len(given) - len(kept)
        said = templates.render("_shared/guidelines.md.j2", parts=parts, left_out=left_out)
        text = f"{said.rstrip()}\n\n{brief}"
        if count(text) <= BRIEF_TOKENS + GUIDANCE_TOKENS:
            break
        share *= 2
    files = [one for one in kept if one.path]
    cut = [one.path for one in files if len(visible(one.text).strip()) > most]
    unread = tuple(one.problem for one in guidelines if one.problem)
    return BriefText(text, "", tuple(one.path for one in files), tuple(cut), unread)


def _brief(brief: Brief, tools: Sequence[str], share: int) -> str:
    """The brief with its bounds divided by `share`."""
    commits, findings = brief.commit_messages, "Tool findings, known already"
    parts = (
        _prose("Title", "title", brief.title, MAX_TITLE // share),
        _prose("Description", "description", brief.body, MAX_BODY // share),
        _listing("Commit messages", "commits", commits, MAX_COMMITS // share, MAX_COMMIT // share),
        _listing(findings, "tools", tools, MAX_TOOL_FINDINGS // share, MAX_TOOL_FINDING // share),
    )
    written = [part for part in parts if part is not None]
    return templates.render("_shared/brief.md.j2", parts=written).rstrip("\n")


def _guideline(given: Guideline, most: int) -> _Part | None:
    return _prose(visible_line(given.origin)[:MAX_ORIGIN], "guideline", given.text, most)


def prefix(brief_text: str, snapshot_text: str) -> str:
    """What follows the system text for every agent alike. The snapshot is used as it is."""
    return templates.render("_shared/prefix.md.j2", brief=brief_text, snapshot=snapshot_text)


def task(agent: Agent, ledger: Ledger, rules: Sequence[PathRule] = ()) -> str:
    """What one agent is asked, with as much sight as the ledger has and no more; `rules` say
    which files are not its to review."""
    partial = sum(entry.state is State.PARTIAL for entry in ledger.withheld)
    missing = len(ledger.withheld) - partial
    reviewed = any(entry.since for entry in ledger.entries)
    return _task(agent, _Sight(missing, partial, ledger.unlisted, reviewed=reviewed), rules)


def longest_task(agent: Agent, rules: Sequence[PathRule] = ()) -> str:
    """A task at least as long as `task` gives for any ledger, to reserve room for it."""
    return _task(agent, _Sight(_MANY, _MANY, _MANY), rules)


def repair(task: str, broken: str, *, cut: bool) -> str:
    """The task of the one repair call: the same, what was wrong, and the answer's beginning.

    `cut` tells that the answer met its output limit, and never makes the text shorter. The
    quoted answer takes at most `MAX_BROKEN_BYTES`, and so at most as many tokens.
    """
    # A fence ends a text that has no line feed at its end with one.
    shown = visible(broken).encode()[: MAX_BROKEN_BYTES - 1].decode(errors="ignore")
    return templates.render(
        "_shared/repair.md.j2", task=task, cut=cut, broken=_fence("answer", shown)
    )


def assemble(
    policy: AgentPolicy,
    agents: Sequence[Agent],
    brief_text: str,
    snapshot_text: str,
    ledger: Ledger,
) -> Prompts:
    """Everything that `agents` are sent in one pass, of which these are the text and ledger."""
    return Prompts(
        system=system(policy),
        prefix=prefix(brief_text, snapshot_text),
        tasks=tuple(task(agent, ledger, policy.rules) for agent in agents),
    )


def in_passes(
    policy: AgentPolicy, agents: Sequence[Agent], brief_text: str, snapshot: Snapshot
) -> list[Prompts]:
    """The same for each pass of a snapshot, in their order."""
    return [
        assemble(policy, agents, brief_text, part.text, part.ledger) for part in snapshot.passes
    ]


@dataclass(frozen=True, slots=True)
class _Sight:
    """How many files are not in the snapshot, in it in part, and not even listed."""

    missing: int
    partial: int
    unlisted: int
    reviewed: bool = False

    @property
    def words(self) -> str:
        return templates.render("_shared/sight.md.j2", **asdict(self)).strip()


def _task(agent: Agent, sight: _Sight, rules: Sequence[PathRule]) -> str:
    return templates.render(
        "_shared/task.md.j2",
        title=agent.title,
        sight=sight.words,
        fields=fields(agent, rules),
        body=_body(agent).strip(),
        categories=agent.categories,
    )


def _body(agent: Agent) -> str:
    if agent.own:
        return agent.body
    origin = f"prompts/agents/{agent.name}.md.j2"
    return templates.render_text(agent.body, origin=origin, categories=agent.categories)


def _prose(heading: str, kind: str, text: str, most: int) -> _Part | None:
    shown = visible(text).strip()
    if not shown:
        return None
    if len(shown) > most:
        heading = f"{heading} (the first {most:,} of {len(shown):,} characters)"
    return _Part(heading, _fence(kind, shown[:most]))


def _listing(
    heading: str, kind: str, texts: Sequence[str], most: int, longest: int
) -> _Part | None:
    lines = [_bounded(text, longest) for text in texts if text.strip()]
    if not lines:
        return None
    if len(lines) > most:
        heading = f"{heading} (the first {most} of {len(lines)})"
    return _Part(heading, _fence(kind, "\n".join(lines[:most])))


def _bounded(text: str, most: int) -> str:
    """One entry of a list; its later lines are set in, so that none looks like an entry."""
    shown = visible(text).strip()
    if len(shown) > most:
        shown = f"{shown[:most]}… (cut, {len(shown):,} characters)"
    return "- " + shown.replace("\n", "\n  ")


def _tool_line(found: Finding) -> str:
    place = found.path if found.start is None else f"{found.path}:{found.start}"
    sources = ", ".join(found.sources)
    return visible_line(f"{place} [{found.severity.label}] {found.title} ({sources})")
