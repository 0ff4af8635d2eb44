"""The settings that hold, and the small frozen policies that follow from them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import get_args

from pydantic import PrivateAttr

from pr_review import __version__
from pr_review.adapters.llm.model import ModelSettings
from pr_review.adapters.llm.providers import provider_of
from pr_review.agents.catalogue import Agent, own_agents
from pr_review.agents.policy import AgentPolicy
from pr_review.checks.policy import ChecksPolicy
from pr_review.domain.finding import Severity
from pr_review.domain.ledger import Tier
from pr_review.domain.path_rule import PathRule
from pr_review.domain.pull_request import Guideline
from pr_review.errors import ConfigurationError, EventError, UnreadableFile
from pr_review.event.payload import read_number
from pr_review.event.policy import EventPolicy, associations
from pr_review.judge.policy import JudgePolicy
from pr_review.report.gates import Gates
from pr_review.review.marker import derive_key
from pr_review.review.policy import ReviewPolicy
from pr_review.settings.fields import Fields
from pr_review.settings.values import kebab
from pr_review.snapshot.policy import SnapshotPolicy

GUIDELINES = ("AGENTS.md", "CONTRIBUTING.md", ".github/copilot-instructions.md")
NO_MODEL = "none"
# Secrets, and what decides whether there is a review or what follows from it, not what it says.
_SAYS_NOTHING = {
    "github_token", "api_key", "extra_headers", "ca_bundle", "pull_request", "drafts", "bots",
    "skip_labels", "require_label", "author_associations", "review", "prepare_deadline",
    "run_deadline", "max_cost_usd", "max_cost_usd_per_pull_request", "request_changes", "fail_on",
    "fail_on_partial", "fail_on_refused", "report_sarif", "report_html",
}  # fmt: skip


class Settings(Fields):
    """The settings of a run; `load` makes them, `complete` adds what files of the base say."""

    _own: tuple[Agent, ...] = PrivateAttr(())
    _guidelines: tuple[Guideline, ...] = PrivateAttr(())
    _called: Mapping[str, str] = PrivateAttr(default_factory=dict)

    def given_by(self, called: Mapping[str, str]) -> Settings:
        """The same, with what each setting is `called` in errors."""
        made = self.model_copy()
        made._called = called
        return made

    def called(self, name: str) -> str:
        """A setting with where it was set, as errors name it: `input agents`, `flag --agents`."""
        return self._called.get(name, name)

    def complete(self, read: Callable[[str], str | None], *, where: str = "") -> Settings:
        """The settings with what they take from files of the base branch: own agents, and with a
        model the guidelines. `read` gives a file's text there, None if there is none; `where` ends
        its name in errors.

        Raises `ConfigurationError` for an agent that is broken or unknown.
        """
        made = self.model_copy()
        made._own = own_agents(self.agents, read, where=where, setting=self.called("agents"))
        wanted = GUIDELINES if self.guidelines == "auto" and self.has_model else ()
        given = (_guideline(path, read) for path in wanted)
        made._guidelines = tuple(one for one in given if one.text or one.problem)
        return made

    @property
    def has_model(self) -> bool:
        return self.model not in ("", NO_MODEL)

    @property
    def token(self) -> str:
        return self.github_token.get_secret_value() if self.github_token else ""

    @property
    def key(self) -> str:
        return self.api_key.get_secret_value() if self.api_key else ""

    def event_policy(self, repository: str = "") -> EventPolicy:
        """Raises `ConfigurationError` if `pull-request` is an address in another repository."""
        number = None
        if self.pull_request:
            try:
                number = read_number(self.pull_request, repository)
            except EventError as error:
                raise ConfigurationError(error.message, remedy=error.remedy) from None
        return EventPolicy(
            self.drafts,
            self.bots,
            self.skip_labels,
            self.require_label,
            number,
            associations(self.author_associations),
        )

    @property
    def rules(self) -> tuple[PathRule, ...]:
        """The rules of `paths`; one that names no agent which is asked leaves its files to all."""
        return tuple(
            PathRule(
                rule.paths,
                rule.instructions,
                tuple(name for name in dict.fromkeys(self.agents) if name in rule.agents),
                Tier[rule.tier.upper()] if rule.tier else None,
            )
            for rule in self.paths
        )

    def snapshot_policy(self) -> SnapshotPolicy:
        return SnapshotPolicy(
            self.diff_token_budget,
            self.max_file_bytes,
            self.include,
            self.exclude,
            self.screening,
            self.max_context_bytes,
            self.max_dependencies,
            self.context_lines_before,
            self.context_lines_after,
            self.dynamic_context,
            self.max_scope_lines,
            tuple(suffix.lower() for suffix in self.context_skip_suffixes),
            passes=self.max_passes,
            rules=self.rules,
        )

    def agent_policy(self) -> AgentPolicy:
        return AgentPolicy(
            self.agents,
            self.language,
            self.max_output_tokens,
            self.run_deadline,
            self.max_prompt_tokens,
            self.max_cost_usd,
            self.fallback_models if self.has_model else (),
            verify=self.verify,
            own=self._own,
            rules=self.rules,
            guidelines=self._guidelines,
            guided=self.guidelines == "auto" or any(rule.instructions for rule in self.paths),
        )

    def fallback_settings(self, ca_file: Path | None = None) -> tuple[ModelSettings, ...]:
        """How the fallback models are reached: only one of the same provider is shown the key,
        the headers and the address that were given for `model`.
        """
        first = self.model_settings(ca_file)
        return tuple(
            replace(first, model=name)
            if provider_of(name) == provider_of(self.model) != ""
            else ModelSettings(name, temperature=self.temperature, ca_file=ca_file)
            for name in self.fallback_models
        )

    def model_settings(self, ca_file: Path | None = None) -> ModelSettings:
        return ModelSettings(
            self.model,
            api_key=self.key or None,
            api_base=self.api_base or None,
            extra_headers=self.extra_headers,
            temperature=self.temperature,
            ca_file=ca_file,
        )

    def checks_policy(self) -> ChecksPolicy:
        return ChecksPolicy(self.checks)

    def judge_policy(self) -> JudgePolicy:
        least = Severity[self.min_severity.upper()]
        return JudgePolicy(self.max_comments, least, rules=self.rules)

    def review_policy(self) -> ReviewPolicy:
        """The marker is signed only with a key that later runs have too."""
        key = derive_key(self.key) if self.key else None
        return ReviewPolicy(self.request_changes, self.digest(), key)

    def gates(self) -> Gates:
        worst = None if self.fail_on == "never" else Severity[self.fail_on.upper()]
        return Gates(worst, self.fail_on_partial, self.fail_on_refused)

    def digest(self) -> str:
        """Names what decides what a review says: the settings, without secrets, what they take
        from the base branch, and the release, whose rules another one does not have to share."""
        values = __version__ + self.model_dump_json(exclude=_SAYS_NOTHING)
        if taken := (*self._own, *self._guidelines):
            values += repr(taken)
        return hashlib.sha256(values.encode()).hexdigest()[:16]


def _guideline(path: str, read: Callable[[str], str | None]) -> Guideline:
    """A file of guidelines, empty if there is none: what is none that can be read ends no run."""
    try:
        return Guideline(path, read(path) or "", path)
    except UnreadableFile as error:
        return Guideline(path, "", path, problem=error.message)


def choices(name: str) -> tuple[str, ...]:
    """The words that a setting takes, where it takes no others."""
    found = Settings.model_fields.get(name.replace("-", "_"))
    kind = found.annotation if found else None
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return tuple(kind)
    return tuple(word for word in get_args(kind) if isinstance(word, str))


def default(name: str) -> str:
    """A setting's default as somebody would write it; empty if it is unset without one."""
    field = Settings.model_fields[name.replace("-", "_")]
    value = field.get_default(call_default_factory=True)
    match value:
        case bool():
            return str(value).lower()
        case StrEnum():
            return value.value
        case tuple():
            return ", ".join(value)
        case float():
            return f"{value:g}"
        case _:
            return str(value) if value else ""


NAMES = tuple(kebab(name) for name in Settings.model_fields)
